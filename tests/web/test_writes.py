"""test_writes.py - acknowledgements, silences, notes, tests of notifiers."""

import datetime
import http.server
import json
import socket
import threading
import unittest

import expect as ex
from server import Server, T0, quote
from test_auth import READ, WRITE, WRONG, Guarded, bearer

WRITES = [("POST", "/api/v1/incidents/107/ack"), ("POST", "/api/v1/silences"),
          ("DELETE", "/api/v1/silences/1"), ("POST", "/api/v1/events"),
          ("POST", "/api/v1/notifiers/hook/test")]
INCIDENT = {
    "id": 107, "key": "latency:lab:elsewhere:write", "kind": "slow",
    "state": "announced", "severity": "warning", "worst_severity": "critical",
    "was_announced": True, "started": "2026-11-30T11:50:20Z",
    "announced": "2026-11-30T11:51:00Z", "updated": "2026-11-30T11:59:40Z",
    "ended": None, "target": "lab", "datastore": "lab:61a-b",
    "datastore_name": "nfs01", "op": "write", "worst_ms": 83.25,
    "worst_ios": 400, "worst_t": "2026-11-30T11:52:00Z",
    "worst_host": "esx1", "breach_samples": 9, "hosts": [],
    "window": "." * 15, "window_t": "2026-11-30T11:59:40Z",
    "judged_t": "2026-11-30T11:59:40Z",
    "threshold": {"warning_ms": 50, "critical_ms": 75, "clear_ms": 40,
                  "sparse_ms": 1000, "min_ios": 20, "window_samples": 5,
                  "for_samples": 3, "clear_samples": 15},
}


class Writing(Guarded):
    closed = False

    def do(self, method, path, body=None, token=WRITE, status=200):
        headers = bearer(token) if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        a = self.get(path, headers, method, body)
        self.assertEqual(a.status, status, (path, a.body))
        if a.body:
            self.server.described.check(path, a, method.lower())
            return a.json()
        return None


class Roles(Writing):
    def test_every_write(self):
        cookie = self.login(READ)
        for method, path in WRITES:
            for headers, status in (
                    ({}, 401), (bearer(WRONG), 401), (bearer(READ), 403),
                    ({**cookie, "Sec-Fetch-Site": "same-origin"}, 403),
                    ({**bearer(WRITE), "Sec-Fetch-Site": "cross-site"}, 403),
                    ({**bearer(WRITE), "Origin": "http://evil.example"}, 403)):
                a = self.get(path, headers, method)
                self.assertEqual(a.status, status, (method, path, headers))
                self.assertEqual("WWW-Authenticate" in a.headers,
                                 status == 401)
                self.server.described.check(path, a, method.lower())
        self.assertEqual(
            self.do("GET", "/api/v1/silences", token=None)["items"], [])

    def test_other_methods(self):
        for method, path in WRITES:
            for other in ("PUT", "PATCH", "GET", "POST", "DELETE"):
                if other == method or (other in ("GET", "POST") and
                                       path.endswith(("silences", "events"))):
                    continue
                a = self.get(path, bearer(WRITE), other)
                self.assertEqual(a.status, 405, (other, path))
                self.assertIn(method, a.headers["Allow"])

    def test_cookie_of_another_site(self):
        """A page elsewhere makes the browser post with our cookie."""
        cookie = self.login(WRITE)
        body = json.dumps({"match": "*", "duration": "1h"})
        own = f"http://127.0.0.1:{self.server.port}"
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site", "Origin": own},
                        {"Sec-Fetch-Site": "same-site"}, {}):
            for kind in ("application/json", "text/plain",
                         "application/x-www-form-urlencoded"):
                a = self.get("/api/v1/silences", {
                    **cookie, **headers, "Content-Type": kind}, "POST", body)
                self.assertEqual(a.status, 403, (headers, kind))
        self.assertEqual(self.do("GET", "/api/v1/silences")["items"], [])
        a = self.get("/api/v1/silences", {
            **cookie, "Origin": own, "Content-Type": "application/json"},
            "POST", body)
        self.assertEqual(a.status, 201)

    def test_numbers_that_are_none(self):
        for number in ("107", "0", "-1", "x", "7x", " 7", "99999999999999999999",
                       "+7", "07", "%37x"):
            self.do("POST", f"/api/v1/incidents/{number.replace(' ', '%20')}"
                    "/ack", {}, status=404)
            self.do("DELETE", "/api/v1/silences/" +
                    number.replace(" ", "%20"), status=404)


