// page.mjs DSLATD DSLAT-SIM OUTDIR - the page in a browser, fed by a daemon
// that polls simulated vCenters.  One line per case, then the count.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";

import { Watched, launch } from "./browser.mjs";
import { assertAccessible, cases, check } from "./harness.mjs";
import { Daemon, Sim, killAll, until } from "./procs.mjs";

const [dslatd, dslatSim, out] = process.argv.slice(2);
const SCENE = new URL("page.scene", import.meta.url).pathname;
const BUDGET_BYTES = 120 * 1024;
const SLOW_MS = 300; // what the test adds to every write of nfs-one

const sim = await Sim.start(dslatSim, [SCENE]);
const dying = await Sim.start(dslatSim, ["--hosts", "2", "--datastores", "2"]);
const daemon = new Daemon(dslatd, out + "/state", [
	{ name: "lab", url: sim.url, password: "demo" },
	{ name: "dying", url: dying.url, password: "secret" },
	{ name: "denied", url: sim.url, password: "wrong" },
]);
await daemon.start();
await until("both targets have samples", async () => {
	const { targets } = await daemon.get("status");
	return targets.filter((t) => t.samples > 0).length === 2;
}, 20000);
// From here on this one hears requests and never answers.
await dying.post("fault?name=blackhole");

const browser = await launch();
const w = await Watched.open(browser, daemon.url);
const { page } = w;
const response = await page.goto(daemon.url + "/?theme=light");
// The second page gets no stream through.
const polling = await Watched.open(browser, daemon.url,
    { timezoneId: "Asia/Kolkata" });
polling.awayOk = true;
await polling.page.route("**/api/v1/stream*", (route) => route.abort());
await polling.page.goto(daemon.url + "/?tz=local&op=read&q=nfs-one");

await check("first-values", async () => {
	await until("a value in the table", async () =>
	    /^\d/.test(await w.cell("nfs-one", "write")), 15000);
	await until("the hour is drawn", async () =>
	    await w.slots("nfs", "write") > 170, 10000);
	assert.ok(await w.drawn("nfs", "write") < 50);
	await until("live", async () => /^sample \d\d:\d\d:\d\dZ, \d+ s old$/
	    .test(await w.text("#live-text")), 10000);
});

await check("panels", async () => {
	const { items } = await daemon.get("datastores");
	for (const [panel, family] of [["nfs", "nfs"], ["iscsi", "iscsi"],
	    ["other", "fc"]]) {
		const n = items.filter((d) => d.family === family).length;
		assert.ok(n > 0);
		assert.equal(await w.text(`.panel-${panel} .counts`),
		    n === 1 ? "1 datastore" : `${n} datastores`);
	}
	const tops = await page.evaluate(() =>
	    [...document.querySelectorAll(".panel .chart")].map((c) =>
		c.chart?.scales.y).map((s) => s && [s.min, s.max]));
	assert.ok(tops.length >= 4);
	for (const t of tops)
		assert.deepEqual(t, tops[0]);
	assert.deepEqual(tops[0], [0.3, 1000]);
});

await check("hostile-names", async () => {
	const names = await page.locator(".datastores tbody th bdi")
	    .allTextContents();
	for (const want of ["<img src=x onerror=\"document.title='owned'\">",
	    "'\"><svg onload=alert(1)>", "two\\nlines",
	    "safe\\u202ecod.exe", "مخزن البيانات"])
		assert.ok(names.includes(want), `${want} in ${names}`);
	assert.equal(await page.locator("img, b, main svg[onload]").count(), 0);
	assert.ok(!(await page.title()).includes("owned"));
});

await check("not-measured", async () => {
	assert.match(await w.cell("vsanDatastore", "state"),
	    /^– not measured\n.*\w/s);
});

await check("target-states", async () => {
	await until("login refused", async () => /login failed/.test(
	    await w.text("#targets li[data-key=denied] .state")), 10000);
	assert.match(await w.text("#targets li[data-key=denied] .error"), /\w/);
	assert.match(await w.text("#targets li[data-key=lab]"), /✓ ok/);
});

