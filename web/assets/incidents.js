// incidents.js - the incidents, events and silences that the page knows,
// kept current by the stream.

import { HttpError, getJson, getPages } from "./api.js";

/** @typedef {import("./types.d.ts").Incident} Incident */
/** @typedef {import("./types.d.ts").TimeEvent} TimeEvent */
/** @typedef {import("./types.d.ts").Silence} Silence */

const PAGES = 3; // of a thousand each
const EVENT_KINDS = "note,audit,setting,vsphere,dslatd";

/** @param {Incident} i */
export const isActive = (i) => i.state !== "ended";

/**
 * The order of what goes on: told before merely seen, critical before
 * warning, the newer first.
 * @param {Incident} a
 * @param {Incident} b
 */
function byUrgency(a, b) {
	return rank(a) - rank(b) || Date.parse(b.started) -
	    Date.parse(a.started) || b.id - a.id;
}

/** @param {Incident} i */
function rank(i) {
	return (i.state === "announced" ? 0 : 2) +
	    (i.severity === "critical" ? 0 : 1);
}

export class Incidents {
	/** @param {() => void} changed */
	constructor(changed) {
		this.changed = changed;
		/** @type {Map<number, Incident>} */
		this.byId = new Map();
		/** @type {TimeEvent[]} newest first */
		this.events = [];
		/** @type {Silence[]} newest first */
		this.silences = [];
		/** @type {Set<number>} that dslatd does not know */
		this.unknown = new Set();
		/** @type {Set<number>} asked for */
		this.asked = new Set();
		this.error = "";
		this.more = false; // there is more than was fetched
		/** @type {number | null} from when on all is here */
		this.from = null;
	}

	/** Those that go on: every page shows them. */
	async refresh() {
		await this.guard(async () => {
			const { items } = await getPages(
			    "incidents?state=active&", PAGES);
			const here = new Set(items.map((i) => i.id));
			for (const i of this.active())
				if (!here.has(i.id))
					this.forget(i.id);
			for (const i of items)
				this.byId.set(i.id, i);
		});
	}

	/** What could not be had may be there now. */
	stale() {
		this.asked.clear();
		this.unknown.clear();
	}

	/** @param {number} id it ended unheard: how, is asked when needed */
	forget(id) {
		this.byId.delete(id);
		this.asked.delete(id);
	}

	/** @param {number} from epoch ms: all that was since then */
	async load(from) {
		this.from = from;
		await this.guard(async () => {
			const since = "from=" + new Date(from).toISOString() + "&";
			const [list, events, silences] = await Promise.all([
				getPages("incidents?" + since, PAGES),
				getPages(`events?kind=${EVENT_KINDS}&` + since,
				    PAGES),
				getJson("silences"),
			]);
			if (from !== this.from)
				return; // another span is wanted by now
			for (const i of list.items)
				this.byId.set(i.id, i);
			this.events = events.items;
			this.silences = silences.items;
			this.more = list.more || events.more;
		});
	}

	/** The same time line again: something was written. */
	reload() {
		this.refresh();
		if (this.from !== null)
			this.load(this.from);
	}

	/** @param {{change: string, incident: Incident}} ev from the stream */
	apply(ev) {
		this.byId.set(ev.incident.id, ev.incident);
		this.unknown.delete(ev.incident.id);
		if (ev.change === "acked" && this.from !== null)
			this.load(this.from); // with the line that says so
		this.changed();
	}

	/**
	 * @param {number} id
	 * @returns {Incident | null} null: not here (yet)
	 */
	find(id) {
		const i = this.byId.get(id);
		if (!i && !this.asked.has(id)) {
			this.asked.add(id);
			this.ask(id);
		}
		return i ?? null;
	}

	/** @param {number} id */
	async ask(id) {
		await this.guard(async () => {
			try {
				this.byId.set(id, await getJson(`incidents/${id}`));
			} catch (e) {
				if (!(e instanceof HttpError) || e.status !== 404)
					throw e;
				this.unknown.add(id);
			}
		});
	}

	/** @param {() => Promise<void>} body */
	async guard(body) {
		try {
			await body();
			this.error = "";
		} catch (e) {
			this.error = e instanceof Error ? e.message : String(e);
		}
		this.changed();
	}

	/** @returns {Incident[]} the most urgent first */
	active() {
		return [...this.byId.values()].filter(isActive).sort(byUrgency);
	}

	/** @returns {Incident[]} the newest first */
	ended() {
		return [...this.byId.values()].filter((i) => !isActive(i))
		    .sort((a, b) => Date.parse(b.started) -
			Date.parse(a.started) || b.id - a.id);
	}
}
