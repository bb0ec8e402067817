// silences.js - who is not told, until when, and by whom.

import { moment } from "./format.js";
import { button } from "./formdialog.js";
import { h, keyed, setText } from "./dom.js";
import { by } from "./incidentwords.js";
import { say } from "./timeline.js";

/** @typedef {import("./types.d.ts").Silence} Silence */

export class Silences {
	/** @param {import("./types.d.ts").Core} core */
	constructor(core) {
		this.core = core;
		this.list = h("ul", { class: "rows" });
		this.none = h("p", { class: "empty" }, "Nobody is silenced.");
		this.right = h("p", { class: "note" });
		this.root = h("section", { class: "box silences",
		    "aria-labelledby": "silences-title" },
		h("div", { class: "section-head" },
		    h("h2", { id: "silences-title" }, "Silences"),
		    button("New silence", () => core.writes.silence(null))),
		this.none, this.list, this.right);
	}

	update() {
		const { clocks, incidents, rights, writes } = this.core;
		const list = incidents.silences.filter((x) =>
		    Date.parse(x.until) > clocks.now());
		this.none.hidden = list.length > 0;
		keyed(this.list, list, (x) => String(x.id), (x) =>
		    h("li", { class: "row" }, h("p", { class: "what" }),
			h("p", { class: "facts" }), h("p", { class: "where" }),
			button("End", () => writes.endSilence(x), "end")),
		(el, x) => this.fill(el, x));
		this.right.hidden = rights.canWrite;
		setText(this.right, "Acknowledging, notes and silences take a " +
		    "token with the role write; the buttons ask for it.");
	}

	/**
	 * @param {HTMLElement} el
	 * @param {Silence} x
	 */
	fill(el, x) {
		const [what, facts, why] =
		    /** @type {Iterable<HTMLElement>} */ (el.children);
		const at = (/** @type {string} */ t) => moment(Date.parse(t),
		    this.core.clocks.now(), this.core.options.tz);
		say(what, [{ name: x.match }, ...(x.op ? [` ${x.op}`] : []),
		    ...(x.protocol ? [", ", { name: x.protocol }] : []),
		    ...(x.kind ? [", ", { name: x.kind }] : [])]);
		say(facts, [(x.state === "pending" ? `from ${at(x.from)} ` : "") +
		    `until ${at(x.until)}`, ...by(x.by)]);
		say(why, x.note ? [{ name: x.note }] : []);
	}
}
