// incidents.mjs DSLATD DSLAT-SIM OUTDIR - pages, and above all that of
// incidents, in a browser; the daemon's windows are so short that a slow sample
// is an incident.  One line per case, then the count.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";

import { Watched, launch } from "./browser.mjs";
import { assertAccessible, cases, check } from "./harness.mjs";
import { Daemon, Sim, killAll, until } from "./procs.mjs";

const [dslatd, dslatSim, out] = process.argv.slice(2);
const SCENE = new URL("incidents.scene", import.meta.url).pathname;
const HOSTILE = "<img src=x onerror=\"document.title='owned'\">";
const SLOW_MS = 300; // what the test adds to every write
const TOKENS = { joe: "dslat_" + "7".repeat(64), eve: "dslat_" + "8".repeat(64) };

const sim = await Sim.start(dslatSim, [SCENE]);
const hash = (t) => createHash("sha256").update(t).digest("hex");
writeFileSync(`${out}/writers`, `joe:write:${hash(TOKENS.joe)}\n` +
    `eve:read:${hash(TOKENS.eve)}\n`, { mode: 0o600 });
const daemon = new Daemon(dslatd, out + "/incidents",
    [{ name: "lab", url: sim.url, password: "demo" }],
    ["thresholds:", "  default: { for_samples: 1, window_samples: 1, " +
	"clear_samples: 1 }", "web:", `  tokens_file: ${out}/writers`]);
await daemon.start();
await until("samples", async () =>
    (await daemon.get("status")).targets[0].samples > 0, 20000);

const browser = await launch();
const w = await Watched.open(browser, daemon.url);
const { page } = w;
const search = () => page.evaluate(() =>
    [...new URLSearchParams(location.search)].map((p) => p.join("=")).sort()
	.join("&"));
const rowOf = (name) => page.locator(".row.incident").filter({
	has: page.getByText(name, { exact: true }) });
const dialog = page.locator("dialog[open]");
const detail = page.locator(".detail");
await page.goto(daemon.url + "/?theme=light");

await check("pages", async () => {
	await until("values", async () =>
	    /^\d/.test(await w.cell("nfs-one", "write")), 15000);
	await page.getByRole("link", { name: "Incidents" }).click();
	assert.equal(await search(), "page=incidents&theme=light");
	assert.ok(!await page.locator("#datastores").isVisible());
	await until("nothing wrong", async () =>
	    (await w.text("#page-incidents")).includes("No incident goes on"),
	5000);
	assert.ok(await page.getByLabel("7 d", { exact: true }).isChecked());
	await page.goBack();
	await until("overview", () => page.locator("#datastores").isVisible(),
	    2000);
	assert.equal(await search(), "theme=light");
	assert.ok(await page.getByLabel("1 h", { exact: true }).isChecked());
	assert.ok(!await page.locator("#strip").isVisible());
	await page.goForward();
	await until("incidents", () => page.locator(".filters").isVisible(),
	    2000);
	await page.keyboard.press("g");
	await page.keyboard.press("o");
	assert.equal(await search(), "theme=light");
	await page.keyboard.press("?");
	assert.match(await dialog.innerText(), /g i\s+Incidents/);
	await page.keyboard.press("Escape");
	await page.keyboard.press("g");
	await page.keyboard.press("i");
	assert.equal(await search(), "page=incidents&theme=light");
	await until("the title", async () =>
	    await page.title() === "Incidents · dslat", 2000);
});

// One that stays, and one that is soon over.
await sim.post("event?kind=latency&at_s=0&for_s=600" +
    `&write_ms=${SLOW_MS}&ds=` + encodeURIComponent("<img*"));
await sim.post("event?kind=latency&ds=nfs-one&at_s=0&for_s=40" +
    `&write_ms=${SLOW_MS}`);

let id = 0;

