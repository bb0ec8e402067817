"""test_auth.py - who may read and write: tokens, sessions, other sites."""

import hashlib
import http.client
import json
import os
import tempfile
import time
import unittest

from server import Server

READ = "dslat_" + "11" * 32
WRITE = "dslat_" + "22" * 32
WRONG = "dslat_" + "33" * 32
OPEN = ["/", "/-/healthy", "/index.html", "/api/v1/session"]
CLOSED = ["/api/v1/status", "/api/v1/datastores", "/api/v1/hosts",
          "/api/v1/stream", "/metrics", "/-/ready", "/api/v1/peaks",
          "/api/v1/openapi.json", "/api/v1/groups",
          "/api/v1/series?datastore=lab:61a-b"]


def line(name, role, token):
    return f"{name}:{role}:{hashlib.sha256(token.encode()).hexdigest()}\n"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class Guarded(unittest.TestCase):
    closed = True

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.tokens = os.path.join(self.dir.name, "tokens")
        self.write_tokens(line("wall", "read", READ) +
                          line("ops", "write", WRITE))
        self.log = open(os.path.join(self.dir.name, "log"), "w+",
                        encoding="utf-8")
        self.server = Server("--tokens", self.tokens,
                             *(["--closed"] if self.closed else []),
                             "127.0.0.1:0", stderr=self.log)
        self.get = self.server.get

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)
        self.log.close()
        self.dir.cleanup()

    def write_tokens(self, text, mode=0o600):
        with open(self.tokens + ".new", "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.tokens + ".new", mode)
        os.rename(self.tokens + ".new", self.tokens)

    def logged(self):
        self.log.flush()
        with open(self.log.name, encoding="utf-8") as f:
            return f.read()

    def post(self, path, body, headers=None, status=200):
        a = self.get(path, {"Content-Type": "application/json",
                            **(headers or {})}, "POST", json.dumps(body))
        self.assertEqual(a.status, status, a.body)
        if a.body:
            self.server.described.check(path, a, "post")
        return a

    def login(self, token):
        a = self.post("/api/v1/session", {"token": token})
        cookie, *attributes = a.headers["Set-Cookie"].split("; ")
        self.assertEqual(set(attributes), {
            "Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=2592000"})
        self.assertRegex(cookie, "^dslat_session=[0-9a-f]{64}$")
        return {"Cookie": cookie}


class Closed(Guarded):
    """allow_anonymous_read: false"""

    def test_paths(self):
        for path in OPEN:
            self.assertEqual(self.get(path).status, 200, path)
            self.assertEqual(self.get(path, bearer(WRONG)).status, 200)
        for path in CLOSED:
            a = self.get(path)
            self.assertEqual(a.status, 401, path)
            self.assertEqual(a.headers["WWW-Authenticate"],
                             'Bearer realm="dslat"')
            self.assertEqual(a.json()["type"],
                             "urn:dslat:problem:unauthorized")
            self.assertIn("Authorization: Bearer", a.json()["detail"])
            if path == "/api/v1/stream":
                continue
            for token in (READ, WRITE):
                self.assertEqual(self.get(path, bearer(token)).status, 200)
            head = self.get(path, method="HEAD")
            self.assertEqual((head.status, head.body), (401, b""))

    def test_wrong_credentials(self):
        path = "/api/v1/status"
        for value in ("Bearer", "Bearer ", f"Basic {READ}", READ,
                      f"Bearer {READ} x", f"Bearer {READ[:-1]}",
                      "Bearer " + hashlib.sha256(READ.encode()).hexdigest()):
            a = self.get(path, {"Authorization": value})
            self.assertEqual(a.status, 401, value)
            self.assertIn("Bearer", a.headers["WWW-Authenticate"])
        for value in (f"bearer {READ}", f"BEARER  {READ}"):
            self.assertEqual(self.get(path, {"Authorization": value}).status,
                             200, value)

    def test_session(self):
        anonymous = self.get("/api/v1/session").json()
        self.assertEqual(anonymous, {"name": None, "role": None,
                                     "anonymous_read": False})
        cookie = self.login(READ)
        for path in CLOSED:
            if path != "/api/v1/stream":
                self.assertEqual(self.get(path, cookie).status, 200, path)
        who = self.get("/api/v1/session", cookie).json()
        self.assertEqual((who["name"], who["role"]), ("wall", "read"))
        other = {"Cookie": "a=b; " + cookie["Cookie"] + "; c=d"}
        self.assertEqual(self.get("/api/v1/status", other).status, 200)
        for bad in ("dslat_session=" + "0" * 64, "dslat_session=",
                    cookie["Cookie"][:-1], cookie["Cookie"] + "0",
                    "x" + cookie["Cookie"],
                    cookie["Cookie"].replace("dslat_session", "__Host-dslat")):
            self.assertEqual(self.get("/api/v1/status",
                                      {"Cookie": bad}).status, 401, bad)
        # a cookie is of no use as a token
        self.assertEqual(self.get("/api/v1/status", bearer(
            cookie["Cookie"].split("=")[1])).status, 401)

    def test_logout(self):
        cookie = self.login(READ)
        own = {**cookie, "Origin": f"http://127.0.0.1:{self.server.port}"}
        a = self.get("/api/v1/session", own, "DELETE")
        self.assertEqual((a.status, a.body), (204, b""))
        self.assertIn("dslat_session=; Path=/; Max-Age=0",
                      a.headers["Set-Cookie"])
        self.assertEqual(self.get("/api/v1/status", cookie).status, 401)

    def test_session_ends(self):
        old, used = self.login(READ), self.login(READ)
        for _ in range(4):  # 24 days, used every 6
            self.server.cmd(f"advance {6 * 86400}")
            self.assertEqual(self.get("/api/v1/status", used).status, 200)
        self.assertEqual(self.get("/api/v1/status", old).status, 401)
        self.server.cmd(f"advance {6 * 86400 + 60}")  # 30 days since it began
        self.assertEqual(self.get("/api/v1/status", used).status, 401)

    def test_many_sessions(self):
        """One who logs in often ends the sessions used least lately."""
        mine = self.login(READ)
        for i in range(300):
            self.login(WRITE)
            if i % 50 == 0:
                self.assertEqual(self.get("/api/v1/status", mine).status, 200)
        self.assertEqual(self.get("/api/v1/status", mine).status, 200)

    def test_removed_token(self):
        """It ends with its line: the token, its sessions, its streams."""
        cookie = self.login(READ)
        with self.server.connect() as s:
            s.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n"
                      b"Cookie: " + cookie["Cookie"].encode() + b"\r\n\r\n")
            self.assertIn(b" 200 ", s.recv(65536))
            self.write_tokens(line("ops", "write", WRITE))
            self.server.cmd("advance 6")
            s.settimeout(10)
            while not s.recv(65536).endswith(b"0\r\n\r\n"):
                pass  # the last chunk: the stream ends
        self.assertEqual(self.get("/api/v1/status", cookie).status, 401)
        self.assertEqual(self.get("/api/v1/status", bearer(READ)).status, 401)
        self.assertEqual(self.get("/api/v1/status", bearer(WRITE)).status, 200)

    def test_new_token_counts_at_once(self):
        self.server.cmd("advance 2")
        self.write_tokens(line("new", "read", WRONG))
        self.assertEqual(self.get("/api/v1/status", bearer(WRONG)).status, 200)

    def test_file_that_is_wrong(self):
        self.write_tokens(line("a", "read", READ), 0o644)
        self.server.cmd("reload")
        self.assertEqual(self.get("/api/v1/status", bearer(READ)).status, 401)
        self.assertIn("has mode 644, so others may read it; chmod it 600",
                      self.logged())
        self.write_tokens("oops\n" + line("a", "read", READ))
        self.server.cmd("reload")
        self.assertEqual(self.get("/api/v1/status", bearer(READ)).status, 200)
        self.assertIn("(1 wrong line): line 1: must be NAME:ROLE:SHA256",
                      self.logged())
        os.unlink(self.tokens)
        self.server.cmd("reload")
        a = self.get("/api/v1/status", bearer(READ))
        self.assertEqual(a.status, 401)
        self.assertIn("dslat token new NAME --file", self.logged())

    def test_tries(self):
        """Wrong tokens slow down who shows them, and nobody else."""
        statuses = [self.get("/api/v1/status", bearer(WRONG)).status
                    for _ in range(30)]
        self.assertEqual(statuses, [401] * 10 + [429] * 20)
        a = self.get("/api/v1/status", bearer(WRONG))
        self.assertTrue(1 <= int(a.headers["Retry-After"]) <= 61)
        self.post("/api/v1/session", {"token": WRONG}, status=429)
        # from the same address, in the same minute
        self.assertEqual(self.get("/api/v1/status", bearer(READ)).status, 200)
        self.login(READ)
        self.assertEqual(self.logged().count("wrong token from 127.0.0.1"), 1)
        self.server.cmd("advance 61")
        self.assertEqual(self.get("/api/v1/status", bearer(WRONG)).status, 401)
        self.assertIn("wrong token from 127.0.0.1, and 31 before it",
                      self.logged())
        self.assertNotIn(WRONG, self.logged())
        self.assertNotIn(READ, self.logged())


