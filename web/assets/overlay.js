// overlay.js - what a chart draws around its lines: the "< 1 ms" lane, time
// over the line, missing samples, the threshold and the glyphs.
// Heights and times come from view.js; pixels are those of the canvas.

import { LANE_TOP, height } from "./view.js";

/** @typedef {import("./uPlot.min.js").default} uPlot */
/** @typedef {import("./view.js").View} View */
/** @typedef {(name: string) => string} Css */

/** Every n-th slot of a line carries its glyph: some six in all. */
const GLYPHS = 6;

/**
 * @param {uPlot} u
 * @param {number} t end of a slot
 * @param {number} stepMs its length
 * @returns {[number, number]} left and width
 */
function slotBox(u, t, stepMs) {
	const x0 = Math.round(u.valToPos(t - stepMs, "x", true));
	const x1 = Math.round(u.valToPos(t, "x", true));
	return [x0, x1 - x0];
}

/**
 * Behind the lines.
 * @param {uPlot} u
 * @param {View} view
 * @param {Css} css
 */
export function drawUnder(u, view, css) {
	const { ctx, bbox } = u;
	const lane = u.valToPos(LANE_TOP, "y", true);
	ctx.save();
	ctx.beginPath();
	ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
	ctx.clip();

	ctx.fillStyle = css("--lane");
	ctx.fillRect(bbox.left, lane, bbox.width, bbox.top + bbox.height - lane);

	const bar = 4 * devicePixelRatio;
	view.times.forEach((t, i) => {
		if (!view.breach[i])
			return;
		const [x, w] = slotBox(u, t, view.stepMs);
		ctx.fillStyle = css("--breach-fill");
		ctx.fillRect(x, bbox.top, w, bbox.height);
		ctx.fillStyle = css("--breach");
		ctx.fillRect(x, bbox.top, w, bar);
	});

	const hatch = hatchPattern(ctx, css("--hatch"));
	if (hatch) {
		const strip = 9 * devicePixelRatio;
		ctx.fillStyle = hatch;
		view.times.forEach((t, i) => {
			const [x, w] = slotBox(u, t, view.stepMs);
			if (view.missing[i] === "all")
				ctx.fillRect(x, bbox.top, w, bbox.height);
			else if (view.missing[i] === "some")
				ctx.fillRect(x, bbox.top + bbox.height - strip,
				    w, strip);
		});
	}
	ctx.restore();
}

/** @type {Map<string, HTMLCanvasElement>} */
const hatches = new Map();

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} color
 */
function hatchPattern(ctx, color) {
	const size = Math.round(7 * devicePixelRatio);
	const key = size + color;
	let tile = hatches.get(key);
	if (!tile) {
		tile = document.createElement("canvas");
		tile.width = tile.height = size;
		const c = tile.getContext("2d");
		if (!c)
			return null;
		c.strokeStyle = color;
		c.lineWidth = devicePixelRatio;
		c.beginPath();
		for (const d of [-size, 0, size]) {
			c.moveTo(d, size);
			c.lineTo(d + size, 0);
		}
		c.stroke();
		hatches.set(key, tile);
	}
	return ctx.createPattern(tile, "repeat");
}

/**
 * Over the lines.
 * @param {uPlot} u
 * @param {View} view
 * @param {Css} css
 * @param {(id: string) => number} alphaOf
 */
export function drawOver(u, view, css, alphaOf) {
	const { ctx, bbox } = u;
	ctx.save();
	ctx.beginPath();
	ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
	ctx.clip();
	for (const line of view.lines) {
		ctx.globalAlpha = alphaOf(line.ds.id);
		drawGlyphs(u, view, line, css);
	}
	ctx.globalAlpha = 1;
	drawMarks(u, view, css);
	drawThresholds(u, view, css);
	ctx.restore();
}

/**
 * @param {uPlot} u
 * @param {View} view
 * @param {Css} css
 */
function drawMarks(u, view, css) {
	const { ctx, bbox } = u;
	const px = devicePixelRatio;
	ctx.strokeStyle = css("--muted");
	ctx.lineWidth = px;
	ctx.setLineDash([2 * px, 3 * px]);
	for (const t of view.marks) {
		const x = Math.round(u.valToPos(t, "x", true));
		ctx.beginPath();
		ctx.moveTo(x, bbox.top);
		ctx.lineTo(x, bbox.top + bbox.height);
		ctx.stroke();
	}
	ctx.setLineDash([]);
}

