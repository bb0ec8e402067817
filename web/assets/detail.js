// detail.js - one incident: what it is, where to look, its hosts, its chart,
// and what was noted about it.

import { apiUrl } from "./api.js";
import { count, duration, moment, msNumber, msText } from "./format.js";
import { button } from "./formdialog.js";
import { h, nameOf, setAttr, setText } from "./dom.js";
import { IncidentChart } from "./incidentchart.js";
import { SEVERITIES, by, hands, lasted, standing, subject } from
    "./incidentwords.js";
import { isActive } from "./incidents.js";
import { protocolLabel } from "./protocol.js";
import { say, updateRows } from "./timeline.js";
import { toNodes, toText } from "./words.js";

/** @typedef {import("./types.d.ts").Incident} Incident */
/** @typedef {import("./words.js").Sentence} Sentence */

export class Detail {
	/**
	 * @param {object} hooks
	 * @param {import("./clock.js").Clocks} hooks.clocks
	 * @param {import("./inventory.js").Inventory} hooks.inventory
	 * @param {import("./writes.js").Writes} hooks.writes
	 * @param {() => void} hooks.close
	 * @param {() => void} hooks.changed
	 */
	constructor(hooks) {
		this.hooks = hooks;
		/** @type {Incident | null} */
		this.incident = null;
		this.mark = h("span", { class: "mark" });
		this.title = h("span");
		this.heading = h("h2", { id: "detail-title", tabindex: -1 },
		    this.mark, " ", this.title);
		this.standing = h("p", { class: "facts" });
		this.where = h("p", { class: "where" });
		this.hands = h("p", { class: "hands" });
		this.ack = button("Acknowledge", () => this.incident &&
		    hooks.writes.acknowledge(this.incident));
		this.buttons = h("p", { class: "buttons" }, this.ack,
		    button("Add a note", () => this.incident &&
			hooks.writes.note(this.incident)),
		    button("Silence", () => this.incident &&
			hooks.writes.silence(this.incident)));
		this.chart = new IncidentChart(hooks);
		this.facts = h("dl", { class: "about" });
		this.hosts = h("div", { class: "hosts table-box" });
		this.events = h("ol", { class: "rows" });
		this.noted = h("div", {}, h("h3", {}, "Noted meanwhile"),
		    this.events);
		this.api = h("a", { href: "" }, "as JSON");
		this.body = h("div", { class: "detail-body" }, this.standing,
		    this.where, this.hands, this.buttons, this.chart.root,
		    this.hosts, this.facts, this.noted,
		    h("p", { class: "quiet" }, this.api));
		this.none = h("p", { class: "empty" });
		this.root = h("section", { class: "box detail",
		    "aria-labelledby": "detail-title" },
		h("div", { class: "section-head" }, this.heading,
		    button("Close", hooks.close, "close")),
		this.none, this.body);
	}

	/**
	 * @param {Incident | null} i
	 * @param {string} none what to say instead of it
	 * @param {import("./timeline.js").RowState} s
	 * @param {import("./types.d.ts").TimeEvent[]} events
	 * @param {boolean} tables
	 */
	update(i, none, s, events, tables) {
		this.incident = i;
		this.body.hidden = i === null;
		this.none.hidden = i !== null;
		setText(this.none, none);
		if (!i) {
			this.mark.replaceChildren();
			say(this.title, [`Incident ${s.selected}`]);
			return;
		}
		const look = SEVERITIES[i.severity];
		this.root.dataset.severity = i.severity;
		this.root.classList.toggle("over", !isActive(i));
		setText(this.mark, `${look?.glyph ?? "?"} ${i.severity}`);
		say(this.title, subject(i));
		const now = this.hooks.clocks.now(i.target);
		say(this.standing, [`${standing(i)}, ` +
		    duration(lasted(i, now))]);
		say(this.where, i.where ? [{ name: i.where }] : []);
		say(this.hands, hands(i));
		this.ack.hidden = !isActive(i);
		setText(this.ack, i.acked ? "Acknowledge again" : "Acknowledge");
		this.chart.update(i, s.tz, tables);
		showFacts(this.facts, i, now, s.tz);
		showHosts(this.hosts, i, now, s.tz);
		const about = events.filter((e) => isAbout(e, i, now));
		this.noted.hidden = about.length === 0;
		updateRows(this.events, about.map((event) =>
		    ({ t: Date.parse(event.t), event })), s);
		setAttr(this.api, "href", apiUrl(`incidents/${i.id}`));
	}
}