class Acks(Writing):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.server.cmd("incident " + json.dumps(INCIDENT)),
                         [])
        self.server.cmd("incident " + json.dumps(
            {**INCIDENT, "id": 105, "state": "ended", "key": "latency:x",
             "ended": "2026-11-30T11:59:00Z", "end_reason": "cleared"}))

    def test_ack(self):
        v = self.do("POST", "/api/v1/incidents/107/ack", {"note": "the array"})
        self.assertEqual((v["ack_by"], v["ack_note"], v["id"]),
                         ("ops", "the array", 107))
        self.assertIsNotNone(v["acked"])
        self.assertRegex(self.logged(),
                         "ops from 127.0.0.1: acknowledged incident 107")
        v = self.do("POST", "/api/v1/incidents/107/ack")  # no body at all
        self.assertEqual((v["ack_by"], v["ack_note"]), ("ops", None))
        self.do("POST", "/api/v1/incidents/105/ack", status=409)

    def test_notes_that_are_none(self):
        for body in ({"note": "a\nb"}, {"note": 1}, {"note": "x" * 1001},
                     {"notes": "x"}, [], "x", {"note": "\u0085"}):
            self.do("POST", "/api/v1/incidents/107/ack", body, status=400)
        self.do("POST", "/api/v1/incidents/107/ack", {"note": "x" * 1000})
        self.do("POST", "/api/v1/incidents/107/ack", {"note": None})


