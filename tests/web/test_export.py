"""test_export.py - every sample once, in four formats.

The site, its store and the formulas of its values are those of
test_history.py; each format is read back by a reader of its own.
"""

import csv
import gzip
import io
import json
import re
import unittest

import expect as ex
from server import T0, Case, quote
from test_history import END, N, START, Stored, rfc3339

FIELDS = ("read_ms", "write_ms", "read_iops", "write_iops",
          "read_bytes_per_s", "write_bytes_per_s")
COLUMNS = ("time_utc", "target", "datacenter", "host", "datastore",
           "protocol") + FIELDS


def wanted(first=0, last=N - 1, ds=range(3), hosts=range(3)):
    """{(datastore, host, slot): the six values}"""
    out = {}
    for d in ds:
        for h in hosts:
            if h >= ex.N_HOSTS[d]:
                continue
            for k in range(first, last + 1):
                r = ex.point(h, d, k, "read")
                w = ex.point(h, d, k, "write")
                out[d, h, k] = (
                    None if r.load == "missing" else r.ms,
                    None if w.load == "missing" else w.ms,
                    r.rate, w.rate, r.kib * 1024, w.kib * 1024)
    return out


def number(s):
    return None if s == "" else float(s)


def read_csv(text):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == COLUMNS, rows[0]
    out = []
    for r in rows[1:]:
        assert len(r) == len(COLUMNS), r
        d = ex.DS_NAMES.index(r[4])
        assert (r[1], r[2], r[5]) == ("lab", "dc1", ex.PROTOCOLS[d]), r
        out.append((d, ex.NAMES.index(r[3]), r[0],
                    tuple(number(v) for v in r[6:])))
    return out


def read_ndjson(text):
    out = []
    for line in text.splitlines():
        v = json.loads(line)
        d, h = ex.DS_IDS.index(v["datastore_id"]), \
            ex.HOST_IDS.index(v["host_id"])
        assert v["datastore"] == ex.DS_NAMES[d] and v["host"] == ex.NAMES[h]
        assert v["protocol"] == ex.PROTOCOLS[d] and v["target"] == "lab"
        assert v["cluster"] == ex.CLUSTERS[h] and v["datacenter"] == "dc1"
        out.append((d, h, v["time_utc"], tuple(v[f] for f in FIELDS)))
    return out


def influx_parts(text, at):
    """Split where a character stands without a backslash before it."""
    parts, part, i = [], "", 0
    while i < len(text):
        if text[i] == "\\" and text[i + 1:i + 2] in (",", "=", " "):
            part += text[i:i + 2]
            i += 2
            continue
        if text[i] == at:
            parts.append(part)
            part = ""
        else:
            part += text[i]
        i += 1
    return parts + [part]


