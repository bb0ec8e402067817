// table.js - all datastores, one row each; sorted and filtered here.

import { duration, moment, msNumber, rateNumber } from "./format.js";
import { h, keyed, nameOf, setAttr, setText } from "./dom.js";
import { protocolLabel } from "./protocol.js";
import { breaches } from "./store.js";

/** @typedef {import("./types.d.ts").Datastore} Datastore */
/** @typedef {import("./types.d.ts").Op} Op */
/** @typedef {{ms: number, t: number, op: Op, host: string} | null} HourPeak */
/** @typedef {{ds: Datastore, age: number | null, peak: HourPeak, now: number}} Row */

/** More rows than this are shown when asked for. */
const FIRST_ROWS = 200;

/** @type {Record<string, {glyph: string, word: string, rank: number}>} */
export const STATES = {
	critical: { glyph: "\u25c6", word: "critical", rank: 0 },
	warning: { glyph: "\u25b2", word: "warning", rank: 1 },
	inaccessible: { glyph: "\u2716", word: "inaccessible", rank: 2 },
	no_data: { glyph: "?", word: "no data", rank: 3 },
	ok: { glyph: "\u2713", word: "ok", rank: 4 },
	idle: { glyph: "\u25cb", word: "idle", rank: 5 },
	maintenance: { glyph: "\u2692", word: "maintenance", rank: 6 },
	not_measured: { glyph: "\u2013", word: "not measured", rank: 7 },
};

/** @param {Datastore} d @param {Op} op */
const worst = (d, op) => d.latest?.[`${op}_worst_ms`] ?? -1;
/** @param {Datastore} d */
const iops = (d) => (d.latest?.read_iops ?? 0) + (d.latest?.write_iops ?? 0);
/** @param {Datastore} d */
const rank = (d) => STATES[d.state]?.rank ?? 3;

/** @type {{key: string, title: string, num?: boolean, down?: boolean, by: (r: Row) => string | number}[]} */
const COLUMNS = [
	{ key: "name", title: "Datastore", by: (r) => r.ds.name },
	{ key: "target", title: "Target", by: (r) => r.ds.target },
	{ key: "protocol", title: "Protocol", by: (r) => r.ds.protocol },
	{ key: "backing", title: "Backing", by: (r) => r.ds.backing ?? "" },
	{ key: "state", title: "State", by: (r) => rank(r.ds) },
	{ key: "age", title: "Age", num: true, by: (r) => r.age ?? Infinity },
	{ key: "read", title: "Read ms", num: true, down: true,
	    by: (r) => worst(r.ds, "read") },
	{ key: "write", title: "Write ms", num: true, down: true,
	    by: (r) => worst(r.ds, "write") },
	{ key: "iops", title: "IOPS", num: true, down: true,
	    by: (r) => iops(r.ds) },
	{ key: "threshold", title: "Threshold", num: true,
	    by: (r) => r.ds.threshold_ms },
	{ key: "peak", title: "Peak, 1 h", num: true, down: true,
	    by: (r) => r.peak?.ms ?? -1 },
];

const compareText = new Intl.Collator(undefined, { numeric: true }).compare;

export class Table {
	/**
	 * @param {HTMLElement} box
	 * @param {object} hooks
	 * @param {(sort: string) => void} hooks.sorted
	 * @param {() => void} hooks.looked other rows came into sight
	 */
	constructor(box, hooks) {
		this.hooks = hooks;
		this.sort = "";
		this.all = false;
		/** @type {Set<string>} ids in sight */
		this.visible = new Set();
		this.heads = COLUMNS.map((c) => {
			const b = h("button", { type: "button" }, c.title,
			    h("span", { class: "arrow", "aria-hidden": "true" }));
			b.addEventListener("click", () => this.sortBy(c.key));
			return h("th", { scope: "col", role: "columnheader",
			    class: c.num ? "num" : "" }, b);
		});
		this.body = h("tbody", { role: "rowgroup" });
		this.more = h("button", { type: "button", class: "more" });
		this.more.addEventListener("click", () => {
			this.all = true;
			hooks.looked();
		});
		this.none = h("p", { class: "empty" });
		box.append(h("table", { class: "datastores", role: "table" },
		    h("thead", { role: "rowgroup" },
			h("tr", { role: "row" }, ...this.heads)),
		    this.body), this.none, this.more);
		this.seen = new IntersectionObserver((list) => {
			for (const e of list) {
				const key = /** @type {HTMLElement} */ (
				    e.target).dataset.key ?? "";
				if (e.isIntersecting)
					this.visible.add(key);
				else
					this.visible.delete(key);
			}
			hooks.looked();
		});
	}

