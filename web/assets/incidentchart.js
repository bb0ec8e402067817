// incidentchart.js - the latency of an incident's datastore from a while
// before it to a while after, with the threshold that was in force.

import { getBins } from "./api.js";
import { Chart } from "./chart.js";
import { SLOT_MS } from "./clock.js";
import { h } from "./dom.js";
import { isActive } from "./incidents.js";
import { fillBehind } from "./panel.js";
import { familyOf, lineStyle } from "./protocol.js";
import { OPS, Store } from "./store.js";
import { say } from "./timeline.js";
import { buildSpan, commonTop } from "./view.js";
import { spanWords, toText } from "./words.js";

/** @typedef {import("./types.d.ts").Incident} Incident */
/** @typedef {import("./types.d.ts").Op} Op */

const POINTS = 720;
const MARGIN_MS = 10 * 60000;
const AGAIN_MS = 20000; // while it goes on

/**
 * @typedef {object} Loaded
 * @property {Store} store
 * @property {number} from
 * @property {number} to
 */

export class IncidentChart {
	/**
	 * @param {object} hooks
	 * @param {import("./clock.js").Clocks} hooks.clocks
	 * @param {import("./inventory.js").Inventory} hooks.inventory
	 * @param {() => void} hooks.changed
	 */
	constructor(hooks) {
		this.hooks = hooks;
		this.figures = OPS.map((op) => makeFigure(op));
		this.note = h("p", { class: "quiet" });
		this.root = h("div", { class: "plots" },
		    ...this.figures.map((f) => f.root), this.note);
		this.id = 0; // of the incident that is loaded
		this.due = 0;
		/** @type {Loaded | null} */
		this.loaded = null;
		this.error = "";
	}

	/**
	 * @param {Incident} i
	 * @param {"utc" | "local"} tz
	 * @param {boolean} tables
	 */
	update(i, tz, tables) {
		if (i.id !== this.id) {
			this.id = i.id;
			this.due = 0;
			this.loaded = null;
			this.error = "";
		}
		this.root.hidden = i.datastore === null;
		if (i.datastore === null)
			return;
		if (this.due <= Date.now()) {
			this.due = Date.now() + AGAIN_MS;
			this.load(i, i.datastore);
		}
		const empty = this.loaded === null;
		this.note.hidden = !empty && this.error === "";
		this.note.textContent = this.error ||
		    (empty ? "Loading the chart\u2026" : "");
		for (const f of this.figures) {
			f.root.hidden = empty || (i.op !== null && i.op !== f.op);
			if (!f.root.hidden && this.loaded)
				this.draw(f, i, this.loaded, tz, tables);
		}
	}

	/**
	 * @param {Incident} i
	 * @param {string} datastore
	 */
	async load(i, datastore) {
		const now = this.hooks.clocks.now(i.target);
		const start = Date.parse(i.started);
		const end = i.ended ? Date.parse(i.ended) : now;
		const margin = Math.max(MARGIN_MS, (end - start) / 5);
		const from = start - margin;
		const to = Math.min(now, end + margin);
		try {
			const answer = await getBins([datastore], from, to,
			    POINTS);
			if (i.id !== this.id)
				return;
			const store = new Store(answer.resolution_s * 1000);
			store.mergeSeries(answer);
			nameWorst(store, i, datastore);
			this.loaded = { store, from, to };
			this.error = answer.partial ?? "";
			if (!isActive(i) && to < now)
				this.due = Infinity; // nothing more comes
		} catch (e) {
			if (i.id === this.id)
				this.error = "The chart cannot be loaded: " +
				    (e instanceof Error ? e.message : String(e));
		}
		this.hooks.changed();
	}

	/**
	 * @param {ReturnType<typeof makeFigure>} f
	 * @param {Incident} i
	 * @param {Loaded} data
	 * @param {"utc" | "local"} tz
	 * @param {boolean} tables
	 */
	draw(f, i, { store, from, to }, tz, tables) {
		const end = store.stepMs === SLOT_MS ? to
		    : Math.ceil(to / store.stepMs) * store.stepMs;
		const view = buildSpan(store, { now: () => to, shift: () => 0 },
		    [{ ds: this.datastore(i),
			style: lineStyle(familyOf(i.protocol ?? ""), 0) }],
		    [], f.op, from, end);
		if (i.threshold)
			view.thresholds = [i.threshold.warning_ms,
			    i.threshold.critical_ms];
		atWorst(view, i);
		// A slow sample is named by its end.
		view.marks = [Date.parse(i.started) - (i.op ? SLOT_MS : 0),
		    ...(i.ended ? [Date.parse(i.ended)] : [])];
		const words = spanWords(view, tz);
		say(f.text, words);
		f.chart.update(view, commonTop([view], []), tz, []);
		f.chart.label(`${f.op} latency over time. ${toText(words)}`);
		f.behind.hidden = !tables;
		if (tables)
			fillBehind(f.behind, view, tz);
	}

	/**
	 * With the threshold that was in force then.
	 * @param {Incident} i
	 * @returns {import("./types.d.ts").Datastore}
	 */
	datastore(i) {
		const id = i.datastore ?? "";
		const known = this.hooks.inventory.byId.get(id);
		const ms = i.threshold?.warning_ms ?? known?.threshold_ms;
		return { id, target: i.target, name: i.datastore_name ?? id,
		    fs: null, protocol: i.protocol ?? "unknown", protocols: [],
		    family: "", backing: i.backing, accessible: true, state: "",
		    stale_s: null, latest: null, ...known,
		    threshold_ms: ms ?? Infinity };
	}

	recolor() {
		for (const f of this.figures)
			f.chart.recolor();
	}
}

/**
 * A series does not say whose its worst sample is; the incident does.
 * @param {Store} store
 * @param {Incident} i
 * @param {string} datastore
 */
function nameWorst(store, i, datastore) {
	if (!i.worst_t || !i.op || i.worst_ms === null)
		return;
	const t = Date.parse(i.worst_t);
	store.nameHost(datastore, i.op, Math.ceil(t / store.stepMs) *
	    store.stepMs, i.worst_ms, i.worst_host ?? "", t);
}

/**
 * Of several samples as bad, the one that the incident names.
 * @param {import("./view.js").View} view
 * @param {Incident} i
 */
function atWorst(view, i) {
	const t = Math.ceil(Date.parse(i.worst_t ?? "") / view.stepMs) *
	    view.stepMs;
	const n = view.times.indexOf(t);
	const point = view.lines[0]?.points[n];
	if (point && view.peak && point.worst === view.peak.point.worst)
		view.peak = { line: view.lines[0], t, point };
}

/** @param {Op} op */
function makeFigure(op) {
	const id = `caption-incident-${op}`;
	const box = h("div", { class: "chart", tabindex: 0, role: "group",
	    "aria-label": `Chart of the incident, ${op}`,
	    "aria-describedby": id });
	const text = h("figcaption", { id });
	const behind = h("div", { class: "behind", tabindex: 0, role: "region",
	    "aria-label": `Samples of the incident, ${op}` });
	const root = h("figure", {}, h("h3", {}, op), box, text, behind);
	const chart = new Chart(box, { cursor: () => {}, dismiss: () => {} });
	return { op, root, text, behind, chart };
}
