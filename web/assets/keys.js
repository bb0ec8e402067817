// keys.js - the keyboard, and the page that tells of it.

import { h } from "./dom.js";
import { PAGES } from "./router.js";

const CHORD_MS = 1500; // between g and the letter

/** @type {[string, string][]} */
const HELP = [
	...PAGES.map((p) => /** @type {[string, string]} */ (
	    [`g ${p.go}`, p.title])),
	["[ ]", "the incident before, the one after"],
	["/", "filter"],
	["t", "charts as tables"],
	["r w b", "read, write, both"],
	["d", "theme: auto, light, dark"],
	["\u2190 \u2192", "in a chart: single samples; Home, End"],
	["Esc", "close, let go"],
	["?", "this list"],
];

/**
 * @typedef {object} KeyHooks
 * @property {(letter: string) => boolean} go
 * @property {(by: number) => void} step through incidents
 * @property {(ev: KeyboardEvent) => boolean} page what the page does with it
 * @property {Record<string, () => void>} keys
 */

export class Keys {
	/** @param {KeyHooks} hooks */
	constructor(hooks) {
		this.hooks = hooks;
		this.chordUntil = 0;
		this.help = h("dialog", { "aria-labelledby": "help-title" },
		    h("h2", { id: "help-title" }, "Keyboard"),
		    h("dl", { class: "keys" }, ...HELP.flatMap(([keys, text]) =>
			[h("dt", {}, ...keys.split(" ").flatMap((k, i) =>
			    [i ? " " : "", h("kbd", {}, k)])),
			h("dd", {}, text)])),
		    h("form", { method: "dialog" },
			h("button", {}, "Close")));
		document.body.append(this.help);
		document.addEventListener("keydown", (ev) => this.down(ev));
	}

	showHelp() {
		this.help.showModal();
	}

	/** @param {KeyboardEvent} ev */
	down(ev) {
		if (ev.ctrlKey || ev.metaKey || ev.altKey || isTyping(ev.target) ||
		    document.querySelector("dialog[open]") !== null ||
		    document.body.classList.contains("denied"))
			return;
		const { hooks } = this;
		const key = ev.key.length === 1 ? ev.key.toLowerCase() : ev.key;
		const chord = Date.now() < this.chordUntil;
		this.chordUntil = 0;
		if (chord && hooks.go(key))
			return;
		if (key === "g")
			this.chordUntil = Date.now() + CHORD_MS;
		else if (key === "?")
			this.showHelp();
		else if (key === "[" || key === "]")
			hooks.step(key === "]" ? 1 : -1);
		else if (Object.hasOwn(hooks.keys, key)) {
			ev.preventDefault();
			hooks.keys[key]();
		} else if (!ev.defaultPrevented) {
			hooks.page(ev);
		}
	}
}

/** @param {EventTarget | null} el */
function isTyping(el) {
	return el instanceof HTMLTextAreaElement ||
	    el instanceof HTMLSelectElement ||
	    (el instanceof HTMLInputElement && el.type !== "radio" &&
	    el.type !== "checkbox");
}
