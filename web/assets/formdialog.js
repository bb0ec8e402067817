// formdialog.js - a small form over the page: its fields, one button that
// sends them, and what went wrong.

import { h } from "./dom.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {"text" | "area" | "password" | "select"} kind
 * @property {string} [value]
 * @property {[string, string][]} [options] value and text, of a select
 * @property {boolean} [required]
 * @property {number} [max] characters
 * @property {string} [hint]
 */

/**
 * @typedef {object} FormSpec
 * @property {string} title
 * @property {(Node | string)[]} [intro]
 * @property {Field[]} fields
 * @property {string} action what the button says
 * @property {(values: Record<string, string>) => Promise<string>} send what
 *   went wrong, or ""
 */

export class FormDialog {
	constructor() {
		this.dialog = h("dialog", { "aria-labelledby": "form-title" });
		document.body.append(this.dialog);
		// A token is not left behind; another form may be open already.
		this.dialog.addEventListener("close", () =>
		    this.dialog.open || this.dialog.replaceChildren());
	}

	/** @param {FormSpec} spec */
	open(spec) {
		const inputs = spec.fields.map(input);
		const error = h("p", { class: "bad", role: "alert" });
		const submit = h("button", { type: "submit", class: "main" },
		    spec.action);
		const form = h("form", { autocomplete: "off" },
		    h("h2", { id: "form-title" }, spec.title),
		    h("p", {}, ...spec.intro ?? []),
		    ...spec.fields.map((f, i) => row(f, inputs[i])), error,
		    h("p", { class: "buttons" }, submit,
			button("Cancel", () => this.dialog.close())));
		form.addEventListener("submit", async (ev) => {
			ev.preventDefault();
			submit.disabled = true;
			const wrong = await spec.send(Object.fromEntries(
			    inputs.map((el) => [el.name, el.value.trim()])));
			submit.disabled = false;
			error.textContent = wrong;
			if (wrong === "")
				this.dialog.close();
		});
		this.dialog.replaceChildren(form);
		this.dialog.showModal();
		(inputs[0] ?? submit).focus();
	}
}

/** @param {Field} f */
function input(f) {
	const attrs = { id: "form-" + f.name, name: f.name,
	    required: f.required };
	if (f.kind === "select") {
		const el = h("select", attrs, ...(f.options ?? []).map(
		    ([value, text]) => h("option", { value }, text)));
		el.value = f.value ?? "";
		return el;
	}
	const el = f.kind === "area"
	    ? h("textarea", { ...attrs, rows: 3, maxlength: f.max })
	    : h("input", { ...attrs, type: f.kind, maxlength: f.max,
		spellcheck: "false" });
	el.value = f.value ?? "";
	return el;
}

/** @param {Field} f @param {HTMLElement} el */
function row(f, el) {
	return h("p", { class: "field" },
	    h("label", { for: "form-" + f.name }, f.label), el,
	    f.hint && h("span", { class: "quiet" }, f.hint));
}

/**
 * @param {string} text
 * @param {() => void} click
 * @param {string} [cls]
 */
export function button(text, click, cls) {
	const b = h("button", { type: "button", class: cls }, text);
	b.addEventListener("click", click);
	return b;
}
