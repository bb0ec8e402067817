"""test_stream.py - the live stream: events, resuming, many and slow clients."""

import json
import resource
import selectors
import socket
import time
import unittest

import expect as ex
from server import T0, Case

REQUEST = b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n"


class Stream:
    """One subscriber; events are dictionaries with their fields."""

    def __init__(self, server, last_id=None, rcvbuf=None):
        self.sock = socket.socket()
        if rcvbuf is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        self.sock.settimeout(20)
        self.sock.connect(("127.0.0.1", server.port))
        extra = b"" if last_id is None else \
            f"Last-Event-ID: {last_id}\r\n".encode()
        self.sock.sendall(REQUEST + extra + b"\r\n")
        self.raw = b""    # not yet taken out of the chunks
        self.text = b""
        self.head = None
        self.count = 0

    def feed(self, data):
        self.raw += data
        if self.head is None:
            head, sep, rest = self.raw.partition(b"\r\n\r\n")
            if not sep:
                return
            self.head, self.raw = head.decode(), rest
        while True:
            size, sep, rest = self.raw.partition(b"\r\n")
            if not sep:
                return
            n = int(size, 16)
            assert n != 0, "the stream has ended"
            if len(rest) < n + 2:
                return
            self.text += rest[:n]
            self.raw = rest[n + 2:]

    def parse(self):
        """The next whole event, or None."""
        block, sep, rest = self.text.partition(b"\n\n")
        if not sep:
            return None
        self.text = rest
        event = {}
        for line in block.decode().split("\n"):
            name, _, value = line.partition(":")
            event[name] = value[1:] if value.startswith(" ") else value
        self.count += 1
        return event

    def event(self, kind=None):
        """The next event, or the next of that kind."""
        while True:
            e = self.parse()
            if e is None:
                data = self.sock.recv(65536)
                assert data, "the stream was closed"
                self.feed(data)
            elif kind is None or e.get("event") == kind:
                return e

    def close(self):
        self.sock.close()


class Events(Case):
    def setUp(self):
        self.streams = []
        self.api("/api/v1/status")

    def tearDown(self):
        for s in self.streams:
            s.close()

    def stream(self, *args, **kw):
        s = Stream(self.server, *args, **kw)
        self.streams.append(s)
        return s

    def test_head(self):
        s = self.stream()
        first = s.event()
        self.assertIn("HTTP/1.1 200 OK", s.head)
        for line in ("Content-Type: text/event-stream",
                     "Cache-Control: no-store", "X-Accel-Buffering: no",
                     "X-Content-Type-Options: nosniff"):
            self.assertIn(line, s.head)
        self.assertNotIn("Content-Encoding", s.head)
        self.assertEqual(first["retry"], "2000")
        a = self.get("/api/v1/stream", {"Accept-Encoding": "gzip"},
                     method="HEAD")
        self.assertEqual((a.status, a.body), (200, b""))
        self.assertEqual(a.headers["Content-Type"], "text/event-stream")

    def test_error_and_resume(self):
        s = self.stream()
        s.event()
        self.server.cmd("error no route to host")
        e = s.event("status")
        target = json.loads(e["data"])
        self.server.described.validate(
            {"$ref": "#/components/schemas/target"}, target)
        self.assertEqual((target["state"], target["error"]),
                         ("unreachable", "no route to host"))
        boot, number = e["id"].split("-")
        self.server.cmd("error second")
        self.server.cmd("error third")
        later = [s.event("status") for _ in range(2)]
        self.assertEqual([x["id"] for x in later],
                         [f"{boot}-{int(number) + i}" for i in (1, 2)])
        again = self.stream(e["id"])
        self.assertEqual(again.event()["id"], e["id"])
        self.assertEqual([again.event() for _ in range(2)], later)
        fresh = self.stream(later[1]["id"])
        self.assertEqual(fresh.event()["id"], later[1]["id"])

    def test_unknown_ids(self):
        s = self.stream()
        boot, number = s.event().get("id", "0-0").split("-")
        for bad in ("nonsense", f"{boot}x-{number}", f"{boot}-",
                    f"{boot}-99999999", f"{boot}--1", f"1{boot}-1", "-1",
                    f"{boot}-1e2", ""):
            r = self.stream(bad)
            e = r.event()
            self.assertEqual(e["event"], "reset", bad)
            self.server.described.validate(
                {"$ref": "#/components/schemas/reset_event"},
                json.loads(e["data"]))

    def test_heartbeat_finds_who_has_left(self):
        def count():
            return self.api("/api/v1/status")["http"]["streams"]
        gone = [Stream(self.server) for _ in range(20)]
        for g in gone:
            g.event()
        s = self.stream()
        s.event()
        self.assertGreaterEqual(count(), 21)
        for g in gone:
            g.close()
        for _ in range(3):
            self.server.cmd("advance 15")
            while "" not in s.event():  # the comment
                pass
        deadline = time.monotonic() + 5
        while count() > 1 and time.monotonic() < deadline:
            self.server.cmd("advance 15")
        self.assertEqual(count(), 1)