await check("security-headers", async () => {
	const csp = response.headers()["content-security-policy"] ?? "";
	assert.match(csp, /default-src|script-src/);
	assert.doesNotMatch(csp, /unsafe|\*|https?:/);
	const html = await (await fetch(daemon.url)).text();
	assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*src)/);
});

await check("size", async () => {
	let sum = 0;
	for (const r of w.requests)
		if (!r.url().includes("/api/"))
			sum += (await r.sizes()).responseBodySize;
	assert.ok(sum > 20000 && sum <= BUDGET_BYTES, `${sum} bytes`);
	console.log(`  ${sum} bytes of page`);
});

await check("options-in-address", async () => {
	await page.getByLabel("write", { exact: true }).check();
	await page.getByLabel("15 m").check();
	await page.locator("#filter").fill("-one");
	const search = () => page.evaluate(() =>
	    [...new URLSearchParams(location.search)]
		.map((p) => p.join("=")).sort().join("&"));
	assert.equal(await search(), "op=write&q=-one&range=15m&theme=light");
	await until("filtered", async () =>
	    await page.locator(".datastores tbody tr").count() === 3, 2000);
	assert.ok(!await page.locator(".panel-nfs figure[data-op=read]")
	    .isVisible());
	await page.locator("#filter").fill("");
	await page.getByLabel("1 h").check();
	await page.getByLabel("both").check();
	assert.equal(await search(), "theme=light");
});

await check("sorting", async () => {
	await page.getByRole("button", { name: "Datastore", exact: true })
	    .click();
	const th = page.locator(".datastores thead th").first();
	assert.equal(await th.getAttribute("aria-sort"), "ascending");
	const first = await page.locator(".datastores tbody th bdi").first()
	    .textContent();
	await page.getByRole("button", { name: "Datastore" }).click();
	assert.equal(await th.getAttribute("aria-sort"), "descending");
	assert.equal(await page.locator(".datastores tbody th bdi").last()
	    .textContent(), first);
	await page.goto(daemon.url + "/?theme=light");
});

await check("keyboard", async () => {
	await until("drawn again", async () =>
	    await w.slots("nfs", "write") > 170, 10000);
	await page.locator(".panel-nfs .chart").first().focus();
	await page.keyboard.press("ArrowLeft");
	const at = await w.text(".panel-nfs .legend .when");
	assert.match(at, /^\d\d:\d\d:\d\dZ$/);
	await page.keyboard.press("ArrowLeft");
	const before = await w.text(".panel-nfs .legend .when");
	assert.equal(Date.parse("2000-01-01T" + at) -
	    Date.parse("2000-01-01T" + before), 20000);
	await page.keyboard.press("Escape");
	await until("newest again", async () =>
	    await w.text(".panel-nfs .legend .when") === "newest", 2000);
	await page.keyboard.press("t");
	const rows = page.locator(".panel-nfs [aria-label='Samples, NFS write'] tbody tr");
	await until("a table behind the chart", async () =>
	    await rows.count() >= 178, 3000); // the newest may be due
	await assertAccessible(page);
	await page.keyboard.press("t");
	assert.ok(!await rows.first().isVisible());
});

// From here to the change nothing but the stream brings values.
const LISTS = /\/api\/v1\/(datastores|series)/;
w.awayOk = true;
await page.route(LISTS, (route) => route.abort());
// Its first sample takes a while; meanwhile, something else.
await sim.post("event?kind=latency&ds=nfs-one&at_s=0&for_s=600" +
    `&write_ms=${SLOW_MS}`);

for (const theme of ["dark", "light"])
	await check("accessible-" + theme, async () => {
		await page.getByLabel(theme).check();
		await assertAccessible(page);
	});

