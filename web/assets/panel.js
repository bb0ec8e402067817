// panel.js - the charts of one family of protocols, with their legend and
// the table behind them.

import { Chart } from "./chart.js";
import { SLOT_MS } from "./clock.js";
import { count, clockTime, duration, moment, msNumber, msText } from "./format.js";
import { h, keyed, nameOf, setText, svg } from "./dom.js";
import { isIdle } from "./store.js";
import { familyGlyph, familyTitle } from "./protocol.js";
import { shapeCorners } from "./overlay.js";
import { caption, toNodes, toText } from "./words.js";
import { newestPoint } from "./view.js";

/** @typedef {import("./types.d.ts").Op} Op */
/** @typedef {import("./types.d.ts").Held} Held */
/** @typedef {import("./protocol.js").Family} Family */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").Line} Line */

/**
 * @typedef {object} PanelState
 * @property {View[]} views one per direction shown
 * @property {number} top
 * @property {"utc" | "local"} tz
 * @property {Held[]} held
 * @property {boolean} tables
 * @property {string} note about datastores without a line, or ""
 * @property {string} empty why there is nothing to draw, or ""
 * @property {number} total
 * @property {number} slow
 */

export class Panel {
	/**
	 * @param {Family} family
	 * @param {object} hooks
	 * @param {(h: Held) => void} hooks.dismiss
	 */
	constructor(family, hooks) {
		this.family = family;
		this.hooks = hooks;
		/** @type {Map<Op, ReturnType<Panel["makeFigure"]>>} */
		this.figures = new Map();
		/** @type {PanelState | null} */
		this.state = null;
		/** @type {number | null} slot under the cursor */
		this.cursor = null;
		this.counts = h("span", { class: "counts" });
		this.plots = h("div", { class: "plots" });
		this.emptyText = h("p", { class: "empty" });
		this.note = h("p", { class: "note" });
		this.head = h("tr");
		this.body = h("tbody");
		this.legend = h("table", { class: "legend" },
		    h("thead", {}, this.head), this.body);
		const title = `panel-${family}`;
		this.root = h("section", {
			class: `panel panel-${family}`, "aria-labelledby": title,
		}, h("h2", { id: title },
		    h("span", { class: "glyph", "aria-hidden": "true" },
			familyGlyph(family)),
		    familyTitle(family), this.counts),
		this.emptyText, this.plots, this.legend, this.note);
	}

	/** @param {Op} op */
	makeFigure(op) {
		const id = `caption-${this.family}-${op}`;
		const box = chartBox(id);
		const text = h("figcaption", { id });
		const behind = h("div", { class: "behind", tabindex: 0,
		    role: "region", "aria-label":
			`Samples, ${familyTitle(this.family)} ${op}` });
		behind.hidden = true;
		const root = h("figure", { "data-op": op },
		    h("h3", {}, op), box, text, behind);
		this.plots.append(root);
		const chart = new Chart(box, {
			cursor: (i) => this.pointAt(i),
			dismiss: this.hooks.dismiss,
		});
		return { root, box, text, behind, chart };
	}

	/** @param {PanelState} state */
	update(state) {
		this.state = state;
		const drawn = state.empty === "";
		setText(this.counts, count(state.total, "datastore") +
		    (state.slow ? ` \u00b7 \u25b2 ${state.slow} slow` : ""));
		this.counts.classList.toggle("bad", state.slow > 0);
		setText(this.emptyText, state.empty);
		this.emptyText.hidden = drawn;
		this.plots.hidden = this.legend.hidden = !drawn;
		setText(this.note, state.note);
		this.note.hidden = state.note === "";
		const ops = new Set(state.views.map((v) => v.op));
		for (const [op, f] of this.figures)
			f.root.hidden = !ops.has(op);
		this.plots.classList.toggle("single", ops.size === 1);
		if (!drawn)
			return;
		for (const view of state.views) {
			let f = this.figures.get(view.op);
			if (!f)
				this.figures.set(view.op,
				    f = this.makeFigure(view.op));
			const words = caption(view, state.tz);
			const text = toText(words);
			if (f.text.dataset.text !== text) {
				f.text.dataset.text = text;
				f.text.replaceChildren(...toNodes(words));
			}
			f.chart.update(view, state.top, state.tz,
			    state.held.filter((p) => p.op === view.op));
			f.chart.label(`${familyTitle(this.family)} ${view.op} ` +
			    `latency over time. ${text}`);
			f.behind.hidden = !state.tables;
			if (state.tables)
				fillBehind(f.behind, view, state.tz);
		}
		this.drawLegend();
	}

	/** @param {number | null} i */
	pointAt(i) {
		if (i === this.cursor)
			return;
		this.cursor = i;
		this.drawLegend();
	}

	/** @param {string | null} id */
	focus(id) {
		for (const f of this.figures.values())
			f.chart.setFocus(id);
	}

	drawLegend() {
		const s = this.state;
		if (!s || s.views.length === 0)
			return;
		const i = this.cursor !== null &&
		    this.cursor < s.views[0].times.length ? this.cursor : null;
		const when = slotName(s.views[0], i, s.tz);
		const heads = [when, ...s.views.flatMap((v) =>
		    [`${v.op} worst`, "mean"])];
		keyed(this.head, heads.map((text, n) => ({ text, n })),
		    (x) => String(x.n),
		    (x) => h("th", { scope: "col",
			class: x.n ? columnClass(x.n) : "when" }),
		    (el, x) => setText(el, x.text));
		keyed(this.body, s.views[0].lines,
		    (l) => l.ds.id + JSON.stringify(l.style),
		    (l) => this.legendRow(l),
		    (el, l) => fillRow(el, s.views, l.ds.id, i));
	}

