// api.js - requests to dslatd; relative addresses, so that a proxy may serve
// the page under any path.

/** @typedef {import("./types.d.ts").Datastore} Datastore */

const TIMEOUT_MS = 15000;
const PAGE_ROWS = 1000;
const MAX_PAGES = 50;

/** An answer that is not 2xx; message is for people. */
export class HttpError extends Error {
	/**
	 * @param {number} status
	 * @param {string} message
	 */
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

/**
 * @param {string} path below api/v1/
 * @returns {string}
 */
export function apiUrl(path) {
	return new URL("api/v1/" + path, document.baseURI).href;
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export function getJson(path) {
	return askJson("GET", path);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} null: an answer without a body
 */
export async function askJson(method, path, body) {
	const abort = new AbortController();
	const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
	try {
		const r = await fetch(apiUrl(path), {
			method,
			headers: {
				Accept: "application/json",
				...(body && { "Content-Type":
				    "application/json" }),
			},
			body: body && JSON.stringify(body),
			cache: "no-cache",
			signal: abort.signal,
		});
		if (!r.ok)
			throw new HttpError(r.status, await problemText(r));
		return r.status === 204 ? null : await r.json();
	} finally {
		clearTimeout(timer);
	}
}

/**
 * The sentence of an RFC 9457 answer.
 * @param {Response} r
 */
export async function problemText(r) {
	try {
		const p = await r.json();
		return String(p.detail ?? p.title ?? r.statusText);
	} catch {
		return `${r.status} ${r.statusText}`;
	}
}

/** @returns {Promise<import("./types.d.ts").Status>} */
export function getStatus() {
	return getJson("status");
}

/** @returns {Promise<Datastore[]>} all pages */
export async function getDatastores() {
	return (await getPages("datastores?", MAX_PAGES)).items;
}

/**
 * @param {string} path with its question mark
 * @param {number} pages at most
 * @returns {Promise<{items: any[], more: boolean}>}
 */
export async function getPages(path, pages) {
	const all = [];
	let cursor = "";
	for (let page = 0; page < pages; page++) {
		const r = await getJson(`${path}limit=${PAGE_ROWS}` +
		    (cursor && "&cursor=" + encodeURIComponent(cursor)));
		all.push(...r.items);
		cursor = r.next_cursor ?? "";
		if (!cursor)
			break;
	}
	return { items: all, more: cursor !== "" };
}

/**
 * @param {string[]} ids of one target
 * @param {number} from epoch ms, the target's clock
 * @param {number} to
 * @returns {Promise<import("./types.d.ts").Series>}
 */
export function getSeries(ids, from, to) {
	const list = ids.map((id) => "datastore=" + encodeURIComponent(id));
	return getJson("series?" + list.join("&") +
	    "&metric=read_ms,write_ms,read_iops,write_iops" + span(from, to));
}

/**
 * The same, over any time, in about so many bins.
 * @param {string[]} ids
 * @param {number} from
 * @param {number} to
 * @param {number} points
 * @returns {Promise<import("./types.d.ts").Series>}
 */
export function getBins(ids, from, to, points) {
	const list = ids.map((id) => "datastore=" + encodeURIComponent(id));
	return getJson("series?" + list.join("&") + `&points=${points}` +
	    "&metric=read_ms,write_ms,read_iops,write_iops" + span(from, to));
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} limit
 * @returns {Promise<import("./types.d.ts").Peak[]>} worst first
 */
export async function getPeaks(from, to, limit) {
	const r = await getJson(`peaks?limit=${limit}` + span(from, to));
	return r.items ?? r.peaks ?? [];
}

/**
 * @param {number} from
 * @param {number} to
 */
function span(from, to) {
	return "&from=" + new Date(from).toISOString() +
	    "&to=" + new Date(to).toISOString();
}
