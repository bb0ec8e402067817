"""test_compare.py - /api/v1/compare against the same reckoned by brute force.

The samples are the formulas of site.c (expect.py); Mann-Whitney and the
bootstrap are written down here a second time on plain lists.  That they agree
with scipy and numpy is tested in tests/unit/test_stats.c.
"""

import math
import random
import statistics
import unittest

import expect as ex
from server import T0, Case, quote
from test_api import rfc3339
from test_history import END, START, Stored

HOUR = (T0 - 3600, T0)
ALL = [(h, d) for d in range(3) for h in range(ex.N_HOSTS[d])]
NFS = [(h, d) for h, d in ALL if ex.PROTOCOLS[d].startswith("nfs")]
# vSAN has pairs and no samples: what it adds to these sides.
VSAN = {"host:lab:host-2": 1, "cluster:prod": 2, "target:lab": 2}
ISCSI = [(h, d) for h, d in ALL if ex.PROTOCOLS[d] == "iscsi"]


def slots(span):
    """Those that end in (from, to] and that the rings hold."""
    return range(max(ex.slot_at(span[0]) + 1, 0), ex.slot_at(span[1]) + 1)


def samples(pairs, span, op):
    """Slot -> (weighted mean, I/Os) over the pairs with min_ios."""
    found = {}
    for k in slots(span):
        pts = [ex.Point(h, d, k, op) for h, d in pairs]
        pts = [p for p in pts
               if p.load == "normal" and p.weight >= ex.MIN_IOS]
        if pts:
            ios = sum(p.weight for p in pts)
            found[k] = (sum(p.ms * p.weight for p in pts) / ios, ios)
    return found