class Silences(Writing):
    def test_life(self):
        body = {"match": "lab/nfs*", "protocol": "nfs3", "kind": "slow",
                "op": "write", "duration": "1h30m", "note": "filer upgrade"}
        a = self.do("POST", "/api/v1/silences", body, status=201)
        self.assertEqual(a["id"], 1)
        self.assertEqual(a["by"], "ops")
        self.assertEqual(a["state"], "active")
        for key in ("match", "protocol", "kind", "op", "note"):
            self.assertEqual(a[key], body[key])
        b = self.do("POST", "/api/v1/silences", {
            "match": "*", "from": "2026-12-01T00:00:00Z",
            "until": "2026-12-02T00:00:00Z"}, status=201)
        self.assertEqual((b["id"], b["state"]), (2, "pending"))
        items = self.do("GET", "/api/v1/silences", token=None)["items"]
        self.assertEqual([i["id"] for i in items], [2, 1])
        del a["fits_n"]
        self.assertEqual(items[1], a)
        self.do("DELETE", "/api/v1/silences/2", status=204)
        self.do("DELETE", "/api/v1/silences/2", status=404)
        self.server.cmd("advance 5400")
        items = self.do("GET", "/api/v1/silences")["items"]
        self.assertEqual([(i["id"], i["state"]) for i in items],
                         [(1, "expired")])
        log = self.logged()
        self.assertIn('ops from 127.0.0.1: added silence 1 of "lab/nfs*"', log)
        self.assertIn("ops from 127.0.0.1: removed silence 2", log)

    def test_what_it_is_about(self):
        """A mistyped pattern is said to be about nothing."""
        def fits(match, **more):
            return self.do("POST", "/api/v1/silences", {
                "match": match, "duration": "1h", **more},
                status=201)["fits_n"]

        stores, hosts = (self.do("GET", "/api/v1/" + what)["items"]
                         for what in ("datastores", "hosts"))
        one = stores[0]
        path = one["target"] + "/" + one["name"]
        self.assertEqual(fits(path), 1)
        self.assertEqual(fits(path, protocol=one["protocol"]), 1)
        self.assertEqual(fits(path, protocol="fcoe"), 0)
        self.assertEqual(fits(one["name"]), 0)
        self.assertEqual(fits("["), 0)
        self.assertEqual(fits(one["target"] + "/*"),
                         sum(x["target"] == one["target"]
                             for x in stores + hosts))
        self.do("POST", "/api/v1/silences", {"match": "", "duration": "1h"},
                status=400)

    def test_too_many(self):
        """What is over makes room."""
        body = {"match": "*", "duration": "1h"}
        for n in range(999):
            self.do("POST", "/api/v1/silences", {**body, "duration": "1m"},
                    status=201)
        last = self.do("POST", "/api/v1/silences", body, status=201)
        self.do("POST", "/api/v1/silences", body, status=503)
        self.server.cmd("advance 61")
        new = self.do("POST", "/api/v1/silences", body, status=201)
        items = self.do("GET", "/api/v1/silences")["items"]
        self.assertEqual([i["id"] for i in items], [new["id"], last["id"]])

    def test_until_follows_from(self):
        v = self.do("POST", "/api/v1/silences", {
            "match": "*", "from": "2026-12-01T00:00:00Z",
            "duration": "2d"}, status=201)
        self.assertEqual(v["until"], "2026-12-03T00:00:00Z")
        v = self.do("POST", "/api/v1/silences", {
            "match": "*", "from": "+1h", "until": "+3h"}, status=201)
        times = [datetime.datetime.fromisoformat(v[k]) for k in
                 ("from", "until")]
        self.assertEqual((times[1] - times[0]).total_seconds(), 7200)
        self.assertEqual(v["state"], "pending")

    def test_refusals(self):
        good = {"match": "*", "duration": "1h"}
        for change, says in (
                ({"match": None}, "match"), ({"match": 1}, "match"),
                ({"match": "a\u0007"}, "control"),
                ({"duration": None}, "until"), ({"duration": "x"}, "2h"),
                ({"duration": "1h; rm"}, "2h"), ({"duration": ""}, "2h"),
                ({"duration": "-1h"}, "2h"), ({"duration": "0s"}, "2h"),
                ({"duration": "999999999999w"}, "2h"),
                ({"duration": "400d"}, "a year"),
                ({"until": "2027-01-01T00:00:00Z"}, "beside"),
                ({"duration": None, "until": "soon"}, "until"),
                ({"duration": None, "until": "2020-01-01T00:00:00Z"},
                 "\"until\""),
                ({"from": "x"}, "from"),
                ({"from": "2020-01-01T00:00:00Z"}, "passed"),
                ({"kind": "fast"}, "kind"), ({"op": "both"}, "op"),
                ({"protocol": "nfs9"}, "protocol"),
                ({"note": "x" * 1001}, "1000"), ({"id": 1}, "known"),
                ({"by": "root"}, "known"), ({"state": "active"}, "known")):
            v = self.do("POST", "/api/v1/silences", {**good, **change},
                        status=400)
            self.assertIn(says, v["detail"], change)
        self.do("POST", "/api/v1/silences", status=400)
        self.assertEqual(self.do("GET", "/api/v1/silences")["items"], [])


