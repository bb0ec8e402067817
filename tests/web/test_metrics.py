"""test_metrics.py - /metrics, read by promtool and by Prometheus' own client.

Counters start with the process: the hour that was there before must not be in
them, and every slot that became final since must be in them once.
"""

import math
import re
import shutil
import subprocess
import sys
import unittest

import expect as ex
from server import Case

try:
    from prometheus_client.openmetrics.parser import \
        text_string_to_metric_families as openmetrics
    from prometheus_client.parser import \
        text_string_to_metric_families as text_0_0_4
except ImportError:
    print("python3-prometheus-client is missing")
    sys.exit(77)
if shutil.which("promtool") is None:
    print("promtool is missing (Debian: prometheus)")
    sys.exit(77)

OM = "application/openmetrics-text"
POLLED = range(180, 189)


def final(h, d):
    """The slots that are final and no older than the process.

    Host 2 has no latency in slot 179, so its later slots wait until that one
    is 180 s old, which the poll of slot 188 is the first to see.  On datastore
    2 it lacks a rate in slot 187, where it waits again.
    """
    return range(180, 187) if (h, d) == (2, 2) else POLLED


BOUNDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.049, 0.05,
          0.075, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60]
PAIR = {
    "dslat_read_latency_seconds", "dslat_write_latency_seconds",
    "dslat_reads_total", "dslat_writes_total", "dslat_read_seconds_total",
    "dslat_write_seconds_total", "dslat_read_latency_peak_seconds",
    "dslat_write_latency_peak_seconds", "dslat_sample_timestamp_seconds",
    "dslat_device_latency_seconds", "dslat_kernel_latency_seconds",
    "dslat_queue_latency_seconds"}
DATASTORE = {
    "dslat_sample_latency_seconds_bucket", "dslat_sample_latency_seconds_sum",
    "dslat_sample_latency_seconds_count", "dslat_breach_seconds_total",
    "dslat_breaches_total", "dslat_breach_active", "dslat_threshold_seconds",
    "dslat_reads_slow_total", "dslat_writes_slow_total",
    "dslat_datastore_info", "dslat_datastore_accessible"}
OWN = {
    "dslat_target_up", "dslat_poll_duration_seconds", "dslat_polls_total",
    "dslat_poll_failures_total", "dslat_samples_total",
    "dslat_samples_rejected_total", "dslat_loop_stall_seconds_max",
    "dslat_build_info"}


class Metrics(Case):
    def scrape(self, query="", accept=None):
        a = self.get("/metrics" + query,
                     {} if accept is None else {"Accept": accept})
        self.assertEqual(a.status, 200)
        return a

    def samples(self, query=""):
        """{(name, labels): value}; each of them once."""
        out = {}
        text = self.scrape(query).body.decode()
        for family in text_0_0_4(text):
            for s in family.samples:
                key = (s.name, frozenset(s.labels.items()))
                self.assertNotIn(key, out)
                out[key] = s.value
        return out

    def pick(self, samples, name, **labels):
        found = [v for (n, have), v in samples.items() if n == name and
                 set(labels.items()) <= have]
        self.assertLessEqual(len(found), 1, (name, labels))
        return found[0] if found else None