/**
 * @param {uPlot} u
 * @param {View} view
 * @param {Css} css
 */
function drawThresholds(u, view, css) {
	const { ctx, bbox } = u;
	const px = devicePixelRatio;
	const few = view.thresholds.slice(0, 3).map((ms) => ({ ms,
	    y: Math.round(u.valToPos(height(ms) ?? ms, "y", true)) }));
	few.forEach(({ y }, i) => {
		ctx.strokeStyle = css("--threshold");
		ctx.lineWidth = (i === 0 ? 1.5 : 1) * px;
		ctx.setLineDash(i === 0 ? [] : [6 * px, 4 * px]);
		ctx.beginPath();
		ctx.moveTo(bbox.left, y);
		ctx.lineTo(bbox.left + bbox.width, y);
		ctx.stroke();
	});
	ctx.setLineDash([]);
	let lastY = Infinity;
	for (const { ms, y } of few) {
		if (Math.abs(lastY - y) < 16 * px)
			continue; // its label would sit on the other's
		lastY = y;
		label(u, `${ms}\u202fms`, y, css);
	}
}

/**
 * Inside the plot, at the right, on the line.
 * @param {uPlot} u
 * @param {string} text
 * @param {number} y
 * @param {Css} css
 */
function label(u, text, y, css) {
	const { ctx, bbox } = u;
	const px = devicePixelRatio;
	ctx.font = `600 ${11 * px}px ${css("--font")}`;
	ctx.textAlign = "right";
	ctx.textBaseline = "alphabetic";
	const w = ctx.measureText(text).width;
	const right = bbox.left + bbox.width - 6 * px;
	ctx.fillStyle = css("--panel");
	ctx.globalAlpha = 0.85;
	ctx.fillRect(right - w - 3 * px, y - 15 * px, w + 6 * px, 14 * px);
	ctx.globalAlpha = 1;
	ctx.fillStyle = css("--threshold-text");
	ctx.fillText(text, right, y - 4 * px);
}

/**
 * @param {uPlot} u
 * @param {View} view
 * @param {import("./view.js").Line} line
 * @param {Css} css
 */
function drawGlyphs(u, view, line, css) {
	const every = Math.max(1, Math.round(view.times.length / GLYPHS));
	let last = -1;
	line.worst.forEach((y, i) => {
		if (y !== null)
			last = i;
	});
	line.worst.forEach((y, i) => {
		// Counted from the epoch, or they would wander.
		const slot = Math.round(view.times[i] / view.stepMs);
		if (y === null || (i !== last &&
		    (slot % every !== 0 || last - i < every / 4)))
			return;
		drawGlyph(u.ctx, line.style,
		    u.valToPos(view.times[i] - view.stepMs / 2, "x", true),
		    u.valToPos(y, "y", true), 4 * devicePixelRatio,
		    css(line.style.color), css("--panel"));
	});
}

/** @type {Record<string, [number, number][]>} corners, in radii */
const SHAPES = {
	square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
	diamond: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
	triangle: [[0, -1.2], [1.2, 1], [-1.2, 1]],
	plus: [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4],
	    [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4],
	    [-1.2, -0.4], [-0.4, -0.4]],
	down: [[-1.2, -1.4], [1.2, -1.4], [0, 0.6]],
};

/**
 * @param {string} shape
 * @returns {[number, number][]}
 */
export function shapeCorners(shape) {
	return SHAPES[shape] ?? Array.from({ length: 16 }, (_, i) =>
	    [Math.cos(i * Math.PI / 8), Math.sin(i * Math.PI / 8)]);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {{shape: string, hollow: boolean}} style
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @param {string} color
 * @param {string} ground
 */
export function drawGlyph(ctx, style, x, y, r, color, ground) {
	ctx.beginPath();
	for (const [dx, dy] of shapeCorners(style.shape))
		ctx.lineTo(x + dx * r, y + dy * r);
	ctx.closePath();
	ctx.setLineDash([]);
	ctx.lineWidth = r / 2.5;
	ctx.strokeStyle = style.hollow ? color : ground;
	ctx.fillStyle = style.hollow ? ground : color;
	if (style.hollow) {
		ctx.fill();
		ctx.stroke();
	} else {
		ctx.stroke();
		ctx.fill();
	}
}
