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
		this.axis = 0; // dslatd's clock minus the browser's
	}

	/**
	 * Learn from what dslatd says: its own time and that of each server.
	 * @param {import("./types.d.ts").Status} status
	 */
	learn(status) {
		const here = this.browserNow();
		this.axis = Date.parse(status.now) - here;
		for (const t of status.targets)
			if (t.server_time)
				this.offsets.set(t.name,
				    Date.parse(t.server_time) - here);
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
	 * @returns {number} its now; without a target, or for one not heard
	 * yet, dslatd's, which is that of the charts
	 */
	now(target) {
		const off = target === undefined ? undefined
		    : this.offsets.get(target);
		return this.browserNow() + (off ?? this.axis);
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
		const d = this.axis - off;
		return Math.abs(d) < SKEW_MS ? 0
		    : Math.round(d / SLOT_MS) * SLOT_MS;
	}
}
