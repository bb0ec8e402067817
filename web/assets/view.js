// view.js - from samples to what one chart draws.  Pure.

import { SLOT_MS } from "./clock.js";
import { breaches, isIdle } from "./store.js";

/** @typedef {import("./types.d.ts").Op} Op */
/** @typedef {import("./types.d.ts").Point} Point */
/** @typedef {import("./types.d.ts").Datastore} Datastore */
/** @typedef {import("./protocol.js").LineStyle} LineStyle */
/** @typedef {(number | null)[]} Column */

/** The lane of "< 1 ms", and where in it a value is drawn. */
export const Y_MIN = 0.3;
export const LANE_TOP = 0.9;
const LANE_Y = 0.5;
const Y_MAX = 1000;
/** A slot without a value is missing once it is this old. */
const LATE_MS = 90000;

/**
 * @typedef {object} Line
 * @property {Datastore} ds
 * @property {LineStyle} style
 * @property {(Point | null)[]} points per slot; null: no sample
 * @property {Column} worst what is drawn; null where nothing is
 * @property {Column} mean
 *
 * @typedef {object} View
 * @property {Op} op
 * @property {number} from
 * @property {number} to
 * @property {number} stepMs length of a slot
 * @property {number[]} times ends of the slots
 * @property {Line[]} lines
 * @property {Column | null} others worst of the datastores without a line
 * @property {number} othersN
 * @property {boolean[]} breach per slot: some line is over its threshold
 * @property {("" | "some" | "all")[]} missing per slot
 * @property {number[]} thresholds distinct, most common first
 * @property {{line: Line, t: number, point: Point} | null} peak
 * @property {number[]} marks times to mark on the axis
 */

/**
 * A latency as a height on the log axis.
 * @param {number | null} ms
 */
export function height(ms) {
	return ms === null ? null : ms < 1 ? LANE_Y : ms;
}

/**
 * The ends of the slots in (from, to].
 * @param {number} from
 * @param {number} to
 * @param {number} [stepMs]
 */
export function slots(from, to, stepMs = SLOT_MS) {
	const list = [];
	for (let t = (Math.floor(from / stepMs) + 1) * stepMs; t <= to;
	    t += stepMs)
		list.push(t);
	return list;
}

/**
 * @param {import("./store.js").Store} store
 * @param {import("./clock.js").Clocks} clocks
 * @param {{ds: Datastore, style: LineStyle}[]} drawn
 * @param {Datastore[]} rest
 * @param {Op} op
 * @param {number} rangeMs
 * @returns {View}
 */
export function buildView(store, clocks, drawn, rest, op, rangeMs) {
	const step = store.stepMs;
	const now = clocks.now();
	// A bin that has begun is drawn whole.
	const to = step === SLOT_MS ? now : Math.ceil(now / step) * step;
	return buildSpan(store, clocks, drawn, rest, op, now - rangeMs, to);
}

/**
 * The same from one time to another.
 * @param {import("./store.js").Store} store
 * @param {Pick<import("./clock.js").Clocks, "now" | "shift">} clocks
 * @param {{ds: Datastore, style: LineStyle}[]} drawn
 * @param {Datastore[]} rest
 * @param {Op} op
 * @param {number} from
 * @param {number} to
 * @returns {View}
 */
export function buildSpan(store, clocks, drawn, rest, op, from, to) {
	const times = slots(from, to, store.stepMs);
	const lines = drawn.map(({ ds, style }) => buildLine(store,
	    shiftOf(store, clocks, ds.target), ds, style, op, times));
	const others = rest.length === 0 ? null
	    : worstOf(store, clocks, rest, op, times);
	return {
		op, from, to, stepMs: store.stepMs, times, lines, others,
		othersN: rest.length,
		breach: times.map((_, i) => lines.some((l) =>
		    breaches(l.points[i] ?? undefined, l.ds.threshold_ms))),
		missing: missingSlots(store, clocks, lines, times, to),
		thresholds: distinct(drawn.map(({ ds }) => ds.threshold_ms)),
		peak: findPeak(lines, times),
		marks: [],
	};
}

/**
 * Whole slots of this store.
 * @param {import("./store.js").Store} store
 * @param {Pick<import("./clock.js").Clocks, "shift">} clocks
 * @param {string} target
 */
function shiftOf(store, clocks, target) {
	return Math.round(clocks.shift(target) / store.stepMs) * store.stepMs;
}

/**
 * @param {import("./store.js").Store} store
 * @param {number} shift
 * @param {Datastore} ds
 * @param {LineStyle} style
 * @param {Op} op
 * @param {number[]} times
 * @returns {Line}
 */