class Origins(Guarded):
    """Requests that change something, made by other sites' pages."""

    closed = False

    def status(self, headers, method="DELETE", token=WRITE):
        return self.get("/api/v1/session", {
            **(bearer(token) if token else {}), **headers}, method).status

    def test_delete(self):
        own = f"127.0.0.1:{self.server.port}"
        cookie = self.login(WRITE)
        for headers, status in (
                ({}, 204),  # a program with its token
                ({"Sec-Fetch-Site": "same-origin"}, 204),
                ({"Sec-Fetch-Site": "none"}, 204),
                ({"Sec-Fetch-Site": "cross-site"}, 403),
                ({"Sec-Fetch-Site": "same-site"}, 403),
                ({"Sec-Fetch-Site": "x"}, 403),
                ({"Sec-Fetch-Site": "cross-site",
                  "Origin": "http://" + own}, 403),
                ({"Origin": "http://" + own}, 204),
                ({"Origin": "https://" + own.upper()}, 204),
                ({"Origin": "http://evil.example"}, 403),
                ({"Origin": "http://127.0.0.1:1"}, 403),
                ({"Origin": "http://" + own + ".evil.example"}, 403),
                ({"Origin": "http://x@" + own}, 403),
                ({"Origin": own}, 403),
                ({"Origin": "null"}, 403),
                ({"Origin": ""}, 403)):
            self.assertEqual(self.status(headers), status, headers)
            # with a cookie it takes more than saying nothing
            if headers == {}:
                status = 403
            self.assertEqual(self.status({**headers, **cookie}, token=None),
                             status, headers)
            if status == 204:
                cookie = self.login(WRITE)

    def test_login(self):
        for origin, status in (("http://evil.example", 403), ("null", 403),
                               (f"http://127.0.0.1:{self.server.port}", 200)):
            self.post("/api/v1/session", {"token": READ}, {"Origin": origin},
                      status)

    def test_reading_is_open(self):
        for headers in ({}, {"Origin": "http://evil.example"},
                        {"Cookie": "dslat_session=" + "0" * 64}):
            a = self.get("/api/v1/status", headers)
            self.assertEqual(a.status, 200)
            self.assertNotIn("Access-Control-Allow-Origin", a.headers)
        # who shows a token wants it to count
        self.assertEqual(self.get("/api/v1/status", bearer(WRONG)).status, 401)