def read_influx(text):
    names = ("read_latency_seconds", "write_latency_seconds", "read_iops",
             "write_iops", "read_bytes_per_second", "write_bytes_per_second")
    out = []
    for line in text.splitlines():
        key, fields, stamp = influx_parts(line, " ")
        tags = {}
        for tag in influx_parts(key, ",")[1:]:
            name, value = influx_parts(tag, "=")
            tags[name] = re.sub(r"\\([,= ])", r"\1", value)
        assert key.startswith("dslat,")
        d, h = ex.DS_IDS.index(tags["datastore_id"]), \
            ex.HOST_IDS.index(tags["host_id"])
        assert tags["host"] == ex.NAMES[h]
        assert tags["datastore"] == ex.DS_NAMES[d].replace("\n", " ")
        got = dict(f.split("=") for f in fields.split(","))
        values = [number(got.pop(n, "")) for n in names]
        assert not got, got
        values[:2] = [None if v is None else round(v * 1000, 6)
                      for v in values[:2]]
        assert stamp.endswith("000000000")
        out.append((d, h, rfc3339(int(stamp) // 10**9), tuple(values)))
    return out


def read_openmetrics(text):
    """One value per line: joined again.  Idle latencies are absent."""
    assert text.endswith("# EOF\n")
    families = ["dslat_read_latency_seconds", "dslat_write_latency_seconds",
                "dslat_read_iops", "dslat_write_iops",
                "dslat_read_bytes_per_second", "dslat_write_bytes_per_second"]
    seen, ended, family, last = {}, set(), None, None
    line_form = re.compile(r'(\w+)\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\} '
                           r'([0-9.]+) (\d+)')
    for line in text.splitlines()[:-1]:
        if line.startswith("#"):
            kind, name = line.split()[1:3]
            if kind == "TYPE":
                assert name == families[0 if family is None else
                                        families.index(family) + 1]
                assert line.split()[3] == "gauge"
                family, last = name, None
            assert name == family
            continue
        name, labels, value, stamp = line_form.fullmatch(line).groups()
        assert name == family
        if last is None or last[0] != labels:
            assert (family, labels) not in ended, "interleaved"
            ended.add((family, labels))
        else:
            assert int(stamp) > last[1], line
        last = labels, int(stamp)
        got = {k: v.replace("\\n", "\n").replace('\\"', '"')
               .replace("\\\\", "\\") for k, v in
               re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)}
        d, h = ex.DS_IDS.index(got["ds_id"]), \
            ex.HOST_IDS.index(got["host_id"])
        assert got["ds_name"] == ex.DS_NAMES[d]
        assert got["host_name"] == ex.NAMES[h]
        assert got["cluster_name"] == ex.CLUSTERS[h]
        values = seen.setdefault((d, h, rfc3339(int(stamp))), [None] * 6)
        i = families.index(name)
        assert values[i] is None
        values[i] = round(float(value) * (1000 if i < 2 else 1), 6)
    assert family == families[-1]
    return [(*k, tuple(v)) for k, v in seen.items()]


READERS = {"csv": read_csv, "ndjson": read_ndjson, "influx": read_influx,
           "openmetrics": read_openmetrics}


class Checks:
    def export(self, query, status=200, headers=None):
        a = self.get("/api/v1/export?" + query, headers)
        self.assertEqual(a.status, status, a.body[:500])
        return a

    def check(self, form, want, query):
        a = self.export(f"format={form}&{query}")
        got = READERS[form](a.body.decode())
        self.assertEqual(len(got), len({g[:3] for g in got}), "some twice")
        for d, h, t, values in got:
            k = ex.slot_at(seconds(t))
            exact = want.pop((d, h, k))
            if form == "openmetrics":
                ops = ("read", "write")
                exact = tuple(
                    None if i < 2 and
                    ex.point(h, d, k, ops[i]).load == "idle" else v
                    for i, v in enumerate(exact))
            self.assertEqual(values, exact, (d, h, k))
        self.assertEqual(want, {})


def seconds(t):
    import datetime
    return int(datetime.datetime.strptime(t, "%Y-%m-%dT%H:%M:%SZ").replace(
        tzinfo=datetime.timezone.utc).timestamp())


class Whole(Stored, Checks):
    def test_every_sample(self):
        for form in READERS:
            self.check(form, wanted(), f"from={START}&to={END}")

    def test_spans(self):
        for form, first, last in (
                ("csv", 175, 185), ("csv", 400, 400), ("csv", N - 50, N - 1),
                ("openmetrics", 175, 205), ("influx", 350, 420)):
            self.check(form, wanted(first, last),
                       f"from={ex.end_s(first - 1)}&to={ex.end_s(last)}")
        self.check("csv", wanted(ds=[0], hosts=[0]), "from=1&to=4000000000"
                   f"&datastore={quote(ex.DS_IDS[0])}&host=lab:host-1")

    def test_some(self):
        self.check("csv", wanted(ds=[1]),
                   f"from={START}&to={END}&datastore=lab:61a-b")
        self.check("ndjson", wanted(ds=[0, 2], hosts=[2]),
                   f"from={START}&to={END}&datastore={quote(ex.DS_IDS[0])}"
                   f"&datastore={quote(ex.DS_IDS[2])}&host=lab:host-3")
        # no such pair: nothing
        self.check("csv", {}, f"from={START}&to={END}&datastore=lab:61a-b"
                   "&host=lab:host-3")

    def test_gzip(self):
        query = f"from={START}&to={END}"
        plain = self.export(query)
        packed = self.export(query, headers={"Accept-Encoding": "gzip"})
        self.assertNotIn("Content-Encoding", plain.headers)
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        self.assertLess(len(packed.body) * 5, len(plain.body))

    def test_headers(self):
        for form, kind, suffix in (
                ("csv", "text/csv", "csv"),
                ("ndjson", "application/x-ndjson", "ndjson"),
                ("influx", "text/plain", "lp"),
                ("openmetrics", "application/openmetrics-text", "om")):
            a = self.export(f"format={form}&from={T0 - 60}&to={T0}")
            self.server.described.check("/api/v1/export", a)
            self.assertEqual(a.headers["Content-Type"].split(";")[0], kind)
            self.assertEqual(
                a.headers["Content-Disposition"],
                'attachment; filename="dslat-20261130T115900Z-'
                f'20261130T120000Z.{suffix}"')
        head = self.get(f"/api/v1/export?from={START}", method="HEAD")
        self.assertEqual((head.status, head.body), (200, b""))

    def test_refused(self):
        for query, status, parameter in (
                ("format=xml", 422, "format"),
                ("from=now&to=now-1h", 422, "from"),
                ("datastore=lab:61a-c", 404, "datastore"),
                ("host=lab:host-9", 404, "host")):
            p = self.api("/api/v1/export?" + query, status)
            self.assertEqual(p["errors"][0]["parameter"], parameter)

    def test_client_leaves(self):
        for form in READERS:
            s = self.server.connect()
            s.sendall(f"GET /api/v1/export?format={form}&from={START}&to={END}"
                      " HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            s.recv(1000)
            s.close()
        self.assertEqual(self.get("/-/healthy").status, 200)


class Later(Stored, Checks):
    def test_hour_goes_on(self):
        """The store is behind, and the rings move on."""
        self.server.cmd("polls 97")
        last = N - 1 + 97
        for form in ("csv", "openmetrics"):
            self.check(form, wanted(0, last, ds=[1]),
                       f"from={START}&to=now&datastore=lab:61a-b")




class Gone(Stored, Checks):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.cmd("forget")

    def test_every_sample(self):
        for form in ("csv", "openmetrics"):
            self.check(form, wanted(ds=[2]), f"from={START}&to={END}"
                       f"&datastore={quote(ex.DS_IDS[2])}")
        self.check("csv", wanted(ds=[1], hosts=[1]),
                   f"from={START}&to={END}&datastore=lab:61a-b"
                   "&host=lab:host-2")


class NoStore(Case, Checks):
    def test_rings(self):
        for form in READERS:
            self.check(form, wanted(0, 179), f"from={START - 9999}&to={T0}")
        self.api("/api/v1/export?datastore=lab:x", 404)


class Broken(Case, Checks):
    args = ("--store", "/proc/nothing")

    def test_rings(self):
        self.check("csv", wanted(0, 179), f"from={START}&to={T0}")
        p = self.api(f"/api/v1/export?from={START - 3600}", 503)
        self.assertIn("/proc/nothing", p["detail"])


if __name__ == "__main__":
    unittest.main()
