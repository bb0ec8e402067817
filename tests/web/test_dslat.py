"""test_dslat.py - the dslat program writing to the real server, with tokens."""

import json
import os
import pty
import stat
import subprocess
import tempfile
import unittest

import expect as ex
from server import Server
from test_auth import Guarded, READ, WRITE
from test_tls import make_pair
from test_writes import INCIDENT, Notifiers

DSLAT = os.path.join(os.environ.get("top_builddir", "."), "dslat")


def run(*args, **env):
    base = {k: v for k, v in os.environ.items()
            if not k.startswith("DSLAT_") and k != "COLUMNS"}
    return subprocess.run([DSLAT, *args], env={**base, "LC_ALL": "C.UTF-8",
                                               **env},
                          capture_output=True, timeout=30, check=False,
                          text=True)


class Writing(Guarded):
    closed = False

    def setUp(self):
        super().setUp()
        self.token_file = os.path.join(self.dir.name, "token")
        self.put_token(WRITE)

    def put_token(self, token):
        with open(self.token_file, "w", encoding="utf-8") as f:
            f.write(token + "\n")

    def dslat(self, *args, status=0, token=True, **env):
        env["DSLAT_URL"] = f"http://127.0.0.1:{self.server.port}"
        if token:
            env["DSLAT_TOKEN_FILE"] = self.token_file
        p = run(*args, **env)
        self.assertEqual(p.returncode, status, p)
        if status == 0:
            self.assertEqual(p.stderr, "")
            return p.stdout
        self.assertEqual(p.stdout, "")
        self.assertTrue(p.stderr.startswith("dslat: "), p.stderr)
        self.assertEqual(p.stderr.count("\n"), 1, p.stderr)
        return p.stderr

    def test_tokens(self):
        note = ("note", "raised NFS queue depth")
        cure = "dslat token new NAME --role write"
        self.assertIn(cure, self.dslat(*note, status=1, token=False))
        self.assertIn("DSLAT_TOKEN_FILE",
                      self.dslat(*note, status=1, token=False))
        self.put_token("dslat_" + "0" * 64)
        err = self.dslat(*note, status=1)
        self.assertIn(f"does not know the token in {self.token_file}", err)
        self.put_token(READ)
        self.assertIn('the token "wall" may only read',
                      self.dslat(*note, status=1))
        err = self.dslat(*note, "--token-file", "/nonexistent", status=1)
        self.assertIn("token file: /nonexistent does not exist", err)
        self.put_token("")
        self.assertIn("is empty", self.dslat(*note, status=1))
        self.put_token(WRITE)
        self.assertRegex(self.dslat(*note), "^noted at 2026-.*Z\n$")
        self.assertRegex(self.dslat(*note, "--token-file", self.token_file,
                                    token=False), "^noted at")

    def test_note(self):
        v = json.loads(self.dslat(
            "--json", "note", "x \u2713", "--datastore", ex.DS_NAMES[0],
            "--host", "lab:host-1", "--at", "-10m"))
        self.assertEqual((v["text"], v["datastore"], v["host"], v["by"]),
                         ("x \u2713", ex.DS_IDS[0], "lab:host-1", "ops"))
        self.assertIn("Write it", self.dslat("note", status=2))
        self.assertIn("one argument too many",
                      self.dslat("note", "a", "b", status=2))
        self.assertIn('"text" is empty', self.dslat("note", "", status=2))
        self.assertIn("control", self.dslat("note", "a\nb", status=2))
        self.assertIn('no datastore "nope"', self.dslat(
            "note", "x", "--datastore", "nope", status=1))

    def test_ack(self):
        self.assertEqual(self.server.cmd("incident " + json.dumps(INCIDENT)),
                         [])
        self.assertEqual(self.dslat("ack", "107", "the array"),
                         "incident 107 acknowledged by ops\n")
        v = json.loads(self.dslat("ack", "107", "--json"))
        self.assertEqual((v["ack_by"], v["ack_note"]), ("ops", None))
        err = self.dslat("ack", "108", status=1)
        self.assertIn('no incident "108"; "dslat incidents" lists all', err)
        self.assertIn("which incident", self.dslat("ack", status=2))

    def test_silence(self):
        self.assertEqual(self.dslat("silence", "list"), "no silences\n")
        self.assertRegex(
            self.dslat("silence", "add", "lab/nfs*", "--for", "2h", "--note",
                       "filer upgrade", "--op", "write"),
            '^silence 1 of "lab/nfs\\*" until 2026-11-30T.*Z\n$')
        self.dslat("silence", "add", "*", "--from", "2026-12-24T00:00:00Z",
                   "--until", "2026-12-27T00:00:00Z", "--kind", "slow")
        lines = self.dslat("silence").splitlines()
        self.assertEqual(lines[0].split(), ["ID", "STATE", "MATCH", "PROTOCOL",
                                            "KIND", "OP", "FROM", "(UTC)",
                                            "UNTIL", "(UTC)", "BY", "NOTE"])
        self.assertEqual(lines[1].split(), [
            "2", "pending", "*", "-", "slow", "-", "2026-12-24T00:00:00Z",
            "2026-12-27T00:00:00Z", "ops", "-"])
        self.assertIn("filer upgrade", lines[2])
        items = json.loads(self.dslat("silence", "list", "--json"))["items"]
        self.assertEqual([i["id"] for i in items], [2, 1])
        self.assertEqual(self.dslat("silence", "remove", "1"),
                         "silence 1 removed\n")
        self.assertIn('no silence "1"; "dslat silence list" lists all',
                      self.dslat("silence", "remove", "1", status=1))
        self.assertIn("--for 2h", self.dslat("silence", "add", "*", status=2))
        self.assertIn("what?", self.dslat("silence", "add", status=2))
        self.assertIn("which?", self.dslat("silence", "remove", status=2))
        self.assertIn("none of add, list, remove",
                      self.dslat("silence", "off", status=2))
        self.assertIn('"duration" must be', self.dslat(
            "silence", "add", "*", "--for", "soon", status=2))


    def test_events(self):
        self.dslat("note", "raised NFS queue depth", "--datastore",
                   ex.DS_NAMES[0])
        self.dslat("silence", "add", "lab/*", "--for", "1h")
        self.dslat("silence", "remove", "1")
        lines = self.dslat("events", "--kind", "note,audit").splitlines()
        self.assertEqual(lines[0].split(), ["TIME", "(UTC)", "KIND", "BY",
                                            "ABOUT", "TEXT"])
        self.assertRegex(lines[1], "  audit  ops  -  +silence 1 removed "
                         "\\(from 127.0.0.1\\)$")
        self.assertRegex(lines[2], "  audit  ops  -  +silence 1 of "
                         '"lab/\\*" until .* \\(from 127.0.0.1\\)$')
        self.assertRegex(lines[3], "  note   ops  lab/" + ex.DS_NAMES[0] +
                         "  raised NFS queue depth$")
        self.assertEqual(len(lines), 4)
        v = json.loads(self.dslat("events", "--limit", "1", "--json"))
        self.assertEqual(len(v["items"]), 1)
        self.assertIn("--limit must be", self.dslat("events", "--limit", "0",
                                                    status=2))

    def test_incidents(self):
        """Those of the site, which each test of the API knows."""
        items = json.loads(self.dslat("incidents", "--json"))["items"]
        lines = self.dslat("incidents").splitlines()
        self.assertEqual(lines[0].split(), [
            "ID", "SINCE", "(UTC)", "FOR", "SEVERITY", "STATE", "KIND", "ON",
            "OP", "WORST", "ms", "HOSTS", "ACK", "WHERE", "TO", "LOOK"])
        self.assertEqual(len(lines), len(items) + 1)
        for line, i in zip(lines[1:], items):
            cells = line.split()
            self.assertEqual(cells[:2], [str(i["id"]), i["started"]])
            for cell in (i["worst_severity"], i["kind"], i["op"]):
                self.assertIn(cell, cells)
        self.assertEqual(self.server.cmd("incident " + json.dumps(
            {**INCIDENT, "id": 105, "state": "ended", "key": "latency:x",
             "started": "2026-11-29T10:00:00Z", "end_reason": "cleared",
             "ended": "2026-11-30T11:59:00Z"})), [])
        self.dslat("ack", str(items[0]["id"]))
        lines = self.dslat("incidents").splitlines()
        self.assertEqual(len(lines), len(items) + 2)
        self.assertRegex(lines[-1], "^ *105  2026-11-29T10:00:00Z  1d 01h  "
                         "critical  ended .*  lab/nfs01  .*  83.2 ")
        self.assertIn("  ops  ", lines[1])
        line = self.dslat("events", "--kind", "incident", "--to",
                          "2026-11-30T11:59:00Z").splitlines()[1]
        self.assertRegex(line, "^2026-11-30T11:59:00Z  incident  -  +"
                         "lab/nfs01 +incident 105 ended \\(cleared\\):")
        line = self.dslat("events", "--from", "2026-11-29T09:00:00Z", "--to",
                          "2026-11-29T10:00:00Z").splitlines()[1]
        self.assertRegex(line, "  lab/nfs01 +incident 105 began:")
        lines = self.dslat("incidents", "--open").splitlines()
        self.assertEqual(len(lines), len(items) + 1)
        self.dslat("silence", "add", items[0]["target"] + "/*", "--for", "1h")
        items = json.loads(self.dslat("incidents", "--json"))["items"]
        lines = self.dslat("incidents").splitlines()[1:]
        self.assertIn("announced", {i["state"] for i in items
                                    if i["silenced_by"]})
        for line, i in zip(lines, items):
            self.assertEqual("  silenced  " in line, i["state"] == "announced"
                             and i["silenced_by"] is not None)
        self.assertEqual(self.dslat("incidents", "--kind", "login"),
                         "no incidents\n")
        self.assertEqual(self.dslat("incidents", "--open", "--kind", "login"),
                         "no open incidents\n")
        self.assertIn("--kind is one of slow", self.dslat(
            "incidents", "--kind", "fast", status=2))

    def test_terminals(self):
        """What matters stays on narrow ones, and no line is too long."""
        for columns, there, gone in ((200, "WHERE TO LOOK", None),
                                     (100, "FOR", "WHERE TO LOOK"),
                                     (70, "WORST ms", "ACK")):
            main, terminal = pty.openpty()
            p = subprocess.Popen(
                [DSLAT, "incidents", "--url",
                 f"http://127.0.0.1:{self.server.port}", "--token-file",
                 self.token_file], stdout=terminal,
                env={"COLUMNS": str(columns), "TERM": "dumb",
                     "LC_ALL": "C.UTF-8"})
            os.close(terminal)
            out = b""
            try:
                while piece := os.read(main, 65536):
                    out += piece
            except OSError:
                pass  # the terminal has no other side any more
            os.close(main)
            self.assertEqual(p.wait(10), 0)
            lines = out.decode().splitlines()
            self.assertIn(there, lines[0])
            for word in ("ID", "SINCE (UTC)", "SEVERITY", "ON", "OP",
                         "WORST ms"):
                self.assertIn(word, lines[0])
            if gone is not None:
                self.assertNotIn(gone, lines[0])
                self.assertIn("more columns", lines[-1])
            self.assertLessEqual(max(map(len, lines)), columns)


