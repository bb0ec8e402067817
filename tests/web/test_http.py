"""test_http.py - the server as such: methods, headers, hosts, bad clients."""

import gzip
import http.client
import os
import resource
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

from server import PROGRAM, Case, Server

PATHS = ["/", "/-/healthy", "/-/ready", "/metrics", "/api/v1/status",
         "/api/v1/datastores", "/api/v1/hosts?limit=1", "/api/v1/peaks",
         "/api/v1/datastores/lab:61a-b", "/api/v1/groups",
         "/api/v1/series?datastore=lab:61a-b&from=-2m",
         "/api/v1/openapi.json"]
SAFE = {
    "Content-Security-Policy":
        "default-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'; object-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def read_all(s):
    out = b""
    while True:
        piece = s.recv(65536)
        if not piece:
            return out
        out += piece


class Methods(Case):
    def test_head(self):
        for path in PATHS:
            got, head = self.get(path), self.get(path, method="HEAD")
            self.assertEqual(got.status, 200, path)
            self.assertEqual((head.status, head.body), (200, b""), path)
            varying = {"Date", "Content-Length", "ETag"}
            self.assertEqual(
                {k: v for k, v in got.headers.items() if k not in varying},
                {k: v for k, v in head.headers.items() if k not in varying},
                path)

    def test_options(self):
        for path in PATHS + ["/api/v1/stream"]:
            a = self.get(path, method="OPTIONS")
            self.assertEqual((a.status, a.body), (204, b""))
            self.assertEqual(a.headers["Allow"], "GET, HEAD, OPTIONS")
            self.assertNotIn("Access-Control-Allow-Origin", a.headers)
        self.assertEqual(self.get("*", method="OPTIONS").status, 204)
        self.assertEqual(self.get("*").status, 400)
        self.assertEqual(self.get("/nothing", method="OPTIONS").status, 404)

    def test_wrong_methods(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW",
                       "get"):
            for path in ("/", "/api/v1/status", "/api/v1/hosts/lab:host-1"):
                a = self.get(path, method=method)
                self.assertEqual(a.status, 405, (method, path))
                self.assertEqual(a.headers["Allow"], "GET, HEAD, OPTIONS")
                self.assertEqual(a.json()["type"],
                                 "urn:dslat:problem:method-not-allowed")

    def test_safe_headers_everywhere(self):
        for path, status in [(p, 200) for p in PATHS] + [
                ("/nothing", 404), ("/%00", 400), ("/?x" + "y" * 9000, 414),
                ("/api/v1/series", 400), ("/api/v1/peaks?limit=0", 422)]:
            a = self.get(path)
            self.assertEqual(a.status, status, path)
            for name, value in SAFE.items():
                self.assertEqual(a.headers[name], value, path)
            self.assertIn("Date", a.headers)
            self.assertNotIn("Server", a.headers)


class Caching(Case):
    def test_not_modified(self):
        for path in ("/", "/api/v1/openapi.json",
                     "/api/v1/series?datastore=lab:61a-b&from=1796038000"
                     "&to=1796039000"):
            for encoding in (None, "gzip"):
                h = {} if encoding is None else {"Accept-Encoding": encoding}
                a = self.get(path, h)
                tag = a.headers["ETag"]
                self.assertRegex(tag, '^"[0-9a-f]{32,}(-gzip)?"$')
                for want in (tag, f'"x,y", {tag}', f"W/{tag}", "*"):
                    b = self.get(path, {**h, "If-None-Match": want})
                    self.assertEqual((b.status, b.body), (304, b""), path)
                    self.assertEqual(b.headers["ETag"], tag)
                    self.assertEqual(b.headers["Vary"], "Accept-Encoding")
                for other in ('"x"', tag[:-2] + '"', tag[1:-1]):
                    b = self.get(path, {**h, "If-None-Match": other})
                    self.assertEqual(b.status, 200)

    def test_encodings_are_two_representations(self):
        path = "/api/v1/openapi.json"
        plain = self.get(path)
        packed = self.get(path, {"Accept-Encoding": "gzip, br"})
        self.assertNotEqual(plain.headers["ETag"], packed.headers["ETag"])
        b = self.get(path, {"If-None-Match": packed.headers["ETag"]})
        self.assertEqual(b.status, 200)

    def test_gzip(self):
        for path in PATHS:
            plain = self.get(path)
            packed = self.get(path, {"Accept-Encoding": "deflate, gzip"})
            if "Content-Encoding" not in packed.headers:
                self.assertLessEqual(len(plain.body), 1025, path)
                continue
            self.assertEqual(packed.headers["Content-Encoding"], "gzip")
            self.assertEqual(packed.headers["Vary"], "Accept-Encoding")
            self.assertLess(len(packed.body), len(plain.body))
            body = gzip.decompress(packed.body)
            if path.startswith("/api/v1/series") or "openapi" in path:
                self.assertEqual(body, plain.body)
        for no in ("identity", "gzip;q=0", "br"):
            a = self.get("/api/v1/openapi.json", {"Accept-Encoding": no})
            self.assertNotIn("Content-Encoding", a.headers)

    def test_large_gzip_is_whole(self):
        path = ("/api/v1/series?datastore=lab:61a-b&points=10000&from=1"
                "&to=1796040000")
        plain = self.get(path)
        packed = self.get(path, {"Accept-Encoding": "gzip"})
        self.assertGreater(len(plain.body), 200_000)
        self.assertEqual(gzip.decompress(packed.body), plain.body)

    def test_assets(self):
        a = self.get("/")
        self.assertEqual(a.headers["Content-Type"],
                         "text/html; charset=utf-8")
        self.assertEqual(a.headers["Cache-Control"], "no-cache")
        a = self.get("/index.html?v=1")
        self.assertEqual(a.headers["Cache-Control"],
                         "public, max-age=31536000, immutable")
        self.assertEqual(self.get("/nothing.js?v=1").status, 404)
        self.assertEqual(self.get("/../etc/passwd").status, 404)
        self.assertEqual(self.get("/..%2fetc%2fpasswd").status, 404)


class Hosts(Case):
    def status(self, host):
        return self.get("/-/healthy", {"Host": host}).status

    def test_loopback(self):
        for host in ("localhost", "localhost:9969", "127.0.0.1", "[::1]:80",
                     "LOCALHOST:1", "x.localhost"):
            self.assertEqual(self.status(host), 200, host)
        for host in ("evil.example", "evil.example:9969", "10.0.0.1",
                     "localhost.evil.example", "127.0.0.1.evil.example"):
            self.assertEqual(self.status(host), 421, host)
        a = self.get("/api/v1/status", {"Host": "evil.example"})
        self.assertIn("reverse proxy", a.json()["detail"])

    def test_no_host(self):
        with self.server.connect() as s:
            s.sendall(b"GET /-/healthy HTTP/1.0\r\n\r\n")
            self.assertIn(b" 200 ", read_all(s))
        with self.server.connect() as s:
            s.sendall(b"GET /-/healthy HTTP/1.1\r\nConnection: close\r\n\r\n")
            self.assertIn(b" 400 ", read_all(s))

    def test_absolute_form(self):
        with self.server.connect() as s:
            s.sendall(b"GET http://localhost/-/healthy HTTP/1.1\r\n"
                      b"Host: localhost\r\nConnection: close\r\n\r\n")
            self.assertIn(b" 200 ", read_all(s))


class Clients(Case):
    """Clients that are slow, broken or hostile."""

    def tearDown(self):
        self.assertEqual(self.get("/-/healthy").status, 200)

    def test_bodies_are_refused(self):
        for method, status in (("GET", 413), ("POST", 405)):
            a = self.get("/api/v1/status", method=method, body=b"x" * 100)
            self.assertEqual(a.status, status)
            self.assertEqual(a.headers["Connection"], "close")
        with self.server.connect() as s:
            s.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\n"
                      b"Expect: 100-continue\r\n"
                      b"Content-Length: 99999999999\r\n\r\n")
            answer = read_all(s)
            self.assertTrue(answer.startswith(b"HTTP/1.1 405 "), answer)
        with self.server.connect() as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n"
                      b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            self.assertTrue(s.recv(4096).startswith(b"HTTP/1.1 413 "))

    def test_pipelining(self):
        paths = ["/-/healthy", "/api/v1/groups", "/nothing", "/-/ready",
                 "/api/v1/series?datastore=lab:61a-b&from=-1m"] * 10
        with self.server.connect() as s:
            s.sendall(b"".join(
                f"GET {p} HTTP/1.1\r\nHost: localhost\r\n".encode() +
                (b"Connection: close\r\n" if i == len(paths) - 1 else b"") +
                b"\r\n" for i, p in enumerate(paths)))
            f = s.makefile("rb")
            for p in paths:
                line = f.readline()
                want = 404 if p == "/nothing" else 200
                self.assertIn(f" {want} ".encode(), line)
                length = None
                while (h := f.readline()) not in (b"\r\n", b""):
                    if h.lower().startswith(b"content-length:"):
                        length = int(h.split(b":")[1])
                f.read(length)
            self.assertEqual(f.read(), b"")
            f.close()

    def test_keep_alive(self):
        c = http.client.HTTPConnection("127.0.0.1", self.server.port)
        c.connect()
        sock = c.sock
        for path in PATHS * 2:
            c.request("GET", path)
            c.getresponse().read()
            self.assertIs(c.sock, sock, f"closed after {path}")
        c.close()

    def test_long_headers(self):
        with self.server.connect() as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " +
                      b"a" * 200_000)
            try:
                self.assertIn(b" 431 ", read_all(s))
            except ConnectionResetError:
                pass
        a = self.get("/-/healthy", {"X": "a" * 20_000})
        self.assertEqual(a.status, 200)
        self.assertEqual(self.get("/" + "a" * 8192).status, 414)
        self.assertEqual(self.get("/" + "a" * 8000).status, 404)
        try:
            self.assertEqual(self.get("/" + "a" * 100_000).status, 414)
        except ConnectionResetError:
            pass

    def test_garbage(self):
        for junk in (b"\r\n\r\n", b"\0" * 1000, b"GET\r\n\r\n", b"\xff" * 9000,
                     b"GET / HTTP/9.9\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"a" * 100_000,
                     b"GET / HTTP/1.1\r\n: x\r\n\r\n", os.urandom(5000),
                     b"GET /\0x HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: -1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n"):
            with self.server.connect() as s:
                s.settimeout(0.5)  # what is incomplete may wait for its 30 s
                try:
                    s.sendall(junk)
                    s.shutdown(socket.SHUT_WR)
                    answer = read_all(s)
                except OSError:
                    continue
                # libmicrohttpd forgives some of it (a NUL ends the path)
                self.assertRegex(answer, rb"^(HTTP/1\.[01] [2-5]|$)", junk)
            self.assertEqual(self.get("/-/healthy").status, 200)

    def test_half_closed(self):
        """Who closes early gets the whole answer or none, and no hang."""
        for path in ("/-/healthy", "/api/v1/groups?by=host") * 10:
            with self.server.connect() as s:
                s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
                          "Connection: close\r\n\r\n".encode())
                s.shutdown(socket.SHUT_WR)
                answer = read_all(s)
                if answer != b"":
                    self.assertIn(b" 200 ", answer)
                    head, _, body = answer.partition(b"\r\n\r\n")
                    self.assertIn(b"Content-Length: %d" % len(body), head)

    def test_gone_before_the_answer(self):
        for i in range(50):
            s = self.server.connect()
            s.sendall(b"GET /api/v1/groups?by=host HTTP/1.1\r\n"
                      b"Host: localhost\r\n\r\n")
            if i % 2 == 0:
                time.sleep(0.002)
            s.close()

    def test_does_not_read(self):
        """A client that reads nothing costs nobody else anything."""
        s = self.server.connect()
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
        start = time.monotonic()
        self.assertEqual(self.get("/-/healthy").status, 200)
        self.assertLess(time.monotonic() - start, 5)
        s.close()

    def test_slow_headers(self):
        """One byte now and then holds a place for 31 s only."""
        slow = [self.server.connect() for _ in range(50)]
        for s in slow:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-")
        fast = self.server.connect()
        while self.get("/api/v1/status").json()["http"]["connections"] < 52:
            time.sleep(0.01)  # until all are accepted
        self.server.cmd("advance 20")
        for s in slow:
            s.sendall(b"a")
        self.assertEqual(self.get("/-/healthy").status, 200)
        for s in slow:
            s.setblocking(False)
            with self.assertRaises(BlockingIOError):
                s.recv(1)
            s.setblocking(True)
        self.server.cmd("advance 12")
        for s in slow + [fast]:
            s.settimeout(10)
            try:
                self.assertEqual(read_all(s), b"")
            except ConnectionResetError:
                pass
            s.close()
        late = self.get("/api/v1/status").json()["http"]["late"]
        self.assertGreaterEqual(late, 51)

    def test_slow_headers_of_a_crowd(self):
        """When half of the places are taken, for 5 s; who asks is served."""
        late = self.get("/api/v1/status").json()["http"]["late"]
        slow = [self.server.connect() for _ in range(201)]
        for s in slow:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-")
        with self.server.connect() as events:
            events.sendall(b"GET /api/v1/stream HTTP/1.1\r\n"
                           b"Host: localhost\r\n\r\n")
            self.assertIn(b" 200 ", events.recv(4096))
            while (self.get("/api/v1/status").json()["http"]["connections"]
                   < 203):
                time.sleep(0.01)
            self.server.cmd("advance 4")
            a = self.get("/api/v1/status").json()["http"]
            self.assertEqual(a["late"], late)
            self.server.cmd("advance 6")
            for s in slow:
                s.settimeout(10)
                try:
                    self.assertEqual(read_all(s), b"")
                except ConnectionResetError:
                    pass
                s.close()
            events.setblocking(False)
            try:
                self.assertNotEqual(events.recv(4096), b"")
            except BlockingIOError:
                pass
        a = self.get("/api/v1/status").json()["http"]
        self.assertEqual(a["late"], late + 201)

    def test_connection_limit(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        socks = [self.server.connect() for _ in range(1100)]
        for s in socks[:200]:
            s.close()
        start = time.monotonic()
        self.assertEqual(self.get("/-/healthy").status, 200)
        self.assertLess(time.monotonic() - start, 2)
        for s in socks[200:]:
            s.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_many_jobs(self):
        """More long requests than are worked on at once."""
        statuses = []

        def ask():
            statuses.append(self.get("/api/v1/groups?by=host").status)
        threads = [threading.Thread(target=ask) for _ in range(100)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(statuses), 100)
        self.assertLessEqual(set(statuses), {200, 503})
        self.assertIn(200, statuses)


class Listening(unittest.TestCase):
    def refused(self, *words):
        p = subprocess.run([PROGRAM, "--empty", *words], input=b"",
                           capture_output=True, timeout=20, check=False)
        self.assertEqual(p.returncode, 1, p)
        return p.stderr.decode()

    def test_address_in_use(self):
        server = Server("--empty", "127.0.0.1:0")
        word = f"127.0.0.1:{server.port}"
        text = self.refused(word)
        self.assertIn("another program listens there already", text)
        self.assertIn(f"ss -ltnp 'sport = :{server.port}'", text)
        self.assertEqual(server.stop(), 0)

    def test_wrong_words(self):
        for word, says in (
                ("127.0.0.1", "not an address to listen on"),
                ("::1:9969", "in brackets"),
                ("127.0.0.1:", "port"),
                ("127.0.0.1:x", "port"),
                ("127.0.0.1:65536", "port"),
                ("127.0.0.1:-1", "port"),
                (":80", "not an address"),
                ("unix:relative", "absolute path"),
                ("unix:/" + "x" * 200, "absolute path"),
                ("192.0.2.1:0", "no such address"),
                ("unix:/nonexistent/dir/s", "No such file"),
                ("no.such.name.invalid:1", "no.such.name.invalid")):
            self.assertIn(says, self.refused(word), word)

    def test_ipv6_and_names(self):
        server = Server("--empty", "[::1]:0", "localhost:0")
        hosts = [urllib.parse.urlsplit(a) for a in server.addresses]
        self.assertEqual(hosts[0].hostname, "::1")
        for h in hosts:
            c = http.client.HTTPConnection(h.hostname, h.port)
            c.request("GET", "/-/healthy")
            self.assertEqual(c.getresponse().read(), b"healthy\n")
            c.close()
        self.assertEqual(server.stop(), 0)

    def test_everywhere(self):
        """*:port is IPv4 and IPv6, and takes any Host."""
        server = Server("--empty", "*:0")
        self.assertIn("http://0.0.0.0:", server.addresses[-1] +
                      server.addresses[0])
        port = [urllib.parse.urlsplit(a).port for a in server.addresses
                if "0.0.0.0" in a][0]
        c = http.client.HTTPConnection("127.0.0.1", port)
        c.request("GET", "/-/healthy", headers={"Host": "vm.example"})
        self.assertEqual(c.getresponse().status, 200)
        c.close()
        self.assertEqual(server.stop(), 0)

    def unix_get(self, path, request=b"GET /-/healthy HTTP/1.1\r\n"
                 b"Host: anything\r\nConnection: close\r\n\r\n"):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            s.sendall(request)
            return read_all(s)

    def test_unix(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "http.sock")
            server = Server("--empty", "unix:" + path)
            self.assertEqual(server.addresses, ["unix:" + path])
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o660)
            self.assertIn(b"healthy", self.unix_get(path))
            self.assertIn("another program", self.refused("unix:" + path))
            self.assertIn(b"healthy", self.unix_get(path))
            self.assertEqual(server.stop(), 0)
            self.assertFalse(os.path.exists(path))

    def test_unix_left_over(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "http.sock")
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(path)  # closed without unlink: nobody serves it
            server = Server("--empty", "unix:" + path)
            self.assertIn(b"healthy", self.unix_get(path))
            self.assertEqual(server.stop(), 0)
            with open(path, "w", encoding="utf-8") as f:
                f.write("precious")
            self.assertIn("not a socket", self.refused("unix:" + path))
            with open(path, encoding="utf-8") as f:
                self.assertEqual(f.read(), "precious")

    def test_stop_with_open_connections(self):
        server = Server("--big", "20", "100", "127.0.0.1:0")
        socks = [server.connect() for _ in range(40)]
        for i, s in enumerate(socks):
            path = [b"/api/v1/stream", b"/metrics", b"/api/v1/groups?by=host",
                    b"/api/v1/datastores?expand=hosts"][i % 4]
            s.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" +
                      (b"\r\n" if i < 36 else b""))
        start = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - start, 5)
        for s in socks:
            s.close()


if __name__ == "__main__":
    unittest.main()