function buildLine(store, shift, ds, style, op, times) {
	const points = times.map((t) => {
		const p = store.at(ds.id, t - shift)?.[op];
		return p && p.mean !== null ? p : null;
	});
	const busy = points.map((p) => p && !isIdle(p) ? p : null);
	return {
		ds, style, points,
		worst: busy.map((p) => p && height(p.worst)),
		mean: busy.map((p) => p && height(p.mean)),
	};
}

/**
 * @param {import("./store.js").Store} store
 * @param {Pick<import("./clock.js").Clocks, "shift">} clocks
 * @param {Datastore[]} list
 * @param {Op} op
 * @param {number[]} times
 * @returns {Column}
 */
function worstOf(store, clocks, list, op, times) {
	/** @type {Column} */
	const col = times.map(() => null);
	for (const ds of list) {
		const shift = shiftOf(store, clocks, ds.target);
		times.forEach((t, i) => {
			const p = store.at(ds.id, t - shift)?.[op];
			if (!p || p.worst === null || isIdle(p))
				return;
			const y = height(p.worst);
			if (y !== null && y > (col[i] ?? 0))
				col[i] = y;
		});
	}
	return col;
}

/**
 * Idle is not missing, and neither is a slot before the first sample or one
 * so young that its value may still come.
 * @param {import("./store.js").Store} store
 * @param {Pick<import("./clock.js").Clocks, "shift">} clocks
 * @param {Line[]} lines
 * @param {number[]} times
 * @param {number} now
 */
function missingSlots(store, clocks, lines, times, now) {
	const known = lines.map((l) => {
		const shift = shiftOf(store, clocks, l.ds.target);
		const first = store.oldest(l.ds.id);
		const last = store.newest(l.ds.id);
		return {
			points: l.points,
			first: first === null ? Infinity : first + shift,
			last: last === null ? -Infinity : last + shift,
		};
	}).filter((k) => k.first !== Infinity);
	return times.map((t, i) => {
		const due = known.filter((k) => t >= k.first &&
		    (t <= k.last || t < now - LATE_MS));
		const n = due.filter((k) => k.points[i] === null).length;
		return n === 0 ? "" : n === due.length ? "all" : "some";
	});
}

/**
 * @param {Line[]} lines
 * @param {number[]} times
 * @returns {View["peak"]}
 */
function findPeak(lines, times) {
	/** @type {View["peak"]} */
	let best = null;
	for (const line of lines)
		line.points.forEach((point, i) => {
			if (!point || point.worst === null || isIdle(point))
				return;
			if (!best || point.worst >= (best.point.worst ?? 0))
				best = { line, t: times[i], point };
		});
	return best;
}

/** @param {number[]} values @returns {number[]} most common first */
export function distinct(values) {
	/** @type {Map<number, number>} */
	const n = new Map();
	for (const v of values)
		n.set(v, (n.get(v) ?? 0) + 1);
	return [...n.entries()].sort((a, b) => b[1] - a[1] || b[0] - a[0])
	    .map(([v]) => v);
}

/**
 * One top of the axis for all charts, so that they compare.
 * @param {View[]} views
 * @param {number[]} held values of held peaks
 */
export function commonTop(views, held) {
	let max = Math.max(0, ...held);
	for (const v of views) {
		for (const l of v.lines)
			for (const y of l.worst)
				max = Math.max(max, y ?? 0);
		for (const y of v.others ?? [])
			max = Math.max(max, y ?? 0);
	}
	if (max <= Y_MAX * 0.9)
		return Y_MAX;
	const decade = 10 ** Math.floor(Math.log10(max * 1.1));
	return [2, 5, 10].map((f) => f * decade).find((y) => y >= max * 1.1) ??
	    decade * 10;
}

/**
 * Which datastores get a line: the worst of what is known of them.
 * @template {{id: string}} T
 * @param {T[]} list
 * @param {number} n
 * @param {(d: T) => number} badness
 * @returns {T[]} in the order of the list
 */
export function worstFew(list, n, badness) {
	if (list.length <= n)
		return list;
	const few = new Set([...list]
	    .map((d) => ({ d, bad: badness(d) }))
	    .sort((a, b) => b.bad - a.bad)
	    .slice(0, n)
	    .map((x) => x.d));
	return list.filter((d) => few.has(d));
}

/**
 * How long a line of samples has been over its threshold up to the newest.
 * @param {Line} line
 * @returns {number} seconds
 */
export function overFor(line) {
	let n = 0;
	for (let i = line.points.length - 1; i >= 0; i--) {
		const p = line.points[i];
		if (!p || isIdle(p))
			continue;
		if (!breaches(p, line.ds.threshold_ms))
			break;
		n++;
	}
	return n * SLOT_MS / 1000;
}

/**
 * @param {Line} line
 * @returns {Point | null} its newest sample
 */
export function newestPoint(line) {
	for (let i = line.points.length - 1; i >= 0; i--)
		if (line.points[i])
			return line.points[i];
	return null;
}

