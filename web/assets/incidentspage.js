// incidentspage.js - the page of incidents: what goes on, the time line of
// what was, one of them in detail, and who is not told.

import { Detail } from "./detail.js";
import { byId, h, keyed, setText } from "./dom.js";
import { count } from "./format.js";
import { button } from "./formdialog.js";
import { EVENTS, SEVERITIES, searchText, searchWords } from
    "./incidentwords.js";
import { Silences } from "./silences.js";
import { updateRows } from "./timeline.js";

/** @typedef {import("./types.d.ts").Core} Core */
/** @typedef {import("./types.d.ts").Incident} Incident */
/** @typedef {import("./types.d.ts").TimeEvent} TimeEvent */
/** @typedef {import("./timeline.js").Row} Row */

const FIRST_ROWS = 100;
const AGAIN_MS = 60000; // what others noted is not in the stream


export class IncidentsPage {
	/** @param {Core} core */
	constructor(core) {
		this.core = core;
		this.all = false;
		this.span = ""; // range that is loaded
		this.due = 0;
		/** @type {number | null} */
		this.selected = null;
		this.first = true; // the page was just loaded
		this.detail = new Detail({
			clocks: core.clocks, inventory: core.inventory,
			writes: core.writes, changed: core.draw,
			close: () => this.select(null),
		});
		this.silences = new Silences(core);
		this.target = h("select", { name: "target", id: "f-target" });
		const severity = Object.entries(SEVERITIES).reverse();
		const form = h("form", { class: "filters",
		    "aria-label": "Filter of incidents" },
		h("label", {}, h("input", { type: "checkbox", name: "open",
		    value: "1" }), " going on only"),
		h("fieldset", {}, h("legend", {}, "Severity"),
		    radio("all", ""), ...severity.map(([value, look]) =>
			radio(`${look.glyph} ${look.word}`, value))),
		h("label", {}, "Target ", this.target));
		core.options.bind(form);
		this.error = h("p", { class: "banner" });
		this.openList = h("ol", { class: "rows" });
		this.openNone = h("p", { class: "empty" });
		this.openSum = h("p", { class: "counts", role: "status" });
		this.list = h("ol", { class: "rows" });
		this.none = h("p", { class: "empty" });
		this.note = h("p", { class: "note" });
		this.more = button("", () => {
			this.all = true;
			this.core.draw();
		});
		this.past = h("section", { class: "box",
		    "aria-labelledby": "past-title" },
		h("div", { class: "section-head" },
		    h("h2", { id: "past-title" }, "Time line"),
		    button("Add a note", () => this.core.writes.note(null))),
		this.none, this.list, this.more, this.note);
		byId("page-incidents").append(form, this.error, h("div", { class: "two" },
		    this.detail.root, h("div", { class: "lists" },
			h("section", { class: "box", "aria-labelledby":
			    "open-title" },
			h("div", { class: "section-head" },
			    h("h2", { id: "open-title" }, "Going on"),
			    this.openSum),
			this.openNone, this.openList), this.past),
		    this.silences.root));
	}

	shown() {
		this.due = 0;
		this.selected = null;
	}

	update() {
		const { options, incidents, clocks } = this.core;
		if (this.span !== options.range || this.due <= Date.now()) {
			this.span = options.range;
			this.due = Date.now() + AGAIN_MS;
			incidents.load(clocks.now() - options.rangeMs);
		}
		this.error.hidden = incidents.error === "";
		setText(this.error, "Not all can be shown: " + incidents.error);
		this.fillTargets();
		const s = this.rowState();
		this.showLists(s);
		this.showDetail(s);
		this.silences.update();
	}

	/** @returns {import("./timeline.js").RowState} */
	rowState() {
		const { options, clocks, inventory } = this.core;
		const id = Number(options.values.incident);
		return {
			clocks, tz: options.tz,
			selected: options.values.incident === "" ? null : id,
			href: (n) => options.href({ page: "incidents",
			    incident: String(n) }, true),
			about: (e) => [e.target, e.datastore &&
			    (inventory.byId.get(e.datastore)?.name ??
			    e.datastore), e.host].filter((x) => x !== null),
		};
	}

	fillTargets() {
		const { core } = this;
		const chosen = core.options.values.target;
		const names = new Set([...(core.status?.targets ?? []).map((t) => t.name),
		    ...[...core.incidents.byId.values()].map((i) => i.target),
		    ...(chosen ? [chosen] : [])]);
		keyed(this.target, ["", ...[...names].sort()], (t) => t,
		    (t) => h("option", { value: t }, t || "all"), () => {});
		if (this.target.value !== chosen)
			this.target.value = chosen;
	}

	/** @param {Incident} i */
	wants(i) {
		const { severity, target, q } = this.core.options.values;
		const now = i.state === "ended" ? i.worst_severity : i.severity;
		if ((severity && severity !== now) ||
		    (target && target !== i.target))
			return false;
		const text = searchText(i);
		return searchWords(q).every((w) => text.includes(w));
	}