class Formats(Metrics):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for _ in POLLED:
            cls.server.cmd("poll")

    def test_promtool(self):
        for query in ("", "?level=datastore"):
            p = subprocess.run(["promtool", "check", "metrics"],
                               input=self.scrape(query).body,
                               capture_output=True, check=False)
            self.assertEqual((p.returncode, p.stdout, p.stderr),
                             (0, b"", b""))

    def test_text(self):
        a = self.scrape()
        self.assertEqual(a.headers["Content-Type"],
                         "text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(a.headers["Cache-Control"], "no-store")
        self.assertTrue(a.body.endswith(b"\n"))
        self.assertNotIn(b"# EOF", a.body)
        self.assertNotIn(b"# UNIT", a.body)

    def test_openmetrics(self):
        for query in ("", "?level=datastore"):
            a = self.scrape(query, OM)
            self.assertEqual(
                a.headers["Content-Type"],
                "application/openmetrics-text; version=1.0.0; charset=utf-8")
            families = list(openmetrics(a.body.decode()))  # strict
            names = [f.name for f in families]
            self.assertEqual(len(names), len(set(names)))
            for f in families:
                if f.unit:
                    self.assertTrue(f.name.endswith("_" + f.unit), f.name)

    def test_both_formats_have_the_same_series(self):
        def series(parse, body):
            return {(s.name, frozenset(s.labels.items()))
                    for f in parse(body.decode()) for s in f.samples}
        self.assertEqual(series(text_0_0_4, self.scrape().body),
                         series(openmetrics, self.scrape("", OM).body))

    def test_accept(self):
        prometheus = ("application/openmetrics-text;version=1.0.0,"
                      "application/openmetrics-text;version=0.0.1;q=0.75,"
                      "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
        for accept, om in ((prometheus, True), ("*/*", False),
                           ("text/plain", False), ("text/*;q=0.5", False),
                           (OM + ";q=0.1, text/plain", False),
                           (OM + ";q=0", False), (OM + ", */*", True)):
            kind = self.scrape("", accept).headers["Content-Type"]
            self.assertEqual(kind.startswith(OM), om, accept)

    def test_families_are_in_one_piece(self):
        for accept in (None, OM):
            seen, last = set(), None
            for line in self.scrape("", accept).body.decode().splitlines():
                m = re.match(r"# TYPE (\S+) ", line)
                if m:
                    self.assertNotIn(m.group(1), seen)
                    seen.add(m.group(1))
                    last = m.group(1)
                elif not line.startswith("#"):
                    self.assertTrue(line.startswith(last), line)

    def test_names_of_the_contract(self):
        names = {n for n, _ in self.samples()}
        self.assertLessEqual(PAIR | DATASTORE | OWN, names)
        reduced = {n for n, _ in self.samples("?level=datastore")}
        self.assertEqual(reduced, names - PAIR)

    def test_labels(self):
        samples = self.samples()
        for d in range(3):
            for h in range(ex.N_HOSTS[d]):
                labels = {"target": "lab", "datacenter_name": "dc1",
                          "cluster_name": ex.CLUSTERS[h],
                          "ds_name": ex.DS_NAMES[d], "ds_id": ex.DS_IDS[d],
                          "protocol": ex.PROTOCOLS[d],
                          "host_name": ex.NAMES[h],
                          "host_id": ex.HOST_IDS[h]}
                self.assertIn(("dslat_reads_total",
                               frozenset(labels.items())), samples)
        info = [dict(labels) for (n, labels) in samples
                if n == "dslat_datastore_info"]
        self.assertEqual({(i["ds_id"], i["fs"], i["backing"]) for i in info},
                         {(ex.DS_IDS[0], "NFS", "10.0.0.5:/export/gold"),
                          (ex.DS_IDS[1], "VMFS", "naa.6000 via 10.0.0.6:3260"),
                          (ex.DS_IDS[2], "NFS41", ""),
                          (ex.DS_IDS[3], "vsan", "")})

    def test_level(self):
        self.assertEqual(self.scrape("?level=pair").body.count(b"host_id"),
                         self.scrape().body.count(b"host_id"))


class Values(Metrics):
    """One server, looked at before, between and long after polls."""

    def test_life(self):
        self.before()
        for _ in POLLED[:-1]:
            self.server.cmd("poll")
        self.waiting()
        self.server.cmd("poll")
        self.after()
        self.again()
        self.old()

    def before(self):
        """The hour before the start is in no counter."""
        s = self.samples()
        for (name, labels), value in s.items():
            if name in ("dslat_samples_total", "dslat_polls_total") or \
                    name.startswith(("dslat_http", "dslat_loop",
                                     "dslat_sample_gaps",
                                     "dslat_incidents")):
                continue
            if name.endswith(("_total", "_bucket", "_sum", "_count")):
                self.assertEqual(value, 0, (name, labels))
        # the newest sample is there, as of now
        w = ex.Point(0, 1, 179, "write")
        self.assertEqual(self.pick(s, "dslat_write_latency_seconds",
                                   ds_id="lab:61a-b", host_id="lab:host-1"),
                         w.ms / 1000)

    def waiting(self):
        s = self.samples()
        for d in (0, 2):
            self.assertEqual(
                [self.pick(s, "dslat_writes_total", ds_id=ex.DS_IDS[d],
                           host_id=h) > 0 for h in ex.HOST_IDS],
                [True, True, False])

    def after(self):
        s = self.samples()
        for d in range(3):
            for h in range(ex.N_HOSTS[d]):
                for op in ("read", "write"):
                    self.check_pair(s, d, h, op)
                    self.check_layers(s, d, h, op)
            for op in ("read", "write"):
                self.check_datastore(s, d, op)

    def check_pair(self, s, d, h, op):
        pts = [ex.Point(h, d, k, op) for k in final(h, d)]
        key = {"ds_id": ex.DS_IDS[d], "host_id": ex.HOST_IDS[h]}
        self.assertEqual(self.pick(s, f"dslat_{op}s_total", **key),
                         sum(p.weight for p in pts))
        self.assertAlmostEqual(
            self.pick(s, f"dslat_{op}_seconds_total", **key),
            sum(p.ms * p.weight for p in pts) / 1000, 6)
        newest = ex.Point(h, d, POLLED[-1], op)
        self.assertEqual(
            self.pick(s, f"dslat_{op}_latency_seconds", **key),
            newest.ms / 1000 if newest.busy else None)
        self.assertEqual(
            self.pick(s, "dslat_sample_timestamp_seconds", **key),
            ex.end_s(POLLED[-1]))
        window = [ex.Point(h, d, k, op)
                  for k in range(POLLED[-1] - 14, POLLED[-1] + 1)]
        self.assertEqual(
            self.pick(s, f"dslat_{op}_latency_peak_seconds", **key),
            max(p.ms for p in window if p.busy) / 1000)

    def check_layers(self, s, d, h, op):
        """Of the newest sample; the queue's of host 1 lacks one."""
        for layer in ex.LAYERS:
            p = ex.LayerPoint(h, POLLED[-1], layer, op)
            got = self.pick(s, f"dslat_{layer}_latency_seconds", op=op,
                            ds_id=ex.DS_IDS[d], host_id=ex.HOST_IDS[h])
            if d == ex.BLOCK and p.busy:
                self.assertAlmostEqual(got, p.ms / 1000, 6)
            else:
                self.assertIsNone(got)

    def check_datastore(self, s, d, op):
        pts = [p for h in range(ex.N_HOSTS[d])
               for p in ex.points(d, final(h, d), op, [h]) if p.busy]
        key = {"ds_id": ex.DS_IDS[d]}
        name = "dslat_sample_latency_seconds"
        for le in BOUNDS + [math.inf]:
            text = "+Inf" if le == math.inf else str(float(le))
            self.assertEqual(
                self.pick(s, name + "_bucket", op=op, le=text, **key),
                len([p for p in pts if p.ms / 1000 <= le]), (d, op, le))
        self.assertEqual(self.pick(s, name + "_count", op=op, **key),
                         len(pts))
        self.assertAlmostEqual(self.pick(s, name + "_sum", op=op, **key),
                               sum(p.ms for p in pts) / 1000, 6)
        breaching = [any(p.breach() != "none"
                         for p in ex.points(d, [k], op))
                     for k in final(ex.N_HOSTS[d] - 1, d)]
        self.assertEqual(
            self.pick(s, "dslat_breach_seconds_total", op=op, **key),
            20 * sum(breaching))
        self.assertEqual(
            self.pick(s, "dslat_breaches_total", op=op, **key),
            sum(b and not a for a, b in zip([False] + breaching, breaching)))
        self.assertEqual(self.pick(s, "dslat_breach_active", op=op, **key),
                         breaching[-1])
        self.assertEqual(
            self.pick(s, f"dslat_{op}s_slow_total", **key),
            sum(p.weight for p in pts if p.breach() != "none"))
        self.assertEqual(self.pick(s, "dslat_threshold_seconds", **key), 0.05)
        self.assertEqual(self.pick(s, "dslat_datastore_accessible", **key), 1)

    def again(self):
        """Asking twice counts nothing twice."""
        def counters():
            return {k: v for k, v in self.samples().items()
                    if not k[0].startswith(("dslat_http", "dslat_loop"))}
        self.assertEqual(counters(), counters())

    def old(self):
        """A sample is not the newest for ever; its time says how old."""
        self.server.cmd("advance 100")
        s = self.samples()
        names = {n for n, _ in s}
        self.assertNotIn("dslat_write_latency_seconds", names)
        self.assertIn("dslat_write_latency_peak_seconds", names)
        self.assertIn("dslat_sample_timestamp_seconds", names)
        self.server.cmd("advance 300")
        names = {n for n, _ in self.samples()}
        self.assertNotIn("dslat_write_latency_peak_seconds", names)
        self.assertIn("dslat_writes_total", names)
        self.assertEqual(
            self.pick(self.samples(), "dslat_target_up", target="lab"), 1)
        self.server.cmd("error no route to host")
        self.assertEqual(
            self.pick(self.samples(), "dslat_target_up", target="lab"), 0)


class Empty(Metrics):
    args = ("--empty",)

    def test_empty(self):
        for accept in (None, OM):
            body = self.scrape("", accept).body
            self.assertIn(b"dslat_build_info", body)
            self.assertNotIn(b"ds_id", body)
        p = subprocess.run(["promtool", "check", "metrics"],
                           input=self.scrape().body, capture_output=True,
                           check=False)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (0, b"", b""))
        list(openmetrics(self.scrape("", OM).body.decode()))


if __name__ == "__main__":
    unittest.main()