def bins(pairs, span, op):
    """The same of 5 minutes: bin -> (weighted mean, I/Os per 20 s)."""
    found = {}
    for h, d in pairs:
        mine = {}
        for k in slots(span):
            p = ex.Point(h, d, k, op)
            if p.busy:  # slot 179 ends on a multiple of 5 minutes
                mine.setdefault((k - 180) // 15, []).append(p)
        for b, pts in mine.items():
            if sum(p.weight for p in pts) >= ex.MIN_IOS * 15:
                found.setdefault(b, []).extend(pts)
    return {b: (ex.mean(pts), sum(p.weight for p in pts) / 15)
            for b, pts in sorted(found.items())}


def mann_whitney(a, b):
    u = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    n, both = len(a) + len(b), a + b
    ties = sum(t ** 3 - t for t in (both.count(v) for v in set(both)))
    sd = math.sqrt(len(a) * len(b) / 12 * (n + 1 - ties / n / (n - 1)))
    z = (abs(u - len(a) * len(b) / 2) - 0.5) / sd
    return u, min(1, math.erfc(z / math.sqrt(2)))


def bootstrap(values, n_resamples):
    """Medians of resamples of slot -> value, sorted; how many blocks."""
    ks = sorted(values)
    windows = [[values[k] for k in range(w, w + 15) if k in values]
               for w in range(ks[0] - 14, ks[-1] + 1)]
    windows = [w for w in windows if w]
    rng = random.Random(1)
    medians = []
    for _ in range(n_resamples):
        got = []
        while len(got) < len(ks):
            got += rng.choice(windows)
        medians.append(statistics.median(got))
    return sorted(medians), len(windows) / 15


class Checks:
    def compare(self, a, b, **spans):
        more = "".join(f"&{k}={v}" for k, v in spans.items())
        return self.api(f"/api/v1/compare?a={quote(a)}&b={quote(b)}{more}")

    def check_figures(self, got, pairs, span, op):
        pts = [ex.Point(h, d, k, op) for h, d in pairs for k in slots(span)]
        pts = [p for p in pts if p.busy]
        self.assertEqual(got["n"], len(pts))
        self.assertEqual(got["ios"], sum(p.weight for p in pts))
        self.assertAlmostEqual(got["mean_ms"], ex.mean(pts), 2)
        worst = max(pts, key=lambda p: (p.ms, p.k))
        self.assertEqual(got["max_ms"], worst.ms)
        self.assertEqual(got["max_t"], rfc3339(ex.end_s(worst.k)))
        same = [p for p in pts if (p.ms, p.k) == (worst.ms, worst.k)]
        self.assertIn((got["max_host_id"], got["max_host"],
                       got["max_datastore_id"], got["max_datastore"]),
                      [(ex.HOST_IDS[p.host], ex.NAMES[p.host],
                        ex.DS_IDS[p.ds], ex.DS_NAMES[p.ds]) for p in same])
        self.assertEqual(got["over_s"],
                         20 * sum(p.breach() != "none" for p in pts))
        self.assertEqual(got["threshold_ms"], ex.WARNING_MS)
        by_ms = sorted(p.ms for p in pts)
        for name, q in (("p50", .5), ("p90", .9), ("p95", .95), ("p99", .99)):
            exact = by_ms[math.ceil(q * len(by_ms)) - 1]
            self.assertTrue(exact <= got[name + "_ms"] <= exact * 1.032)
        e = got["exceedance"]
        for ms, share in zip(e["ms"], e["share_ratio"]):
            self.assertGreaterEqual(
                share + 6e-4, sum(v >= ms for v in by_ms) / len(by_ms))
            self.assertLessEqual(
                share - 6e-4, sum(v >= ms * .968 for v in by_ms) / len(by_ms))
        self.assertEqual(len(e["ms"]), 10)

    def check_load(self, got, key, found):
        want = statistics.mean(ios / 20 for _, ios in found)
        self.assertAlmostEqual(got[key], want, 2)

    def check_verdict(self, got):
        least = max(0.5, 0.05 * min(got["a_median_ms"], got["b_median_ms"]))
        self.assertAlmostEqual(got["least_ms"], least, 2)
        want = "none"
        if got["a_n"] < 30 or got["b_n"] < 30:
            want = "too_few"
        elif abs(got["difference_ms"]) >= got["least_ms"]:
            want = ("a_slower" if got["low_ms"] > 0 else
                    "b_slower" if got["high_ms"] < 0 else "none")
        self.assertEqual(got["verdict"], want)

    def check_samples(self, got, a, b):
        u, p = mann_whitney(a, b)
        self.assertEqual(got["a_n"], len(a))
        self.assertEqual(got["b_n"], len(b))
        self.assertAlmostEqual(got["a_median_ms"], statistics.median(a), 2)
        self.assertAlmostEqual(got["b_median_ms"], statistics.median(b), 2)
        self.assertAlmostEqual(got["a_mean_ms"], statistics.mean(a), 2)
        self.assertAlmostEqual(got["b_mean_ms"], statistics.mean(b), 2)
        self.assertEqual(got["u"], u)
        self.assertAlmostEqual(got["p"] / p, 1, 9)
        self.assertAlmostEqual(got["effect"], u / len(a) / len(b), 9)
        self.assertAlmostEqual(
            got["ratio"], statistics.median(a) / statistics.median(b), 2)

    def check_paired(self, got, a, b):
        both = sorted(set(a) & set(b))
        self.check_samples(got, [a[k][0] for k in both],
                           [b[k][0] for k in both])
        differences = {k: a[k][0] - b[k][0] for k in both}
        self.assertAlmostEqual(got["difference_ms"],
                               statistics.median(differences.values()), 2)
        self.check_load(got, "a_iops", [a[k] for k in both])
        self.check_load(got, "b_iops", [b[k] for k in both])
        if len(both) >= 30:
            self.check_interval(got, differences)
        self.check_verdict(got)

    def check_interval(self, got, differences):
        medians, blocks = bootstrap(differences, 2000)
        # Student's t at 97.5 % over the normal's, for 4 to 20 blocks (t: 3.182
        # with 3 degrees of freedom, 2.093 with 19), or for more
        self.assertGreaterEqual(blocks, 4)
        many = 2.093 / 1.960 * math.sqrt(20 / 19)
        few = 3.182 / 1.960 * math.sqrt(4 / 3)
        narrow, wide = (many, few) if blocks <= 20 else (1, many)
        middle = statistics.median(differences.values())

        # 2,000 resamples here and there: 5 standard deviations of both in rank
        by = 5 * math.sqrt(2 * 0.025 * 0.975 * 2000)

        def arm(q, by):
            i = round(q * 1999 + by)
            return abs(medians[min(max(i, 0), 1999)] - middle)
        low, high = middle - got["low_ms"], got["high_ms"] - middle
        self.assertLessEqual(low, arm(0.025, -by) * wide + 1e-3)
        self.assertGreaterEqual(low, arm(0.025, by) * narrow - 1e-3)
        self.assertLessEqual(high, arm(0.975, by) * wide + 1e-3)
        self.assertGreaterEqual(high, arm(0.975, -by) * narrow - 1e-3)

    def check_all(self, answer, a, b, span):
        self.assertTrue(answer["paired"])
        self.assertEqual(answer["resolution_s"], 20)
        self.assertIsNone(answer["partial"])
        for name, pairs in (("a", a), ("b", b)):
            side = answer[name]
            self.assertEqual(side["pairs_n"], len(pairs) + VSAN.get(
                side["side"], 0))
            self.assertEqual(side["from"], rfc3339(span[0]))
            self.assertEqual(side["to"], rfc3339(span[1]))
            for op in ("read", "write"):
                self.check_figures(side[op], pairs, span, op)
                found = samples(pairs, span, op)
                self.assertEqual(side[op]["samples_n"], len(found))
        for op in ("read", "write"):
            self.check_paired(answer[op], samples(a, span, op),
                              samples(b, span, op))


class Compare(Checks, Case):
    def test_families(self):
        v = self.compare("family:nfs", "family:iscsi",
                         **{"from": HOUR[0], "to": HOUR[1]})
        self.check_all(v, NFS, ISCSI, HOUR)
        self.assertEqual((v["a"]["name"], v["b"]["name"]), ("NFS", "iSCSI"))
        self.assertEqual(v["a"]["write"]["hosts_n"], 3)
        w = v["write"]
        self.assertEqual(w["verdict"], "a_slower")
        self.assertTrue(w["sentence"].startswith(
            f"NFS writes were {w['difference_ms']:.1f} ms slower than iSCSI "
            f"(95 % interval {w['low_ms']:.1f} to {w['high_ms']:.1f} ms, "
            f"n = {w['a_n']} paired 20 s samples); "), w["sentence"])
        self.assertTrue(any("NFS did 2.9 times as many writes" in t
                            for t in w["warnings"]), w["warnings"])
        turned = self.compare("family:iscsi", "family:nfs",
                              **{"from": HOUR[0], "to": HOUR[1]})
        self.check_all(turned, ISCSI, NFS, HOUR)
        self.assertEqual(turned["write"]["verdict"], "b_slower")
        self.assertTrue(turned["write"]["sentence"].startswith(
            f"NFS writes were {w['difference_ms']:.1f} ms slower than iSCSI"))

    def test_now(self):
        """Without times: the last hour."""
        v = self.compare("family:nfs", "family:iscsi")
        same = self.compare("family:nfs", "family:iscsi",
                            **{"from": "now-1h", "to": "now"})
        self.assertEqual(v["write"], same["write"])
        self.check_paired(v["write"], samples(NFS, HOUR, "write"),
                          samples(ISCSI, HOUR, "write"))

    def test_sides(self):
        span = (T0 - 1800, T0 - 20)
        times = {"from": span[0], "to": span[1]}
        sides = {
            "protocol:nfs3": [p for p in ALL if p[1] == 0],
            "datastore:" + ex.DS_IDS[2]: [p for p in ALL if p[1] == 2],
            "host:lab:host-2": [p for p in ALL if p[0] == 1],
            "cluster:test": [p for p in ALL if p[0] == 2],
            "cluster:prod": [p for p in ALL if p[0] != 2],
            "target:lab": ALL,
            "family:nfs,host:lab:host-1": [p for p in NFS if p[0] == 0],
            "host:lab:host-2,datastore:" + ex.DS_IDS[0]: [(1, 0)],
        }
        for side, pairs in sides.items():
            v = self.compare(side, "protocol:iscsi", **times)
            self.assertEqual(v["a"]["side"], side)
            self.check_all(v, pairs, ISCSI, span)
        v = self.compare("host:lab:host-3", "datastore:" + ex.DS_IDS[1],
                         **times)
        self.assertEqual(v["a"]["name"], ex.NAMES[2])
        self.assertEqual(v["b"]["name"], "iscsi-01")
        self.assertTrue(any("hosts" in t or "host only" in t
                            for t in v["write"]["warnings"]), v["write"])
        v = self.compare("target:lab", "protocol:iscsi", **times)
        self.assertTrue(any("2 (host, datastore) pairs are on both sides" in t
                            for t in v["write"]["warnings"]), v["write"])

    def test_before_and_after(self):
        before, after = (T0 - 3600, T0 - 2400), (T0 - 1200, T0)
        v = self.compare("family:nfs", "family:nfs", a_from=before[0],
                         a_to=before[1], b_from=after[0])
        self.assertFalse(v["paired"])
        self.assertEqual(v["b"]["to"], v["b"]["to"])
        self.assertEqual((v["a"]["name"], v["b"]["name"]),
                         ("NFS (before)", "NFS (after)"))
        for op in ("read", "write"):
            a = samples(NFS, before, op)
            b = samples(NFS, after, op)
            self.check_figures(v["a"][op], NFS, before, op)
            self.check_samples(v[op], [x for x, _ in a.values()],
                               [x for x, _ in b.values()])
            self.assertAlmostEqual(
                v[op]["difference_ms"],
                v[op]["a_median_ms"] - v[op]["b_median_ms"], 2)
            self.check_load(v[op], "a_iops", list(a.values()))
            self.assertIn(f"n = {len(a)} and {len(b)} 20 s samples, not paired",
                          v[op]["sentence"])
            self.check_verdict(v[op])

    def test_too_few(self):
        span = (T0 - 400, T0)
        v = self.compare("family:nfs", "family:iscsi",
                         **{"from": span[0], "to": span[1]})
        self.check_all(v, NFS, ISCSI, span)
        self.assertEqual(v["write"]["verdict"], "too_few")
        self.assertIsNone(v["write"]["low_ms"])
        self.assertEqual(
            v["write"]["sentence"],
            "no difference shown: 20 paired 20 s samples in which writes of "
            "both NFS and iSCSI have enough I/O (min_ios); 30 are needed")

    def test_nothing(self):
        v = self.compare("family:fc", "family:nfs")
        self.assertEqual(v["a"]["pairs_n"], 0)
        self.assertEqual(v["read"]["sentence"],
                         "no difference shown: no host and datastore belong "
                         "to Fibre Channel")
        for key in ("a_median_ms", "p", "effect", "difference_ms", "ratio",
                    "a_iops"):
            self.assertIsNone(v["read"][key], key)
        self.assertIsNone(v["a"]["read"]["max_ms"])
        self.assertIsNone(v["a"]["read"]["max_t"])
        v = self.compare("datastore:lab:vsan-1", "family:nfs")
        self.assertEqual(v["a"]["pairs_n"], 2)
        self.assertIn("vsanDatastore has no 20 s samples of writes",
                      v["write"]["sentence"])
        v = self.compare("family:nfs", "family:iscsi",
                         **{"from": T0 - 90000, "to": T0 - 80000})
        self.assertEqual(v["write"]["verdict"], "too_few")
        self.assertIn("NFS has no 20 s samples of writes",
                      v["write"]["sentence"])

    def refuse(self, query, status, parameter, text):
        p = self.api("/api/v1/compare?" + query, status)
        self.assertEqual(p["errors"][0]["parameter"], parameter)
        self.assertIn(text, p["detail"])

    def test_refused(self):
        self.refuse("b=family:nfs", 400, "a", "missing")
        self.refuse("a=family:nfs", 400, "b", "missing")
        self.refuse("a=nfs&b=family:iscsi", 400, "a", "family:")
        self.refuse("a=family:smb&b=family:nfs", 400, "a", "family")
        self.refuse("a=family:nfs&b=protocol:nfs", 400, "b", "protocol")
        self.refuse("a=family:nfs,family:fc&b=family:nfs", 400, "a", "twice")
        self.refuse("a=family:&b=family:nfs", 400, "a", "nothing follows")
        self.refuse("a=datastore:lab:e3&b=family:nfs", 404, "a", "lab:e2")
        self.refuse("a=family:nfs&b=host:lab:host-9", 404, "b", "lab:host-")
        self.refuse("a=family:nfs&b=target:la", 404, "b", "no target")
        self.refuse(f"a=family:nfs&b=family:fc&a_from={T0}&a_to={T0 - 9}", 422,
                    "a_from", "before a_to")
        self.refuse("a=family:nfs&b=family:fc&b_to=x", 400, "b_to", "no time")


class Past(Checks, Stored):
    """Hours, of which the rings hold one."""

    def check_span(self, span, a="family:nfs", b="family:iscsi", pairs=NFS):
        v = self.compare(a, b, **{"from": span[0], "to": span[1]})
        self.check_all(v, pairs, ISCSI, span)
        return v

    def test_spans(self):
        for span in ((START, END), (START + 7 * 20, START + 2900),
                     (END - 4000, END - 20), (END - 2400, END),
                     (START - 5000, END)):
            self.check_span(span)
        self.check_span((START, END), a="host:lab:host-3,family:nfs",
                        pairs=[p for p in NFS if p[0] == 2])

    def test_before_and_after(self):
        before, after = (START, START + 3600), (END - 1200, END)
        v = self.compare("family:nfs", "family:nfs", a_from=before[0],
                         a_to=before[1], b_from=after[0], b_to=after[1])
        for op in ("read", "write"):
            self.check_figures(v["a"][op], NFS, before, op)
            self.check_figures(v["b"][op], NFS, after, op)
            self.check_samples(
                v[op], [x for x, _ in samples(NFS, before, op).values()],
                [x for x, _ in samples(NFS, after, op).values()])

    def test_unknown(self):
        self.api("/api/v1/compare?a=family:nfs&b=datastore:lab:e3", 404)
        self.api("/api/v1/compare?a=family:nfs&b=target:old", 404)

    def test_zz_gone(self):
        """The target is removed: all of it comes from the store."""
        self.server.cmd("forget")
        VSAN.clear()
        self.check_span((START, END))
        v = self.check_span((START + 400, END - 400),
                            a="datastore:" + ex.DS_IDS[2],
                            pairs=[p for p in ALL if p[1] == 2])
        self.assertEqual(v["a"]["name"], ex.DS_NAMES[2])


class Retired(Checks, Stored):
    """More than a week later: the samples are gone, the bins are not."""

    def test_bins(self):
        self.server.cmd("skip 35000")
        self.server.cmd("polls 400")  # ages count from whole hours
        self.server.cmd("settle")
        # what was asked for is widened to whole bins
        v = self.compare("family:nfs", "family:iscsi",
                         **{"from": START + 340, "to": END - 20})
        span = (START + 300, END)
        self.assertEqual(v["resolution_s"], 300)
        self.assertTrue(v["paired"])
        for op in ("read", "write"):
            for name, pairs in (("a", NFS), ("b", ISCSI)):
                self.assertEqual(v[name]["from"], rfc3339(span[0]))
                self.assertEqual(v[name]["to"], rfc3339(span[1]))
                self.check_figures(v[name][op], pairs, span, op)
            self.check_paired(v[op], bins(NFS, span, op),
                              bins(ISCSI, span, op))
            self.assertIn("paired means of 5 min)", v[op]["sentence"])


if __name__ == "__main__":
    unittest.main()