class Closed(Writing):
    """The same where reading needs a token too."""

    closed = True

    def test_reading(self):
        self.assertIn("dslat token new NAME",
                      self.dslat("status", status=1, token=False))
        self.put_token(READ)
        self.assertIn("lab", self.dslat("status"))


class Notify(Notifiers):
    def test_delivered(self):
        self.start(f"http://127.0.0.1:{self.hook.server_port}/")
        path = os.path.join(self.dir.name, "token")
        with open(path, "w", encoding="utf-8") as f:
            f.write(WRITE)
        args = ("--url", f"http://127.0.0.1:{self.server.port}",
                "--token-file", path, "notify", "test")
        p = run(*args, "hook")
        self.assertEqual((p.returncode, p.stdout, p.stderr),
                         (0, "hook took the test message\n", ""))
        self.hook.status = 500
        p = run(*args, "hook")
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertIn("500", p.stderr)
        p = run(*args, "hok")
        self.assertEqual(p.returncode, 1)
        self.assertIn("hook", p.stderr)
        for wrong in (("notify",), ("notify", "hook"), ("notify", "test")):
            self.assertEqual(run(*wrong).returncode, 2)

    test_not_delivered = test_unknown = test_no_answer = None


class Tokens(unittest.TestCase):
    """dslat token new, which asks nobody."""

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.dir.name, "tokens")

    def tearDown(self):
        self.dir.cleanup()

    def test_printed(self):
        p = run("token", "new", "ops", "--role", "write")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        token = [w for w in p.stdout.split() if w.startswith("dslat_")]
        self.assertEqual(len(token), 1)
        self.assertRegex(token[0], "^dslat_[0-9a-f]{64}$")
        sha256 = subprocess.run(["sha256sum"], input=token[0], text=True,
                                capture_output=True,
                                check=True).stdout.split()[0]
        self.assertTrue(p.stdout.endswith(f"\n\nops:write:{sha256}\n"))

    def test_file(self):
        first = run("token", "new", "wall", "--file", self.file)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        second = run("token", "new", "ops", "--role", "write", "--file",
                     self.file)
        self.assertNotEqual(first.stdout, second.stdout)
        with open(self.file, encoding="utf-8") as f:
            lines = f.read().splitlines()
        self.assertEqual([line.rsplit(":", 1)[0] for line in lines],
                         ["wall:read", "ops:write"])
        self.assertNotIn(first.stdout.strip(), "".join(lines))
        p = run("token", "new", "ops", "--file", self.file)
        self.assertEqual((p.returncode, p.stdout), (2, ""))
        self.assertIn("has a token named", p.stderr)
        # and dslatd takes them
        server = Server("--tokens", self.file, "--closed", "127.0.0.1:0")
        for token in (first.stdout.strip(), second.stdout.strip()):
            a = server.get("/api/v1/session",
                           {"Authorization": "Bearer " + token})
            self.assertEqual(a.json()["name"],
                             "wall" if token in first.stdout else "ops")
        self.assertEqual(server.stop(), 0)

    def test_usage(self):
        for args in (("token",), ("token", "old", "x"), ("token", "new"),
                     ("token", "new", "a:b"), ("token", "new", ""),
                     ("token", "new", "a", "b"), ("token", "new", "x" * 64),
                     ("token", "new", "a", "--role", "admin"),
                     ("token", "new", "a", "--json"),
                     ("token", "new", "a", "--url", "http://x")):
            p = run(*args)
            self.assertEqual((p.returncode, p.stdout), (2, ""), args)
            self.assertTrue(p.stderr.startswith("dslat: "), p.stderr)
        p = run("token", "new", "a", "--file", "/nonexistent/tokens")
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        os.mkdir(self.file)
        self.assertEqual(run("token", "new", "a", "--file",
                             self.file).returncode, 1)

    def test_file_others_can_write(self):
        with open(self.file, "w", encoding="utf-8") as f:
            f.write("# mine\n")
        os.chmod(self.file, 0o666)
        p = run("token", "new", "a", "--file", self.file)
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertIn("chmod it 600", p.stderr)
        with open(self.file, encoding="utf-8") as f:
            self.assertEqual(f.read(), "# mine\n")


class Https(unittest.TestCase):
    def test_ca_file(self):
        with tempfile.TemporaryDirectory() as d:
            cert, key = make_pair(d, "server")
            server = Server("--tls", cert, key, "127.0.0.1:0")
            url = server.addresses[0]
            for args, env, status in (
                    ((), {}, 1), (("--ca-file", cert), {}, 0),
                    ((), {"DSLAT_CA_FILE": cert}, 0),
                    (("--ca-file", "/nonexistent"), {"DSLAT_CA_FILE": cert},
                     1)):
                p = run("--url", url, "status", *args, **env)
                self.assertEqual(p.returncode, status, p)
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