/**
 * @param {import("./types.d.ts").TimeEvent} e
 * @param {Incident} i
 * @param {number} now
 */
function isAbout(e, i, now) {
	const t = Date.parse(e.t);
	const margin = 600000;
	if (t < Date.parse(i.started) - margin ||
	    t > (i.ended ? Date.parse(i.ended) : now) + margin)
		return false;
	return i.datastore ? e.datastore === i.datastore
	    : i.host ? e.host === i.host : e.target === i.target;
}

/**
 * @param {HTMLElement} list
 * @param {Incident} i
 * @param {number} now
 * @param {"utc" | "local"} tz
 */
function showFacts(list, i, now, tz) {
	/** @param {string | null} t */
	const at = (t) => t ? moment(Date.parse(t), now, tz) : "";
	const th = i.threshold;
	/** @type {[string, Sentence | string | null][]} */
	const rows = [
		["Started", at(i.started)],
		["Told", at(i.announced) || (i.state === "open"
		    ? "not yet: too few samples over the line" : "")],
		["Ended", at(i.ended)],
		["Worst", i.worst_ms === null ? null
		    : [`${msText(i.worst_ms)} at ${at(i.worst_t)}`,
			...(i.worst_host ? [" on ", { name: i.worst_host }] : []),
			i.worst_ios === null ? "" : ", " + count(i.worst_ios,
			    "I/O", "I/Os") + " in that sample"]],
		["Threshold", th && `${th.warning_ms} ms, critical ` +
		    `${th.critical_ms} ms; over after ` +
		    count(th.clear_samples, "sample") +
		    ` below ${th.clear_ms} ms` +
		    (isActive(i) ? ` (${i.fine_samples} so far)` : "")],
		["Samples over it", th && String(i.breach_samples)],
		["Datastore", i.datastore && [
			{ name: i.datastore_name ?? i.datastore },
			i.protocol ? ` (${protocolLabel(i.protocol)})` : "",
			...(i.backing ? [", ", { name: i.backing }] : [])]],
		["Host", i.host && [{ name: i.host_name ?? i.host }]],
		["Cluster", i.cluster && [{ name: i.cluster }]],
		["Datacenter", i.datacenter && [{ name: i.datacenter }]],
		["Target", [{ name: i.target }]],
		["Acknowledged", i.acked && [at(i.acked), ...by(i.ack_by)]],
	];
	const known = rows.filter(([, v]) => v);
	/** @param {Sentence | string | null} v @returns {Sentence} */
	const words = (v) => typeof v === "string" ? [v] : v ?? [];
	const key = known.map(([k, v]) => k + toText(words(v))).join();
	if (list.dataset.shown === key)
		return;
	list.dataset.shown = key;
	list.replaceChildren(...known.flatMap(([k, v]) => [h("dt", {}, k),
	    h("dd", {}, ...toNodes(words(v)))]));
}

/**
 * @param {HTMLElement} box
 * @param {Incident} i
 * @param {number} now
 * @param {"utc" | "local"} tz
 */
function showHosts(box, i, now, tz) {
	box.hidden = i.hosts.length === 0;
	const key = JSON.stringify([i.hosts, tz]);
	if (box.dataset.shown === key)
		return;
	box.dataset.shown = key;
	const slow = i.kind === "slow";
	const heads = slow ? ["Worst", "I/Os", "at"] : [];
	const rest = i.hosts_n - i.hosts.length;
	box.replaceChildren(h("table", { class: "plain" },
	    h("caption", {}, count(i.hosts_n, "host") +
		(rest > 0 ? `, the ${i.hosts.length} worst` : "")),
	    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Host"),
		...heads.map((t) => h("th", { scope: "col",
		    class: t === "at" ? "" : "num" }, t)))),
	    h("tbody", {}, ...i.hosts.map((x) => h("tr", {},
		h("th", { scope: "row" }, nameOf(x.name)),
		...(slow ? [
			h("td", { class: "num" },
			    `${SEVERITIES[x.severity]?.glyph ?? ""} ` +
			    `${msNumber(x.worst_ms)} ms`),
			h("td", { class: "num" }, String(x.worst_ios ?? "\u2013")),
			h("td", {}, x.worst_t
			    ? moment(Date.parse(x.worst_t), now, tz) : "\u2013"),
		] : []))))));
}
