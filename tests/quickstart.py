#!/usr/bin/env python3
"""packaging/quickstart.sh as a person meets it: on a terminal, with Ctrl-C.

usage: quickstart.py BUILD-FOLDER (holds a build; quickstart.sh uses build/ of
the source tree, which is made or brought up to date here).
Prints one PASS: or FAIL: line per case.
"""
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPT = os.path.join(TOP, "packaging", "quickstart.sh")
SIM = os.path.join(os.path.abspath(sys.argv[1]), "tests/sim/dslat-sim")
SCENE = os.path.join(TOP, "tests/sim/scenes/demo.scene")
BUILD_S = 600


class Failed(Exception):
    pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=10) as r:
        return r.read().decode()


def until(what, limit_s, f):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        try:
            value = f()
        except (urllib.error.URLError, OSError):
            value = None
        if value:
            return value
        time.sleep(0.5)
    raise Failed(f"not within {limit_s} s: {what}")


class Terminal:
    """quickstart.sh on a terminal of its own."""

    def __init__(self, *args):
        self.tmp = tempfile.mkdtemp()
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TMPDIR"] = self.tmp
            os.execv(SCRIPT, [SCRIPT, "--no-install", *args])

    def read(self, wait_s):
        ready, _, _ = select.select([self.fd], [], [], wait_s)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += data.decode(errors="replace")
        return bool(data)

    def expect(self, pattern, limit_s=BUILD_S):
        end = time.monotonic() + limit_s
        while not re.search(pattern, self.text):
            if time.monotonic() > end or not self.read(0.5):
                raise Failed(f"no {pattern!r} in: {self.text}")

    def type(self, text):
        os.write(self.fd, text.encode())

    def command_lines(self):
        """Of every process that has our TMPDIR in its environment."""
        lines = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if f"TMPDIR={self.tmp}\0".encode() not in f.read():
                        continue
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    lines.append(f.read().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return lines

    def end(self, by_signal=False):
        """Ctrl-C, or SIGTERM to the script alone; exit code."""
        if by_signal:
            os.kill(self.pid, signal.SIGTERM)
        else:
            self.type("\x03")
        deadline = time.monotonic() + 30
        while self.read(1):
            if time.monotonic() > deadline:
                raise Failed(f"does not end: {self.command_lines()}")
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        left = self.command_lines()
        if left:
            raise Failed(f"still running: {left}")
        if os.listdir(self.tmp):
            raise Failed(f"left behind: {os.listdir(self.tmp)}")
        os.rmdir(self.tmp)
        return os.waitstatus_to_exitcode(status)

    def kill(self):
        try:
            os.kill(self.pid, signal.SIGTERM)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def want(condition, text):
    if not condition:
        raise Failed(text)


def items(port):
    return json.loads(
        get(f"http://127.0.0.1:{port}/api/v1/datastores?limit=1000"))["items"]


def values(port):
    """The datastores, once NFS and iSCSI both have a latency."""
    ds = items(port)
    measured = {d["protocol"] for d in ds
                if d["latest"] and d["latest"]["read_ms"] is not None}
    return ds if {"nfs3", "iscsi"} <= measured else None


def demo():
    port = free_port()
    t = Terminal("--listen", f"127.0.0.1:{port}")
    try:
        t.expect(f"Open http://127.0.0.1:{port}/")
        want("<html" in get(f"http://127.0.0.1:{port}/"), "no page")
        until("NFS beside iSCSI", 90, lambda: values(port))
        want(any(d["name"] == "nfs-vdi-01" for d in items(port)),
             "the datastore it speaks of is not there")
        want(t.end() == 0, "exit code")
        # dslatd could log out: the simulated vCenter ended after it
        want("warning" not in t.text, t.text)
    except BaseException:
        t.kill()
        raise


def certificate(port):
    """SHA-256 fingerprint of the certificate, by openssl."""
    pem = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port}"],
        input=b"", capture_output=True, check=False).stdout
    text = subprocess.run(
        ["openssl", "x509", "-noout", "-fingerprint", "-sha256"],
        input=pem, capture_output=True, check=True).stdout.decode()
    return text.strip().split("=")[1]


def real(*more, fingerprint=False, on_terminal=False):
    port = free_port()
    sim = subprocess.Popen([SIM, "--tls", SCENE], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    t = None
    try:
        line = sim.stdout.readline()
        url = re.search(r"https://\S+", line).group()
        args = ["--listen", f"127.0.0.1:{port}", "--url", url,
                "--user", "monitor@vsphere.local", *more]
        if fingerprint:
            args += ["--fingerprint",
                     certificate(re.search(r":(\d+)/", url).group(1))]
        with tempfile.NamedTemporaryFile("w") as f:
            if not on_terminal:
                f.write("demo\n")
                f.flush()
                args += ["--password-file", f.name]
            t = Terminal(*args)
            if on_terminal:
                t.expect("Password of monitor@vsphere.local at")
                t.type("demo\n")
            t.expect(f"Open http://127.0.0.1:{port}/")
            ds = until("a first value", 90, lambda: values(port))
            want(ds[0]["target"] == "127-0-0-1", ds[0]["target"])
            if on_terminal:
                want("demo" not in t.text.replace("demo.scene", ""),
                     "the password is on the screen")
                want(not [c for c in t.command_lines() if " demo" in c],
                     "the password is on a command line")
            want(t.end(by_signal=not on_terminal) == 0, "exit code")
    except BaseException:
        if t is not None:
            t.kill()
        raise
    finally:
        sim.terminate()
        sim.wait()


def refused(args, words):
    r = subprocess.run([SCRIPT, "--no-install", *args], text=True,
                       stdin=subprocess.DEVNULL, capture_output=True,
                       check=False)
    want(r.returncode == 2, f"{args}: exit code {r.returncode}")
    want(words in r.stderr, f"{args}: {r.stderr}")


def usage():
    refused(["--frob"], "unknown option: --frob")
    refused(["--url"], "--url needs a value")
    refused(["--url", "x"], "--url needs --user")
    refused(["--user", "x"], "--user needs --url")
    refused(["--insecure"], "need --url")
    refused(["--url", "x", "--user", "y", "--insecure", "--fingerprint", "z"],
            "not both")


def occupied():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        at = f"127.0.0.1:{s.getsockname()[1]}"
        r = subprocess.run([SCRIPT, "--no-install", "--listen", at], text=True,
                           stdin=subprocess.DEVNULL, capture_output=True,
                           check=False)
    want(r.returncode == 1, f"exit code {r.returncode}")
    want(f"something listens at {at} already" in r.stderr, r.stderr)
    want("Open" not in r.stdout, r.stdout)


def main():
    failed = False
    for name, case in [
        ("usage", usage),
        ("occupied", occupied),
        ("demo", demo),
        ("insecure", lambda: real("--insecure")),
        ("fingerprint and password on the terminal",
         lambda: real(fingerprint=True, on_terminal=True)),
    ]:
        try:
            case()
            print(f"PASS: quickstart/{name}", flush=True)
        except Exception as e:  # each case gets its line
            print(f"{type(e).__name__}: {e}")
            print(f"FAIL: quickstart/{name}", flush=True)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
