"""test_tls.py - HTTPS: what is spoken, clients that stall, new certificates."""

import http.client
import os
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import warnings

from server import PROGRAM, Server, T0


def client_hello():
    """What a client that stalls says, as OpenSSL does."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def make_pair(folder, name, days="30"):
    cert = os.path.join(folder, name + ".pem")
    key = os.path.join(folder, name + ".key")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-days", days, "-subj",
         "/CN=" + name, "-addext", "subjectAltName=DNS:localhost,"
         "IP:127.0.0.1", "-keyout", key, "-out", cert],
        check=True, stderr=subprocess.DEVNULL)
    os.chmod(key, 0o600)
    return cert, key


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.cert, cls.key = make_pair(cls.dir.name, "one")
        cls.cert2, cls.key2 = make_pair(cls.dir.name, "two")
        with open(cls.cert, encoding="utf-8") as f:
            cls.pem = f.read()

    @classmethod
    def tearDownClass(cls):
        cls.dir.cleanup()

    def setUp(self):
        d = self.dir.name
        self.link(self.cert, d + "/in-use.pem")
        self.link(self.key, d + "/in-use.key")
        self.server = Server("--tls", d + "/in-use.pem", d + "/in-use.key",
                             "127.0.0.1:0", "unix:" + d + "/sock")
        self.address = urllib.parse.urlsplit(self.server.addresses[0])
        self.port = self.address.port

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    @staticmethod
    def link(path, name):
        if os.path.lexists(name):
            os.unlink(name)
        os.symlink(path, name)

    def context(self, cert=None):
        return ssl.create_default_context(cafile=cert or self.cert)

    def connect(self, context=None):
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        return (context or self.context()).wrap_socket(
            raw, server_hostname="localhost")

    def get(self, path, headers=None, context=None):
        c = http.client.HTTPSConnection("localhost", self.port, timeout=20,
                                        context=context or self.context())
        c.request("GET", path, headers=headers or {})
        r = c.getresponse()
        body = r.read()
        c.close()
        return r, body

    def test_answers(self):
        self.assertEqual(self.address.scheme, "https")
        r, body = self.get("/-/healthy")
        self.assertEqual((r.status, body), (200, b"healthy\n"))
        self.assertEqual(r.headers["Strict-Transport-Security"],
                         "max-age=31536000")
        r, body = self.get("/api/v1/series?datastore=lab:61a-b&points=10000"
                           f"&from=1&to={T0}")
        self.assertGreater(len(body), 200_000)
        r, body = self.get("/api/v1/groups?by=host")  # a job, suspended
        self.assertEqual(r.status, 200)

    def test_stream(self):
        with self.connect() as s:
            s.sendall(b"GET /api/v1/stream HTTP/1.1\r\n"
                      b"Host: localhost\r\n\r\n")
            text = s.recv(65536)
            self.server.cmd("poll")
            while b"event: sample" not in text:
                text += s.recv(65536)

    def test_unix_stays_plain(self):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(self.dir.name + "/sock")
            s.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n"
                      b"Connection: close\r\n\r\n")
            answer = s.recv(65536)
        self.assertIn(b" 200 ", answer)
        self.assertNotIn(b"Strict-Transport-Security", answer)

    def test_versions(self):
        for version, works in ((ssl.TLSVersion.TLSv1_1, False),
                               (ssl.TLSVersion.TLSv1_2, True),
                               (ssl.TLSVersion.TLSv1_3, True)):
            context = self.context()
            context.set_ciphers("DEFAULT:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                context.minimum_version = version
                context.maximum_version = version
            if works:
                with self.connect(context) as s:
                    self.assertIn(s.version(), ("TLSv1.2", "TLSv1.3"))
            else:
                with self.assertRaises((ssl.SSLError, OSError)):
                    self.connect(context)

    def test_plain_http_on_it(self):
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.settimeout(10)
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try:
                self.assertNotIn(b" 200 ", s.recv(65536))
            except ConnectionResetError:
                pass
        self.assertEqual(self.get("/-/healthy")[0].status, 200)

    def test_session_cookie(self):
        tokens = os.path.join(self.dir.name, "tokens")
        token = "dslat_" + "11" * 32
        import hashlib
        with open(tokens, "w", encoding="utf-8") as f:
            f.write("a:read:" + hashlib.sha256(token.encode()).hexdigest())
        os.chmod(tokens, 0o600)
        server = Server("--tls", self.cert, self.key, "--tokens", tokens,
                        "--closed", "127.0.0.1:0")
        port = urllib.parse.urlsplit(server.addresses[0]).port
        c = http.client.HTTPSConnection("localhost", port,
                                        context=self.context())
        c.request("POST", "/api/v1/session", f'{{"token": "{token}"}}',
                  {"Content-Type": "application/json"})
        r = c.getresponse()
        r.read()
        cookie, *attributes = r.headers["Set-Cookie"].split("; ")
        self.assertRegex(cookie, "^__Host-dslat=[0-9a-f]{64}$")
        self.assertEqual(set(attributes), {
            "Path=/", "HttpOnly", "SameSite=Strict", "Secure",
            "Max-Age=2592000"})
        for headers, status in (({}, 401), ({"Cookie": cookie}, 200)):
            c.request("GET", "/api/v1/status", headers=headers)
            r = c.getresponse()
            r.read()
            self.assertEqual(r.status, status)
        c.close()
        self.assertEqual(server.stop(), 0)

    def test_stalls(self):
        """Clients that stall in the handshake cost nothing and stop nobody."""
        hello = client_hello()
        stalled = []
        for i in range(60):
            s = socket.create_connection(("127.0.0.1", self.port), timeout=20)
            s.sendall([hello, hello[:20], b"\x16", b""][i % 4])
            stalled.append(s)
        for s in stalled[::4]:
            self.assertNotEqual(s.recv(65536), b"")  # the server's part
        with self.connect() as idle:
            pid = self.server.process.pid
            before, start = cpu_s(pid), time.monotonic()
            time.sleep(3)
            used = cpu_s(pid) - before
            self.assertLess(used, 0.1, f"{used} s of processor time in "
                            f"{time.monotonic() - start} s")
            start = time.monotonic()
            for _ in range(5):
                self.assertEqual(self.get("/-/healthy")[0].status, 200)
            idle.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n"
                         b"Connection: close\r\n\r\n")
            self.assertIn(b" 200 ", idle.recv(65536))
            self.assertLess(time.monotonic() - start, 2)
        # and they are cut after 31 s
        self.server.cmd("advance 32")
        for s in stalled:
            s.settimeout(10)
            try:
                while s.recv(65536):
                    pass
            except ConnectionResetError:
                pass
            s.close()

    def test_more_than_it_takes(self):
        socks = [socket.create_connection(("127.0.0.1", self.port))
                 for _ in range(450)]
        for s in socks[:100]:
            s.close()
        self.assertEqual(self.get("/-/healthy")[0].status, 200)
        for s in socks:
            s.close()

    def test_many_streams(self):
        """They leave room for others."""
        context, streams = self.context(), []
        for _ in range(300):
            s = self.connect(context)
            s.sendall(b"GET /api/v1/stream HTTP/1.1\r\n"
                      b"Host: localhost\r\n\r\n")
            streams.append(s)
        for s in streams:
            self.assertTrue(s.recv(1024).startswith(b"HTTP/1.1 200 "))
        r, body = self.get("/api/v1/stream", context=context)
        self.assertEqual(r.status, 503)
        self.assertIn(b"300 clients listen", body)
        self.assertEqual(self.get("/-/healthy", context=context)[0].status,
                         200)
        for s in streams:
            s.close()

    def test_new_certificate(self):
        old = self.connect()
        stream = self.connect()
        stream.sendall(b"GET /api/v1/stream HTTP/1.1\r\n"
                       b"Host: localhost\r\n\r\n")
        self.assertIn(b" 200 ", stream.recv(65536))
        self.server.cmd("reload")  # the same files: nothing changes
        self.assertEqual(self.get("/-/healthy")[0].status, 200)

        self.link(self.cert2, self.dir.name + "/in-use.pem")
        self.assertIn("is not that of the first certificate",
                      "\n".join(self.server.cmd("reload")))
        self.assertEqual(self.get("/-/healthy")[0].status, 200)

        self.link(self.key2, self.dir.name + "/in-use.key")
        self.assertEqual(self.server.cmd("reload"), [])
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.get("/-/healthy")
        new = self.context(self.cert2)
        self.assertEqual(self.get("/-/healthy", context=new)[0].status, 200)
        # what was open goes on for a minute
        old.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertIn(b" 200 ", old.recv(65536))
        self.server.cmd("poll")
        text = b""
        while b"event: sample" not in text:
            text += stream.recv(65536)
        self.server.cmd("advance 61")
        for s in (old, stream):
            s.settimeout(10)
            try:
                while s.recv(65536):
                    pass
            except (ConnectionResetError, ssl.SSLError):
                pass
            s.close()
        self.assertEqual(self.get("/-/healthy", context=new)[0].status, 200)

    def test_wrong_files(self):
        empty = os.path.join(self.dir.name, "empty")
        with open(empty, "w", encoding="utf-8"):
            pass
        locked = os.path.join(self.dir.name, "locked.key")
        subprocess.run(["openssl", "pkey", "-in", self.key, "-aes128",
                        "-passout", "pass:x", "-out", locked], check=True)
        for cert, key, says in (
                (self.cert, self.key2, "is not that of the first certificate"),
                (self.cert, "/nonexistent", "/nonexistent does not exist"),
                ("/nonexistent", self.key, "/nonexistent does not exist"),
                (self.key, self.key, "holds no certificate in PEM form"),
                (self.cert, self.cert, "holds no key in PEM form"),
                (empty, self.key, "holds no certificate"),
                (self.cert, locked, "passphrase"),
                (self.cert, self.dir.name, "cannot read")):
            p = subprocess.run(
                [PROGRAM, "--empty", "--tls", cert, key, "127.0.0.1:0"],
                input=b"", capture_output=True, timeout=20, check=False)
            self.assertEqual(p.returncode, 1, says)
            self.assertIn(says, p.stderr.decode())
            self.assertRegex(p.stderr.decode(), r"web\.tls_(cert|key)")


if __name__ == "__main__":
    unittest.main()
