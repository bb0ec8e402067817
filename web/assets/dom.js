// dom.js - elements without markup: text is always text.

import { clean } from "./format.js";

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined>} Attrs
 */

/**
 * An element with attributes and children; strings become text nodes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attrs} [attrs] false, null and undefined leave the attribute out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attrs = {}, ...children) {
	const el = document.createElement(tag);
	setAttrs(el, attrs);
	for (const c of children)
		if (c || c === "")
			el.append(c);
	return el;
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attrs} [attrs]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attrs = {}, ...children) {
	const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
	setAttrs(el, attrs);
	for (const c of children)
		if (c)
			el.append(c);
	return el;
}

/**
 * @param {Element} el
 * @param {Attrs} attrs
 */
export function setAttrs(el, attrs) {
	for (const [k, v] of Object.entries(attrs)) {
		if (v === false || v === null || v === undefined)
			el.removeAttribute(k);
		else
			setAttr(el, k, v === true ? "" : String(v));
	}
}

/**
 * @param {Element} el
 * @param {string} name
 * @param {string} value
 */
export function setAttr(el, name, value) {
	if (el.getAttribute(name) !== value)
		el.setAttribute(name, value);
}

/**
 * Set the text only when it differs, so that selections and readers of the
 * screen are left alone.
 * @param {Element} el
 * @param {string} text
 */
export function setText(el, text) {
	if (el.textContent !== text)
		el.textContent = text;
}

/**
 * A name from elsewhere: escaped, isolated, whole in its tooltip.
 * @param {unknown} name
 * @param {string} [cls]
 */
export function nameOf(name, cls) {
	const text = clean(name);
	return h("bdi", { class: cls, title: text }, text || "\u2013");
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
	const el = document.getElementById(id);
	if (!el)
		throw new Error("no element " + id);
	return el;
}

/**
 * Make the children of `parent` those of `rows`, in order, keeping the
 * elements of keys that stay.
 * @template T
 * @param {Element} parent
 * @param {readonly T[]} rows
 * @param {(row: T) => string} keyOf
 * @param {(row: T) => HTMLElement} make
 * @param {(el: HTMLElement, row: T) => void} update
 */
export function keyed(parent, rows, keyOf, make, update) {
	/** @type {Map<string, HTMLElement>} */
	const old = new Map();
	for (const el of /** @type {Iterable<HTMLElement>} */ (parent.children))
		old.set(el.dataset.key ?? "", el);
	/** @type {Element | null} */
	let at = parent.firstElementChild;
	for (const row of rows) {
		const key = keyOf(row);
		let el = old.get(key);
		if (!el) {
			el = make(row);
			el.dataset.key = key;
		}
		old.delete(key);
		update(el, row);
		if (el === at)
			at = at.nextElementSibling;
		else
			parent.insertBefore(el, at);
	}
	for (const el of old.values())
		el.remove();
}
