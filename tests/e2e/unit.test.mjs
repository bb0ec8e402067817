// unit.test.mjs - the parts of the page that need no browser, under node.

import assert from "node:assert/strict";
import test from "node:test";

import { Clocks } from "../../web/assets/clock.js";
import * as format from "../../web/assets/format.js";
import { Incidents } from "../../web/assets/incidents.js";
import * as incidentwords from "../../web/assets/incidentwords.js";
import { Past } from "../../web/assets/past.js";
import { HeldPeaks, heldKey } from "../../web/assets/peaks.js";
import { familyOf, lineStyle } from "../../web/assets/protocol.js";
import { Store, breaches, isIdle } from "../../web/assets/store.js";
import * as view from "../../web/assets/view.js";
import { caption, slowNow, toText } from "../../web/assets/words.js";

const T0 = Date.parse("2026-11-30T13:20:00Z"); // a whole slot
const S = 20000;

/** A datastore as the list has it. */
function ds(id, more = {}) {
	return { id, target: "lab", name: id, protocol: "nfs3", state: "ok",
	    threshold_ms: 50, latest: null, stale_s: null, ...more };
}

/** One direction of one slot, as columns. */
function cols(ms, worst, iops) {
	return { read_ms: [ms], read_worst_ms: [worst], read_iops: [iops],
	    write_ms: [0], write_worst_ms: [0], write_iops: [0] };
}

function clocksAt(now) {
	const c = new Clocks(() => now);
	c.offsets.set("lab", 0);
	return c;
}

/** Without the thin spaces, which nobody can read in a test. */
const plain = (s) => s.replace(/[\u202f\u2068\u2069]/g,
    (c) => c === "\u202f" ? " " : "");

test("latencies are cut, not rounded, and 0 is < 1", () => {
	const want = [[0, "< 1"], [0.99, "< 1"], [1, "1"], [1.29, "1.2"],
	    [49.97, "49.9"], [50, "50"], [99.99, "99.9"], [480.9, "480"],
	    [1240, "1 240"], [null, "\u2013"], [undefined, "\u2013"]];
	for (const [ms, text] of want)
		assert.equal(plain(format.msNumber(ms)), text);
	assert.equal(plain(format.msText(null)), "no data");
});

test("durations", () => {
	const want = [[8, "8 s"], [119, "119 s"], [140, "2 min 20 s"],
	    [3600, "1 h"], [3720, "1 h 2 min"], [86400 * 4, "4 d"], [-3, "0 s"]];
	for (const [s, text] of want)
		assert.equal(plain(format.duration(s)), text);
});

test("times say their zone, and the day when it is another", () => {
	assert.equal(format.clockTime(T0 + 20000, "utc"), "13:20:20Z");
	assert.equal(format.moment(T0, T0 + 3600e3, "utc"), "13:20:00Z");
	assert.equal(format.moment(T0, T0 + 86400e3, "utc"),
	    "2026-11-30 13:20:00Z");
	assert.equal(format.zoneName("utc", T0), "UTC");
});

test("control characters in names are shown, other scripts left alone", () => {
	assert.equal(format.clean("a\nb\tc\u0000"), "a\\nb\\tc\\u0000");
	assert.equal(format.clean("\u202egnp.exe\u2066"),
	    "\\u202egnp.exe\\u2066");
	assert.equal(format.clean("\u200b\ufeff"), "\\u200b\\ufeff");
	assert.equal(format.clean("\ud800x"), "\\ud800x");
	assert.equal(format.clean("x\udc00"), "x\\udc00");
	const same = "<img src=x> \u0645\u062e\u0632\u0646 \ud83d\ude80 \u00e9";
	assert.equal(format.clean(same), same);
	assert.equal(format.clean(null), "");
});

test("families", () => {
	assert.equal(familyOf("nfs41"), "nfs");
	assert.equal(familyOf("iser"), "iscsi");
	assert.equal(familyOf("nvme-tcp"), "other");
	assert.equal(familyOf("something new"), "other");
});

test("every line of a panel differs by more than its hue", () => {
	for (const family of ["nfs", "iscsi", "other"]) {
		const seen = new Set();
		for (let i = 0; i < 8; i++) {
			const s = lineStyle(family, i);
			seen.add(s.shape + s.hollow);
		}
		assert.equal(seen.size, 8);
	}
	assert.notDeepEqual(lineStyle("nfs", 0).dash,
	    lineStyle("iscsi", 0).dash);
});