await check("small-screens", async () => {
	for (const [width, height] of [[360, 800], [720, 450]]) {
		await page.setViewportSize({ width, height });
		await until(`no sideways scrolling at ${width} px`, () =>
		    page.evaluate(() => document.documentElement.scrollWidth <=
			innerWidth), 3000);
		assert.ok(await page.locator(".panel-nfs .chart canvas").first()
		    .isVisible());
	}
	await page.setViewportSize({ width: 1440, height: 900 });
});

await check("value-changes-live", async () => {
	await until("the cell", async () =>
	    Number(/▲ (\d+)/.exec(await w.cell("nfs-one", "write"))?.[1]) >=
	    SLOW_MS, 50000);
	assert.ok(await w.drawn("nfs", "write") >= SLOW_MS);
	assert.ok(await w.drawn("nfs", "read") < 50);
	assert.ok(await w.drawn("iscsi", "write") < 50);
	assert.match(await w.cell("nfs-one", "state"), /warning|critical/);
	assert.match(await w.text("#summary"), /^▲ 1 of \d+ .* nfs-one write/);
	assert.match(await page.title(), /^▲ 1 slow/);
	assert.match(await w.text(".panel-nfs figure[data-op=write] figcaption"),
	    /nfs-one now 3\d\d ms on .*, above 50 ms for/);
	// The other target may be stale by now.
	assert.match(await w.text("#live-text"), /sample \S+, \d+ s old/);
});
await page.unroute(LISTS);
await page.waitForTimeout(300); // the last refusal is still being told
w.awayOk = false;

await check("peak-is-held", async () => {
	await until("in the list, with its host", async () =>
	    /NFS nfs-one write on (esx01.lab.example|<b>esx02<\/b>) \d\d:/.test(
		await w.text(".held-list li")), 5000);
	assert.match(await w.text(".panel-nfs figure[data-op=write] .chip"),
	    /^3\d\d ms \d\d:\d\d:\d\dZ/);
	const { items } = await daemon.get("peaks?limit=1");
	assert.equal(await w.text(".held-list .held-ms"),
	    `▼ ${items[0].ms} ms`);
});

for (const theme of ["dark", "light"])
	for (const [width, height] of [[1440, 900], [360, 800]]) {
		await page.setViewportSize({ width, height });
		await page.getByLabel(theme).check();
		await page.waitForTimeout(300);
		await page.screenshot({ fullPage: true,
		    path: `${out}/${theme}-${width}.png` });
	}
await page.setViewportSize({ width: 1440, height: 900 });

await check("polling-without-stream", async () => {
	const p = polling;
	assert.match(await p.text("#live-text"), / · polling$/);
	assert.match(await p.text("#zone"), /^Asia\/(Kolkata|Calcutta) \(UTC\+05:30\)$/);
	const { items } = await daemon.get("datastores");
	const times = items.map((d) => d.latest.t && new Date(
	    Date.parse(d.latest.t) + 330 * 60000).toISOString().slice(11, 19));
	const [, shown] = /sample (\d\d:\d\d:\d\d), \d/.exec(
	    await p.text("#live-text"));
	assert.ok(times.includes(shown), `${shown} in ${times}`);
	await until("the slow value", async () =>
	    (await p.cell("nfs-one", "write")).startsWith("▲"), 25000);
	assert.deepEqual(p.faults, []);
	await p.context.close();
});

await check("stale-target", async () => {
	await until("stale", async () => /^stale: .* \(dying\)$/.test(
	    await w.text("#live-text")), 100000);
	assert.match(await w.text("#live"), /^▲/);
	await until("unreachable", async () => /unreachable/.test(
	    await w.text("#targets li[data-key=dying] .state")), 60000);
	assert.match(await w.text("#targets li[data-key=lab] .state"), /ok/);
});

