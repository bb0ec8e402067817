// format.js - values, times and names as people read them.  Pure.

const DASH = "\u2013";
const THIN = "\u202f"; // narrow no-break space

// Characters that would act instead of show: C0 and C1 controls, line and
// paragraph separators, bidirectional controls, zero-width ones, lone halves.
const ACTING =
	// eslint-disable-next-line no-control-regex
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** @type {Record<string, string>} */
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * A name from elsewhere with its control characters shown escaped.
 * @param {unknown} s
 * @returns {string}
 */
export function clean(s) {
	if (s === null || s === undefined)
		return "";
	return String(s).replace(ACTING, (c) => SHORT[c] ??
	    "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/**
 * For sentences without markup: the name, isolated from the text around it.
 * @param {unknown} s
 */
export function isolate(s) {
	return "\u2068" + clean(s) + "\u2069";
}

/**
 * @param {number} n
 * @returns {string} with thin spaces between groups of three
 */
export function grouped(n) {
	return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

/**
 * The number of a latency, without its unit.  Cut, not rounded: 49.97 must
 * not read as a value at the line.
 * @param {number | null | undefined} ms
 */
export function msNumber(ms) {
	if (ms === null || ms === undefined)
		return DASH;
	if (ms < 1)
		return "<" + THIN + "1";
	if (ms >= 100 || Number.isInteger(ms))
		return grouped(Math.floor(ms));
	return (Math.floor(ms * 10) / 10).toFixed(1);
}

/** @param {number | null | undefined} ms */
export function msText(ms) {
	return ms === null || ms === undefined ? "no data"
	    : msNumber(ms) + THIN + "ms";
}

/** @param {number | null | undefined} iops */
export function rateNumber(iops) {
	if (iops === null || iops === undefined)
		return DASH;
	if (iops === 0)
		return "0";
	if (iops < 10)
		return (Math.floor(iops * 10) / 10).toFixed(1);
	return grouped(Math.round(iops));
}

/**
 * @param {number} s seconds
 * @returns {string} "8 s", "2 min 20 s", "3 h 5 min", "4 d"
 */
export function duration(s) {
	const n = Math.max(0, Math.round(s));
	if (n < 120)
		return n + THIN + "s";
	if (n < 3600)
		return Math.floor(n / 60) + THIN + "min" +
		    (n % 60 ? " " + (n % 60) + THIN + "s" : "");
	if (n < 86400)
		return Math.floor(n / 3600) + THIN + "h" +
		    (n % 3600 >= 60 ?
			" " + Math.floor((n % 3600) / 60) + THIN + "min" : "");
	return Math.floor(n / 86400) + THIN + "d";
}

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

/**
 * @param {number} t epoch ms
 * @param {"utc" | "local"} tz
 * @param {boolean} [seconds]
 */
export function clockTime(t, tz, seconds = true) {
	const d = new Date(t);
	const p = tz === "utc"
	    ? [d.getUTCHours(), d.getUTCMinutes(), d.getUTCSeconds()]
	    : [d.getHours(), d.getMinutes(), d.getSeconds()];
	return p.slice(0, seconds ? 3 : 2).map(two).join(":") +
	    (tz === "utc" && seconds ? "Z" : "");
}

/**
 * @param {number} t epoch ms
 * @param {"utc" | "local"} tz
 */
export function calendarDay(t, tz) {
	const d = new Date(t);
	return tz === "utc"
	    ? `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`
	    : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

/**
 * The time of day, with the date before it when that is not today.
 * @param {number} t
 * @param {number} now
 * @param {"utc" | "local"} tz
 */
export function moment(t, now, tz) {
	const day = calendarDay(t, tz);
	return (day === calendarDay(now, tz) ? "" : day + " ") +
	    clockTime(t, tz);
}

/**
 * What the clock of the page shows: "UTC", or the local zone and its offset.
 * @param {"utc" | "local"} tz
 * @param {number} now
 */
export function zoneName(tz, now) {
	if (tz === "utc")
		return "UTC";
	const min = -new Date(now).getTimezoneOffset();
	const abs = Math.abs(min);
	const name = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "local";
	return `${name} (UTC${min < 0 ? "\u2212" : "+"}${two(Math.floor(abs / 60))}:${two(abs % 60)})`;
}

/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export function count(n, one, many = one + "s") {
	return grouped(n) + " " + (n === 1 ? one : many);
}
