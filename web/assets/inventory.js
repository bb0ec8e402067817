// inventory.js - the datastores as last heard, kept current by the events
// between two lists.

import { protocolLabel } from "./protocol.js";
import { OPS } from "./store.js";

/** @typedef {import("./types.d.ts").Datastore} Datastore */
/** @typedef {import("./types.d.ts").Latest} Latest */
/** @typedef {import("./table.js").Row} Row */

const HOUR_MS = 3600 * 1000;
/** A slot this old is as good as it will be for a while. */
const SETTLE_MS = 60000;

export class Inventory {
	/**
	 * @param {import("./store.js").Store} store
	 * @param {import("./clock.js").Clocks} clocks
	 */
	constructor(store, clocks) {
		this.store = store;
		this.clocks = clocks;
		/** @type {Datastore[]} */
		this.list = [];
		/** @type {Map<string, Datastore>} */
		this.byId = new Map();
	}

	/** @param {Datastore[]} list */
	set(list) {
		this.list = list;
		this.byId = new Map(list.map((d) => [d.id, d]));
		this.store.retain((id) => this.byId.has(id));
		for (const d of list) {
			if (d.latest?.t)
				this.mergeLatest(d.id, d.latest);
			this.store.prune(d.id, this.clocks.now(d.target));
		}
	}

	/**
	 * @param {string} id
	 * @param {Latest} l
	 */
	mergeLatest(id, l) {
		/** @type {Record<string, (string | number | null)[]>} */
		const col = {};
		for (const [k, v] of Object.entries(l))
			if (k !== "t")
				col[k] = [v];
		this.store.merge(id, [Date.parse(String(l.t))], col);
	}

	/**
	 * New or completed slots from the stream.
	 * @param {import("./types.d.ts").SampleEvent} ev
	 */
	apply(ev) {
		for (const { id, t, ...col } of ev.datastores) {
			this.store.merge(id, t,
			    /** @type {Record<string, any[]>} */ (col));
			for (const end of t)
				this.clocks.seen(ev.target, end);
			const d = this.byId.get(id);
			if (d)
				this.renew(d, t, col);
		}
	}

	/**
	 * Until the next list, the newest slot of an event is the latest: the
	 * newest that all hosts have, or one so old that the rest is late.
	 * @param {Datastore} d
	 * @param {number[]} t
	 * @param {Record<string, any>} col
	 */
	renew(d, t, col) {
		const now = this.clocks.now(d.target);
		if (typeof col.state === "string")
			d.state = col.state;
		for (let i = t.length - 1; i >= 0; i--) {
			const has = OPS.some((op) =>
			    typeof col[`${op}_ms`]?.[i] === "number");
			const whole = !(col.hosts_n?.[i] < col.hosts_expected);
			if (!has || (!whole && t[i] > now - SETTLE_MS))
				continue;
			if (d.latest?.t && Date.parse(d.latest.t) > t[i])
				return;
			/** @type {any} */
			const l = { ...d.latest,
			    t: new Date(t[i]).toISOString() };
			for (const [k, v] of Object.entries(col))
				if (Array.isArray(v))
					l[k] = v[i];
			d.latest = l;
			return;
		}
	}

	/** @param {Datastore} d @returns {number | null} seconds */
	age(d) {
		return d.latest?.t
		    ? (this.clocks.now(d.target) - Date.parse(d.latest.t)) / 1000
		    : null;
	}

	/** @returns {Datastore[]} with stale_s as of now */
	aged() {
		return this.list.map((d) => ({ ...d, stale_s: this.age(d) }));
	}

	/**
	 * @param {Datastore} d
	 * @returns {import("./table.js").HourPeak}
	 */
	hourPeak(d) {
		const now = this.clocks.now(d.target);
		/** @type {import("./table.js").HourPeak} */
		let best = null;
		for (const op of OPS) {
			const w = this.store.worst(d.id, op, now - HOUR_MS, now);
			if (w && (!best || w.ms > best.ms))
				best = { ms: w.ms, t: w.t, op, host: w.host ?? "" };
		}
		return best;
	}

	/**
	 * @param {string} filter words that must all be found
	 * @returns {Row[]}
	 */
	rows(filter) {
		const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
		return this.list
		    .filter((d) => {
			const text = [d.name, d.target, d.backing, d.fs,
			    d.protocol, protocolLabel(d.protocol),
			    d.state.replace("_", " ")].join("\n").toLowerCase();
			return words.every((w) => text.includes(w));
		    })
		    .map((ds) => ({ ds, age: this.age(ds),
			peak: this.hourPeak(ds),
			now: this.clocks.now(ds.target) }));
	}

	/**
	 * How bad is what is known of it: for choosing what to draw.
	 * @param {Datastore} d
	 * @param {number} rangeMs
	 * @param {readonly import("./types.d.ts").Op[]} ops
	 */
	badness(d, rangeMs, ops) {
		const now = this.clocks.now(d.target);
		let bad = -1;
		for (const op of ops) {
			const w = this.store.worst(d.id, op, now - rangeMs, now);
			const n = d.latest?.[`${op}_worst_ms`] ?? -1;
			bad = Math.max(bad, w?.ms ?? -1, n);
		}
		return bad;
	}
}

