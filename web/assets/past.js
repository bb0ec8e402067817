// past.js - what the charts show beyond the live hour: bins that dslatd
// makes of its history.  Every bin keeps its worst sample, so a peak is in
// the chart however long the range.  Fetched anew now and then while looked at.

import { getBins, getPeaks } from "./api.js";
import { SLOT_MS } from "./clock.js";
import { OPS, Store } from "./store.js";

const LIVE_MS = 3600 * 1000;
const POINTS = 720;
const BATCH = 8; // datastores in one request
const MANY_PEAKS = 1000;
const FRESH_MS = 60000;
const AGAIN_MS = 15000; // after a failure

/** @param {number} rangeMs longer than what the page holds anyway */
export const isLong = (rangeMs) => rangeMs > LIVE_MS;

export class Past {
	/**
	 * @param {import("./clock.js").Clocks} clocks
	 * @param {() => void} changed
	 */
	constructor(clocks, changed) {
		this.clocks = clocks;
		this.changed = changed;
		this.rangeMs = 0;
		this.generation = 0;
		this.error = "";
		this.store = new Store();
		/** @type {Map<string, number>} when the next look is due */
		this.due = new Map();
		/** @type {Set<string>} ids in requests */
		this.busy = new Set();
		/** @type {import("./types.d.ts").Peak[]} of the range */
		this.peaks = [];
		this.peaksDue = 0;
	}

	reset() {
		this.generation++;
		// Until an answer says how long they are; no finer than drawn.
		this.store = new Store(Math.max(1, Math.ceil(this.rangeMs /
		    POINTS / SLOT_MS)) * SLOT_MS);
		this.due.clear();
		this.busy = new Set();
		this.peaks = [];
		this.peaksDue = 0;
		this.error = "";
	}

	/** What is here may have a hole: fetch it anew. */
	stale() {
		this.due.clear();
		this.peaksDue = 0;
	}

	/**
	 * What is on the screen now.
	 * @param {number} rangeMs
	 * @param {{id: string, target: string}[]} list
	 */
	want(rangeMs, list) {
		if (rangeMs !== this.rangeMs) {
			this.rangeMs = rangeMs;
			this.reset();
		}
		if (!isLong(rangeMs))
			return;
		const now = Date.now();
		if (this.peaksDue <= now) {
			this.peaksDue = now + FRESH_MS;
			this.loadPeaks();
		}
		/** @type {Map<string, string[]>} by target */
		const lacking = new Map();
		for (const { id, target } of list)
			if ((this.due.get(id) ?? 0) <= now && !this.busy.has(id))
				lacking.set(target,
				    [...lacking.get(target) ?? [], id]);
		for (const [target, ids] of lacking)
			for (let i = 0; i < ids.length; i += BATCH)
				this.load(target, ids.slice(i, i + BATCH));
	}

	/**
	 * @param {string} target
	 * @param {string[]} ids
	 */
	async load(target, ids) {
		const gen = this.generation;
		const now = this.clocks.now(target);
		for (const id of ids)
			this.busy.add(id);
		let wait = AGAIN_MS;
		try {
			const answer = await getBins(ids, now - this.rangeMs,
			    now, POINTS);
			if (gen !== this.generation)
				return;
			this.take(answer);
			this.error = answer.partial ?? "";
			wait = FRESH_MS;
		} catch (e) {
			if (gen !== this.generation)
				return;
			this.error = e instanceof Error ? e.message : String(e);
		}
		for (const id of ids) {
			this.busy.delete(id);
			this.due.set(id, Date.now() + wait);
		}
		this.namePeaks();
		this.changed();
	}

	/** @param {import("./types.d.ts").Series} answer */
	take(answer) {
		const stepMs = answer.resolution_s * 1000;
		if (stepMs !== this.store.stepMs) {
			// Others have to be fetched again in these bins.
			this.store = new Store(stepMs);
			this.due.clear();
		}
		const ids = new Set(answer.series.map((s) => s.datastore));
		this.store.retain((id) => !ids.has(id));
		this.store.mergeSeries(answer);
		ids.forEach((id) => this.store.loaded.add(id));
	}

	async loadPeaks() {
		const gen = this.generation;
		const now = this.clocks.now();
		try {
			const list = await getPeaks(now - this.rangeMs, now,
			    MANY_PEAKS);
			if (gen !== this.generation)
				return;
			this.peaks = list;
			this.namePeaks();
			this.changed();
		} catch {
			// The bins have the values; hosts stay unnamed.
		}
	}

	/** Bins do not say whose their worst sample was, and when. */
	namePeaks() {
		const step = this.store.stepMs;
		for (const p of this.peaks)
			this.store.nameHost(p.datastore, p.op,
			    Math.ceil(Date.parse(p.t) / step) * step, p.ms,
			    p.host_name ?? p.host, Date.parse(p.t));
	}

	/**
	 * @param {string} id
	 * @param {readonly import("./types.d.ts").Op[]} ops
	 * @returns {number} its worst of the range, as far as known
	 */
	badness(id, ops) {
		let bad = -1;
		for (const p of this.peaks)
			if (p.datastore === id && ops.includes(p.op))
				bad = Math.max(bad, p.ms);
		for (const op of OPS)
			if (ops.includes(op))
				bad = Math.max(bad, this.store.worst(id, op,
				    -Infinity, Infinity)?.ms ?? -1);
		return bad;
	}
}
