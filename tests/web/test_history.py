"""test_history.py - answers over hours, of which the rings hold one.

The server has a store, in which the real writer puts what is polled: 780 slots
whose values are the formulas of site.c.  What must come back is computed anew
by expect.py.
"""

import math
import os
import random
import shutil
import tempfile
import unittest

import expect as ex
from server import T0, Case, Server, quote

N = 780  # slots 0..779: 11:00 to 15:20
END = ex.end_s(N - 1)
START = T0 - 3600
METRICS = ("read_ms", "write_ms", "read_iops", "write_iops",
           "read_bytes_per_s", "write_bytes_per_s")


def rfc3339(s):
    import datetime
    t = datetime.datetime.fromtimestamp(s, datetime.timezone.utc)
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


def make_folder():
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.mkdtemp(prefix="dslat-", dir=base)


class Stored(Case):
    """A server whose store has all of it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = make_folder()
        cls.server = Server("--store", cls.folder, "127.0.0.1:0")
        cls.get = cls.server.get
        cls.api = cls.server.api
        cls.server.cmd(f"polls {N - 180}")
        cls.server.cmd("settle")

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.folder)

    def ask(self, path):
        """An answer; only short ones are held against openapi.json."""
        a = self.get(path)
        self.assertEqual(a.status, 200, a.body[:500])
        return self.api(path) if len(a.body) < 20000 else a.json()

    # ---- series ----

    def series(self, query, d, hosts=None, newest=N):
        a = self.ask(f"/api/v1/series?datastore={quote(ex.DS_IDS[d])}"
                     f"&metric={','.join(METRICS)}" + query)
        self.assertIsNone(a["partial"])
        self.assertEqual([r["metric"] for r in a["series"]], list(METRICS))
        res = a["resolution_s"]
        for row in a["series"]:
            self.assertEqual(row["datastore"], ex.DS_IDS[d])
            for i, end_ms in enumerate(a["t"]):
                last = ex.slot_at(end_ms // 1000)
                ks = range(max(last - res // 20 + 1, 0),
                           min(last + 1, newest))
                self.check_bin(row, i, d, ks, hosts)
        return a

    def check_bin(self, row, i, d, ks, hosts):
        op = row["metric"].split("_")[0]
        got = [row[c][i] for c in ("values", "max", "min", "n")]
        if row["metric"].endswith("_ms"):
            pts = ex.points(d, ks, op, hosts)
            busy = [p.ms for p in pts if p.busy]
            m = ex.mean(pts)
            want = [m, max(busy, default=m), min(busy, default=m),
                    len([p for p in pts if p.load != "missing"])]
        else:
            f = ex.rate if row["metric"].endswith("_iops") else ex.bytes_per_s
            v = [f(ex.points(d, [k], op, hosts)) for k in ks]
            v = [x for x in v if x is not None]
            want = [sum(v) / len(v), max(v), min(v), len(v)] if v else \
                [None, None, None, 0]
        for g, w in zip(got, want):
            if w is None:
                self.assertIsNone(g, (row["metric"], i, ks))
            else:
                self.assertIsNotNone(g, (row["metric"], i, ks))
                self.assertTrue(math.isclose(g, w, abs_tol=0.0011),
                                (row["metric"], i, ks, got, want))

    # ---- groups ----

    def check_groups(self, by, first, last, allowed=()):
        keys = {
            "protocol": lambda p: ex.PROTOCOLS[p.ds],
            "family": lambda p: {"nfs3": "nfs", "nfs41": "nfs"}.get(
                ex.PROTOCOLS[p.ds], ex.PROTOCOLS[p.ds]),
            "cluster": lambda p: ex.CLUSTERS[p.host],
            "host": lambda p: ex.NAMES[p.host],
        }
        want = {}
        for d in range(3):
            for op in ("read", "write"):
                for p in ex.points(d, range(first, last + 1), op):
                    if p.busy:
                        want.setdefault(keys[by](p), {}) \
                            .setdefault(op, []).append(p)
        a = self.ask(f"/api/v1/groups?by={by}&from={ex.end_s(first - 1)}"
                     f"&to={ex.end_s(last)}")
        self.assertIsNone(a["partial"])
        got = {g["name"]: g for g in a["items"]}
        self.assertEqual(set(want), set(got) - set(allowed))
        for name, ops in want.items():
            for op, pts in ops.items():
                self.check_group(got[name][op], pts)

    def check_group(self, g, pts):
        values = sorted(p.ms for p in pts)
        self.assertEqual(g["n"], len(pts))
        self.assertEqual(g["ios"], sum(p.weight for p in pts))
        self.assertAlmostEqual(g["mean_ms"], ex.mean(pts), 2)
        self.assertEqual(g["max_ms"], values[-1])
        self.assertEqual(g["over_s"],
                         20 * len([p for p in pts if p.breach() != "none"]))
        for q in (50, 90, 95, 99):
            exact = values[math.ceil(len(values) * q / 100) - 1]
            self.assertGreaterEqual(g[f"p{q}_ms"], exact)
            self.assertLessEqual(g[f"p{q}_ms"],
                                 min(exact * 1.033 + 0.001, values[-1]))
        self.assertIn((g["max_host"], g["max_datastore_id"], g["max_t"]),
                      [(ex.NAMES[p.host], ex.DS_IDS[p.ds],
                        rfc3339(ex.end_s(p.k))) for p in pts
                       if p.ms == values[-1]])

    # ---- peaks ----

    def check_peaks(self, first, last, limit):
        pts = [p for d in range(3) for op in ("read", "write")
               for p in ex.points(d, range(first, last + 1), op) if p.busy]
        pts.sort(key=lambda p: (-p.ms, -p.k))
        a = self.ask(f"/api/v1/peaks?limit={limit}"
                     f"&from={ex.end_s(first - 1)}&to={ex.end_s(last)}")
        self.assertIsNone(a["partial"])
        self.assertEqual([(i["ms"], i["t"]) for i in a["items"]],
                         [(p.ms, rfc3339(ex.end_s(p.k)))
                          for p in pts[:limit]])
        known = {(ex.DS_IDS[p.ds], ex.HOST_IDS[p.host], p.op,
                  rfc3339(ex.end_s(p.k))): p for p in pts}
        for i in a["items"]:
            p = known[i["datastore"], i["host"], i["op"], i["t"]]
            self.assertEqual(i["ms"], p.ms)
            self.assertEqual(i["breach"], p.breach())
            self.assertEqual(i["ios"],
                             None if p.rate is None else p.rate * 20)
            self.assertEqual(i["host_name"], ex.NAMES[p.host])
            self.assertEqual(i["datastore_name"], ex.DS_NAMES[p.ds])
            self.assertEqual(i["protocol"], ex.PROTOCOLS[p.ds])
            self.assertEqual(i["worst_of_s"], 20)


class Whole(Stored):
    def test_every_sample(self):
        for d in range(3):
            a = self.series(f"&from={START}&to={END}", d)
            self.assertEqual(a["resolution_s"], 20)
            self.assertEqual(len(a["t"]), N)

    def test_bins(self):
        for points, res in ((500, 40), (260, 60), (130, 120), (100, 180),
                            (60, 300), (30, 600), (6, 2700), (5, 3600),
                            (2, 10800), (1, 21600)):
            a = self.series(f"&from={START}&to={END}&points={points}", 0)
            self.assertEqual(a["resolution_s"], res)

    def test_one_host(self):
        for h in range(3):
            a = self.series(f"&from={START}&to={END}&points=60"
                            f"&host={quote(ex.HOST_IDS[h])}", 2, hosts=[h])
            self.assertEqual(a["series"][0]["host_name"], ex.NAMES[h])

    def test_any_span(self):
        """No peak is lost: max over max[] is the worst sample."""
        rnd = random.Random(7)
        for _ in range(25):
            first, last = sorted(rnd.sample(range(N), 2))
            d = rnd.randrange(3)
            a = self.series(f"&from={ex.end_s(first - 1)}&to={ex.end_s(last)}"
                            f"&points={rnd.randint(1, 400)}", d)
            n = len(a["t"]) * a["resolution_s"] // 20
            begin = ex.slot_at(a["t"][-1] // 1000) - n + 1
            for row in a["series"][:2]:
                pts = [p.ms for p in
                       ex.points(d, range(max(begin, 0),
                                          min(begin + n, N)),
                                 row["metric"].split("_")[0]) if p.busy]
                self.assertEqual(
                    max((v for v in row["max"] if v is not None),
                        default=None), max(pts, default=None))

    def test_before_everything(self):
        a = self.series("&from=1&to=now&points=500", 1)
        self.assertGreaterEqual(a["resolution_s"], 86400)
        self.series(f"&from={START - 90000}&to={START - 86400}", 1)
        self.series(f"&from={START - 9 * 86400}&to={END}", 1)

    def test_nobody_ever(self):
        s = "/api/v1/series?datastore="
        p = self.api(s + "lab:61a-c&from=-3h", 404)
        self.assertIn("61a-b", p["detail"])
        self.api(s + "lab:61a-b&host=lab:host-9&from=-3h", 404)
        self.api(s + "lab:61a-b&host=lab:host-3&from=-3h", 422)

    def test_groups(self):
        for by in ("protocol", "family", "cluster", "host"):
            for first, last in ((0, N - 1), (0, 179), (17, 400), (200, 210),
                                (N - 30, N - 1), (359, 541)):
                self.check_groups(by, first, last, ("vsan",))

    def test_peaks(self):
        for first, last in ((0, N - 1), (17, 400), (181, 185), (700, N - 1)):
            for limit in (1, 20, 1000):
                self.check_peaks(first, last, limit)


class Gone(Stored):
    """The target is removed: all of it comes from the store."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.cmd("forget")

    def test_series(self):
        self.assertEqual(self.api("/api/v1/datastores")["items"], [])
        a = self.series(f"&from={START}&to={END}", 1)
        self.assertEqual(len(a["t"]), N)
        self.assertEqual(a["series"][0]["datastore_name"], ex.DS_NAMES[1])
        a = self.series(f"&from={START}&to={END}&points=20"
                        f"&host={quote(ex.HOST_IDS[2])}", 2, hosts=[2])
        self.assertEqual(a["series"][0]["host_name"], ex.NAMES[2])
        self.api("/api/v1/series?datastore=lab:nothing", 404)
        self.api("/api/v1/series?datastore=lab:61a-b&host=lab:host-3", 422)

    def test_walks(self):
        self.check_groups("host", 0, N - 1)
        self.check_groups("protocol", 100, 650)
        self.check_peaks(0, N - 1, 50)