class Samples(Case):
    """In one go: each poll is one more slot."""

    def test_samples(self):
        self.api("/api/v1/status")
        s = Stream(self.server)
        s.event()
        self.server.cmd("poll")
        first = s.event("sample")
        self.check(first, 180)
        late = Stream(self.server)  # is told the last minute again
        self.assertEqual(late.event("sample"), first)
        for k in range(181, 195):
            self.server.cmd("poll")
            for stream in (s, late):
                self.check(stream.event("sample"), k)
        new = Stream(self.server)
        told = [json.loads(new.event("sample")["data"])["t"]]
        while told[-1] != "2026-11-30T12:05:00Z":  # slot 194's end
            told.append(json.loads(new.event("sample")["data"])["t"])
        self.assertEqual(told, sorted(told))
        self.assertIn(len(told), (2, 3, 4))
        # a target that polls while its state changes: both are told
        self.server.cmd("error x")
        self.server.cmd("poll")
        self.assertEqual(new.event("status")["event"], "status")
        self.check(new.event("sample"), 195)
        for stream in (s, late, new):
            stream.close()

    def check(self, event, k):
        v = json.loads(event["data"])
        self.server.described.validate(
            {"$ref": "#/components/schemas/sample_event"}, v)
        self.assertEqual(v["target"], "lab")
        by_id = {d["id"]: d for d in v["datastores"]}
        self.assertEqual(set(by_id), set(ex.DS_IDS[:3]))
        for d in range(3):
            row = by_id[ex.DS_IDS[d]]
            self.assertEqual(row["t"], [ex.end_s(k) * 1000])
            self.assertEqual(row["hosts_expected"], ex.N_HOSTS[d])
            for op in ("read", "write"):
                pts = ex.points(d, [k], op)
                w = ex.worst(pts)
                self.assertAlmostEqual(row[op + "_ms"][0], ex.mean(pts), 2)
                self.assertEqual(row[op + "_worst_ms"], [ex.worst_ms(pts)])
                self.assertEqual(row[op + "_worst_host"],
                                 [w and ex.NAMES[w.host]])
                self.assertEqual(row[op + "_iops"], [ex.rate(pts)])
                self.assertEqual(
                    row["hosts_n"],
                    [len([p for p in pts if p.load != "missing"])])
            self.assertEqual(row["state"], self.state(d, k))

    @staticmethod
    def state(d, newest):
        """Of the slot that is valid on all hosts, or is over 60 s old."""
        k = ex.latest_slot(d, newest)
        pts = ex.points(d, [k], "read") + ex.points(d, [k], "write")
        of = {p.breach() for p in pts}
        for b in ("critical", "warning"):
            if b in of:
                return b
        return "ok" if any(p.busy for p in pts) else "idle"


class Unused(Case):
    def test_nothing_is_rendered_for_nobody(self):
        """Who comes back after that must know that something is missing."""
        self.api("/api/v1/status")
        s = Stream(self.server)
        self.server.cmd("poll")
        e = s.event("sample")
        s.close()
        for _ in range(40):  # past the minutes in which it might come back
            self.server.cmd("advance 15")
        self.server.cmd("poll")
        again = Stream(self.server, e["id"])
        self.assertEqual(again.event()["event"], "reset")
        again.close()
        fresh = Stream(self.server)
        self.assertIn("retry", fresh.event())
        self.server.cmd("poll")
        self.assertEqual(fresh.event("sample")["id"].split("-")[0],
                         e["id"].split("-")[0])
        fresh.close()


class Slow(Case):
    def test_slow_reader_skips(self):
        """It gets "reset" and goes on, without all that it missed."""
        self.api("/api/v1/status")
        slow = Stream(self.server, rcvbuf=4096)
        slow.event()
        fast = Stream(self.server)
        for i in range(12000):
            self.server.cmd(f"error {i:04d} " + "x" * 200)
            if i % 100 == 99:
                while f'"{i:04d} ' not in fast.event("status")["data"]:
                    pass
        kinds = []
        while "reset" not in kinds:
            kinds.append(slow.event().get("event"))
        self.assertLess(len(kinds), 11000)
        self.server.cmd("error the next")
        self.assertIn('"the next"', slow.event("status")["data"])
        self.assertIn('"the next"', fast.event("status")["data"])
        slow.close()
        fast.close()


class Many(Case):
    """As many as a control room and its wall of screens would never have."""

    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))

    def gather(self, streams, n):
        """Until each has seen n events."""
        sel = selectors.DefaultSelector()
        for s in streams:
            s.sock.setblocking(False)
            sel.register(s.sock, selectors.EVENT_READ, s)
        deadline = time.monotonic() + 20
        waiting = {s for s in streams if s.count < n}
        while waiting and time.monotonic() < deadline:
            for key, _ in sel.select(1):
                s = key.data
                s.feed(s.sock.recv(65536))
                while s.parse() is not None:
                    pass
                if s.count >= n:
                    waiting.discard(s)
        sel.close()
        self.assertEqual(len(waiting), 0)

    def test_500(self):
        self.api("/api/v1/status")
        streams = [Stream(self.server) for _ in range(500)]
        self.gather(streams, 1)
        for i in range(10):
            start = time.monotonic()
            self.server.cmd("poll")
            self.gather(streams, 2 + i)
            print(f"500 clients: {time.monotonic() - start:.3f} s", flush=True)
        start = time.monotonic()
        self.assertEqual(self.get("/-/healthy").status, 200)
        self.assertLess(time.monotonic() - start, 2)
        more = [Stream(self.server) for _ in range(268)]
        self.gather(more, 1)
        a = self.get("/api/v1/stream")
        self.assertEqual(a.status, 503)
        self.assertEqual(a.headers["Retry-After"], "5")
        self.server.described.check("/api/v1/stream", a)
        for s in streams + more:
            s.close()


if __name__ == "__main__":
    unittest.main()