test("merging twice changes nothing; a later word replaces", () => {
	const s = new Store();
	s.merge("a", [T0], cols(4, 9, 100));
	s.merge("a", [T0], cols(4, 9, 100));
	assert.equal(s.byId.get("a").size, 1);
	assert.deepEqual(s.at("a", T0).read,
	    { mean: 4, worst: 9, iops: 100, host: null });
	s.merge("a", [T0], cols(5, 12, 150));
	assert.equal(s.at("a", T0).read.worst, 12);
});

test("a null does not wipe out what is known", () => {
	const s = new Store();
	s.merge("a", [T0], cols(4, 9, 100));
	s.merge("a", [T0], { read_ms: [null], write_ms: [3] });
	assert.equal(s.at("a", T0).read.mean, 4);
	assert.equal(s.at("a", T0).write.mean, 3);
});

test("a slot without any value is not a sample", () => {
	const s = new Store();
	s.merge("a", [T0, T0 + S], { read_ms: [null, 2], write_ms: [null, 1] });
	assert.equal(s.at("a", T0), undefined);
	assert.equal(s.newest("a"), T0 + S);
	assert.equal(s.oldest("a"), T0 + S);
});

test("a series keeps the host that an event named", () => {
	const s = new Store();
	s.merge("a", [T0], { ...cols(60, 80, 100),
	    read_worst_host: ["esx3"] });
	s.mergeSeries({ resolution_s: 20, t: [T0], series: [
		{ metric: "read_ms", datastore: "a", values: [60], max: [80] },
		{ metric: "read_iops", datastore: "a", values: [100],
		    max: [100] },
		{ metric: "write_ms", datastore: "b", values: [7], max: [9] }] });
	assert.equal(s.at("b", T0).write.worst, 9);
	assert.equal(s.at("a", T0).read.host, "esx3");
	assert.equal(s.at("a", T0).read.worst, 80);
	assert.equal(s.at("a", T0).read.iops, 100);
});

test("a list of peaks names hosts, before the series or after", () => {
	const s = new Store();
	s.nameHost("a", "read", T0, 80, "esx2"); // peaks come worst first
	s.nameHost("a", "read", T0, 70, "esx9");
	s.merge("a", [T0], cols(60, 80, 100));
	s.merge("a", [T0 + S], cols(40, 50, 100));
	s.nameHost("a", "read", T0 + S, 45, "esx9"); // not its worst
	s.nameHost("a", "read", T0 + S, 50, "esx3");
	assert.equal(s.worst("a", "read", 0, T0).host, "esx2");
	assert.equal(s.at("a", T0 + S).read.host, "esx3");
});

test("idle, sparse, < 1 ms and missing are four things", () => {
	const p = (mean, worst, iops) => ({ mean, worst, iops, host: null });
	assert.equal(isIdle(p(0, 0, 0)), true);
	assert.equal(isIdle(p(0, 0, 5)), false);   // < 1 ms
	assert.equal(isIdle(p(7000, 7000, 0)), false); // sparse
	assert.equal(isIdle(p(0, 0, null)), false); // rate unknown
	assert.equal(isIdle(undefined), false);
	assert.equal(breaches(p(50, 50, 1), 50), true);
	assert.equal(breaches(p(49, 49, 500), 50), false);
	assert.equal(breaches(p(90, 90, 0), 50), false); // sparse, under 1 s
	assert.equal(breaches(p(7000, 7000, 0), 50), true);
	assert.equal(breaches(p(60, 60, null), 50), true);
	assert.equal(breaches(undefined, 50), false);
});

test("the worst of a span, its edges, and pruning", () => {
	const s = new Store();
	[10, 40, 20].forEach((ms, i) =>
	    s.merge("a", [T0 + i * S], cols(ms, ms, 10)));
	assert.equal(s.worst("a", "read", T0, T0 + 2 * S).ms, 40);
	assert.equal(s.worst("a", "read", T0 + S, T0 + 2 * S).ms, 20);
	assert.equal(s.worst("a", "write", T0 - S, T0 + 2 * S), null); // idle
	s.prune("a", T0 + 65 * 60000 + S);
	assert.equal(s.oldest("a"), T0 + S);
	s.retain(() => false);
	assert.equal(s.newest("a"), null);
});

