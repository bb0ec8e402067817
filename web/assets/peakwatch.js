// peakwatch.js - finds what is worth holding.  The charts know the worst of
// a slot but not always its host, so dslatd is asked about such slots.

import { getPeaks } from "./api.js";
import { SLOT_MS } from "./clock.js";
import { familyOf } from "./protocol.js";
import { OPS, breaches } from "./store.js";

/** @typedef {import("./types.d.ts").Peak} Peak */

const ASK_AFTER_MS = 500;
const MAX_SPAN = 15; // slots asked about at once
const LIMIT = 200;

export class PeakWatch {
	/**
	 * @param {import("./inventory.js").Inventory} inventory
	 * @param {import("./store.js").Store} store
	 * @param {import("./peaks.js").HeldPeaks} held
	 */
	constructor(inventory, store, held) {
		this.inventory = inventory;
		this.store = store;
		this.held = held;
		/** @type {Set<number>} slots to ask about */
		this.slots = new Set();
		/** @type {ReturnType<typeof setTimeout> | null} */
		this.timer = null;
	}

	/**
	 * What dslatd calls the worst samples.
	 * @param {Peak[]} list
	 */
	take(list) {
		for (const p of list) {
			const d = this.inventory.byId.get(p.datastore);
			if (!d)
				continue;
			const host = p.host_name ?? p.host;
			this.store.nameHost(d.id, p.op, Date.parse(p.t), p.ms,
			    host);
			const iops = p.iops ?? null;
			const over = p.breach !== undefined
			    ? p.breach !== null && p.breach !== "none"
			    : breaches({ mean: p.ms, worst: p.ms, iops,
				host: null }, d.threshold_ms);
			if (!over)
				continue;
			this.held.observe({
				id: d.id, op: p.op, t: Date.parse(p.t), ms: p.ms,
				name: d.name, host,
				family: familyOf(d.protocol),
			});
		}
	}

	checkAll() {
		for (const d of this.inventory.list)
			this.check(d.id);
	}

	/**
	 * Is the worst known sample of a datastore one to hold?
	 * @param {string} id
	 */
	check(id) {
		const d = this.inventory.byId.get(id);
		if (!d)
			return;
		for (const op of OPS) {
			const w = this.store.worst(id, op, -Infinity, Infinity);
			if (!w || this.held.covers(id, op, w.t, w.ms) ||
			    !breaches(this.store.at(id, w.t)?.[op],
				d.threshold_ms))
				continue;
			this.held.observe({
				id, op, t: w.t, ms: w.ms, name: d.name,
				host: w.host ?? "", family: familyOf(d.protocol),
			});
			if (!w.host)
				this.ask(w.t);
		}
	}

	/** @param {number} t slot whose host is not known */
	ask(t) {
		this.slots.add(t);
		this.timer ??= setTimeout(() => this.flush(), ASK_AFTER_MS);
	}

	async flush() {
		const list = [...this.slots].sort((a, b) => a - b)
		    .slice(0, MAX_SPAN);
		const first = list[0];
		// Neighbours share a request; what is far away gets its own.
		const batch = list.filter((t) =>
		    t - first <= MAX_SPAN * SLOT_MS);
		for (const t of batch)
			this.slots.delete(t);
		try {
			this.take(await getPeaks(first - SLOT_MS,
			    batch[batch.length - 1], LIMIT));
		} catch {
			// The peak is held without its host.
		}
		this.timer = this.slots.size > 0
		    ? setTimeout(() => this.flush(), ASK_AFTER_MS) : null;
	}
}
