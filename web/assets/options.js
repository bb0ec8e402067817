// options.js - what the reader chose: kept in the address, shown by the
// controls of the header.  A default leaves no trace in the address.

/** @typedef {import("./types.d.ts").Op} Op */

/** @type {Record<string, readonly string[]>} the first is the default */
const CHOICES = {
	range: ["1h", "15m"],
	op: ["both", "read", "write"],
	tz: ["utc", "local"],
	theme: ["auto", "light", "dark"],
};

const RANGE_MS = /** @type {Record<string, number>} */ ({
	"15m": 15 * 60000,
	"1h": 60 * 60000,
});

export class Options {
	/** @param {(name: string) => void} changed */
	constructor(changed) {
		this.changed = changed;
		const q = new URLSearchParams(location.search);
		/** @type {Record<string, string>} */
		this.values = { q: q.get("q") ?? "", sort: q.get("sort") ?? "" };
		for (const [name, list] of Object.entries(CHOICES)) {
			const v = q.get(name) ?? "";
			this.values[name] = list.includes(v) ? v : list[0];
		}
	}

	get rangeMs() {
		return RANGE_MS[this.values.range];
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
		if (this.values[name] === value)
			return;
		this.values[name] = value;
		this.save();
		this.changed(name);
	}

	save() {
		const url = new URL(location.href);
		for (const [name, v] of Object.entries(this.values)) {
			if (v === (CHOICES[name]?.[0] ?? ""))
				url.searchParams.delete(name);
			else
				url.searchParams.set(name, v);
		}
		history.replaceState(null, "", url);
	}

	/**
	 * Join the radio buttons and the filter of a form to these values.
	 * @param {HTMLFormElement} form
	 */
	bind(form) {
		for (const el of form.elements)
			if (el instanceof HTMLInputElement)
				if (el.type === "radio")
					el.checked =
					    this.values[el.name] === el.value;
				else
					el.value = this.values[el.name] ?? "";
		form.addEventListener("input", (ev) => {
			const el = ev.target;
			if (el instanceof HTMLInputElement)
				this.set(el.name, el.value);
		});
		form.addEventListener("submit", (ev) => ev.preventDefault());
	}

	applyTheme() {
		const root = document.documentElement;
		if (this.values.theme === "auto")
			delete root.dataset.theme;
		else
			root.dataset.theme = this.values.theme;
	}
}