class Bodies(Guarded):
    closed = False

    def raw(self, body, headers=None, status=400):
        a = self.get("/api/v1/session", {"Content-Type": "application/json",
                                         **(headers or {})}, "POST", body)
        self.assertEqual(a.status, status, (body[:100], a.body))
        self.server.described.check("/api/v1/session", a, "post")
        return a.json()

    def test_not_an_object(self):
        for body, says in ((b"", "body is missing"),
                           (b"{", "line 1"), (b"[]", "must be a JSON object"),
                           (b"1", "line 1"), (b"{} x", "end of file"),
                           (b'{"token": "a", "token": "b"}', "duplicate"),
                           (b'{"token": 1}', "must be a text"),
                           (b'{"token": null}', "is missing"),
                           (b"{}", "is missing"),
                           (b'{"tokens": "a"}', "known: token"),
                           (b'{"token": "a\\u0000"}', "line 1"),
                           (b'{"token": "a\\u0007"}', "control"),
                           (b'{"token": "a\\u009b"}', "control"),
                           (b'{"token": "\xff"}', "line 1"),
                           (b'{"token": "' + b"x" * 300 + b'"}', "256 bytes"),
                           (b"[" * 30000, "deeper than 8"),
                           (b'{"a":' * 9 + b"1" + b"}" * 9, "deeper than 8"),
                           (b'{"a":' * 8 + b"1" + b"}" * 8, "known: token"),
                           (b'{"a":[[],[],[],[],[],[],[],[],[],[]]}',
                            "known: token"),
                           (b'{"token": "]' + b"[" * 50 + b'"}', "know")):
            status = 401 if says == "know" else 400
            problem = self.raw(body, status=status)
            self.assertIn(says, problem["detail"], body[:60])

    def test_types(self):
        body = json.dumps({"token": READ})
        for kind, status in (("application/json", 200),
                             ("application/json; charset=utf-8", 200),
                             ("Application/JSON", 200),
                             ("text/plain", 415), ("", 415),
                             ("application/jsonx", 415),
                             ("application/x-www-form-urlencoded", 415),
                             ("multipart/form-data; boundary=x", 415)):
            a = self.get("/api/v1/session", {"Content-Type": kind}, "POST",
                         body)
            self.assertEqual(a.status, status, kind)
        c = http.client.HTTPConnection("127.0.0.1", self.server.port)
        c.putrequest("POST", "/api/v1/session")
        c.putheader("Content-Length", "2")
        c.endheaders(b"{}")
        self.assertEqual(c.getresponse().status, 415)
        c.close()

    def test_lengths(self):
        limit = 64 * 1024
        fill = b'{"token": "' + READ.encode() + b'"'
        fits = fill + b" " * (limit - len(fill) - 1) + b"}"
        self.raw(fits, status=200)
        self.assertIn("65536", self.raw(fits + b" ", status=413)["detail"])
        # in chunks, so that nobody knows before the end
        self.chunked(fits, 200)
        self.chunked(fits + b" ", 413)
        self.chunked(b" " * 500_000, 413)
        self.chunked(b" " * 3_000_000, None)

    def chunked(self, body, status):
        with self.server.connect() as s:
            try:
                s.sendall(b"POST /api/v1/session HTTP/1.1\r\n"
                          b"Host: localhost\r\nConnection: close\r\n"
                          b"Content-Type: application/json\r\n"
                          b"Transfer-Encoding: chunked\r\n\r\n")
                for i in range(0, len(body), 10_000):
                    piece = body[i:i + 10_000]
                    s.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                s.sendall(b"0\r\n\r\n")
                head = s.makefile("rb").readline()
            except OSError:
                head = b""
        want = b"" if status is None else b"HTTP/1.1 %d " % status
        self.assertTrue(head.startswith(want), (len(body), head))
        if status is None:
            self.assertEqual(head, b"")

    def test_refused_before_it_is_sent(self):
        for path, headers, status in (
                ("/api/v1/session", b"Content-Type: application/json\r\n"
                 b"Content-Length: 99999999999\r\n", b"413"),
                ("/api/v1/session", b"Content-Type: text/plain\r\n"
                 b"Content-Length: 10\r\n", b"415"),
                ("/api/v1/status", b"Content-Length: 10\r\n", b"405"),
                ("/nothing", b"Content-Length: 10\r\n", b"404"),
                ("/api/v1/session", b"Content-Type: application/json\r\n"
                 b"Origin: http://evil.example\r\n"
                 b"Content-Length: 10\r\n", b"403")):
            with self.server.connect() as s:
                s.sendall(b"POST " + path.encode() + b" HTTP/1.1\r\n"
                          b"Host: localhost\r\nExpect: 100-continue\r\n" +
                          headers + b"\r\n")
                answer = s.recv(65536)
                self.assertTrue(answer.startswith(b"HTTP/1.1 " + status),
                                answer)

    def test_continue(self):
        body = json.dumps({"token": READ}).encode()
        with self.server.connect() as s:
            s.sendall(b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\n"
                      b"Expect: 100-continue\r\nConnection: close\r\n"
                      b"Content-Type: application/json\r\n"
                      b"Content-Length: %d\r\n\r\n" % len(body))
            self.assertTrue(s.recv(65536).startswith(b"HTTP/1.1 100 "))
            s.sendall(body)
            self.assertTrue(s.recv(65536).startswith(b"HTTP/1.1 200 "))

    def test_slow_body(self):
        """A body that drips in holds a place for 31 s only."""
        slow = self.server.connect()
        slow.sendall(b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Type: application/json\r\n"
                     b"Content-Length: 1000\r\n\r\n{")
        while self.get("/api/v1/status").json()["http"]["connections"] < 2:
            time.sleep(0.01)
        self.server.cmd("advance 20")
        slow.sendall(b" ")
        self.assertEqual(self.get("/-/healthy").status, 200)
        slow.setblocking(False)
        with self.assertRaises(BlockingIOError):
            slow.recv(1)
        slow.setblocking(True)
        self.server.cmd("advance 12")
        slow.settimeout(10)
        try:
            self.assertEqual(slow.recv(1), b"")
        except ConnectionResetError:
            pass
        slow.close()

    def test_pipelined_bodies(self):
        body = json.dumps({"token": READ}).encode()
        one = (b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\n"
               b"Content-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n" % len(body)) + body
        with self.server.connect() as s:
            s.sendall(one * 5 + b"GET /-/healthy HTTP/1.1\r\n"
                      b"Host: localhost\r\nConnection: close\r\n\r\n")
            answer = b""
            while piece := s.recv(65536):
                answer += piece
            self.assertEqual(answer.count(b"HTTP/1.1 200 "), 6)
            self.assertTrue(answer.endswith(b"healthy\n"))


class Without(unittest.TestCase):
    """No tokens file at all: reading is open, writing is not."""

    def test_no_file(self):
        server = Server("127.0.0.1:0")
        self.assertEqual(server.get("/api/v1/status").status, 200)
        a = server.get("/api/v1/session", {
            "Content-Type": "application/json"}, "POST",
            json.dumps({"token": READ}))
        self.assertEqual(a.status, 401)
        self.assertIn("web.tokens_file", a.json()["detail"])
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