	/** @param {string} key */
	sortBy(key) {
		const first = COLUMNS.find((c) => c.key === key)?.down
		    ? "-" + key : key;
		const other = first === key ? "-" + key : key;
		this.hooks.sorted(this.sort === first ? other : first);
	}

	/**
	 * @param {Row[]} rows
	 * @param {string} sort "name", "-read", "" for the worst state first
	 * @param {"utc" | "local"} tz
	 * @param {string} none what to say without a row
	 */
	update(rows, sort, tz, none) {
		this.sort = sort;
		const sorted = sortRows(rows, sort);
		const key = sort.replace("-", "");
		COLUMNS.forEach((c, i) => {
			const dir = c.key !== key ? null
			    : sort.startsWith("-") ? "descending" : "ascending";
			if (dir)
				setAttr(this.heads[i], "aria-sort", dir);
			else
				this.heads[i].removeAttribute("aria-sort");
			const arrow = this.heads[i].querySelector(".arrow");
			if (arrow)
				setText(arrow, dir === "descending" ? " \u2193"
				    : dir ? " \u2191" : "");
		});
		const shown = this.all ? sorted : sorted.slice(0, FIRST_ROWS);
		keyed(this.body, shown, (r) => r.ds.id, (r) => this.makeRow(r),
		    (el, r) => updateRow(el, r, tz));
		this.none.hidden = rows.length > 0;
		setText(this.none, none);
		this.more.hidden = shown.length === sorted.length;
		setText(this.more, `Show all ${sorted.length} rows`);
	}

	/** @param {Row} r */
	makeRow(r) {
		const row = h("tr", { role: "row" },
		    h("th", { scope: "row", role: "rowheader",
			"data-label": COLUMNS[0].title }),
		    ...COLUMNS.slice(1).map((c) => h("td", {
			role: "cell", class: c.num ? "num" : "",
			"data-col": c.key, "data-label": c.title,
		    })));
		row.dataset.key = r.ds.id;
		this.seen.observe(row);
		return row;
	}
}

/**
 * @param {Row[]} rows
 * @param {string} sort
 */
export function sortRows(rows, sort) {
	const down = sort.startsWith("-");
	const col = COLUMNS.find((c) => c.key === sort.replace("-", ""));
	const sign = down ? -1 : 1;
	/** @param {Row} a @param {Row} b */
	const usual = (a, b) => rank(a.ds) - rank(b.ds) ||
	    compareText(a.ds.name, b.ds.name) ||
	    compareText(a.ds.id, b.ds.id);
	return [...rows].sort((a, b) => {
		if (!col)
			return usual(a, b);
		const x = col.by(a);
		const y = col.by(b);
		return sign * (typeof x === "string" || typeof y === "string"
		    ? compareText(String(x), String(y))
		    : x === y ? 0 : x < y ? -1 : 1) || usual(a, b);
	});
}

/**
 * @param {HTMLElement} el
 * @param {Row} r
 * @param {"utc" | "local"} tz
 */
