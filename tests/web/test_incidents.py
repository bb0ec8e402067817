"""test_incidents.py - incidents and the time line over HTTP."""

import json
import unittest
import urllib.parse

import expect as ex
from server import T0, Case, Server
from test_api import rfc3339
from test_stream import Stream

# Slots whose values were not above 180 s old when the first poll brought them.
IN_TIME = range(170, 180)
WINDOW, FOR = 5, 3


def expected():
    """(datastore, op) -> what its incident must say, from the formulas."""
    all_ = {}
    for d in range(3):
        for op in ("read", "write"):
            bad = [p for p in ex.points(d, IN_TIME, op)
                   if p.breach() != "none"]
            if not bad:
                continue
            slots = {p.k for p in bad}
            told = [k for k in IN_TIME if k >= min(slots) and
                    len(slots & set(range(k - WINDOW + 1, k + 1))) >= FOR]
            worst = max(p.ms for p in bad)
            all_[ex.DS_IDS[d], op] = {
                "started": rfc3339(ex.end_s(min(slots))),
                "announced": rfc3339(ex.end_s(told[0])) if told else None,
                "state": "announced" if told else "open",
                "breach_samples": len(slots),
                "worst_ms": worst,
                "worst_hosts": {ex.NAMES[p.host] for p in bad
                                if p.ms == worst},
                "hosts": {p.host for p in bad}}
    return all_


class Live(Case):
    def items(self, query=""):
        return self.api("/api/v1/incidents" + query)["items"]

    def test_what_there_is(self):
        want = expected()
        self.assertGreater(len(want), 3)
        items = self.items()
        self.assertEqual({(i["datastore"], i["op"]) for i in items}, set(want))
        for i in items:
            w = want[i["datastore"], i["op"]]
            for key in ("started", "announced", "state", "breach_samples",
                        "worst_ms"):
                self.assertEqual(i[key], w[key], (i["key"], key))
            self.assertIn(i["worst_host"], w["worst_hosts"])
            self.assertEqual({h["id"] for h in i["hosts"]},
                             {ex.HOST_IDS[h] for h in w["hosts"]})
            self.assertEqual(i["hosts_n"], len(w["hosts"]))
            self.assertEqual(i["kind"], "slow")
            self.assertIsNone(i["ended"])
        started = [i["started"] for i in items]
        self.assertEqual(started, sorted(started, reverse=True))

    def test_one(self):
        for i in self.items():
            self.assertEqual(self.api(f"/api/v1/incidents/{i['id']}"), i)
        for bad in ("0", "999", "x", "1x", "99999999999999999999", "-1"):
            self.api(f"/api/v1/incidents/{bad}", 404)

    def test_of_a_datastore(self):
        """The one that matters most: told, then critical, then the older."""
        by_id = {i["id"]: i for i in self.items()}
        for ds in self.api("/api/v1/datastores")["items"]:
            mine = [i for i in by_id.values() if i["datastore"] == ds["id"]]
            mine.sort(key=lambda i: (i["state"] != "announced",
                                     i["severity"] != "critical", i["id"]))
            self.assertEqual(ds["incident"], mine[0]["id"] if mine else None)

    def test_metrics(self):
        text = self.get("/metrics").body.decode()
        items = self.items("?state=announced")
        for severity in ("warning", "critical"):
            n = sum(i["severity"] == severity for i in items)
            self.assertIn('dslat_incidents_open{kind="slow",'
                          f'severity="{severity}"}} {n}\n', text)
        self.assertIn('dslat_incidents_open{kind="login",'
                      'severity="warning"} 0\n', text)
        self.assertIn(f'dslat_incidents_total{{kind="slow"}} {len(items)}\n',
                      text)

    def test_refused(self):
        for query, status, parameter in (
                ("state=closed", 422, "state"), ("kind=latency", 422, "kind"),
                ("severity=bad", 422, "severity"), ("limit=0", 422, "limit"),
                ("limit=x", 400, "limit"), ("from=now&to=now-1h", 422, "from"),
                ("from=x", 400, "from"), ("cursor=zz", 400, "cursor"),
                ("cursor=YQBiAGMA", 400, "cursor"),  # a, b, c: no numbers
                ("nonsense=1", 400, "nonsense")):
            p = self.api("/api/v1/incidents?" + query, status)
            self.assertEqual(p["errors"][0]["parameter"], parameter)


THRESHOLD = {"warning_ms": 50, "critical_ms": 75, "clear_ms": 40,
             "sparse_ms": 1000, "min_ios": 20, "window_samples": 5,
             "for_samples": 3, "clear_samples": 15}


def made_up(number, **more):
    """An incident as the store would give it back."""
    t = T0 - 86400 + 60 * number
    i = {"id": 1000 + number, "key": f"unreachable:t{number % 3}:{number}",
         "kind": "unreachable", "state": "ended", "severity": "critical",
         "worst_severity": "critical", "was_announced": True,
         "started": rfc3339(t), "announced": rfc3339(t + 10),
         "updated": rfc3339(t + 40), "ended": rfc3339(t + 40),
         "end_reason": "back", "target": f"t{number % 3}", "hosts": [],
         "hosts_n": 0, "summary": f"t{number % 3} does not answer"}
    i.update(more)
    return i


