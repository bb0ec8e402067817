// chart.js - one chart: latency of one direction of one family, on uPlot.
// Lines are steps, since a sample is a mean over its 20 s; where there is no
// sample, or no I/O, there is no line.

import uPlot from "./uPlot.min.js";
import { axes } from "./axes.js";
import { Markers } from "./marker.js";
import { drawOver, drawUnder } from "./overlay.js";
import { css } from "./palette.js";
import { Y_MIN } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./types.d.ts").Held} Held */

const DIM = 0.15;
const LABEL_PX = 50;

/**
 * @param {number} stepMs
 * @returns {uPlot.Series.PathBuilder}
 */
const steps = (stepMs) => (u, si, i0, i1) => {
	const stroke = new Path2D();
	const ys = u.data[si];
	let open = false;
	for (let i = i0; i <= i1; i++) {
		const v = ys[i];
		if (v === null || v === undefined) {
			open = false;
			continue;
		}
		const x0 = u.valToPos(u.data[0][i] - stepMs, "x", true);
		const x1 = u.valToPos(u.data[0][i], "x", true);
		const y = u.valToPos(v, "y", true);
		if (open)
			stroke.lineTo(x0, y);
		else
			stroke.moveTo(x0, y);
		stroke.lineTo(x1, y);
		open = true;
	}
	return { stroke, fill: null, clip: null, flags: 0 };
};

export class Chart {
	/**
	 * @param {HTMLElement} box
	 * @param {object} hooks
	 * @param {(i: number | null) => void} hooks.cursor slot pointed at
	 * @param {(h: Held) => void} hooks.dismiss
	 */
	constructor(box, hooks) {
		this.box = box;
		this.hooks = hooks;
		/** @type {View | null} */
		this.view = null;
		/** @type {uPlot | null} */
		this.plot = null;
		this.shape = ""; // what the plot was made for
		this.top = 1000;
		/** @type {string | null} id of the line brought forward */
		this.focus = null;
		/** @type {"utc" | "local"} */
		this.tz = "utc";
		this.markers = new Markers(hooks.dismiss);
		new ResizeObserver(() => this.resize()).observe(box);
		box.addEventListener("keydown", (ev) => this.key(ev));
		box.addEventListener("blur", () => this.point(null));
	}

	/**
	 * @param {View} view
	 * @param {number} top of the common axis
	 * @param {"utc" | "local"} tz
	 * @param {Held[]} held of this family and direction, worst first
	 */
	update(view, top, tz, held) {
		this.view = view;
		this.top = top;
		const shape = tz + JSON.stringify(
		    view.lines.map((l) => [l.ds.id, l.style])) +
		    (view.others !== null) + view.stepMs;
		if (!this.plot || shape !== this.shape || tz !== this.tz) {
			this.tz = tz;
			this.shape = shape;
			this.create();
		} else {
			this.plot.setData(this.data());
		}
		if (this.plot)
			this.markers.update(this.plot, view, held, tz);
	}

	/** @returns {uPlot.AlignedData} */
	data() {
		const v = /** @type {View} */ (this.view);
		return /** @type {uPlot.AlignedData} */ ([
			v.times,
			...(v.others ? [v.others] : []),
			...v.lines.flatMap((l) => [l.mean, l.worst]),
		]);
	}

	create() {
		this.plot?.destroy();
		const size = this.size();
		this.plot = new uPlot({
			...size,
			ms: 1,
			tzDate: (t) => this.tz === "utc"
			    ? uPlot.tzDate(new Date(t), "Etc/UTC") : new Date(t),
			legend: { show: false },
			padding: [8, 8, 0, 0],
			cursor: {
				y: false,
				drag: { x: false, y: false },
				points: { show: false },
				sync: { key: "dslat", setSeries: false },
			},
			scales: {
				x: {
					time: true,
					range: () => this.span(),
				},
				y: {
					distr: 3,
					range: () => [Y_MIN, this.top],
				},
			},
			axes: axes(size.width, () => ({ top: this.top, tz: this.tz,
			    rangeMs: this.view ? this.view.to - this.view.from
				: 0 })),
			series: [{}, ...this.series()],
			hooks: {
				drawClear: [(u) => this.view &&
				    drawUnder(u, this.view, css)],
				draw: [(u) => this.view &&
				    drawOver(u, this.view, css,
					(id) => this.alpha(id)),
				() => this.markers.place()],
				setCursor: [(u) => this.hooks.cursor(
				    u.cursor.idx ?? null)],
			},
		}, this.data(), this.box);
		const canvas = this.plot.root.querySelector("canvas");
		canvas?.setAttribute("role", "img");
		this.label(this.text);
		// For whoever debugs, and for the tests.
		/** @type {any} */ (this.box).chart = this.plot;
	}