class Notes(Writing):
    def note(self, body, status=201):
        return self.do("POST", "/api/v1/events", body, status=status)

    def test_note(self):
        v = self.note({"text": "raised NFS queue depth \u2713"})
        self.assertEqual((v["kind"], v["text"], v["by"], v["target"]),
                         ("note", "raised NFS queue depth \u2713", "ops",
                          None))
        v = self.note({"text": "x", "t": "2026-11-30T10:00:00Z",
                       "datastore": ex.DS_IDS[0], "host": "lab:host-1"})
        self.assertEqual((v["t"], v["datastore"], v["host"], v["target"]),
                         ("2026-11-30T10:00:00Z", ex.DS_IDS[0], "lab:host-1",
                          "lab"))
        v = self.note({"text": "x", "target": "lab", "t": "-10m"})
        self.assertEqual(v["target"], "lab")
        self.note({"text": "\u00e9" * 500})
        self.assertIn("ops from 127.0.0.1: noted (1): raised", self.logged())

    def test_refusals(self):
        for body, says in (
                ({}, "missing"), ({"text": ""}, "empty"),
                ({"text": "  "}, "empty"), ({"text": None}, "missing"),
                ({"text": "a\nb"}, "control"), ({"text": "\u001b[2J"},
                                                "control"),
                ({"text": "\u00e9" * 501}, "1000"),
                ({"text": "x", "t": "soon"}, "time"),
                ({"text": "x", "t": "+1h"}, "future"),
                ({"text": "x", "t": str(T0 + 3600)}, "future"),
                ({"text": "x", "kind": "audit"}, "known"),
                ({"text": "x", "by": "root"}, "known")):
            self.assertIn(says, self.note(body, 400)["detail"], body)
        for body, kind in (({"target": "lba"}, "unknown-target"),
                           ({"datastore": "lab:61a"}, "unknown-datastore"),
                           ({"host": "lab:host-99"}, "unknown-host")):
            v = self.note({"text": "x", **body}, 404)
            self.assertTrue(v["type"].endswith(kind))


class Hook(http.server.BaseHTTPRequestHandler):
    """A receiver of webhooks; its status is the server's."""

    def do_POST(self):  # pylint: disable=invalid-name
        length = int(self.headers["Content-Length"])
        self.server.got.append(json.loads(self.rfile.read(length)))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Notifiers(Guarded):
    def setUp(self):
        self.hook = http.server.HTTPServer(("127.0.0.1", 0), Hook)
        self.hook.got, self.hook.status = [], 200
        self.thread = threading.Thread(target=self.hook.serve_forever)
        self.thread.start()
        super().setUp()

    def start(self, url):
        self.assertEqual(self.server.stop(), 0)
        self.server = Server("--tokens", self.tokens, "--hook", url,
                             "127.0.0.1:0", stderr=self.log)
        self.get = self.server.get

    def tearDown(self):
        super().tearDown()
        self.hook.shutdown()
        self.thread.join()
        self.hook.server_close()

    def ask(self, name="hook"):
        path = f"/api/v1/notifiers/{quote(name)}/test"
        a = self.get(path, bearer(WRITE), "POST")
        self.server.described.check(path, a, "post")
        return a

    def test_delivered(self):
        self.start(f"http://127.0.0.1:{self.hook.server_port}/")
        a = self.ask()
        self.assertEqual((a.status, a.json()),
                         (200, {"name": "hook", "delivered": True}))
        self.assertEqual(len(self.hook.got), 1)
        self.assertIn('ops from 127.0.0.1: tested notifier "hook"',
                      self.logged())

    def test_not_delivered(self):
        self.start(f"http://127.0.0.1:{self.hook.server_port}/")
        self.hook.status = 500
        a = self.ask()
        self.assertEqual(a.status, 502)
        self.assertIn("500", a.json()["detail"])

    def test_unknown(self):
        self.start(f"http://127.0.0.1:{self.hook.server_port}/")
        a = self.ask("hok")
        self.assertEqual(a.status, 404)
        self.assertIn("hook", a.json()["detail"])

    def test_no_answer(self):
        """30 s at most, and one who leaves earlier is no harm."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.start(f"http://127.0.0.1:{silent.getsockname()[1]}/")
            answers = []
            t = threading.Thread(target=lambda: answers.append(self.ask()))
            t.start()
            connection, _ = silent.accept()
            connection.recv(65536)
            with self.server.connect() as gone:
                gone.sendall(b"POST /api/v1/notifiers/hook/test HTTP/1.1\r\n"
                             b"Host: localhost\r\nAuthorization: Bearer " +
                             WRITE.encode() + b"\r\n\r\n")
                second, _ = silent.accept()
            self.assertEqual(answers, [])
            self.server.cmd("advance 31")
            t.join(10)
            self.assertEqual(answers[0].status, 504)
            self.assertIn("30 s", answers[0].json()["detail"])
            connection.close()
            second.close()
            self.assertEqual(self.get("/-/healthy").status, 200)


if __name__ == "__main__":
    unittest.main()