await check("incident-appears-live", async () => {
	const asked = w.requests.length;
	await until("the row", () => rowOf(HOSTILE).isVisible(), 45000);
	await until("with its figures", async () =>
	    /worst 30\d ms on/.test(await w.text(".row.incident .facts")),
	2000);
	assert.ok(!w.requests.slice(asked).some((r) =>
	    r.url().includes("state=active") && r.isNavigationRequest()));
	assert.match(await rowOf(HOSTILE).innerText(), /◆ critical/);
	await until("counted", async () =>
	    /^Incidents\s*[12]$/.test(await w.text("#nav [aria-current]")), 2000);
	const { items } = await daemon.get("incidents?state=active");
	id = items.find((i) => i.datastore_name === HOSTILE).id;
	assert.equal(await page.locator("main img, main b").count(), 0);
	assert.ok(!(await page.title()).includes("owned"));
});

await check("strip-of-overview", async () => {
	await page.keyboard.press("g");
	await page.keyboard.press("o");
	const item = page.locator("#strip-list li").filter({
		has: page.getByText(HOSTILE, { exact: true }) });
	await until("the strip", () => item.isVisible(), 2000);
	const { where } = await daemon.get(`incidents/${id}`);
	assert.match((await item.innerText()).replace(/\s+/g, " "),
	    /^◆ critical .* since \d\d:\d\d:\d\dZ /);
	assert.ok((await item.innerText()).includes(where));
	await item.locator("a").click();
	assert.equal(await search(), `incident=${id}&page=incidents&theme=light`);
	await until("in detail", () => detail.isVisible(), 2000);
});

await check("link-of-a-message", async () => {
	await page.goto(`${daemon.url}/?incident=${id}`);
	await until("its name", async () => (await w.text("#detail-title")) ===
	    `◆ critical ${HOSTILE} write slow`, 5000);
	const it = await daemon.get(`incidents/${id}`);
	assert.equal(await w.text(".detail > .detail-body > .where"), it.where);
	const hosts = await page.locator(".hosts tbody th").allInnerTexts();
	assert.deepEqual(hosts, it.hosts.map((h) => h.name));
	assert.ok(hosts.includes("<b>esx02</b>"));
	const drawn = () => page.evaluate(() => Math.max(0,
	    ...[...document.querySelectorAll(".detail .chart")].flatMap((c) =>
		c.chart?.data.slice(1).flat() ?? [])));
	await until("its chart", async () => await drawn() >= SLOW_MS, 5000);
	assert.match(await w.text(".detail figure:not([hidden]) figcaption"), /^Peak 30\d ms at/);
	w.awayOk = true; // 404 is an error on the console
	await page.goto(`${daemon.url}/?incident=999999`);
	await until("not known", async () =>
	    /knows no incident/.test(await w.text(".detail")), 5000);
});

await check("past-of-overview", async () => {
	await page.goto(`${daemon.url}/?theme=light&q=img`);
	w.awayOk = false;
	await page.getByLabel("24 h", { exact: true }).check();
	assert.equal(await search(), "q=img&range=24h&theme=light");
	await until("the peak in a bin", async () =>
	    await w.drawn("nfs", "write") >= SLOW_MS, 5000);
	const step = await page.evaluate(() => {
		const [t] = document.querySelector(".panel-nfs .chart").chart.data;
		return t[1] - t[0];
	});
	assert.ok(step > 20000, `${step} ms`);
	await until("named", async () => /^Peak 30\d ms at .*, host .*; over the line in \d/
	    .test(await w.text(".panel-nfs figure[data-op=write] figcaption")),
	5000);
	await page.getByLabel("30 d", { exact: true }).check();
	await until("the peak in a longer bin", async () =>
	    await w.drawn("nfs", "write") >= SLOW_MS, 5000);
});