test("a chart: slots, lanes, gaps and what is missing", () => {
	const now = T0 + 10 * S + 15000;
	const s = new Store();
	// 13:20:20 busy, :40 idle, 21:00 missing, 21:20 < 1 ms, then silence
	s.merge("a", [T0 + S], cols(4, 60, 100));
	s.merge("a", [T0 + 2 * S], cols(0, 0, 0));
	s.merge("a", [T0 + 4 * S], cols(0, 0, 80));
	const v = view.buildView(s, clocksAt(now),
	    [{ ds: ds("a"), style: lineStyle("nfs", 0) }], [], "read",
	    200000 + 15000);
	assert.equal(v.times.length, 10);
	assert.equal(v.times[0], T0 + S);
	assert.equal(v.times[9], T0 + 10 * S);
	const n = null;
	assert.deepEqual(v.lines[0].worst, [60, n, n, 0.5, n, n, n, n, n, n]);
	assert.deepEqual(v.lines[0].mean, [4, n, n, 0.5, n, n, n, n, n, n]);
	assert.deepEqual(v.breach.indexOf(true), 0);
	assert.equal(v.breach.filter(Boolean).length, 1);
	// over 90 s old at 13:23:35: 21:00, 21:40 (115 s), 22:00 (95 s)
	assert.deepEqual(v.missing, ["", "", "all", "", "all", "all", "", "",
	    "", ""]);
	assert.equal(v.peak.t, T0 + S);
});

test("one of two missing is marked apart", () => {
	const s = new Store();
	for (const i of [1, 2, 3])
		s.merge("a", [T0 + i * S], cols(2, 2, 10));
	for (const i of [1, 3])
		s.merge("b", [T0 + i * S], cols(2, 2, 10));
	const style = lineStyle("nfs", 0);
	const v = view.buildView(s, clocksAt(T0 + 3 * S),
	    [{ ds: ds("a"), style }, { ds: ds("b"), style }], [], "read",
	    3 * S);
	assert.deepEqual(v.missing, ["", "some", ""]);
});

test("the axis is common, 1 s at least, and has room above", () => {
	const v = (worst) => ({ lines: [{ worst }], others: null });
	assert.equal(view.commonTop([], []), 1000);
	assert.equal(view.commonTop([v([3, null, 800])], []), 1000);
	assert.equal(view.commonTop([v([950])], []), 2000);
	assert.equal(view.commonTop([v([3]), v([4600])], []), 10000);
	assert.equal(view.commonTop([v([3])], [7000]), 10000);
});

test("who gets a line", () => {
	const list = ["a", "b", "c", "d"].map((id) => ({ id }));
	const bad = { a: 1, b: 9, c: 3, d: 7 };
	assert.deepEqual(view.worstFew(list, 2, (d) => bad[d.id])
	    .map((d) => d.id), ["b", "d"]);
	assert.equal(view.worstFew(list, 9, () => 0).length, 4);
	assert.deepEqual(view.distinct([50, 20, 50, 50, 20, 7]), [50, 20, 7]);
});

test("ages count on the target's clock", () => {
	const c = new Clocks(() => T0);
	// One server's clock is an hour ahead, this computer's 5 s behind.
	const at = (ms) => new Date(ms).toISOString();
	c.learn({ now: at(T0 + 5000), targets: [
		{ name: "far", server_time: at(T0 + 3600e3) },
		{ name: "lab", server_time: at(T0 + 4000) },
		{ name: "new", server_time: null }] });
	assert.equal(c.now("far"), T0 + 3600e3);
	assert.equal(c.now("lab"), T0 + 4000);
	assert.equal(c.now(), T0 + 5000);
	assert.equal(c.now("new"), T0 + 5000);
	assert.equal(c.shift("lab"), 0);
	assert.equal(c.shift("far"), -3600e3);
	c.seen("lab", T0 + S); // cannot be older than its newest sample
	assert.equal(c.now("lab"), T0 + S);
});

/** A peak to hold. */
function peak(more = {}) {
	return { id: "lab:1", op: "write", t: T0, ms: 80, name: "nfs01",
	    host: "esx3", family: "nfs", ...more };
}

function memory() {
	const m = new Map();
	return { getItem: (k) => m.get(k) ?? null,
	    setItem: (k, v) => m.set(k, v) };
}

