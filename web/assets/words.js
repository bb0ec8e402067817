// words.js - the sentences under charts and above the table.  A sentence is
// a list of strings and names, so that names stay text of their own.

import { SLOT_MS } from "./clock.js";
import { count, duration, isolate, moment, msText } from "./format.js";
import { nameOf } from "./dom.js";
import { breaches, isIdle } from "./store.js";
import { newestPoint, overFor } from "./view.js";

/** @typedef {(string | {name: string})[]} Sentence */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./types.d.ts").Datastore} Datastore */

/** @param {Sentence} s @returns {(string | HTMLElement)[]} */
export function toNodes(s) {
	return s.map((p) => typeof p === "string" ? p : nameOf(p.name, "name"));
}

/** @param {Sentence} s */
export function toText(s) {
	return s.map((p) => typeof p === "string" ? p : isolate(p.name)).join("");
}

/**
 * What a chart shows, for those who do not see it and those in a hurry.
 * @param {View} v
 * @param {"utc" | "local"} tz
 * @returns {Sentence}
 */
export function caption(v, tz) {
	if (v.lines.length === 0)
		return ["Nothing to draw."];
	const { s, line } = v.stepMs === SLOT_MS ? nowWords(v)
	    : { s: [], line: null };
	return spanWords(v, tz, s, line);
}

/**
 * What was in the time drawn.
 * @param {View} v
 * @param {"utc" | "local"} tz
 * @param {Sentence} [s] to go on with
 * @param {import("./view.js").Line | null} [now] the line it speaks of
 * @returns {Sentence}
 */
export function spanWords(v, tz, s = [], now = null) {
	if (v.peak) {
		const { line, t, point } = v.peak;
		s.push((s.length > 0 ? "; peak " : "Peak ") +
		    `${msText(point.worst)} at ` +
		    moment(point.t ?? t, v.to, tz));
		if (line !== now && v.lines.length > 1)
			s.push(" on ", { name: line.ds.name });
		if (point.host)
			s.push(", host ", { name: point.host });
	} else if (s.length === 0) {
		s.push(`No ${v.op} I/O known in this range`);
	}
	const over = v.breach.filter(Boolean).length;
	if (over > 0)
		s.push("; " + (v.stepMs === SLOT_MS
		    ? `${duration(over * SLOT_MS / 1000)} over the line in view`
		    : `over the line in ${over} of ${v.times.length} steps ` +
			`of ${duration(v.stepMs / 1000)}`));
	s.push(".");
	return s;
}

/**
 * The worst of the newest samples.
 * @param {View} v
 * @returns {{s: Sentence, line: import("./view.js").Line | null}}
 */
function nowWords(v) {
	/** @type {Sentence} */
	const s = [];
	const fresh = v.lines.map((line) => ({ line, p: newestPoint(line) }))
	    .filter(({ line, p }) => p &&
		v.times[line.points.lastIndexOf(p)] >= v.to - 90000);
	const worst = fresh
	    .filter(({ p }) => p && !isIdle(p))
	    .sort((a, b) => (b.p?.worst ?? 0) - (a.p?.worst ?? 0))[0];
	if (fresh.length === 0) {
		s.push("No sample in the last 90 s");
	} else if (!worst || !worst.p) {
		s.push(`No ${v.op} I/O now`);
	} else {
		const { line, p } = worst;
		s.push({ name: line.ds.name }, ` now ${msText(p.worst)}`);
		if (p.host)
			s.push(" on ", { name: p.host });
		const over = overFor(line);
		if (over > 0)
			s.push(`, above ${line.ds.threshold_ms} ms for ` +
			    duration(over));
		else if (v.lines.length > 1)
			s.push(", the worst of " +
			    count(v.lines.length + v.othersN, "datastore"));
	}
	return { s, line: worst?.line ?? null };
}

/** @typedef {{ds: Datastore, op: import("./types.d.ts").Op, ms: number, host: string | null}} Slow */

/**
 * Who is over the line now, by their newest sample.
 * @param {Iterable<Datastore>} list
 * @returns {Slow[]} worst first
 */
export function slowNow(list) {
	/** @type {Slow[]} */
	const slow = [];
	for (const ds of list) {
		const l = ds.latest;
		if (!l || (ds.stale_s ?? Infinity) > 90)
			continue;
		for (const op of /** @type {const} */ (["read", "write"])) {
			const worst = l[`${op}_worst_ms`];
			const p = { mean: l[`${op}_ms`], worst,
			    iops: l[`${op}_iops`], host: null };
			if (worst !== null && breaches(p, ds.threshold_ms))
				slow.push({ ds, op, ms: worst,
				    host: l[`${op}_worst_host`] });
		}
	}
	return slow.sort((a, b) => b.ms - a.ms);
}

/**
 * @param {Slow[]} slow
 * @param {number} total datastores that are measured
 * @returns {Sentence}
 */
export function summary(slow, total) {
	if (total === 0)
		return [];
	if (slow.length === 0)
		return [`\u2713 All ${count(total, "datastore")} below their ` +
		    "threshold."];
	const n = new Set(slow.map((s) => s.ds.id)).size;
	/** @type {Sentence} */
	const s = [`\u25b2 ${n} of ${count(total, "datastore")} ` +
	    (n === 1 ? "is" : "are") + " above the threshold now: "];
	slow.slice(0, 3).forEach(({ ds, op, ms, host }, i) => {
		s.push(i ? "; " : "", { name: ds.name },
		    ` ${op} ${msText(ms)}`);
		if (host)
			s.push(" on ", { name: host });
	});
	s.push(slow.length > 3 ? `; and ${slow.length - 3} more.` : ".");
	return s;
}