await check("write-takes-a-token", async () => {
	await page.goto(`${daemon.url}/?incident=${id}&theme=light`);
	await page.getByRole("button", { name: "Acknowledge" }).click();
	assert.match(await dialog.innerText(), /dslat token new NAME --role write/);
	await assertAccessible(page);
	w.awayOk = true; // 401 is an error on the console
	await page.keyboard.type("dslat_wrong");
	await page.keyboard.press("Enter");
	await until("refused", async () => /does not know this token/.test(
	    await dialog.innerText()), 5000);
	await dialog.getByLabel("Token").fill(TOKENS.eve);
	await page.keyboard.press("Enter");
	await until("not enough", async () => /may only read/.test(
	    await dialog.locator(".bad").innerText()), 5000);
	w.awayOk = false;
	await dialog.getByLabel("Token").fill(TOKENS.joe);
	await page.keyboard.press("Enter");
	await until("on to what was wanted", async () =>
	    /Others see that you/.test(await dialog.innerText()), 5000);
	await page.screenshot({ path: `${out}/acknowledge.png` });
});

await check("acknowledge", async () => {
	await dialog.getByLabel("Note").fill("looking <b>into</b> it");
	await dialog.getByRole("button", { name: "Acknowledge" }).click();
	await until("said", async () =>
	    (await w.text(".detail-body > .hands")) ===
		"✓ acknowledged by joe: looking <b>into</b> it", 5000);
	const it = await daemon.get(`incidents/${id}`);
	assert.equal(it.ack_by, "joe");
	assert.equal(it.ack_note, "looking <b>into</b> it");
	await until("on the time line", () => page.locator(".lists .kind-audit")
	    .filter({ hasText: `incident ${id} acknowledged` }).isVisible(),
	5000);
});

await check("note", async () => {
	await detail.getByRole("button", { name: "Add a note" }).click();
	await dialog.getByLabel("Note").fill("<svg onload=alert(1)> raised");
	await dialog.getByRole("button", { name: "Add", exact: true }).click();
	for (const where of [".lists", ".detail"])
		await until("in " + where, () => page.locator(
		    `${where} .kind-note`).filter({ hasText:
			"<svg onload=alert(1)> raised" }).isVisible(), 5000);
	const { items } = await daemon.get("events?kind=note");
	const it = await daemon.get(`incidents/${id}`);
	assert.equal(items[0].datastore, it.datastore);
	assert.equal(items[0].by, "joe");
});

await check("silence", async () => {
	await detail.getByRole("button", { name: "Silence" }).click();
	// What the pattern says is this name, not what its signs mean.
	assert.equal(await dialog.getByLabel("Pattern").inputValue(),
	    "lab/" + HOSTILE);
	await dialog.getByLabel("For", { exact: true }).selectOption("4h");
	await dialog.getByLabel("Why").fill("a new array");
	await dialog.getByRole("button", { name: "Silence" }).click();
	await until("listed", async () => /until .* by joe\s+a new array/.test(
	    await w.text(".silences .row")), 5000);
	const [s] = (await daemon.get("silences")).items;
	assert.equal(s.op, "write");
	const left = Date.parse(s.until) - Date.now();
	assert.ok(left > 3.9 * 3600e3 && left <= 4 * 3600e3);
	await until("takes effect", async () => /nobody is told \(silence \d+\)/
	    .test(await w.text(".detail-body > .hands")), 25000);
	await page.getByRole("button", { name: "End", exact: true }).click();
	await dialog.getByRole("button", { name: "End it" }).click();
	await until("ended", async () => /Nobody is silenced/.test(
	    await w.text(".silences")), 5000);
	assert.deepEqual((await daemon.get("silences")).items, []);
});

await check("incident-ends-live", async () => {
	await until("over", async () => /over: below the line again/.test(
	    await rowOf("nfs-one").innerText()), 60000);
	assert.ok(await page.locator("[aria-labelledby=past-title] .row")
	    .filter({ has: page.getByText("nfs-one", { exact: true }) })
	    .first().isVisible());
	assert.equal(await w.text("#nav [aria-current]"), "Incidents1");
});

