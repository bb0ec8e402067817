// router.js - which page is shown.  A page is a row here, a part of
// index.html with its id, and a link in the navigation; ?page=NAME names it,
// and ?incident=ID alone is the page of that incident, since that is what
// notifiers send.

import { byId, h, setAttrs, setText } from "./dom.js";

/**
 * @typedef {object} Page
 * @property {() => void} update draw what is known now
 * @property {() => void} [shown] it was hidden before
 * @property {(ev: KeyboardEvent) => boolean} [key] true: taken
 */

/**
 * @typedef {object} PageRow
 * @property {string} name also the id of its element, behind "page-"
 * @property {string} title
 * @property {string} go the key behind g
 * @property {string} range the default of the range picker
 */

/** @type {readonly PageRow[]} the first is the default */
export const PAGES = [
	{ name: "overview", title: "Overview", go: "o", range: "1h" },
	{ name: "incidents", title: "Incidents", go: "i", range: "7d" },
];

export class Router {
	/**
	 * @param {import("./options.js").Options} options
	 * @param {Record<string, Page>} pages by name
	 */
	constructor(options, pages) {
		this.options = options;
		this.pages = pages;
		this.row = PAGES[0];
		this.started = false;
		this.links = PAGES.map((p) => h("a", { href: "?" }, p.title,
		    h("span", { class: "badge" })));
		byId("nav").append(...this.links);
		document.addEventListener("click", (ev) => this.click(ev));
	}

	/** @returns {Page} */
	get page() {
		return this.pages[this.row.name];
	}

	/** The address changed: show its page. */
	follow() {
		const { page, incident } = this.options.values;
		const name = page || (incident ? "incidents" : "");
		const row = PAGES.find((p) => p.name === name) ?? PAGES[0];
		const changed = row !== this.row || !this.started;
		this.row = row;
		this.started = true;
		this.options.rangeDefault = row.range;
		this.options.fill();
		if (!changed)
			return;
		document.documentElement.dataset.page = row.name;
		for (const p of PAGES)
			byId("page-" + p.name).hidden = p !== row;
		this.page.shown?.();
	}

	/**
	 * @param {Record<string, string>} badges by name of the page
	 */
	update(badges) {
		PAGES.forEach((p, i) => {
			const link = this.links[i];
			setAttrs(link, {
				href: this.href(p),
				"aria-current": p === this.row ? "page" : null,
				"aria-keyshortcuts": "g " + p.go,
			});
			const badge = link.lastElementChild;
			if (badge)
				setText(badge, badges[p.name] ?? "");
		});
	}

	/** @param {PageRow} p */
	href(p) {
		return this.options.href({
			page: p === PAGES[0] ? "" : p.name,
		});
	}

	/** @param {string} letter behind g @returns {boolean} there is one */
	goTo(letter) {
		const p = PAGES.find((x) => x.go === letter);
		if (p)
			this.options.go(this.href(p));
		return p !== undefined;
	}

	/** @param {MouseEvent} ev links within the page need no reload */
	click(ev) {
		const a = ev.target instanceof Element
		    ? ev.target.closest("a[href^='?']") : null;
		if (!a || ev.button !== 0 || ev.ctrlKey || ev.metaKey ||
		    ev.shiftKey || ev.altKey || ev.defaultPrevented)
			return;
		ev.preventDefault();
		this.options.go(a.getAttribute("href") ?? "?");
	}
}
