// targets.js - the strip of targets: what each is doing and, when it does
// not work, what to do about it.

import { count, duration } from "./format.js";
import { h, keyed, nameOf, setText } from "./dom.js";

/** @typedef {import("./types.d.ts").Target} Target */

/** @type {Record<string, {glyph: string, word: string, hint: string}>} */
const STATES = {
	starting: {
		glyph: "\u25cb", word: "starting",
		hint: "Logging in and reading the inventory. The first samples, " +
		    "and with them the last hour, come within a minute.",
	},
	ok: { glyph: "\u2713", word: "ok", hint: "" },
	degraded: {
		glyph: "\u25b2", word: "degraded",
		hint: "Polls work, but some hosts or properties do not answer.",
	},
	unreachable: {
		glyph: "\u2716", word: "unreachable",
		hint: "dslatd keeps trying, with growing pauses. Does the " +
		    "address answer from the machine dslatd runs on?",
	},
	auth_failed: {
		glyph: "\u2716", word: "login failed",
		hint: "Check username and password file of this target, then " +
		    "reload dslatd. It waits long between tries, since five " +
		    "failures lock an account.",
	},
};

const NO_PERMISSION = "Logged in, but this account sees no hosts or " +
    "datastores. Give it the role Read-only on the root folder with " +
    "\u201cPropagate to children\u201d.";
const INSECURE = "\u25b2 certificate not verified (insecure): set " +
    "fingerprint_sha256 or ca_file";

/** @param {Target} t */
function isBad(t) {
	return t.state !== "ok" || Boolean(t.error) || seesNothing(t);
}

/** @param {Target} t */
function seesNothing(t) {
	return t.state === "ok" && (t.hosts === 0 || t.datastores === 0);
}

/**
 * @param {HTMLElement} list
 * @param {Target[]} targets
 * @param {number} now epoch ms, this computer's
 */
export function updateTargets(list, targets, now) {
	keyed(list, targets, (t) => t.name, makeTarget,
	    (el, t) => updateTarget(el, t, now));
}

/** @param {Target} t */
function makeTarget(t) {
	return h("li", {}, h("div", { class: "target-head" },
	    h("span", { class: "state" },
		h("span", { class: "glyph", "aria-hidden": "true" }), " ",
		h("span", { class: "word" })),
	    h("strong", {}, nameOf(t.name)),
	    h("span", { class: "about" }),
	    h("span", { class: "insecure" }, INSECURE)),
	h("p", { class: "error" }), h("p", { class: "hint" }));
}

/**
 * @param {HTMLElement} el
 * @param {Target} t
 * @param {number} now
 */
function updateTarget(el, t, now) {
	/** @param {string} sel */
	const part = (sel) => /** @type {HTMLElement} */ (
	    el.querySelector(sel));
	const st = STATES[t.state] ?? { glyph: "?", word: t.state, hint: "" };
	const bad = isBad(t);
	el.className = "target " + (bad ? t.state === "starting" ? "wait"
	    : t.state === "ok" || t.state === "degraded" ? "warn" : "bad"
	    : "good");
	setText(part(".glyph"), st.glyph);
	setText(part(".word"), st.word);
	const about = [
		product(t),
		t.hosts || t.datastores ? `${count(t.hosts, "host")}, ` +
		    count(t.datastores, "datastore") : "",
		t.last_poll ? "last good poll " +
		    duration((now - Date.parse(t.last_poll)) / 1000) + " ago"
		    : "",
		skew(t.clock_skew_ms),
	].filter(Boolean).join(" \u00b7 ");
	const box = part(".about");
	if (box.dataset.text !== about) {
		box.dataset.text = about;
		box.replaceChildren(about ? nameOf(about) : "");
	}
	const error = part(".error");
	if (error.dataset.text !== (t.error ?? "")) {
		error.dataset.text = t.error ?? "";
		error.replaceChildren(...(t.error ?? "").trimEnd().split("\n")
		    .map((line) => h("span", {}, nameOf(line))));
	}
	error.hidden = !t.error;
	const hint = seesNothing(t) ? NO_PERMISSION : t.error ? "" : st.hint;
	setText(part(".hint"), hint);
	part(".hint").hidden = hint === "";
	part(".insecure").hidden = !t.insecure;
}

/** @param {Target} t */
function product(t) {
	const name = t.api_type === "VirtualCenter" ? "vCenter"
	    : t.api_type === "HostAgent" ? "ESXi" : t.api_type ?? "";
	return name + (name && t.version ? " " + t.version : "");
}

/** @param {number | null} ms server minus ours */
function skew(ms) {
	if (typeof ms !== "number" || Math.abs(ms) <= 90000)
		return "";
	return `\u25b2 its clock is ${duration(Math.abs(ms) / 1000)} ` +
	    (ms > 0 ? "ahead" : "behind");
}
