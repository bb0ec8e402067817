// header.js - the live dot, and the banner for when there is nothing to see.

import { clockTime, duration } from "./format.js";
import { byId, setText } from "./dom.js";

/** @typedef {import("./types.d.ts").Datastore} Datastore */
/** @typedef {import("./types.d.ts").Status} Status */

export const STALE_S = 90;

/**
 * The newest sample of each target and its age.
 * @param {Iterable<Datastore>} list
 * @param {import("./clock.js").Clocks} clocks
 */
export function newestByTarget(list, clocks) {
	/** @type {Map<string, {t: number, age: number}>} */
	const best = new Map();
	for (const d of list) {
		const t = d.latest?.t ? Date.parse(d.latest.t) : NaN;
		if (t > (best.get(d.target)?.t ?? -Infinity))
			best.set(d.target, { t,
			    age: (clocks.now(d.target) - t) / 1000 });
	}
	return best;
}

/**
 * @param {object} s
 * @param {import("./live.js").Live} s.live
 * @param {Map<string, {t: number, age: number}>} s.newest
 * @param {"utc" | "local"} s.tz
 */
export function updateDot({ live, newest, tz }) {
	// The oldest of the targets speaks: that one is the problem.
	let worst = null;
	for (const [target, n] of newest)
		if (!worst || n.age > worst.age)
			worst = { target, ...n };
	const stale = worst !== null && worst.age > STALE_S;
	const cls = live.mode === "down" ? "down"
	    : live.mode === "denied" ? "wait" : stale ? "stale"
	    : live.mode === "connecting" || !worst ? "wait" : "live";
	const glyph = { down: "\u2716", stale: "\u25b2", wait: "\u25cb",
	    live: "\u25cf" }[cls];
	let text = worst ? `sample ${clockTime(worst.t, tz)}, ` +
	    `${duration(worst.age)} old` : "no sample yet";
	if (stale && worst)
		text = "stale: " + text +
		    (newest.size > 1 ? ` (${worst.target})` : "");
	if (live.mode === "down")
		text = "disconnected \u00b7 " + text;
	else if (live.mode === "denied")
		text = "not logged in";
	else if (live.mode === "connecting")
		text = "connecting\u2026";
	else if (live.mode === "poll")
		text += " \u00b7 polling";
	const dot = byId("live");
	dot.className = "live " + cls;
	setText(byId("live-glyph"), glyph);
	setText(byId("live-text"), text);
}

/**
 * The one thing that is in the way, or nothing.
 * @param {object} s
 * @param {import("./live.js").Live} s.live
 * @param {Status | null} s.status
 * @param {string} s.version that the page was loaded from
 * @param {boolean} s.samples some datastore has one
 * @param {number} s.datastores
 * @param {number} s.age of the newest sample, s
 */
export function bannerText({ live, status, version, samples, datastores, age }) {
	if (live.mode === "down")
		return `dslatd does not answer (${live.error}).` +
		    (samples ? " What you see is what was known before; the " +
			"gap is filled when it is back." : "");
	if (!status || live.mode === "denied")
		return "";
	if (status.version !== version)
		return `dslatd was updated from ${version} to ` +
		    `${status.version}: reload this page.`;
	if (status.targets.length === 0)
		return "dslatd watches nothing yet. Add a vCenter or an ESXi " +
		    "host under \u201ctargets:\u201d in dslatd.yaml and " +
		    "reload it (systemctl reload dslatd).";
	const broken = status.targets.every((t) =>
	    t.state === "unreachable" || t.state === "auth_failed");
	if (broken && !samples)
		return "No target can be read; the reason is below.";
	if (datastores > 0 && !samples)
		return "Waiting for the first samples. Hosts finish one every " +
		    "20 s, and the last hour comes with the first of them.";
	if (datastores === 0 &&
	    status.targets.some((t) => t.state === "starting"))
		return "Reading the inventory\u2026";
	if (samples && age > STALE_S && Number.isFinite(age))
		return `No new sample for ${duration(age)}. The values below ` +
		    "are old.";
	return "";
}

/**
 * Counts down beside the banner, where no reader of the screen hears it.
 * @param {import("./live.js").Live} live
 */
export function retryText(live) {
	if (live.mode !== "down" || live.retryAt === null)
		return "";
	const wait = (live.retryAt - Date.now()) / 1000;
	return wait < 1 ? "Next try now." : `Next try in ${duration(wait)}.`;
}