function updateRow(el, r, tz) {
	const d = r.ds;
	const cell = (/** @type {number} */ i) =>
	    /** @type {HTMLElement} */ (el.children[i]);
	nameCell(cell(0), d.name);
	nameCell(cell(1), d.target);
	setText(cell(2), protocolLabel(d.protocol) + (d.protocol === "mixed" ?
	    `: ${d.protocols.map(protocolLabel).join(", ")}` : ""));
	nameCell(cell(3), d.backing ?? "\u2013");
	const st = STATES[d.state] ?? { glyph: "?", word: d.state };
	setAttr(el, "data-state", d.state);
	stateCell(cell(4), st.glyph, st.word, d.reason ?? "");
	setText(cell(5), r.age === null ? "\u2013" : duration(r.age));
	cell(5).classList.toggle("bad", r.age !== null && r.age > 90);
	latencyCell(cell(6), d, "read");
	latencyCell(cell(7), d, "write");
	setText(cell(8), !d.latest || (d.latest.read_iops === null &&
	    d.latest.write_iops === null) ? "\u2013"
	    : `${rateNumber(d.latest.read_iops)} / ` +
		rateNumber(d.latest.write_iops));
	cell(8).title = "read / write";
	setText(cell(9), d.state === "not_measured" ? "\u2013"
	    : `${d.threshold_ms}\u202fms`);
	peakCell(cell(10), r, tz);
}

/** @param {HTMLElement} cell @param {string} name */
function nameCell(cell, name) {
	if (cell.dataset.name === name)
		return;
	cell.dataset.name = name;
	cell.replaceChildren(nameOf(name));
}

/**
 * @param {HTMLElement} cell
 * @param {string} glyph
 * @param {string} word
 * @param {string} reason
 */
function stateCell(cell, glyph, word, reason) {
	const key = word + reason;
	if (cell.dataset.name === key)
		return;
	cell.dataset.name = key;
	cell.replaceChildren(h("span", { class: "state" },
	    h("span", { class: "glyph", "aria-hidden": "true" }, glyph),
	    " " + word));
	if (reason)
		cell.append(h("span", { class: "reason" }, nameOf(reason)));
}

/**
 * The worst host, and small behind it the weighted mean.
 * @param {HTMLElement} cell
 * @param {Datastore} d
 * @param {Op} op
 */
function latencyCell(cell, d, op) {
	const l = d.latest;
	const mean = l?.[`${op}_ms`] ?? null;
	const max = l?.[`${op}_worst_ms`] ?? mean;
	const rate = l?.[`${op}_iops`] ?? null;
	const host = l?.[`${op}_worst_host`] ?? null;
	const idle = mean === 0 && rate === 0 && (max ?? 0) === 0;
	const over = breaches({ mean, worst: max, iops: rate, host: null },
	    d.threshold_ms);
	const key = JSON.stringify([mean, max, host, idle, over]);
	if (cell.dataset.name === key)
		return;
	cell.dataset.name = key;
	cell.classList.toggle("over", over);
	if (mean === null || idle) {
		cell.replaceChildren(h("span", { class: "quiet" },
		    mean === null ? "\u2013" : "idle"));
		return;
	}
	cell.replaceChildren(
	    h("strong", {}, (over ? "\u25b2\u202f" : "") + msNumber(max)),
	    h("span", { class: "quiet" }, ` mean ${msNumber(mean)}`));
	if (host)
		cell.append(h("span", { class: "host" }, nameOf(host)));
}

/**
 * @param {HTMLElement} cell
 * @param {Row} r
 * @param {"utc" | "local"} tz
 */
function peakCell(cell, r, tz) {
	const p = r.peak;
	const key = JSON.stringify([p, tz]);
	if (cell.dataset.name === key)
		return;
	cell.dataset.name = key;
	cell.classList.toggle("over",
	    p !== null && p.ms >= r.ds.threshold_ms);
	if (!p) {
		cell.replaceChildren("\u2013");
		return;
	}
	cell.replaceChildren(h("strong", {}, msNumber(p.ms)),
	    h("span", { class: "quiet" },
		` ${p.op} ${moment(p.t, r.now, tz)}`));
	if (p.host)
		cell.append(h("span", { class: "host" }, nameOf(p.host)));
}
