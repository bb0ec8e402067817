// app.js - wires the parts: what comes from dslatd goes into the state, and
// one draw per frame shows it.

import { getDatastores, getPeaks, getStatus } from "./api.js";
import { Clocks } from "./clock.js";
import { byId, setText } from "./dom.js";
import { zoneName } from "./format.js";
import { bannerText, newestByTarget, retryText, updateDot }
    from "./header.js";
import { HeldList } from "./heldlist.js";
import { Inventory } from "./inventory.js";
import { Live } from "./live.js";
import { Loader } from "./loader.js";
import { Login } from "./login.js";
import { Options } from "./options.js";
import { Overview } from "./overview.js";
import { forgetColors } from "./palette.js";
import { HeldPeaks, heldKey } from "./peaks.js";
import { PeakWatch } from "./peakwatch.js";
import { Store } from "./store.js";
import { Table } from "./table.js";
import { updateTargets } from "./targets.js";
import { slowNow, summary, toNodes, toText } from "./words.js";

const HOUR_MS = 3600 * 1000;
const MANY_PEAKS = 1000;
/** A list this long is fetched anew only once a minute. */
const LONG_LIST = 200;

const clocks = new Clocks();
const store = new Store();
const inventory = new Inventory(store, clocks);
const options = new Options(optionChanged);
const held = new HeldPeaks(storage(), draw);
const loader = new Loader(store, clocks, (id) => {
	watch.check(id);
	draw();
});
const watch = new PeakWatch(inventory, store, held);

/** @type {import("./types.d.ts").Status | null} */
let status = null;
let version = ""; // of the dslatd that the page came from
let tables = false;
let lastList = 0;

/** @param {import("./types.d.ts").Held} h */
function dismiss(h) {
	held.dismiss(heldKey(h.id, h.op), store.newest(h.id) ?? h.t);
}

const overview = new Overview(byId("panels"), { dismiss });
const heldList = new HeldList(byId("held"), {
	dismiss,
	dismissAll: () => held.list().forEach(dismiss),
});
const table = new Table(byId("table"), {
	sorted: (sort) => options.set("sort", sort),
	looked: draw,
});
const live = new Live({ sample, status: inventoryChanged, refill, poll,
    denied: () => login.ask(), changed: draw });
const login = new Login(() => live.start());

/** Fetch everything anew: at the start and after a break. */
async function refill() {
	loader.markHoles();
	await fetchLists();
	login.greet().catch(() => {}); // a name is not worth a fault
	const nows = [clocks.now(),
	    ...[...clocks.offsets.keys()].map((t) => clocks.now(t))];
	store.hosts.clear();
	watch.take(await getPeaks(Math.min(...nows) - HOUR_MS,
	    Math.max(...nows), MANY_PEAKS));
	draw();
}

async function fetchLists() {
	const [st, list] = await Promise.all([getStatus(), getDatastores()]);
	status = st;
	version ||= st.version;
	lastList = Date.now();
	clocks.learn(st);
	inventory.set(list);
	watch.checkAll();
	draw();
}

async function poll() {
	// Slots that were completed late are not in the list.
	loader.markHoles();
	await fetchLists();
}

