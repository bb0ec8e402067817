// marker.js - the held peak of a chart: a triangle at its place and a label
// that can be dismissed.  A peak that has left the window stays at the left
// edge; without a held peak the worst of the window is marked, hollow.

import { SLOT_MS } from "./clock.js";
import { clean, isolate, moment, msText } from "./format.js";
import { h, nameOf, setText, svg } from "./dom.js";
import { height } from "./view.js";

/** @typedef {import("./uPlot.min.js").default} uPlot */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./types.d.ts").Held} Held */

const MAX_PINS = 4;
const CHIP_GAP = 9;
const LABEL_PX = 56;

export class Markers {
	/** @param {(h: Held) => void} dismiss */
	constructor(dismiss) {
		/** @type {uPlot | null} */
		this.u = null;
		/** @type {Held | null} */
		this.top = null;
		this.value = h("strong");
		this.when = h("span", { class: "quiet" });
		this.line = h("div", { class: "chip-where" });
		this.button = h("button", { type: "button", class: "dismiss" },
		    "\u00d7");
		this.button.addEventListener("click", () => {
			if (this.top)
				dismiss(this.top);
		});
		this.chip = h("div", { class: "chip" },
		    h("div", { class: "chip-text" }, this.value, this.when,
			this.line),
		    this.button);
		// The chart follows the pointer; a click here is for the chip.
		for (const ev of ["mousedown", "mousemove"])
			this.chip.addEventListener(ev, (e) => e.stopPropagation());
		/** @type {{mid: number, ms: number, soft: boolean}[]} */
		this.pins = [];
		this.pinBox = h("div", { class: "pins", "aria-hidden": "true" });
		this.key = "";
		this.threshold = 1;
	}

	/** @param {uPlot} u */
	attach(u) {
		this.u = u;
		u.over.append(this.pinBox, this.chip);
		this.place();
	}

	/**
	 * @param {uPlot} u
	 * @param {View} view
	 * @param {Held[]} held worst first
	 * @param {"utc" | "local"} tz
	 */
	update(u, view, held, tz) {
		this.top = held[0] ?? null;
		this.threshold = view.thresholds[0] ?? 1;
		const soft = this.top === null && view.peak
		    ? softPeak(view.peak, view.op) : null;
		const shown = this.top ?? soft;
		this.chip.hidden = shown === null;
		this.chip.classList.toggle("soft", this.top === null);
		this.button.hidden = this.top === null;
		if (shown)
			this.describe(shown, view.to, tz);
		this.pins = held.slice(0, MAX_PINS)
		    .map(({ t, at, ms }) => ({ mid: (at ?? t) - SLOT_MS / 2,
			ms, soft: false }));
		if (soft && view.peak)
			this.pins.push({ mid: middle(view.peak, view.stepMs),
			    ms: soft.ms, soft: true });
		this.attach(u);
	}

	/**
	 * @param {Held} p
	 * @param {number} now
	 * @param {"utc" | "local"} tz
	 */
	describe(p, now, tz) {
		const key = JSON.stringify([p, moment(p.t, now, tz)]);
		if (key === this.key)
			return;
		this.key = key;
		setText(this.value, msText(p.ms));
		setText(this.when, " " + moment(p.t, now, tz));
		this.line.replaceChildren(nameOf(p.name),
		    ...(p.host ? [" \u00b7 ", nameOf(p.host)] : []));
		this.button.setAttribute("aria-label",
		    `Dismiss the held peak of ${isolate(p.name)}, ${p.op}`);
		this.button.title = "Dismiss this held peak";
		this.chip.title = `${msText(p.ms)} ${p.op} at ` +
		    `${moment(p.t, now, tz)}` +
		    (p.host ? ` on ${clean(p.host)}` : "") +
		    `: ${clean(p.name)}`;
	}

	/** Put everything where it belongs in the current scales. */
	place() {
		const u = this.u;
		if (!u)
			return;
		const w = u.over.clientWidth;
		const hgt = u.over.clientHeight;
		const at = this.pins.map((p) => {
			const raw = u.valToPos(p.mid, "x");
			return {
				x: Math.min(w, Math.max(0, raw)),
				y: u.valToPos(height(p.ms) ?? p.ms, "y"),
				gone: raw < 0,
				soft: p.soft,
			};
		});
		while (this.pinBox.childElementCount < at.length)
			this.pinBox.append(pin());
		while (this.pinBox.childElementCount > at.length)
			this.pinBox.lastElementChild?.remove();
		at.forEach((p, i) => {
			const el = /** @type {HTMLElement} */ (
			    this.pinBox.children[i]);
			el.classList.toggle("soft", p.soft);
			el.classList.toggle("gone", p.gone);
			el.style.left = p.x + "px";
			el.style.top = p.y + "px";
		});
		const lead = at[0];
		if (!lead || this.chip.hidden)
			return;
		this.chip.style.maxWidth = Math.min(w - 16, 300) + "px";
		const cw = this.chip.offsetWidth;
		const ch = this.chip.offsetHeight;
		const right = lead.x + CHIP_GAP + cw <= w;
		const x = right ? lead.x + CHIP_GAP : lead.x - CHIP_GAP - cw;
		const left = Math.max(2, Math.min(w - cw, x));
		let y = lead.y - ch - 2;
		// The label of the threshold is at the right end of its line.
		const line = u.valToPos(this.threshold, "y");
		if (left + cw > w - LABEL_PX && y + ch > line - 16 && y < line)
			y = line - 16 - ch;
		this.chip.style.left = left + "px";
		this.chip.style.top = Math.min(hgt - ch, Math.max(6, y)) + "px";
	}
}

/**
 * @param {NonNullable<View["peak"]>} peak
 * @param {import("./types.d.ts").Op} op
 * @returns {Held}
 */
function softPeak(peak, op) {
	return {
		id: peak.line.ds.id, op, t: peak.point.t ?? peak.t,
		ms: peak.point.worst ?? 0,
		name: peak.line.ds.name, host: peak.point.host ?? "",
		family: "",
	};
}

/**
 * Where its sample is, or the bin that it is somewhere in.
 * @param {NonNullable<View["peak"]>} peak
 * @param {number} stepMs
 */
function middle({ t, point }, stepMs) {
	return point.t ? point.t - SLOT_MS / 2 : t - stepMs / 2;
}

function pin() {
	return h("span", { class: "pin" },
	    svg("svg", { viewBox: "0 0 12 11", width: 12, height: 11 },
		svg("path", { d: "M1 1H11L6 10Z" })));
}