	/**
	 * @param {TimeEvent} e
	 * @param {import("./timeline.js").RowState} s
	 */
	wantsEvent(e, s) {
		const { severity, target, q } = this.core.options.values;
		if (severity || (target && target !== e.target))
			return false;
		const text = [e.text, e.by, EVENTS[e.kind]?.word, ...s.about(e)]
		    .join("\n").toLowerCase();
		return searchWords(q).every((w) => text.includes(w));
	}

	/** @returns {Incident[]} those of the lists, from top to bottom */
	listed() {
		const { options, incidents } = this.core;
		const list = incidents.active().filter((i) => this.wants(i));
		return options.values.open ? list
		    : list.concat(incidents.ended().filter((i) => this.wants(i)));
	}

	/** @param {import("./timeline.js").RowState} s */
	showLists(s) {
		const { options, incidents } = this.core;
		const listed = this.listed();
		const open = listed.filter((i) => i.state !== "ended");
		updateRows(this.openList, open.map((incident) => ({
			t: 0, incident })), s);
		const active = incidents.active();
		const total = active.length;
		const mine = active.filter((i) => i.acked === null).length;
		setText(this.openSum, total === 0 ? ""
		    : `${count(total, "incident")}` + (mine === 0
			? ", all acknowledged" : `, ${mine} not acknowledged`));
		this.openNone.hidden = open.length > 0;
		setText(this.openNone, total === 0 ? "\u2713 No incident goes on."
		    : `None of the ${count(total, "incident")} that go on ` +
			"matches the filter.");
		this.past.hidden = options.values.open !== "";
		if (this.past.hidden)
			return;
		/** @type {Row[]} */
		const rows = [
			...listed.filter((i) => i.state === "ended").map((i) =>
			    ({ t: Date.parse(i.started), incident: i })),
			...incidents.events.filter((e) => this.wantsEvent(e, s))
			    .map((e) => ({ t: Date.parse(e.t), event: e })),
		].sort((a, b) => b.t - a.t);
		const shown = this.all ? rows : rows.slice(0, FIRST_ROWS);
		updateRows(this.list, shown, s);
		this.none.hidden = rows.length > 0;
		setText(this.none, `Nothing in the last ${options.range
		    .replace(/(\D)/, "\u202f$1")}${options.filter ||
		    options.values.severity || options.values.target
			? " matches the filter" : ""}.`);
		this.more.hidden = shown.length === rows.length;
		setText(this.more, `Show all ${rows.length} lines`);
		this.note.hidden = !incidents.more;
		setText(this.note, "There is more than the page holds: choose " +
		    "a shorter range.");
	}

	/** @param {import("./timeline.js").RowState} s */
	showDetail(s) {
		const { incidents } = this.core;
		const id = s.selected;
		this.detail.root.hidden = id === null;
		const i = id === null || !Number.isSafeInteger(id) || id < 1
		    ? null : incidents.find(id);
		if (id !== null)
			this.detail.update(i, incidents.unknown.has(id) ||
			    !Number.isSafeInteger(id) || id < 1
			    ? "dslatd knows no incident of this number (any " +
				"more)." : "Loading\u2026",
			s, incidents.events, this.core.tables);
		if (id !== null && id !== this.selected && !this.first)
			this.focusDetail();
		this.selected = id;
		this.first = false;
	}

	/** @param {number | null} id */
	select(id) {
		const old = this.selected;
		const { options, draw } = this.core;
		options.go(options.href({ page: "incidents",
		    incident: id === null ? "" : String(id) }, true));
		draw();
		if (id === null && old !== null)
			requestAnimationFrame(() => {
				/** @type {HTMLElement | null} */
				const link = document.querySelector(
				    `[data-key="i${old}"] a`);
				(link ?? byId("main")).focus();
			});
	}

	/** The reader went to an incident: on to it. */
	focusDetail() {
		requestAnimationFrame(() => requestAnimationFrame(() => {
			if (this.selected !== null)
				this.detail.heading.focus();
		}));
	}

	/** @param {number} by 1: down the list, -1: up */
	step(by) {
		const list = this.listed();
		const at = list.findIndex((i) => i.id === this.selected);
		const to = list[at < 0 ? 0 : at + by];
		if (to)
			this.select(to.id);
	}

	/** @param {KeyboardEvent} ev */
	key(ev) {
		if (ev.key !== "Escape" || this.selected === null)
			return false;
		this.select(null);
		return true;
	}

	recolor() {
		this.detail.chart.recolor();
	}
}

/**
 * @param {string} text
 * @param {string} value
 */
function radio(text, value) {
	return h("label", {}, h("input", { type: "radio", name: "severity",
	    value }), h("span", {}, text));
}
