// clock.js - what time it is at each target.  Samples carry the server's own
// stamps, so ages count on its clock, never on that of this computer.

/** Lines of a target whose clock is this far off are drawn shifted. */
const SKEW_MS = 90000;
export const SLOT_MS = 20000;

export class Clocks {
	/** @param {() => number} now the browser's clock */
	constructor(now = Date.now) {
		this.browserNow = now;
		/** @type {Map<string, number>} target's clock minus the browser's */
		this.offsets = new Map();
	}

	/**
	 * Learn from a list of datastores: t + stale_s is now over there.
	 * @param {import("./types.d.ts").Datastore[]} list
	 */
	learn(list) {
		const here = this.browserNow();
		/** @type {Map<string, number>} */
		const best = new Map();
		for (const d of list) {
			if (!d.latest?.t || d.stale_s === null)
				continue;
			const off = Date.parse(d.latest.t) +
			    d.stale_s * 1000 - here;
			best.set(d.target,
			    Math.max(off, best.get(d.target) ?? -Infinity));
		}
		for (const [target, off] of best)
			this.offsets.set(target, off);
	}

	/**
	 * A sample that ended at t was seen: it is at least t over there.
	 * @param {string} target
	 * @param {number} t
	 */
	seen(target, t) {
		const off = t - this.browserNow();
		const old = this.offsets.get(target);
		if (old === undefined || off > old)
			this.offsets.set(target, off);
	}

	/**
	 * @param {string} [target]
	 * @returns {number} its now; without a target (or for an unknown one)
	 * the now of the charts
	 */
	now(target) {
		const off = target === undefined ? undefined
		    : this.offsets.get(target);
		return this.browserNow() + (off ?? this.axisOffset());
	}

	/** The offset nearest to the browser's own clock wins. */
	axisOffset() {
		let off = Infinity;
		for (const o of this.offsets.values())
			if (Math.abs(o) < Math.abs(off))
				off = o;
		return off === Infinity ? 0 : off;
	}

	/**
	 * What to add to a target's stamps to put them on the axis: whole
	 * slots, 0 for all but the badly set.
	 * @param {string} target
	 */
	shift(target) {
		const off = this.offsets.get(target);
		if (off === undefined)
			return 0;
		const d = this.axisOffset() - off;
		return Math.abs(d) < SKEW_MS ? 0
		    : Math.round(d / SLOT_MS) * SLOT_MS;
	}
}
