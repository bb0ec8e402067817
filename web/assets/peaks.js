// peaks.js - held peaks: the worst sample over the line of every datastore
// and direction stays until somebody dismisses it, also when it has left the
// charts and across a reload.

/** @typedef {import("./types.d.ts").Held} Held */
/** @typedef {import("./types.d.ts").Op} Op */

const STORAGE_KEY = "dslat-held-peaks";
const MAX_HELD = 100;
// Nothing older than the hour of the rings comes back after a dismissal.
const FORGET_MS = 2 * 3600 * 1000;

/**
 * @param {string} id
 * @param {Op} op
 */
export function heldKey(id, op) {
	return op + " " + id;
}

export class HeldPeaks {
	/**
	 * @param {Pick<Storage, "getItem" | "setItem"> | null} storage
	 * @param {() => void} changed
	 */
	constructor(storage, changed) {
		this.storage = storage;
		this.changed = changed;
		/** @type {Map<string, Held>} */
		this.held = new Map();
		/** @type {Map<string, number>} up to which t they were dismissed */
		this.dismissed = new Map();
		this.load();
	}

	/** Read what this or another tab of the page has stored. */
	load() {
		this.held.clear();
		this.dismissed.clear();
		try {
			const o = JSON.parse(
			    this.storage?.getItem(STORAGE_KEY) ?? "{}");
			for (const h of o.held ?? [])
				if (isHeld(h))
					this.held.set(heldKey(h.id, h.op), h);
			for (const [k, t] of o.dismissed ?? [])
				this.dismissed.set(String(k), Number(t));
		} catch {
			// Not ours, or no storage: begin with nothing.
		}
	}

	save() {
		const newest = Math.max(...this.dismissed.values());
		for (const [k, t] of this.dismissed)
			if (t < newest - FORGET_MS)
				this.dismissed.delete(k);
		try {
			this.storage?.setItem(STORAGE_KEY, JSON.stringify({
				held: [...this.held.values()],
				dismissed: [...this.dismissed],
			}));
		} catch {
			// Full or forbidden: held until the page is left.
		}
		this.changed();
	}

	/**
	 * A sample over its threshold.
	 * @param {Held} h
	 * @returns {boolean} it is held now
	 */
	observe(h) {
		const key = heldKey(h.id, h.op);
		const old = this.held.get(key);
		if (h.t <= (this.dismissed.get(key) ?? -Infinity))
			return false;
		if (old && (old.ms > h.ms || (old.ms === h.ms &&
		    (old.host !== "" || h.host === ""))))
			return false;
		this.held.set(key, h);
		if (this.held.size > MAX_HELD) {
			const least = this.list().pop();
			if (least)
				this.held.delete(heldKey(least.id, least.op));
		}
		this.save();
		return true;
	}

	/**
	 * Is this sample already covered: held as bad or worse, or dismissed?
	 * @param {string} id
	 * @param {Op} op
	 * @param {number} t
	 * @param {number} ms
	 */
	covers(id, op, t, ms) {
		const key = heldKey(id, op);
		const h = this.held.get(key);
		return t <= (this.dismissed.get(key) ?? -Infinity) ||
		    (h !== undefined && h.ms >= ms && h.host !== "");
	}

	/**
	 * @param {string} key
	 * @param {number} upTo samples up to here do not raise it again
	 */
	dismiss(key, upTo) {
		const h = this.held.get(key);
		if (!h)
			return;
		this.held.delete(key);
		this.dismissed.set(key, Math.max(upTo, h.t));
		this.save();
	}

	/** @returns {Held[]} worst first */
	list() {
		return [...this.held.values()]
		    .sort((a, b) => b.ms - a.ms || b.t - a.t);
	}
}

/** @param {any} h */
function isHeld(h) {
	return h && typeof h.id === "string" && typeof h.name === "string" &&
	    (h.op === "read" || h.op === "write") &&
	    typeof h.t === "number" && typeof h.ms === "number" &&
	    typeof h.host === "string" && typeof h.family === "string";
}
