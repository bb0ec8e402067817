// loader.js - fetches the hour of those datastores that are looked at, a few
// at a time, the most wanted first.

import { getSeries } from "./api.js";

const AT_ONCE = 4;
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
		/** @type {Set<string>} */
		this.running = new Set();
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
		for (const [id, target] of this.wanted) {
			if (this.running.size >= AT_ONCE)
				return;
			const needed = !this.store.loaded.has(id) ||
			    this.holes.has(id);
			if (needed && !this.running.has(id) &&
			    (this.failed.get(id) ?? 0) <= Date.now())
				this.load(id, target);
		}
	}

	/**
	 * @param {string} id
	 * @param {string} target
	 */
	async load(id, target) {
		const now = this.clocks.now(target);
		const hole = this.holes.get(id);
		const from = Math.max(now - HOUR_MS,
		    this.store.loaded.has(id) ? hole ?? 0 : 0);
		this.holes.delete(id);
		this.running.add(id);
		try {
			const answer = await getSeries(id, from, now);
			this.store.mergeSeries(id, answer);
			this.store.loaded.add(id);
			this.failed.delete(id);
			this.changed(id);
		} catch {
			// Shown as a gap; asked again when wanted again.
			this.failed.set(id, Date.now() + AGAIN_MS);
			if (hole !== undefined)
				this.holes.set(id, hole);
		} finally {
			this.running.delete(id);
			this.pump();
		}
	}
}