test("a held peak stays, only a worse one replaces it", () => {
	const h = new HeldPeaks(memory(), () => {});
	assert.equal(h.observe(peak()), true);
	assert.equal(h.observe(peak({ t: T0 + S, ms: 70 })), false);
	assert.equal(h.list()[0].ms, 80);
	assert.equal(h.observe(peak({ t: T0 + S, ms: 90 })), true);
	assert.equal(h.observe(peak({ op: "read", ms: 120 })), true);
	assert.deepEqual(h.list().map((p) => p.ms), [120, 90]);
});

test("a host learned later is filled in", () => {
	const h = new HeldPeaks(memory(), () => {});
	h.observe(peak({ host: "" }));
	assert.equal(h.covers("lab:1", "write", T0, 80), false);
	assert.equal(h.observe(peak()), true);
	assert.equal(h.observe(peak({ host: "" })), false);
	assert.equal(h.list()[0].host, "esx3");
	assert.equal(h.covers("lab:1", "write", T0, 80), true);
});

test("dismissed is dismissed, until it is slow again", () => {
	const store = memory();
	const h = new HeldPeaks(store, () => {});
	h.observe(peak());
	h.dismiss(heldKey("lab:1", "write"), T0 + 3 * S);
	assert.equal(h.list().length, 0);
	assert.equal(h.observe(peak({ t: T0 + 2 * S, ms: 500 })), false);
	const again = new HeldPeaks(store, () => {}); // a reload
	assert.equal(again.observe(peak({ t: T0 + 3 * S })), false);
	assert.equal(again.observe(peak({ t: T0 + 4 * S })), true);
});

test("held peaks survive a reload, rubbish does not matter", () => {
	const store = memory();
	new HeldPeaks(store, () => {}).observe(peak());
	assert.deepEqual(new HeldPeaks(store, () => {}).list(), [peak()]);
	for (const bad of ["{", "null", '{"held":[{"id":1}]}', '{"held":7}']) {
		const h = new HeldPeaks({ getItem: () => bad,
		    setItem: () => { throw new Error("full"); } }, () => {});
		assert.equal(h.list().length, 0);
		assert.equal(h.observe(peak()), true);
	}
});

test("at most a hundred are held, the worst of them", () => {
	const h = new HeldPeaks(memory(), () => {});
	for (let i = 1; i <= 130; i++)
		h.observe(peak({ id: "lab:" + i, ms: 50 + i }));
	assert.equal(h.list().length, 100);
	assert.equal(h.list()[99].ms, 81);
});

test("the sentence under a chart", () => {
	const s = new Store();
	const line = (id) => ({ ds: ds(id), style: lineStyle("nfs", 0) });
	for (const [i, ms] of [90, 60, 83].entries())
		s.merge("nfs02", [T0 + i * S], { ...cols(ms / 2, ms, 100),
		    read_worst_host: ["esx3"] });
	s.merge("nfs01", [T0], cols(2, 3, 100));
	const v = view.buildView(s, clocksAt(T0 + 2 * S + 5000),
	    [line("nfs01"), line("nfs02")], [], "read", 600e3);
	assert.equal(plain(toText(caption(v, "utc"))),
	    "nfs02 now 83 ms on esx3, above 50 ms for 60 s; peak 90 ms at " +
	    "13:20:00Z, host esx3; 60 s over the line in view.");
	const later = view.buildView(s, clocksAt(T0 + 10 * S),
	    [line("nfs01"), line("nfs02")], [], "read", 600e3);
	assert.match(toText(caption(later, "utc")), /^No sample in the last/);
	assert.match(toText(caption(view.buildView(s, clocksAt(T0 + 2 * S),
	    [line("nfs01")], [], "write", 600e3), "utc")),
	    /^No write I\/O now/);
});

test("who is slow now; old values do not count", () => {
	const l = { read_ms: 20, read_worst_ms: 60, read_iops: 100,
	    read_worst_host: "esx1", write_ms: 90, write_worst_ms: 95,
	    write_iops: 100, write_worst_host: "esx2" };
	const slow = slowNow([ds("a", { latest: l, stale_s: 20 }),
	    ds("b", { latest: l, stale_s: 91 }),
	    ds("c", { latest: l, stale_s: 20, threshold_ms: 96 })]);
	assert.deepEqual(slow.map((x) => [x.ds.id, x.op, x.ms, x.host]),
	    [["a", "write", 95, "esx2"], ["a", "read", 60, "esx1"]]);
});

