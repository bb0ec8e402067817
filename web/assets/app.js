// app.js - wires the parts: what comes from dslatd goes into the state, and
// one draw per frame shows it on the page that is open.

import { getDatastores, getPeaks, getStatus } from "./api.js";
import { Clocks } from "./clock.js";
import { byId, setText } from "./dom.js";
import { zoneName } from "./format.js";
import { bannerText, newestByTarget, retryText, updateDot }
    from "./header.js";
import { FormDialog } from "./formdialog.js";
import { Incidents } from "./incidents.js";
import { IncidentsPage } from "./incidentspage.js";
import { Inventory } from "./inventory.js";
import { Keys } from "./keys.js";
import { Live } from "./live.js";
import { Loader } from "./loader.js";
import { Login } from "./login.js";
import { Options } from "./options.js";
import { OverviewPage } from "./overviewpage.js";
import { forgetColors } from "./palette.js";
import { HeldPeaks, heldKey } from "./peaks.js";
import { Past } from "./past.js";
import { PeakWatch } from "./peakwatch.js";
import { Rights } from "./rights.js";
import { Router } from "./router.js";
import { Store } from "./store.js";
import { Writes } from "./writes.js";
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

const live = new Live({ sample, status: inventoryChanged, refill, poll,
    incident: (ev) => incidents.apply(ev),
    denied: () => login.ask(), changed: draw });
const login = new Login(() => live.start());
const forms = new FormDialog();
const rights = new Rights(login, forms, draw);
const incidents = new Incidents(draw);
const past = new Past(clocks, draw);
const writes = new Writes(rights, forms, () => incidents.reload());

/** @type {import("./types.d.ts").Core} */
const core = {
	options, clocks, store, past, inventory, loader, held, live, incidents,
	rights, writes, status: null, tables: false, draw,
	dismiss: (h) => held.dismiss(heldKey(h.id, h.op),
	    store.newest(h.id) ?? h.t),
};
const overview = new OverviewPage(core);
const incidentsPage = new IncidentsPage(core);
const router = new Router(options, { overview, incidents: incidentsPage });
let version = ""; // of the dslatd that the page came from
let lastList = 0;

/** Fetch everything anew: at the start and after a break. */
async function refill() {
	loader.markHoles();
	past.stale();
	incidents.stale();
	incidentsPage.due = 0;
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
	incidents.refresh();
	const [st, list] = await Promise.all([getStatus(), getDatastores()]);
	core.status = st;
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

/** @param {string} name "": all of them */
function optionChanged(name) {
	if (name === "")
		router.follow();
	if (name === "theme" || name === "")
		themeChanged();
	draw();
}

function themeChanged() {
	options.applyTheme();
	forgetColors();
	overview.recolor();
	incidentsPage.recolor();
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
	router.page.update();
	if (router.page !== overview)
		loader.want([]);
	drawState();
	setText(byId("zone"), zoneName(options.tz, Date.now()));
	setText(byId("version"), core.status
	    ? `dslatd ${core.status.version}` : "");
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
	    : n > 0 ? `\u25b2 ${n} slow \u00b7 ` : "") +
	    (router.page === overview ? "" : router.row.title + " \u00b7 ") +
	    "dslat";
	router.update({
		incidents: String(incidents.active().length || ""),
	});
	const banner = bannerText({ live, status: core.status, version, samples: newest.size > 0,
	    datastores: inventory.list.length,
	    age: Math.min(...[...newest.values()].map((x) => x.age)) });
	setText(byId("banner-text"), banner);
	byId("banner").hidden = banner === "";
	setText(byId("retry-text"), retryText(live));
	byId("retry").hidden = live.mode !== "down";
	overview.tick();
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

function toggleTables() {
	core.tables = !core.tables;
	byId("tables").setAttribute("aria-pressed", String(core.tables));
	draw();
}

/** @param {string} name @param {string} value */
function choose(name, value) {
	options.set(name, value);
	options.fill();
}

const THEMES = ["auto", "light", "dark"];

const keys = new Keys({
	go: (letter) => router.goTo(letter),
	step: (by) => incidentsPage.step(by),
	page: (ev) => router.page.key?.(ev) ?? false,
	keys: {
		t: toggleTables,
		"/": () => byId("filter").focus(),
		r: () => choose("op", "read"),
		w: () => choose("op", "write"),
		b: () => choose("op", "both"),
		d: () => choose("theme", THEMES[(THEMES.indexOf(
		    options.values.theme) + 1) % THEMES.length]),
	},
});

options.applyTheme();
options.bind(/** @type {HTMLFormElement} */ (byId("controls")));
byId("retry").addEventListener("click", () => live.start());
byId("tables").addEventListener("click", toggleTables);
byId("help").addEventListener("click", () => keys.showHelp());
router.follow();
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