await check("daemon-restarts", async () => {
	const held = await w.text(".held-list li");
	w.awayOk = true;
	await daemon.stop();
	await until("said to be away", async () =>
	    (await w.text("#live-text")).startsWith("disconnected") &&
	    /does not answer.*Next try/s.test(await w.text("#banner")),
	5000);
	assert.equal(await w.text(".held-list li"), held);
	await daemon.start();
	await until("live again", async () =>
	    !(await w.text("#live-text")).includes("disconnected") &&
	    !(await page.locator("#banner").isVisible()), 30000);
	w.awayOk = false;
	await until("no hole", async () =>
	    await w.slots("nfs", "write") > 170, 20000);
	await until("stream", () => w.page.evaluate(() =>
	    !document.querySelector("#live-text").textContent
		.includes("polling")), 5000);
});

await check("held-across-reload", async () => {
	await page.reload();
	await until("held still", async () => (await w.text(".held-list li"))
	    .includes("nfs-one write"), 5000);
	await page.locator(".held-list .dismiss").first().click();
	const t = Date.now();
	await until("dismissed, until the next sample", async () =>
	    await page.locator(".held-list li").count() === 0 ||
	    Date.now() > t, 2000);
	const stored = await page.evaluate(() => JSON.parse(
	    localStorage.getItem("dslat-held-peaks")));
	assert.equal(stored.dismissed.length, 1);
	assert.match(stored.dismissed[0][0], /^write lab:/);
});

await check("login", async () => {
	const token = "dslat_" + "5".repeat(64);
	const hash = createHash("sha256").update(token).digest("hex");
	writeFileSync(`${out}/tokens`, `wall:read:${hash}\n`, { mode: 0o600 });
	const closed = new Daemon(dslatd, out + "/closed",
	    [{ name: "lab", url: sim.url, password: "demo" }],
	    ["web:", `  tokens_file: ${out}/tokens`,
		"  allow_anonymous_read: false"]);
	await closed.start();
	const p = await Watched.open(browser, closed.url);
	p.awayOk = true; // each 401 is an error on the console
	const form = p.page.locator("#login");
	await p.page.goto(closed.url + "/?theme=dark");
	await until("the form", () => form.isVisible(), 5000);
	assert.ok(!await p.page.locator("#datastores").isVisible());
	assert.equal(await p.text("#live-text"), "not logged in");
	assert.equal(await p.page.evaluate(() => document.activeElement?.id),
	    "token");
	assert.ok(!await p.page.locator("#login-clear").isVisible());
	for (const theme of ["dark", "light"]) {
		await p.page.goto(closed.url + "/?theme=" + theme);
		await until("the form", () => form.isVisible(), 5000);
		await assertAccessible(p.page);
		await p.page.screenshot({ path: `${out}/login-${theme}.png` });
	}
	await p.page.keyboard.type("dslat_wrong");
	await p.page.keyboard.press("Enter");
	await until("refused", async () => /does not know this token/.test(
	    await p.text("#login-error")), 5000);
	await p.page.getByLabel("Token").fill(` ${token} `);
	await p.page.keyboard.press("Enter");
	await until("a value", async () =>
	    /\d/.test(await p.cell("nfs-one", "write")), 20000);
	assert.ok(!await form.isVisible());
	await until("live", async () => /^sample .* old$/.test(
	    await p.text("#live-text")), 10000);
	assert.equal(await p.text("#who"), "token wall");
	assert.equal(await p.page.evaluate(() => document.cookie), "");
	await p.page.reload();
	await until("still in", async () =>
	    /\d/.test(await p.cell("nfs-one", "write")), 20000);
	await p.page.getByRole("button", { name: "Log out" }).click();
	await until("out", () => form.isVisible(), 5000);
	assert.deepEqual(p.faults, []);
	await p.context.close();
	await closed.stop();
});

await check("nothing-leaks", async () => {
	assert.deepEqual(w.foreign, []);
	assert.deepEqual(w.faults, []);
	assert.ok(w.requests.length > 30);
});

await browser.close();
await daemon.stop();
killAll();
console.log(`${cases.passed} passed, ${cases.failed} failed`);
process.exit(cases.failed === 0 ? 0 : 1);