/** An incident as the API has it. */
function incident(id, more = {}) {
	return { id, kind: "slow", state: "announced", severity: "critical",
	    worst_severity: "critical", started: new Date(T0).toISOString(),
	    ended: null, end_reason: null, target: "lab", datastore: "lab:1",
	    datastore_name: "nfs-one", host: null, host_name: null, op: "write",
	    protocol: "nfs3", worst_ms: 83.4, worst_host: "esx3", hosts_n: 2,
	    hosts: [{ name: "esx3" }, { name: "esx4" }], acked: null,
	    ack_by: null, ack_note: null, silenced_by: null, nested_in: null,
	    where: "all 2 hosts", summary: null, backing: null, cluster: null,
	    ...more };
}

test("incidents in words", () => {
	const say = (s) => plain(toText(s));
	const { subject, facts, hands } = incidentwords;
	assert.equal(say(subject(incident(1))), "nfs-one write slow");
	const host = { host: "lab:host-1", host_name: "a\nb" };
	const none = { datastore: null, datastore_name: null, op: null };
	const want = [["no_data", host, "No data of nfs-one on a\\nb"],
	    ["inaccessible", {}, "nfs-one inaccessible"],
	    ["unreachable", { ...none, ...host }, "Host a\\nb unreachable"],
	    ["unreachable", none, "Target lab unreachable"],
	    ["login", none, "Login refused by lab"],
	    ["later", { summary: "what came later" }, "what came later"]];
	for (const [kind, more, text] of want)
		assert.equal(say(subject(incident(1, { kind, ...more }))), text);
	assert.equal(say(facts(incident(1), T0 + 140e3)), "going on, " +
	    "2 min 20 s · worst 83.4 ms on esx3 · 2 hosts · NFS 3 · lab");
	assert.equal(say(facts(incident(1, { state: "ended", hosts_n: 1,
	    ended: new Date(T0 + 60e3).toISOString(), end_reason: "idle",
	    worst_ms: null }), T0 + 9e6)),
	"over: no I/O any more, 60 s · NFS 3 · lab");
	assert.equal(say(hands(incident(1))), "");
	assert.equal(say(hands(incident(1, { acked: "2026-11-30T13:21:00Z",
	    ack_by: "joe", ack_note: "mine", silenced_by: "silence 3" }))),
	"✓ acknowledged by joe: mine · nobody is told (silence 3)");
});

test("a pattern of a name means that name", () => {
	assert.equal(incidentwords.literal("a*b?[c]\\d/e"),
	    "a\\*b\\?\\[c\\]\\\\d/e");
});

test("what goes on: told first, then critical, then the newer", () => {
	const list = new Incidents(() => {});
	const later = new Date(T0 + 60e3).toISOString();
	for (const i of [incident(1, { state: "open" }),
	    incident(2, { severity: "warning", started: later }),
	    incident(3), incident(4, { started: later }),
	    incident(5, { state: "ended" })])
		list.apply({ change: "opened", incident: i });
	assert.deepEqual(list.active().map((i) => i.id), [4, 3, 2, 1]);
	assert.deepEqual(list.ended().map((i) => i.id), [5]);
});

test("bins of the past keep their peak, its host and its time", () => {
	const step = 300e3;
	const past = new Past(clocksAt(T0), () => {});
	past.take({ resolution_s: 300, t: [T0 - step, T0], series: [
		{ metric: "read_ms", datastore: "a", values: [2, 3],
		    max: [400, 9] },
		{ metric: "read_iops", datastore: "a", values: [50, 50],
		    max: [90, 90] },
	] });
	past.peaks = [{ datastore: "a", host: "lab:host-3", host_name: "esx3",
	    op: "read", ms: 400, t: new Date(T0 - step - 40e3).toISOString() }];
	past.namePeaks();
	const v = view.buildView(past.store, clocksAt(T0),
	    [{ ds: ds("a"), style: lineStyle("nfs", 0) }], [], "read", 2 * step);
	assert.equal(v.stepMs, step);
	assert.deepEqual(v.times, [T0 - step, T0]);
	assert.deepEqual(v.lines[0].worst, [400, 9]);
	assert.deepEqual(v.lines[0].mean, [2, 3]);
	assert.deepEqual(v.breach, [true, false]);
	assert.equal(plain(toText(caption(v, "utc"))), "Peak 400 ms at " +
	    "13:14:20Z, host esx3; over the line in 1 of 2 steps of 5 min.");
	assert.equal(past.badness("a", ["read"]), 400);
	assert.equal(past.badness("a", ["write"]), -1);
});
