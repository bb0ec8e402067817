// store.js - the samples the page holds: per datastore, by the end of their
// slot.  Whatever brings them (series, stream, list), a later word about a
// slot replaces the earlier one, so merging twice changes nothing.

import { SLOT_MS } from "./clock.js";

/** @typedef {import("./types.d.ts").Op} Op */
/** @typedef {import("./types.d.ts").Point} Point */
/** @typedef {{read: Point, write: Point}} Sample */
/** @typedef {(string | number | null)[]} Column */

/** @type {readonly Op[]} */
export const OPS = ["read", "write"];

/** Held a little longer than the longest range drawn. */
export const KEEP_MS = 65 * 60 * 1000;

/** A sparse sample (fewer I/Os than can be counted) breaches from here. */
const SPARSE_MS = 1000;
/** One sample needs 20 I/Os in its 20 s to count as a breach. */
const MIN_IOPS = 1;

/** @param {Point | undefined} p */
export function isIdle(p) {
	return p !== undefined && p.mean === 0 && p.iops === 0 &&
	    (p.worst ?? 0) === 0;
}

/**
 * @param {Point | undefined} p
 * @param {number} thresholdMs
 */
export function breaches(p, thresholdMs) {
	if (!p || p.worst === null || p.worst < thresholdMs)
		return false;
	return p.iops === null || p.iops >= MIN_IOPS || p.worst >= SPARSE_MS;
}

export class Store {
	/** @param {number} [stepMs] length of its slots */
	constructor(stepMs = SLOT_MS) {
		this.stepMs = stepMs;
		/** @type {Map<string, Map<number, Sample>>} */
		this.byId = new Map();
		/** @type {Set<string>} whose whole hour was fetched */
		this.loaded = new Set();
		/** @type {Map<string, string>} of single samples, see nameHost */
		this.hosts = new Map();
	}

	/**
	 * Merge columns of one datastore.
	 * @param {string} id
	 * @param {readonly number[]} t ends of slots, epoch ms
	 * @param {Record<string, Column | undefined>} col by name: read_ms,
	 *   read_worst_ms, read_iops, read_worst_host, the same for write
	 */
	merge(id, t, col) {
		let rows = this.byId.get(id);
		if (!rows)
			this.byId.set(id, rows = new Map());
		for (let i = 0; i < t.length; i++) {
			const key = Math.round(t[i] / this.stepMs) * this.stepMs;
			const old = rows.get(key);
			/** @type {Sample} */
			const s = {
				read: point(col, "read", i, old?.read),
				write: point(col, "write", i, old?.write),
			};
			for (const op of OPS)
				s[op].host ??= this.hosts.get(
				    hostKey(id, op, key)) ?? null;
			if (s.read.mean !== null || s.write.mean !== null)
				rows.set(key, s);
		}
	}

	/**
	 * Whose the worst of a slot was, which a series does not say.  Peaks
	 * come worst first, so the first of a slot is the one.
	 * @param {string} id
	 * @param {Op} op
	 * @param {number} t
	 * @param {number} ms
	 * @param {string} host
	 * @param {number} [at] its own time, where the slot is a longer bin
	 */
	nameHost(id, op, t, ms, host, at) {
		const p = this.at(id, t)?.[op];
		if (p && p.worst === ms) {
			p.host ??= host;
			p.t ??= at;
		} else if (!p && at === undefined &&
		    !this.hosts.has(hostKey(id, op, t))) {
			this.hosts.set(hostKey(id, op, t), host);
		}
	}

	/**
	 * Merge an answer that may hold several datastores.
	 * @param {import("./types.d.ts").Series} answer
	 */
	mergeSeries(answer) {
		/** @type {Map<string, Record<string, Column>>} */
		const byId = new Map();
		for (const s of answer.series) {
			let col = byId.get(s.datastore);
			if (!col)
				byId.set(s.datastore, col = {});
			col[s.metric] = s.values;
			if (s.metric.endsWith("_ms"))
				col[s.metric.replace("_ms", "_worst_ms")] =
				    s.max ?? s.values;
		}
		for (const [id, col] of byId)
			this.merge(id, answer.t, col);
	}

	/**
	 * @param {string} id
	 * @param {number} t
	 */
	at(id, t) {
		return this.byId.get(id)?.get(t);
	}

	/** @param {string} id @returns {number | null} its newest slot */
	newest(id) {
		let best = null;
		for (const t of this.byId.get(id)?.keys() ?? [])
			if (best === null || t > best)
				best = t;
		return best;
	}

	/** @param {string} id @returns {number | null} its oldest slot */
	oldest(id) {
		let best = null;
		for (const t of this.byId.get(id)?.keys() ?? [])
			if (best === null || t < best)
				best = t;
		return best;
	}

	/**
	 * The worst sample in (from, to].
	 * @param {string} id
	 * @param {Op} op
	 * @param {number} from
	 * @param {number} to
	 * @returns {{t: number, ms: number, host: string | null} | null}
	 */
	worst(id, op, from, to) {
		let best = null;
		for (const [t, s] of this.byId.get(id) ?? []) {
			const ms = s[op].worst;
			if (t <= from || t > to || ms === null || isIdle(s[op]))
				continue;
			if (!best || ms > best.ms || (ms === best.ms && t > best.t))
				best = { t, ms, host: s[op].host };
		}
		return best;
	}

	/** @param {string} id @param {number} now drop what is too old to draw */
	prune(id, now) {
		const rows = this.byId.get(id);
		for (const t of rows?.keys() ?? [])
			if (t < now - KEEP_MS)
				rows?.delete(t);
	}

	/** @param {(id: string) => boolean} keep */
	retain(keep) {
		for (const id of this.byId.keys())
			if (!keep(id)) {
				this.byId.delete(id);
				this.loaded.delete(id);
			}
	}
}

/**
 * @param {string} id
 * @param {Op} op
 * @param {number} t
 */
function hostKey(id, op, t) {
	return `${op} ${t} ${id}`;
}

/**
 * @param {Record<string, Column | undefined>} col
 * @param {Op} op
 * @param {number} i
 * @param {Point | undefined} old
 * @returns {Point}
 */
function point(col, op, i, old) {
	const mean = num(col[op + "_ms"], i) ?? null;
	if (mean === null && old)
		return old;
	const worst = num(col[op + "_worst_ms"], i) ?? mean;
	const host = col[op + "_worst_host"]?.[i];
	return {
		mean,
		worst,
		iops: num(col[op + "_iops"], i) ?? null,
		// A series names no hosts: keep the one an event named.
		host: typeof host === "string" ? host
		    : old && old.worst === worst ? old.host : null,
	};
}

/**
 * @param {Column | undefined} column
 * @param {number} i
 */
function num(column, i) {
	const v = column?.[i];
	return typeof v === "number" ? v : null;
}
