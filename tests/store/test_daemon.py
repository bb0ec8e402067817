#!/usr/bin/python3
"""test_daemon.py DSLATD SIM SCENE - the whole daemon and its history.

A disk that is read-only at the start (a tmpfs; root), SIGKILL, a file of a newer
dslat; what status, /metrics, /-/ready and the log say meanwhile.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def wait_for(what, limit_s, fn):
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        value = fn()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"not within {limit_s} s: {what}")


class Daemon:
    def __init__(self, program, folder, url):
        self.program, self.folder = program, folder
        self.conf = os.path.join(folder, "dslatd.yaml")
        self.state = os.path.join(folder, "state")
        with open(os.path.join(folder, "password"), "w") as f:
            f.write("demo\n")
        os.chmod(f.name, 0o600)
        with open(self.conf, "w") as out:
            out.write(f"listen: 127.0.0.1:0\nstate_dir: {self.state}\n"
                      f"targets:\n  - {{ name: lab, url: '{url}',\n"
                      f"      username: monitor@vsphere.local,\n"
                      f"      password_file: {f.name} }}\n")

    def start(self):
        self.log_path = os.path.join(self.folder, "log")
        with open(self.log_path, "w") as log:
            self.p = subprocess.Popen([self.program, "-c", self.conf],
                                      stderr=log)
        self.url = wait_for("an address", 10, lambda: (
            m := re.search(r"listening on (http\S+)/", self.log())) and
            m.group(1))

    def log(self):
        with open(self.log_path) as f:
            return f.read()

    def get(self, path):
        try:
            with OPENER.open(self.url + path, timeout=10) as a:
                return a.status, a.read().decode()
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode()

    def store(self):
        return json.loads(self.get("/api/v1/status")[1])["store"]

    def metric(self, name):
        return float(re.search(rf"^{name} (\S+)$", self.get("/metrics")[1],
                               re.M).group(1))

    def has_samples(self):
        items = json.loads(self.get("/api/v1/datastores")[1])["items"]
        return any(i["latest"] for i in items)

    def rows(self, table):
        db = sqlite3.connect(f"file:{self.state}/history.db?mode=ro",
                             uri=True)
        n = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        db.close()
        return n

    def end(self, sig, code):
        self.p.send_signal(sig)
        if self.p.wait(10) != code:
            raise AssertionError(f"exit code {self.p.returncode}")


def want(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")


def read_only_disk(d):
    os.mkdir(d.state)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m,ro", "dslat",
                    d.state], check=True)
    d.start()
    wait_for("samples", 20, d.has_samples)
    s = d.store()
    want("state", s["state"], "failed")
    if "Read-only file system" not in s["error"]:
        raise AssertionError(s["error"])
    want("dslat_store_up", d.metric("dslat_store_up"), 0)
    code, text = d.get("/-/ready")
    want("ready", code, 503)
    if "Read-only file system" not in text:
        raise AssertionError(text)
    subprocess.run(["mount", "-o", "remount,rw", d.state], check=True)
    wait_for("a store that works", 30, lambda: d.store()["state"] == "ok")
    wait_for("rows", 10, lambda: d.rows("live"))
    want("ready", d.get("/-/ready")[0], 200)
    want("dslat_store_up", d.metric("dslat_store_up"), 1)
    want("failures", d.metric("dslat_store_failures_total") > 0, True)
    want("times said", d.log().count("Read-only file system"), 1)
    # Every field of every ring: what was there before it worked, too.
    wait_for("all samples", 10, lambda: d.store()["samples"] >= json.loads(
        d.get("/api/v1/status")[1])["targets"][0]["samples"] / 6)


def killed_and_gone_on(d):
    before = d.rows("live")
    d.end(signal.SIGKILL, -signal.SIGKILL)
    d.start()
    want("state", d.store()["state"], "ok")
    wait_for("samples", 20, d.has_samples)
    wait_for("a poll", 30, lambda: d.rows("live") > before)
    want("pairs", d.rows("pair"), d.rows("(SELECT DISTINCT datastore, host"
                                         " FROM pair)"))
    d.end(signal.SIGTERM, 0)


def newer_file(d):
    db = sqlite3.connect(f"{d.state}/history.db")
    db.execute("PRAGMA user_version = 99")
    db.close()
    p = subprocess.run([d.program, "-c", d.conf], stderr=subprocess.PIPE,
                       text=True, timeout=10)
    want("exit code", p.returncode, 3)
    if "written by a newer dslat" not in p.stderr:
        raise AssertionError(p.stderr)


def main():
    program, sim, scene = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="dslat-store-")
    sim_p = subprocess.Popen([sim, scene], stdout=subprocess.PIPE, text=True)
    d, failed = None, 0
    try:
        url = re.search(r"listening on (\S+)", sim_p.stdout.readline())[1]
        d = Daemon(program, folder, url)
        for case in (read_only_disk, killed_and_gone_on, newer_file):
            try:
                case(d)
                print(f"PASS: store/{case.__name__}")
            except (AssertionError, subprocess.TimeoutExpired) as e:
                print(f"{e}\n{d.log()}\nFAIL: store/{case.__name__}")
                failed = 1
                break
    finally:
        if d is not None and d.p.poll() is None:
            d.p.kill()
        sim_p.kill()
        subprocess.run(["umount", "-l", folder + "/state"],
                       stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(failed)


main()