	text = "";

	/**
	 * The time drawn, and behind it room for the label of the threshold.
	 * @returns {[number, number]}
	 */
	span() {
		const { from, to } = this.view ?? { from: 0, to: 1 };
		return [from, to + (to - from) * LABEL_PX / this.size().width];
	}

	/** @param {string} text what a reader of the screen is told */
	label(text) {
		this.text = text;
		this.plot?.root.querySelector("canvas")
		    ?.setAttribute("aria-label", text);
	}

	size() {
		return {
			width: Math.max(200, this.box.clientWidth),
			height: Math.max(140, this.box.clientHeight),
		};
	}

	resize() {
		const s = this.size();
		if (this.plot && (this.plot.width !== s.width ||
		    this.plot.height !== s.height))
			this.plot.setSize(s);
	}

	/** @returns {uPlot.Series[]} */
	series() {
		const v = /** @type {View} */ (this.view);
		const common = {
			scale: "y",
			paths: steps(v.stepMs),
			points: { show: false },
			spanGaps: false,
		};
		/** @type {uPlot.Series[]} */
		const list = [];
		if (v.others)
			list.push({
				...common,
				stroke: () => css("--others"),
				width: 1.25,
			});
		for (const l of v.lines)
			list.push({
				...common,
				stroke: () => css(l.style.color),
				width: 1,
				alpha: 0.75 * this.alpha(l.ds.id),
			}, {
				...common,
				stroke: () => css(l.style.color),
				width: 2,
				dash: l.style.dash,
				alpha: this.alpha(l.ds.id),
			});
		return list;
	}

	/** @param {string} id */
	alpha(id) {
		return this.focus === null || this.focus === id ? 1 : DIM;
	}

	/** @param {string | null} id bring one line forward */
	setFocus(id) {
		if (this.focus === id || !this.plot || !this.view)
			return;
		this.focus = id;
		let i = this.view.others ? 2 : 1;
		for (const l of this.view.lines) {
			this.plot.series[i++].alpha = 0.75 * this.alpha(l.ds.id);
			this.plot.series[i++].alpha = this.alpha(l.ds.id);
		}
		this.plot.redraw(false);
	}

	/** The colours are others now. */
	recolor() {
		if (this.plot)
			this.create();
		if (this.plot && this.view)
			this.markers.attach(this.plot);
	}

	/** @param {number | null} i put the cursor on a slot */
	point(i) {
		const v = this.view;
		if (!this.plot || !v)
			return;
		this.plot.setCursor(i === null ? { left: -10, top: -10 } : {
			left: this.plot.valToPos(v.times[i], "x"), top: 10,
		});
	}

	/** @param {KeyboardEvent} ev arrows read single samples */
	key(ev) {
		const v = this.view;
		if (!this.plot || !v || v.times.length === 0)
			return;
		const last = v.times.length - 1;
		const at = this.plot.cursor.idx;
		/** @type {Record<string, number>} */
		const to = {
			ArrowLeft: Math.max(0, (at ?? last + 1) - 1),
			ArrowRight: Math.min(last, (at ?? last) + 1),
			Home: 0,
			End: last,
		};
		if (ev.key === "Escape") {
			if (typeof at === "number")
				ev.preventDefault(); // that was it
			this.point(null);
		} else if (ev.key in to) {
			ev.preventDefault();
			this.point(to[ev.key]);
		}
	}

	destroy() {
		this.plot?.destroy();
		this.plot = null;
	}
}