	/** @param {Line} line */
	legendRow(line) {
		const button = h("button", { type: "button", "aria-pressed": "false",
		    class: "pick" }, swatch(line.style), nameOf(line.ds.name));
		const row = h("tr", {}, h("th", { scope: "row" }, button));
		const id = line.ds.id;
		row.addEventListener("mouseenter", () => this.focus(id));
		row.addEventListener("mouseleave", () => this.focus(this.pinned()));
		button.addEventListener("focus", () => this.focus(id));
		button.addEventListener("blur", () => this.focus(this.pinned()));
		button.addEventListener("click", () => {
			const on = button.getAttribute("aria-pressed") === "true";
			for (const b of this.body.querySelectorAll(".pick"))
				b.setAttribute("aria-pressed", "false");
			button.setAttribute("aria-pressed", String(!on));
			button.dataset.id = id;
			this.focus(this.pinned());
		});
		return row;
	}

	/** @returns {string | null} the line that was clicked on */
	pinned() {
		const b = this.body.querySelector(".pick[aria-pressed=true]");
		return b instanceof HTMLElement ? b.dataset.id ?? null : null;
	}

	recolor() {
		for (const f of this.figures.values())
			f.chart.recolor();
	}
}

/**
 * @param {View} v
 * @param {number | null} i null: the newest
 * @param {"utc" | "local"} tz
 */
function slotName(v, i, tz) {
	if (v.stepMs === SLOT_MS)
		return i === null ? "newest" : clockTime(v.times[i], tz);
	const step = duration(v.stepMs / 1000);
	return i === null ? `newest ${step}`
	    : `${step} to ${moment(v.times[i], v.to, tz)}`;
}

/** @param {string} id of the caption @returns {HTMLElement} */
function chartBox(id) {
	return h("div", {
		class: "chart",
		tabindex: 0,
		role: "group",
		"aria-label": "Chart: arrow keys read single samples",
		"aria-describedby": id,
	});
}

/** @param {number} n worst and mean take turns after the name */
function columnClass(n) {
	return n % 2 ? "num" : "num mean";
}

/**
 * @param {HTMLElement} row
 * @param {View[]} views
 * @param {string} id
 * @param {number | null} i slot, or null for the newest
 */
function fillRow(row, views, id, i) {
	const cells = views.flatMap((v) => {
		const line = v.lines.find((l) => l.ds.id === id);
		const p = line && (i === null ? newestPoint(line)
		    : line.points[i]);
		if (!p)
			return ["\u2013", ""];
		return isIdle(p) ? ["idle", ""]
		    : [msNumber(p.worst), msNumber(p.mean)];
	});
	while (row.childElementCount < cells.length + 1)
		row.append(h("td", { class: columnClass(row.childElementCount) }));
	while (row.childElementCount > cells.length + 1)
		row.lastElementChild?.remove();
	cells.forEach((text, n) => setText(row.children[n + 1], text));
}

/** @param {import("./protocol.js").LineStyle} style */
function swatch(style) {
	const color = `var(${style.color})`;
	const glyph = svg("path", {
		d: "M" + shapeCorners(style.shape).map(([x, y]) =>
		    `${(15 + x * 4).toFixed(1)} ${(6 + y * 4).toFixed(1)}`)
		    .join("L") + "Z",
		"stroke-width": 1.5,
	});
	glyph.style.stroke = color;
	glyph.style.fill = style.hollow ? "var(--panel)" : color;
	const line = svg("line", { x1: 0, y1: 6, x2: 30, y2: 6,
	    "stroke-width": 2, "stroke-dasharray": style.dash.join(" ") });
	line.style.stroke = color;
	return svg("svg", { viewBox: "0 0 30 12", width: 30, height: 12,
	    class: "swatch", "aria-hidden": "true" }, line, glyph);
}

/**
 * The samples of a chart as a table, newest first.
 * @param {HTMLElement} box
 * @param {View} view
 * @param {"utc" | "local"} tz
 */
export function fillBehind(box, view, tz) {
	const key = view.times[view.times.length - 1] + view.op + tz +
	    view.lines.map((l) => l.points.map((p) => p?.worst)).join();
	if (box.dataset.shown === key)
		return;
	box.dataset.shown = key;
	let end = view.times.length;
	// What may still come is not missing.
	while (end > 0 && view.missing[end - 1] === "" &&
	    view.lines.every((l) => !l.points[end - 1]))
		end--;
	const rows = view.times.slice(0, end).map((t, i) => h("tr", {},
	    h("th", { scope: "row" }, view.stepMs === SLOT_MS
		? clockTime(t, tz) : moment(t, view.to, tz)),
	    ...view.lines.map((l) => {
		const p = l.points[i];
		return h("td", { class: "num" }, !p ? "no data"
		    : isIdle(p) ? "idle"
		    : `${msText(p.worst)} (${msNumber(p.mean)})`);
	    }))).reverse();
	box.replaceChildren(h("table", {},
	    h("caption", {}, `${view.op}: worst host (weighted mean)`),
	    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Slot ends"),
		...view.lines.map((l) => h("th", { scope: "col", class: "num" },
		    nameOf(l.ds.name))))),
	    h("tbody", {}, ...rows)));
}
