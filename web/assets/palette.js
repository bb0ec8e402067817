// palette.js - the colours of the style sheets, for the canvas.

/** @type {Map<string, string>} */
const cssCache = new Map();

/** @param {string} name of a custom property */
export function css(name) {
	let v = cssCache.get(name);
	if (v === undefined) {
		v = getComputedStyle(document.documentElement)
		    .getPropertyValue(name).trim();
		cssCache.set(name, v);
	}
	return v;
}

/** The theme changed: ask for the colours again. */
export function forgetColors() {
	cssCache.clear();
}
