// axes.js - the axes of a chart: times of day, and latency from "< 1" up.

import { calendarDay, clockTime } from "./format.js";
import { css } from "./palette.js";
import { Y_MIN } from "./view.js";

/** @typedef {import("./uPlot.min.js").default.Axis} Axis */

/** What is written at the axis where there is room, the first first. */
const Y_LABELS = [0.5, 1, 10, 100, 1000, 10000, 100000, 50, 5, 500, 5000, 50000,
	500000];
const DAY_MS = 86400 * 1000;
const Y_LABEL_PX = 15;

/**
 * @param {number} width of the chart, px
 * @param {() => {top: number, tz: "utc" | "local", rangeMs: number}} state as it is then
 * @returns {Axis[]}
 */
export function axes(width, state) {
	const common = {
		stroke: () => css("--muted"),
		font: `11px ${css("--font")}`,
		grid: { stroke: () => css("--grid"), width: 1 },
		ticks: { stroke: () => css("--grid"), width: 1, size: 4 },
	};
	return [{
		...common,
		size: 26,
		space: width < 420 ? 56 : 70,
		values: (_u, at) => at.map((t) => timeLabel(t, state())),
	}, {
		...common,
		size: 46,
		gap: 4,
		splits: (u) => labels(state().top,
		    u.bbox.height / devicePixelRatio),
		filter: (_u, at) => at,
		values: (_u, at) => at.map((y) => y < 1 ? "<\u202f1"
		    : y < 1000 ? String(y) : y / 1000 + "\u202fs"),
	}];
}

/**
 * The time of day; of long ranges the day where one begins.
 * @param {number} t
 * @param {{tz: "utc" | "local", rangeMs: number}} state
 */
function timeLabel(t, { tz, rangeMs }) {
	const time = clockTime(t, tz, false);
	return rangeMs < DAY_MS || (time !== "00:00" && rangeMs < 3 * DAY_MS)
	    ? time : calendarDay(t, tz).slice(5) +
		(time === "00:00" ? "" : " " + time);
}

/**
 * @param {number} top of the axis, ms
 * @param {number} height of the plot, px
 * @returns {number[]} in ascending order
 */
export function labels(top, height) {
	const px = height / Math.log(top / Y_MIN);
	/** @type {number[]} */
	const list = [];
	for (const y of Y_LABELS)
		if (y <= top && list.every((l) =>
		    Math.abs(Math.log(y / l)) * px >= Y_LABEL_PX))
			list.push(y);
	return list.sort((a, b) => a - b);
}