/** @param {import("./types.d.ts").SampleEvent} ev */
function sample(ev) {
	inventory.apply(ev);
	for (const d of ev.datastores)
		watch.check(d.id);
	const wait = inventory.list.length > LONG_LIST ? 60000 : 2000;
	if (Date.now() - lastList > wait)
		inventoryChanged();
	draw();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let listTimer;

/** The lists are worth another look; several reasons, one request. */
function inventoryChanged() {
	clearTimeout(listTimer);
	listTimer = setTimeout(() => {
		// A failure shows soon enough in the stream.
		fetchLists().catch(() => {});
	}, 300);
}

/** @param {string} name */
function optionChanged(name) {
	if (name === "theme")
		themeChanged();
	draw();
}

function themeChanged() {
	options.applyTheme();
	forgetColors();
	overview.recolor();
	draw();
}

/** @returns {Storage | null} */
function storage() {
	try {
		return localStorage;
	} catch {
		return null; // forbidden
	}
}

let frame = 0;

/** Draw with the next frame. */
function draw() {
	frame ||= requestAnimationFrame(() => {
		frame = 0;
		drawNow();
	});
}

function drawNow() {
	const { tz, rangeMs, ops, filter, sort } = options;
	const all = inventory.list;
	const rows = inventory.rows(filter);
	const heldNow = held.list();
	const drawn = overview.update({ rows: rows.map((r) => r.ds), all, store,
	    clocks, rangeMs, ops, tz, tables, held: heldNow, filter,
	    inventory });
	heldList.update(heldNow, clocks.now(), tz);
	table.update(rows, sort, tz, all.length === 0
	    ? "No datastore known yet."
	    : `No datastore matches \u201c${filter}\u201d.`);
	loader.want([...drawn,
	    ...all.filter((d) => table.visible.has(d.id))]);
	drawState();
	setText(byId("zone"), zoneName(tz, Date.now()));
	setText(byId("version"), status ? `dslatd ${status.version}` : "");
}

/** What changes with every second. */
function drawState() {
	const newest = newestByTarget(inventory.list, clocks);
	updateDot({ live, newest, tz: options.tz });
	const slow = slowNow(inventory.aged());
	const words = summary(slow, inventory.list.filter((d) =>
	    d.state !== "not_measured").length);
	const line = byId("summary");
	const text = toText(words);
	const fresh = [...newest.values()].some((n) => n.age <= 90);
	if (line.dataset.text !== text) {
		line.dataset.text = text;
		line.replaceChildren(...toNodes(words));
		line.classList.toggle("bad", slow.length > 0);
	}
	line.hidden = !fresh || text === "" || live.mode === "down";
	const n = new Set(slow.map((s) => s.ds.id)).size;
	document.title = (live.mode === "down" ? "\u2716 "
	    : n > 0 ? `\u25b2 ${n} slow \u00b7 ` : "") + "dslat";
	const banner = bannerText({ live, status, version, samples: newest.size > 0,
	    datastores: inventory.list.length,
	    age: Math.min(...[...newest.values()].map((x) => x.age)) });
	setText(byId("banner-text"), banner);
	byId("banner").hidden = banner === "";
	setText(byId("retry-text"), retryText(live));
	byId("retry").hidden = live.mode !== "down";
	updateTargets(byId("targets"), status?.targets ?? [], Date.now());
}

let lastTick = Date.now();

function tick() {
	const now = Date.now();
	if (now - lastTick > 30000 && live.mode !== "denied")
		live.start(); // the computer slept
	lastTick = now;
	if (document.hidden)
		return;
	drawState();
	// The charts move on by themselves, a slot at a time is enough.
	if (Math.floor(now / 5000) !== Math.floor((now - 1000) / 5000))
		draw();
}

/** @param {KeyboardEvent} ev */
function key(ev) {
	if (ev.ctrlKey || ev.metaKey || ev.altKey ||
	    (ev.target instanceof HTMLInputElement && ev.target.type !== "radio"))
		return;
	if (ev.key === "t" || ev.key === "T") {
		toggleTables();
	} else if (ev.key === "/") {
		ev.preventDefault();
		byId("filter").focus();
	}
}

function toggleTables() {
	tables = !tables;
	byId("tables").setAttribute("aria-pressed", String(tables));
	draw();
}

options.applyTheme();
options.bind(/** @type {HTMLFormElement} */ (byId("controls")));
byId("retry").addEventListener("click", () => live.start());
byId("tables").addEventListener("click", toggleTables);
document.addEventListener("keydown", key);
document.addEventListener("visibilitychange", () => document.hidden || draw());
matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", themeChanged);
window.addEventListener("storage", () => {
	held.load();
	draw();
});
setInterval(tick, 1000);
live.start();
draw();
