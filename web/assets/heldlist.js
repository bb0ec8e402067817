// heldlist.js - "Worst held": the list of held peaks.

import { moment, msText } from "./format.js";
import { h, keyed, nameOf, setText } from "./dom.js";
import { familyGlyph, familyTitle } from "./protocol.js";
import { heldKey } from "./peaks.js";

/** @typedef {import("./types.d.ts").Held} Held */

const FIRST = 10;

export class HeldList {
	/**
	 * @param {HTMLElement} box
	 * @param {object} hooks
	 * @param {(h: Held) => void} hooks.dismiss
	 * @param {() => void} hooks.dismissAll
	 */
	constructor(box, hooks) {
		this.hooks = hooks;
		this.list = h("ol", { class: "held-list" });
		this.none = h("p", { class: "quiet" }, "No sample has crossed " +
		    "its threshold. One that does stays here until you dismiss " +
		    "it.");
		this.rest = h("p", { class: "quiet" });
		this.all = h("button", { type: "button" }, "Dismiss all");
		this.all.addEventListener("click", () => hooks.dismissAll());
		box.append(h("div", { class: "section-head" },
		    h("h2", { id: "held-title" }, "Worst held"), this.all),
		this.none, this.list, this.rest);
	}

	/**
	 * @param {Held[]} held worst first
	 * @param {number} now
	 * @param {"utc" | "local"} tz
	 */
	update(held, now, tz) {
		this.none.hidden = held.length > 0;
		this.all.hidden = held.length < 2;
		this.rest.hidden = held.length <= FIRST;
		setText(this.rest, `and ${held.length - FIRST} more, less bad`);
		keyed(this.list, held.slice(0, FIRST), (p) => heldKey(p.id, p.op),
		    (p) => this.make(p), (el, p) => this.fill(el, p, now, tz));
	}

	/** @param {Held} p */
	make(p) {
		const button = h("button", { type: "button", class: "dismiss",
		    title: "Dismiss this held peak" }, "\u00d7");
		button.setAttribute("aria-label", "Dismiss");
		const el = h("li", {}, h("strong", { class: "held-ms" }),
		    h("span", { class: "held-what" }), button);
		button.addEventListener("click", () => {
			const next = el.nextElementSibling ??
			    el.previousElementSibling;
			this.hooks.dismiss(p);
			next?.querySelector("button")?.focus();
		});
		return el;
	}

	/**
	 * @param {HTMLElement} el
	 * @param {Held} p
	 * @param {number} now
	 * @param {"utc" | "local"} tz
	 */
	fill(el, p, now, tz) {
		const when = moment(p.t, now, tz);
		const key = JSON.stringify([p, when]);
		if (el.dataset.shown === key)
			return;
		el.dataset.shown = key;
		const [ms, what] = el.children;
		const family = p.family === "nfs" || p.family === "iscsi"
		    ? p.family : "other";
		ms.replaceChildren("\u25bc\u202f" + msText(p.ms));
		what.replaceChildren(
		    h("span", { class: `family family-${family}` },
			familyGlyph(family) + "\u202f" +
			(family === "other" ? "Other" : familyTitle(family))),
		    " ", nameOf(p.name, "name"), ` ${p.op}`,
		    ...(p.host ? [" on ", nameOf(p.host)] : []),
		    " ", h("time", {
			datetime: new Date(p.t).toISOString(),
		    }, when));
	}
}