await check("steps-through-incidents", async () => {
	const ids = (await daemon.get("incidents")).items.map((i) => i.id);
	assert.equal(ids.length, 2);
	const other = ids.find((x) => x !== id);
	const focused = () => page.evaluate(() => document.activeElement?.id);
	await page.keyboard.press("]");
	assert.match(await search(), new RegExp(`incident=${other}&`));
	await until("read out", async () =>
	    await focused() === "detail-title", 2000);
	await page.keyboard.press("]"); // there is no other
	assert.match(await search(), new RegExp(`incident=${other}&`));
	await page.keyboard.press("[");
	assert.match(await search(), new RegExp(`incident=${id}&`));
	await page.goBack();
	await until("back", async () => (await w.text("#detail-title"))
	    .includes("nfs-one"), 2000);
	await page.keyboard.press("Escape");
	assert.ok(!await detail.isVisible());
});

await check("filters-in-address", async () => {
	const shown = async () => (await page.locator(".row.incident:visible")
	    .evaluateAll((rows) => rows.map((r) =>
		r.querySelector(".what bdi")?.textContent))).sort();
	assert.deepEqual(await shown(), [HOSTILE, "nfs-one"]);
	await page.getByLabel("going on only").check();
	await until("one", async () => (await shown()).length === 1, 2000);
	assert.match(await search(), /(^|&)open=1(&|$)/);
	await page.getByLabel("going on only").uncheck();
	await page.getByRole("radio", { name: "▲ warning" }).check();
	await until("none", async () => (await shown()).length === 0, 2000);
	await page.getByRole("radio", { name: "◆ critical" }).check();
	await page.getByRole("combobox", { name: "Target" })
	    .selectOption("lab");
	await page.locator("#filter").fill("nfs-one write");
	await until("that one", async () =>
	    (await shown()).join() === "nfs-one", 2000);
	assert.equal(await search(), "page=incidents&q=nfs-one write" +
	    "&severity=critical&target=lab&theme=light");
	await page.reload();
	await until("the same", async () =>
	    (await shown()).join() === "nfs-one", 5000);
	assert.equal(await page.locator("#filter").inputValue(),
	    "nfs-one write");
});

for (const theme of ["dark", "light"])
	await check("incidents-accessible-" + theme, async () => {
		await page.goto(`${daemon.url}/?incident=${id}&theme=${theme}`);
		await until("the chart", () => page.locator(".detail canvas")
		    .first().isVisible(), 5000);
		await assertAccessible(page);
		await page.screenshot({ fullPage: true,
		    path: `${out}/incidents-${theme}.png` });
		await page.keyboard.press("t");
		await until("the table", async () => await page.locator(
		    ".detail .behind tbody tr").count() > 20, 2000);
		await page.keyboard.press("t");
	});

await check("incidents-small-screens", async () => {
	for (const [width, height] of [[360, 800], [720, 450]]) {
		await page.setViewportSize({ width, height });
		await until(`no sideways scrolling at ${width} px`, () =>
		    page.evaluate(() => document.documentElement.scrollWidth <=
			innerWidth), 3000);
		assert.ok(await rowOf("nfs-one").first().isVisible());
		await page.screenshot({ fullPage: true,
		    path: `${out}/incidents-${width}.png` });
	}
});

await check("incidents-leak-nothing", async () => {
	assert.equal(await page.evaluate(() => document.cookie), "");
	assert.ok(!JSON.stringify(await page.evaluate(() =>
	    ({ ...localStorage, ...sessionStorage }))).includes("dslat_7"));
	assert.deepEqual(w.foreign, []);
	assert.deepEqual(w.faults, []);
});

await browser.close();
await daemon.stop();
killAll();
console.log(`${cases.passed} passed, ${cases.failed} failed`);
process.exit(cases.failed === 0 ? 0 : 1);