class Again(Stored):
    """Another process, which never saw the hosts, has the same answers."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        assert cls.server.stop() == 0
        cls.server = Server("--empty", "--store", cls.folder, "127.0.0.1:0")
        cls.get = cls.server.get
        cls.api = cls.server.api

    def test_same(self):
        for d in range(3):
            self.series(f"&from={START}&to={END}&points=300", d)
        self.check_groups("cluster", 0, N - 1)
        self.check_peaks(0, N - 1, 20)


class Broken(Case):
    """A store that does not work costs the past, not the present."""

    args = ("--store", "/proc/nothing")

    def test_newest_hour(self):
        a = self.api(f"/api/v1/series?datastore=lab:61a-b&from={START}")
        self.assertIsNone(a["partial"])
        self.assertEqual(sum(n != 0 for n in a["series"][0]["n"]), 180)
        for path in ("groups", "peaks"):
            a = self.api(f"/api/v1/{path}?from={START}")
            self.assertIsNone(a["partial"])
            self.assertGreaterEqual(len(a["items"]), 3)

    def test_older(self):
        since = f"from={START - 36000}&to={T0}"
        a = self.api(f"/api/v1/series?datastore=lab:61a-b&{since}")
        self.assertIn("/proc/nothing", a["partial"])
        self.assertEqual(sum(n != 0 for n in a["series"][0]["n"]), 180)
        whole = self.api(f"/api/v1/groups?from={START}&to={T0}")["items"]
        a = self.api("/api/v1/groups?" + since)
        self.assertIn("/proc/nothing", a["partial"])
        self.assertEqual(a["items"], whole)
        whole = self.api(f"/api/v1/peaks?from={START}&to={T0}")["items"]
        a = self.api("/api/v1/peaks?" + since)
        self.assertIn("/proc/nothing", a["partial"])
        self.assertEqual(a["items"], whole)

    def test_unknown(self):
        p = self.api("/api/v1/series?datastore=lab:old", 503)
        self.assertIn("/proc/nothing", p["detail"])


class BrokenLater(Case):
    """The newest 64 minutes, wherever an hour begins in them."""

    args = ("--store", "/proc/nothing")

    def test_half_past(self):
        self.server.cmd("polls 90")
        newest = 179 + 90
        first = newest - 191
        since = f"from={ex.end_s(first - 1)}&to={ex.end_s(newest)}"
        for path, partial in ((since, False),
                              (since.replace(str(ex.end_s(first - 1)),
                                             str(ex.end_s(first - 2))), True)):
            a = self.api("/api/v1/series?datastore=lab:61a-b&" + path)
            self.assertEqual(a["partial"] is not None, partial)
            self.assertEqual(sum(n != 0 for n in a["series"][0]["n"]), 192)
            for what in ("groups", "peaks"):
                a = self.api(f"/api/v1/{what}?{path}")
                self.assertEqual(a["partial"] is not None, partial)
        body = self.get("/api/v1/export?datastore=lab:61a-b&" + since).body
        self.assertEqual(body.count(b"\n"), 1 + 2 * 192)


if __name__ == "__main__":
    unittest.main()