class History(unittest.TestCase):
    """A day of incidents that were read back."""

    N = 150

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--empty", "127.0.0.1:0")
        cls.rows = [made_up(n) for n in range(cls.N)]
        cls.rows += [
            made_up(200, kind="slow", key="slow:lab:u:read", target="lab",
                    datastore="lab:u", op="read", severity="warning",
                    window_t=rfc3339(T0 - 40), judged_t=rfc3339(T0 - 40),
                    worst_ms=61.5, threshold=THRESHOLD, state="announced", ended=None,
                    end_reason=None),
            made_up(201, nested_in="unreachable:lab"),
            made_up(202, was_announced=False, announced=None)]
        for row in cls.rows:
            assert cls.server.cmd("incident " + json.dumps(row)) == []
        cls.api = cls.server.api

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def ids(self, query):
        return [i["id"] for i in
                self.api("/api/v1/incidents?" + query)["items"]]

    def pages(self, path):
        """All rows, page by page."""
        rows = []
        while path is not None:
            page = self.api(path)
            rows.append(page["items"])
            path = page["next"] and urllib.parse.urljoin(path, page["next"])
        return rows

    def test_newest_first(self):
        want = [r["id"] for r in sorted(
            self.rows, key=lambda r: r["started"], reverse=True)]
        self.assertEqual(self.ids(""), want)
        pages = self.pages("/api/v1/incidents?limit=64")
        self.assertEqual([len(p) for p in pages], [64, 64, self.N + 3 - 128])
        self.assertEqual([i["id"] for p in pages for i in p], want)

    def test_filters(self):
        def want(test):
            return sorted((r["id"] for r in self.rows if test(r)),
                          reverse=True)
        for query, test in (
                ("target=t1", lambda r: r["target"] == "t1"),
                ("target=t1,lab", lambda r: r["target"] in ("t1", "lab")),
                ("kind=slow", lambda r: r["kind"] == "slow"),
                ("kind=slow,login", lambda r: r["kind"] == "slow"),
                ("severity=warning", lambda r: r["severity"] == "warning"),
                ("state=active", lambda r: r["state"] != "ended"),
                ("state=ended&target=lab", lambda r: False),
                ("datastore=lab:u", lambda r: r.get("datastore") == "lab:u"),
                ("datastore=lab:v", lambda r: False)):
            self.assertEqual(self.ids(query), want(test), query)

    def test_span(self):
        """What lived in it, even if only for a moment; open ones go on."""
        lo, hi = T0 - 86400 + 60 * 10 + 40, T0 - 86400 + 60 * 13
        ids = self.ids(f"from={lo}&to={hi}")
        self.assertEqual(ids, [1013, 1012, 1011, 1010])
        self.assertEqual(self.ids(f"from={T0 - 60}"), [1200])
        self.assertEqual(self.ids(f"to={T0 - 86400}"), [1000])

    def test_time_line(self):
        """Beginnings and ends of what was told, and not nested."""
        want = []
        for r in self.rows:
            if not r["was_announced"] or r.get("nested_in"):
                continue
            want.append((r["started"], "began", r["id"]))
            if r["ended"]:
                want.append((r["ended"], r["end_reason"], r["id"]))
        want.sort(reverse=True)
        rows = [i for p in self.pages("/api/v1/events?kind=incident")
                for i in p]
        self.assertEqual(len(self.api("/api/v1/events")["items"]), 100)
        self.assertEqual([(i["t"], i["change"], i["incident"]) for i in rows],
                         want)
        self.assertEqual(self.api("/api/v1/events?kind=note")["items"], [])
        lo = T0 - 86400 + 60 * 10
        some = self.api(f"/api/v1/events?from={lo}&to={lo + 40}")["items"]
        self.assertEqual([(i["change"], i["incident"]) for i in some],
                         [("back", 1010), ("began", 1010)])
        self.assertEqual(some[1]["text"], "t1 does not answer")
        self.api("/api/v1/events?kind=noise", 422)
        self.api("/api/v1/events?cursor=zz", 400)


class Happening(Case):
    def test_stream_and_time_line(self):
        """The target stops answering: seen, told after 90 s, and nested."""
        self.api("/api/v1/status")
        s = Stream(self.server)
        s.event()
        self.server.cmd("error no route to host")
        e = json.loads(s.event("incident")["data"])
        self.server.described.validate(
            {"$ref": "#/components/schemas/incident_event"}, e)
        self.assertEqual((e["change"], e["incident"]["key"]),
                         ("opened", "unreachable:lab"))
        self.assertEqual(e["incident"]["where"], "no route to host")
        self.server.cmd("advance 100")
        seen = {}
        while "unreachable:lab" not in seen:
            e = json.loads(s.event("incident")["data"])
            if e["change"] == "announced":
                seen[e["incident"]["key"]] = e["incident"]
        s.close()
        one = seen["unreachable:lab"]
        self.assertEqual(one["severity"], "critical")
        line = self.api("/api/v1/events?kind=incident&limit=1")["items"][0]
        self.assertEqual((line["incident"], line["change"], line["severity"],
                          line["text"]),
                         (one["id"], "began", "critical",
                          "lab does not answer"))
        nested = self.api("/api/v1/incidents?kind=no_data")["items"]
        self.assertEqual({i["nested_in"] for i in nested},
                         {"unreachable:lab"})
        self.assertLessEqual({"no_data:lab:61a-b", "no_data:lab:host-1"},
                             {i["key"] for i in nested})
        self.server.cmd("poll")
        self.assertEqual(self.api(f"/api/v1/incidents/{one['id']}")
                         ["end_reason"], "back")


if __name__ == "__main__":
    unittest.main()
