// overview.js - the panels side by side: who is in which, on one axis.

import { count } from "./format.js";
import { Panel } from "./panel.js";
import { isLong } from "./past.js";
import { FAMILIES, MAX_LINES, familyOf, familyTitle, isMeasured, lineStyle }
    from "./protocol.js";
import { buildView, commonTop, worstFew } from "./view.js";
import { slowNow } from "./words.js";

/** @typedef {import("./types.d.ts").Datastore} Datastore */
/** @typedef {import("./types.d.ts").Held} Held */
/** @typedef {import("./protocol.js").Family} Family */

/** Who is drawn is decided anew this often, or lines would flicker. */
const DECIDE_MS = 60000;

/**
 * @typedef {object} OverviewState
 * @property {Datastore[]} rows those that pass the filter
 * @property {Datastore[]} all
 * @property {import("./store.js").Store} store
 * @property {import("./past.js").Past} past
 * @property {import("./clock.js").Clocks} clocks
 * @property {import("./inventory.js").Inventory} inventory
 * @property {number} rangeMs
 * @property {readonly import("./types.d.ts").Op[]} ops
 * @property {"utc" | "local"} tz
 * @property {boolean} tables
 * @property {Held[]} held
 * @property {string} filter
 */

export class Overview {
	/**
	 * @param {HTMLElement} box
	 * @param {{dismiss: (h: Held) => void}} hooks
	 */
	constructor(box, hooks) {
		this.box = box;
		this.panels = new Map(FAMILIES.map((f) =>
		    [f, new Panel(f, hooks)]));
		box.prepend(...[...this.panels.values()].map((p) => p.root));
		/** @type {Map<Family, {key: string, until: number, ids: Set<string>}>} */
		this.chosen = new Map();
	}

	/**
	 * @param {OverviewState} s
	 * @returns {Datastore[]} what is drawn
	 */
	update(s) {
		/** @type {Datastore[]} */
		const wanted = [];
		const parts = FAMILIES.map((family) => {
			const list = s.rows.filter((d) => inFamily(d, family));
			const few = this.choose(family, list, s);
			const rest = list.filter((d) => !few.includes(d));
			const store = isLong(s.rangeMs) ? s.past.store : s.store;
			wanted.push(...few);
			const drawn = few.map((ds, i) =>
			    ({ ds, style: lineStyle(family, i) }));
			return { family, list, rest,
			    views: few.length === 0 ? [] : s.ops.map((op) =>
				buildView(store, s.clocks, drawn, rest, op,
				    s.rangeMs)) };
		});
		const held = s.held.filter((p) => s.ops.includes(p.op));
		const top = commonTop(parts.flatMap((p) => p.views),
		    held.map((p) => p.ms));
		for (const p of parts)
			this.show(p, top, held, s);
		return wanted;
	}

	/**
	 * @param {{family: Family, list: Datastore[], rest: Datastore[], views: import("./view.js").View[]}} part
	 * @param {number} top
	 * @param {Held[]} held
	 * @param {OverviewState} s
	 */
	show({ family, list, rest, views }, top, held, s) {
		const panel = this.panels.get(family);
		if (!panel)
			return;
		const any = s.all.some((d) => inFamily(d, family));
		panel.root.hidden = family === "other" && !any;
		if (family === "other")
			this.box.classList.toggle("three", any);
		const ids = new Set(list.map((d) => d.id));
		panel.update({
			views, top, tz: s.tz, tables: s.tables,
			held: held.filter((p) => ids.has(p.id)).map((p) => ({
				...p, at: p.t + s.clocks.shift(
				    s.inventory.byId.get(p.id)?.target ?? ""),
			})),
			total: list.length,
			slow: new Set(slowNow(s.inventory.aged()
			    .filter((d) => ids.has(d.id)))
			    .map((x) => x.ds.id)).size,
			note: rest.length === 0 ? "" : isLong(s.rangeMs)
			    ? `Drawn: the ${MAX_LINES} worst of this time; ` +
				`filter to see the other ${rest.length}.`
			    : `Drawn: the ${MAX_LINES} worst. Grey: the worst ` +
				`of the other ${rest.length}, as far as ` +
				"loaded; filter to see them.",
			empty: views.length > 0 ? "" : this.why(family, any, s),
		});
	}

	/**
	 * @param {Family} family
	 * @param {boolean} any
	 * @param {OverviewState} s
	 */
	why(family, any, s) {
		const title = familyTitle(family);
		if (any)
			return `No ${title} datastore matches ` +
			    `\u201c${s.filter}\u201d.`;
		if (s.all.length === 0)
			return "Nothing to draw yet.";
		return `No ${title} datastore among the ` +
		    `${count(s.all.length, "datastore")} that the targets show.`;
	}

	/**
	 * @param {Family} family
	 * @param {Datastore[]} list
	 * @param {OverviewState} s
	 * @returns {Datastore[]}
	 */
	choose(family, list, s) {
		const sorted = [...list].sort((a, b) =>
		    a.name < b.name ? -1 : a.name > b.name ? 1
		    : a.id < b.id ? -1 : 1);
		if (sorted.length <= MAX_LINES)
			return sorted;
		const key = [s.filter, s.rangeMs, s.ops, s.held.length,
		    sorted.length, s.past.peaks.length].join("|");
		const old = this.chosen.get(family);
		if (old && old.key === key && Date.now() < old.until) {
			const kept = sorted.filter((d) => old.ids.has(d.id));
			if (kept.length === old.ids.size)
				return kept;
		}
		const few = worstFew(sorted, MAX_LINES,
		    (d) => Math.max(s.inventory.badness(d, s.rangeMs, s.ops),
			isLong(s.rangeMs) ? s.past.badness(d.id, s.ops) : -1,
			...s.held.filter((p) => p.id === d.id)
			    .map((p) => p.ms)));
		this.chosen.set(family, { key, until: Date.now() + DECIDE_MS,
		    ids: new Set(few.map((d) => d.id)) });
		return few;
	}

	recolor() {
		for (const p of this.panels.values())
			p.recolor();
	}
}

/** @param {Datastore} d @param {Family} family */
function inFamily(d, family) {
	return familyOf(d.protocol) === family && (isMeasured(d.protocol) ||
	    (d.state !== "not_measured" && d.latest !== null &&
	    d.latest.t !== null));
}
