// options.js - what the reader chose: kept in the address, shown by the
// controls.  A default leaves no trace there.  Turning a control replaces the
// address; going somewhere is a step of the history, so that back works.

/** @typedef {import("./types.d.ts").Op} Op */

/** @type {Record<string, readonly string[]>} the first is the default */
const CHOICES = {
	op: ["both", "read", "write"],
	tz: ["utc", "local"],
	theme: ["auto", "light", "dark"],
	severity: ["", "warning", "critical"],
	open: ["", "1"],
};

/** Free text; "" is the default. */
const TEXTS = ["page", "incident", "target", "q", "sort"];

const MIN_MS = 60000;
/** @type {Record<string, number>} */
const RANGE_MS = {
	"15m": 15 * MIN_MS,
	"1h": 60 * MIN_MS,
	"6h": 6 * 60 * MIN_MS,
	"24h": 24 * 60 * MIN_MS,
	"7d": 7 * 24 * 60 * MIN_MS,
	"30d": 30 * 24 * 60 * MIN_MS,
};

/** What goes along from page to page. */
const SHARED = ["range", "tz", "theme", "q"];

export class Options {
	/** @param {(name: string) => void} changed "" is: all of it */
	constructor(changed) {
		this.changed = changed;
		this.rangeDefault = "1h"; // of the page that is shown
		/** @type {Record<string, string>} */
		this.values = {};
		/** @type {HTMLFormElement[]} */
		this.forms = [];
		this.read();
		window.addEventListener("popstate", () => {
			this.read();
			this.changed("");
		});
	}

	/** From the address. */
	read() {
		const q = new URLSearchParams(location.search);
		for (const name of TEXTS)
			this.values[name] = q.get(name) ?? "";
		for (const [name, list] of Object.entries(CHOICES)) {
			const v = q.get(name) ?? "";
			this.values[name] = list.includes(v) ? v : list[0];
		}
		const range = q.get("range") ?? "";
		this.values.range = range in RANGE_MS ? range : "";
	}

	get range() {
		return this.values.range || this.rangeDefault;
	}

	get rangeMs() {
		return RANGE_MS[this.range];
	}

	/** @returns {readonly Op[]} */
	get ops() {
		const op = this.values.op;
		return op === "both" ? ["read", "write"]
		    : [/** @type {Op} */ (op)];
	}

	get tz() {
		return /** @type {"utc" | "local"} */ (this.values.tz);
	}

	get filter() {
		return this.values.q;
	}

	get sort() {
		return this.values.sort;
	}

	/**
	 * @param {string} name
	 * @param {string} value
	 */
	set(name, value) {
		const v = name === "range" && value === this.rangeDefault ? ""
		    : value;
		if (this.values[name] === v)
			return;
		this.values[name] = v;
		history.replaceState(null, "", this.address(this.values));
		this.changed(name);
	}

	/**
	 * The address of a page, or of something on it; what is not named and
	 * not shared by all pages is left out.
	 * @param {Record<string, string>} to
	 * @param {boolean} [stay] keep the rest as well
	 */
	href(to, stay = false) {
		/** @type {Record<string, string>} */
		const kept = stay ? this.values : Object.fromEntries(
		    SHARED.map((name) => [name, this.values[name]]));
		return this.address({ ...kept, ...to });
	}

	/** @param {Record<string, string>} values */
	address(values) {
		const q = new URLSearchParams();
		for (const [name, v] of Object.entries(values))
			if (v && v !== CHOICES[name]?.[0])
				q.set(name, v);
		return "?" + q;
	}

	/** @param {string} href go there; back comes back */
	go(href) {
		if (href !== "?" + new URLSearchParams(location.search))
			history.pushState(null, "", href);
		this.read();
		this.changed("");
	}

	/**
	 * Join the controls of a form to these values, by their names.
	 * @param {HTMLFormElement} form
	 */
	bind(form) {
		this.forms.push(form);
		form.addEventListener("input", (ev) => {
			const el = ev.target;
			if (el instanceof HTMLInputElement &&
			    el.type === "checkbox")
				this.set(el.name, el.checked ? el.value : "");
			else if (el instanceof HTMLInputElement ||
			    el instanceof HTMLSelectElement)
				this.set(el.name, el.value);
		});
		form.addEventListener("submit", (ev) => ev.preventDefault());
	}

	/** Show the values in the controls. */
	fill() {
		for (const el of this.forms.flatMap((f) => [...f.elements])) {
			if (!(el instanceof HTMLInputElement ||
			    el instanceof HTMLSelectElement) || !el.name)
				continue;
			const v = el.name === "range" ? this.range
			    : this.values[el.name] ?? "";
			if (el.type === "radio" || el.type === "checkbox")
				/** @type {HTMLInputElement} */ (el).checked =
				    el.value === v;
			else if (el.value !== v)
				el.value = v;
		}
	}

	applyTheme() {
		const root = document.documentElement;
		if (this.values.theme === "auto")
			delete root.dataset.theme;
		else
			root.dataset.theme = this.values.theme;
	}
}
