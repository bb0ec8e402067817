// loader.js - fetches the hour of those datastores that are looked at, a few
// at a time, the most wanted first.

import { getSeries } from "./api.js";

const AT_ONCE = 3;
const BATCH = 8; // datastores in one request
const HOUR_MS = 3600 * 1000;
const OVERLAP_MS = 5 * 60 * 1000; // late slots are completed within 3 min
const AGAIN_MS = 15000; // after a failure

export class Loader {
	/**
	 * @param {import("./store.js").Store} store
	 * @param {import("./clock.js").Clocks} clocks
	 * @param {(id: string) => void} changed
	 */
	constructor(store, clocks, changed) {
		this.store = store;
		this.clocks = clocks;
		this.changed = changed;
		/** @type {Map<string, string>} id -> target, in order of want */
		this.wanted = new Map();
		/** @type {Set<symbol>} requests under way */
		this.running = new Set();
		/** @type {Set<string>} ids in them */
		this.busy = new Set();
		/** @type {Map<string, number>} from when it has a hole */
		this.holes = new Map();
		/** @type {Map<string, number>} not before */
		this.failed = new Map();
	}

	/**
	 * What is on the screen now; what was wanted before and is no more is
	 * forgotten.
	 * @param {Iterable<{id: string, target: string}>} list
	 */
	want(list) {
		this.wanted.clear();
		for (const d of list)
			this.wanted.set(d.id, d.target);
		this.pump();
	}

	/** Everything may have a hole after its newest sample. */
	markHoles() {
		for (const id of this.store.loaded) {
			const newest = this.store.newest(id);
			if (!this.holes.has(id))
				this.holes.set(id,
				    newest === null ? 0 : newest - OVERLAP_MS);
		}
		this.failed.clear();
	}

	pump() {
		while (this.running.size < AT_ONCE) {
			const batch = this.next();
			if (!batch)
				return;
			this.load(batch);
		}
	}

	/** @param {string} id @returns {boolean} worth asking for now */
	needed(id) {
		return (!this.store.loaded.has(id) || this.holes.has(id)) &&
		    !this.busy.has(id) &&
		    (this.failed.get(id) ?? 0) <= Date.now();
	}

	/** @param {string} id from when on it is needed */
	from(id) {
		return this.store.loaded.has(id) ? this.holes.get(id) ?? 0 : 0;
	}

	/**
	 * The most wanted, with others of its target that lack the same time.
	 * @returns {{target: string, from: number, ids: string[]} | null}
	 */
	next() {
		/** @type {{target: string, from: number, ids: string[]} | null} */
		let batch = null;
		for (const [id, target] of this.wanted) {
			if (!this.needed(id))
				continue;
			const from = this.from(id);
			batch ??= { target, from, ids: [] };
			if (target !== batch.target || (from === 0) !==
			    (batch.from === 0))
				continue;
			// One that failed may have spoilt it for the others:
			// it goes alone.
			const alone = this.failed.has(id);
			if (alone && batch.ids.length > 0)
				continue;
			batch.from = Math.min(batch.from, from);
			batch.ids.push(id);
			if (alone || batch.ids.length === BATCH)
				break;
		}
		return batch;
	}

	/** @param {{target: string, from: number, ids: string[]}} batch */
	async load({ target, from, ids }) {
		const now = this.clocks.now(target);
		const run = Symbol();
		this.running.add(run);
		for (const id of ids) {
			this.busy.add(id);
			this.holes.delete(id);
		}
		try {
			this.store.mergeSeries(await getSeries(ids,
			    Math.max(now - HOUR_MS, from), now));
			for (const id of ids) {
				this.store.loaded.add(id);
				this.failed.delete(id);
				this.changed(id);
			}
		} catch {
			// Shown as a gap; asked again while it is wanted.
			for (const id of ids) {
				this.failed.set(id, Date.now() + AGAIN_MS);
				if (from !== 0)
					this.holes.set(id, from);
			}
		} finally {
			this.running.delete(run);
			for (const id of ids)
				this.busy.delete(id);
			this.pump();
		}
	}
}
