// incidentwords.js - an incident in words.  Pure; sentences are lists of
// strings and names, see words.js.

import { count, duration, msText } from "./format.js";
import { isActive } from "./incidents.js";
import { protocolLabel } from "./protocol.js";

/** @typedef {import("./types.d.ts").Incident} Incident */
/** @typedef {import("./words.js").Sentence} Sentence */

/** @type {Record<string, {glyph: string, word: string}>} */
export const SEVERITIES = {
	critical: { glyph: "\u25c6", word: "critical" },
	warning: { glyph: "\u25b2", word: "warning" },
};

/** @type {Record<string, string>} */
const ENDS = {
	cleared: "below the line again",
	idle: "no I/O any more",
	back: "back again",
	gone: "gone from the inventory",
	maintenance: "put into maintenance",
};

/** @type {Record<string, {glyph: string, word: string}>} */
export const EVENTS = {
	note: { glyph: "\u270e", word: "note" },
	audit: { glyph: "\u2192", word: "done" },
	setting: { glyph: "\u2699", word: "setting" },
	vsphere: { glyph: "\u25a1", word: "vSphere" },
	dslatd: { glyph: "\u25cb", word: "dslatd" },
};

/** @param {Incident} i @returns {Sentence} what it is about */
export function subject(i) {
	const ds = { name: i.datastore_name ?? i.datastore ?? "" };
	const host = { name: i.host_name ?? i.host ?? "" };
	/** @type {Sentence} */
	const onHost = host.name ? [" on ", host] : [];
	/** @type {Record<string, Sentence>} */
	const by = {
		slow: [ds, ` ${i.op} slow`],
		no_data: ["No data of ", ds, ...onHost],
		inaccessible: [ds, " inaccessible", ...onHost],
		unreachable: host.name ? ["Host ", host, " unreachable"]
		    : ["Target ", { name: i.target }, " unreachable"],
		login: ["Login refused by ", { name: i.target }],
	};
	return by[i.kind] ?? [{ name: i.summary ?? i.kind }];
}

/**
 * @param {Incident} i
 * @param {number} now of its target
 * @returns {number} seconds
 */
export function lasted(i, now) {
	return ((i.ended ? Date.parse(i.ended) : now) -
	    Date.parse(i.started)) / 1000;
}

/** @param {Incident} i how it stands, in a word or two */
export function standing(i) {
	if (!isActive(i))
		return "over: " + (ENDS[i.end_reason ?? ""] ?? "ended");
	return i.state === "announced" ? "going on" : "seen, not told yet";
}

/**
 * The figures, in one line.
 * @param {Incident} i
 * @param {number} now
 * @returns {Sentence}
 */
export function facts(i, now) {
	/** @type {Sentence} */
	const s = [`${standing(i)}, ${duration(lasted(i, now))}`];
	if (i.worst_ms !== null) {
		s.push(` \u00b7 worst ${msText(i.worst_ms)}`);
		if (i.worst_host)
			s.push(" on ", { name: i.worst_host });
	}
	if (i.hosts_n > 1)
		s.push(` \u00b7 ${count(i.hosts_n, "host")}`);
	if (i.protocol && i.protocol !== "unknown")
		s.push(` \u00b7 ${protocolLabel(i.protocol)}`);
	s.push(" \u00b7 ", { name: i.target });
	return s;
}

/** @param {Incident} i @returns {Sentence} who knows, who is not told */
export function hands(i) {
	/** @type {Sentence} */
	const s = [];
	if (i.acked) {
		s.push("\u2713 acknowledged", ...by(i.ack_by));
		if (i.ack_note)
			s.push(": ", { name: i.ack_note });
	}
	if (i.silenced_by)
		s.push(s.length ? " \u00b7 " : "", "nobody is told (",
		    { name: i.silenced_by }, ")");
	if (i.nested_in)
		s.push(s.length ? " \u00b7 " : "",
		    "part of another incident, so nobody is told of this one");
	return s;
}

/** @param {string | null} who @returns {Sentence} */
export function by(who) {
	return who ? [" by ", { name: who }] : [];
}

/**
 * The words that a search looks in.
 * @param {Incident} i
 */
export function searchText(i) {
	return [i.datastore_name, i.host_name, i.target, i.kind, i.op, i.where,
	    i.summary, i.severity, i.protocol,
	    i.protocol && protocolLabel(i.protocol), i.backing, i.cluster,
	    i.ack_by, i.ack_note, i.worst_host, ...i.hosts.map((x) => x.name)]
	    .filter(Boolean).join("\n").toLowerCase();
}

/** @param {string} text @returns {string[]} that must all be found */
export function searchWords(text) {
	return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * A shell pattern that fits this text and no other.
 * @param {string} text
 */
export function literal(text) {
	return text.replace(/[\\*?[\]]/g, "\\$&");
}
