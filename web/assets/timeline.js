// timeline.js - incidents and events as rows: what goes on first, then what
// was, the newest first.

import { moment } from "./format.js";
import { h, keyed, setAttr, setText } from "./dom.js";
import { EVENTS, SEVERITIES, by, facts, hands, subject } from
    "./incidentwords.js";
import { isActive } from "./incidents.js";
import { toNodes, toText } from "./words.js";

/** @typedef {import("./types.d.ts").Incident} Incident */
/** @typedef {import("./types.d.ts").TimeEvent} TimeEvent */
/** @typedef {import("./words.js").Sentence} Sentence */

/**
 * @typedef {object} RowState
 * @property {import("./clock.js").Clocks} clocks
 * @property {"utc" | "local"} tz
 * @property {number | null} selected id of the incident that is open
 * @property {(id: number) => string} href of an incident
 * @property {(e: TimeEvent) => string[]} about names of what it is about
 */

/** @typedef {{t: number, incident?: Incident, event?: TimeEvent}} Row */

/**
 * @param {HTMLElement} list
 * @param {Row[]} rows
 * @param {RowState} s
 */
export function updateRows(list, rows, s) {
	keyed(list, rows, rowKey, makeRow, (el, r) => {
		if (r.incident)
			fillIncident(el, r.incident, s);
		else if (r.event)
			fillEvent(el, r.event, s);
	});
}

/** @param {Row} r */
function rowKey(r) {
	return r.incident ? `i${r.incident.id}` : `e${r.event?.id}`;
}

/** @param {Row} r */
function makeRow(r) {
	return h("li", { class: "row" }, h("time"),
	    h("span", { class: "mark" },
		h("span", { class: "glyph", "aria-hidden": "true" }), " ",
		h("span", { class: "word" })),
	    r.incident ? h("a", { class: "what", href: "?" })
		: h("p", { class: "what" }),
	    h("p", { class: "facts" }), h("p", { class: "where" }),
	    h("p", { class: "hands" }));
}

/**
 * @param {HTMLElement} el
 * @param {string} sel
 */
function part(el, sel) {
	return /** @type {HTMLElement} */ (el.querySelector(sel));
}

/**
 * Words into a part of a row, only when they are others.
 * @param {HTMLElement} el
 * @param {Sentence} s
 */
export function say(el, s) {
	const text = toText(s);
	el.hidden = text === "";
	if (el.dataset.text === text)
		return;
	el.dataset.text = text;
	el.replaceChildren(...toNodes(s));
}

/**
 * @param {HTMLElement} el
 * @param {string} t RFC 3339
 * @param {number} now
 * @param {"utc" | "local"} tz
 */
function sayTime(el, t, now, tz) {
	setAttr(el, "datetime", t);
	setText(el, moment(Date.parse(t), now, tz));
}

/**
 * @param {HTMLElement} el
 * @param {Incident} i
 * @param {RowState} s
 */
function fillIncident(el, i, s) {
	const active = isActive(i);
	const severity = active ? i.severity : i.worst_severity;
	const look = SEVERITIES[severity] ?? { glyph: "?", word: severity };
	el.className = `row incident ${severity} ${active ? "active" : "over"}` +
	    (i.state === "open" ? " untold" : "") +
	    (i.id === s.selected ? " selected" : "");
	sayTime(part(el, "time"), i.started, s.clocks.now(i.target), s.tz);
	setText(part(el, ".glyph"), look.glyph);
	setText(part(el, ".word"), look.word);
	const link = part(el, ".what");
	setAttr(link, "href", s.href(i.id));
	if (i.id === s.selected)
		setAttr(link, "aria-current", "true");
	else
		link.removeAttribute("aria-current");
	say(link, subject(i));
	say(part(el, ".facts"), facts(i, s.clocks.now(i.target)));
	say(part(el, ".where"), i.where ? [{ name: i.where }] : []);
	say(part(el, ".hands"), hands(i));
}

/**
 * @param {HTMLElement} el
 * @param {TimeEvent} e
 * @param {RowState} s
 */
function fillEvent(el, e, s) {
	const look = EVENTS[e.kind] ?? { glyph: "\u25cb", word: e.kind };
	el.className = `row event kind-${e.kind}`;
	sayTime(part(el, "time"), e.t, s.clocks.now(), s.tz);
	setText(part(el, ".glyph"), look.glyph);
	setText(part(el, ".word"), look.word);
	say(part(el, ".what"), [{ name: e.text }]);
	const about = s.about(e);
	/** @type {Sentence} */
	const facts = about.flatMap((name, i) => [i ? " \u00b7 " : "", { name }]);
	if (e.by)
		facts.push(...(facts.length ? [" \u00b7"] : []), ...by(e.by));
	say(part(el, ".facts"), facts);
	part(el, ".where").hidden = part(el, ".hands").hidden = true;
}

/**
 * The strip of the overview: what goes on, in a line each.
 * @param {HTMLElement} list
 * @param {Incident[]} incidents
 * @param {RowState} s
 */
export function updateStrip(list, incidents, s) {
	keyed(list, incidents, (i) => String(i.id), () => h("li", {},
	    h("span", { class: "mark" },
		h("span", { class: "glyph", "aria-hidden": "true" }), " ",
		h("span", { class: "word" })), " ",
	    h("a", { class: "what", href: "?" }), " ",
	    h("span", { class: "quiet" }, "since ", h("time")), " ",
	    h("span", { class: "where" })),
	(el, i) => {
		const look = SEVERITIES[i.severity];
		el.className = i.severity;
		setText(part(el, ".glyph"), look?.glyph ?? "?");
		setText(part(el, ".word"), look?.word ?? i.severity);
		setAttr(part(el, ".what"), "href", s.href(i.id));
		say(part(el, ".what"), subject(i));
		sayTime(part(el, "time"), i.started, s.clocks.now(i.target),
		    s.tz);
		say(part(el, ".where"), i.where ? [{ name: i.where }] : []);
	});
}

