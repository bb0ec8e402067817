// overviewpage.js - the page that stays open: what goes on, charts of the
// families side by side, held peaks, and the table of datastores.

import { byId, setText } from "./dom.js";
import { updateTargets } from "./targets.js";
import { HeldList } from "./heldlist.js";
import { Overview } from "./overview.js";
import { isLong } from "./past.js";
import { Table } from "./table.js";
import { updateStrip } from "./timeline.js";

const STRIP_ROWS = 4;

export class OverviewPage {
	/** @param {import("./types.d.ts").Core} core */
	constructor(core) {
		this.core = core;
		this.overview = new Overview(byId("panels"),
		    { dismiss: core.dismiss });
		this.heldList = new HeldList(byId("held"), {
			dismiss: core.dismiss,
			dismissAll: () => core.held.list().forEach(core.dismiss),
		});
		this.table = new Table(byId("table"), {
			sorted: (sort) => core.options.set("sort", sort),
			looked: core.draw,
		});
	}

	update() {
		const { options, inventory, store, past, clocks, held, loader,
		    tables } = this.core;
		const { tz, rangeMs, ops, filter, sort } = options;
		const all = inventory.list;
		const rows = inventory.rows(filter);
		const heldNow = held.list();
		const drawn = this.overview.update({ rows: rows.map((r) => r.ds),
		    all, store, past, clocks, rangeMs, ops, tz, tables,
		    held: heldNow, filter, inventory });
		this.heldList.update(heldNow, clocks.now(), tz);
		this.table.update(rows, sort, tz, all.length === 0
		    ? "No datastore known yet."
		    : `No datastore matches \u201c${filter}\u201d.`);
		loader.want([...drawn,
		    ...all.filter((d) => this.table.visible.has(d.id))]);
		past.want(rangeMs, drawn);
		const wrong = isLong(rangeMs) ? past.error : "";
		byId("past-note").hidden = wrong === "";
		setText(byId("past-note"), "Not all of this time can be drawn: " +
		    wrong);
		this.showStrip();
	}

	/** What goes on, in a line each. */
	showStrip() {
		const { incidents, options, clocks } = this.core;
		const active = incidents.active();
		byId("strip").hidden = active.length === 0;
		updateStrip(byId("strip-list"), active.slice(0, STRIP_ROWS), {
			clocks, tz: options.tz, selected: null,
			href: (n) => options.href({ page: "incidents",
			    incident: String(n) }),
			about: () => [],
		});
		const rest = active.length - STRIP_ROWS;
		const link = byId("strip-all");
		link.setAttribute("href", options.href({ page: "incidents" }));
		setText(link, rest > 0 ? `and ${rest} more` : "All incidents");
	}

	/** What changes with every second. */
	tick() {
		updateTargets(byId("targets"), this.core.status?.targets ?? [],
		    Date.now());
	}

	recolor() {
		this.overview.recolor();
	}
}
