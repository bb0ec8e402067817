#!/usr/bin/python3
"""check_dslatd.py BUILD_FOLDER FOLDER - from a slow datastore to a receiver.

dslatd watches a simulated ESXi host whose datastore is slow for a while; an
Alertmanager and a webhook are told, and Alertmanager tells its own receiver.
In real time, so some 50 s.  One PASS or FAIL line per case.
"""
import json
import os
import signal
import subprocess
import sys
import urllib.request

from receivers import Alertmanager, Hook, start, wait_for

failures = 0
SCENE = """\
server vcenter seed=3 late_pct=0
login monitor@vsphere.local secret
host esx1
host esx2
datastore slow nfs3 read_ms=2 write_ms=3 read_iops=100 write_iops=100
datastore fine iscsi read_ms=2 write_ms=3 read_iops=100 write_iops=100
event latency ds=slow host=esx2 at_s=0 for_s=30 write_ms=90
"""
CONF = """\
listen: 127.0.0.1:0
state_dir: %(state)s
targets:
  - { name: lab, url: "%(sim)s", username: monitor@vsphere.local,
      password_file: %(password)s }
thresholds:
  default: { window_samples: 1, for_samples: 1, clear_samples: 1 }
notify:
  - { name: am, type: alertmanager, url: "%(am)s", group_s: 1 }
  - { name: hook, type: webhook, url: "http://127.0.0.1:%(hook)d/", group_s: 1,
      kinds: [slow] }
  - { name: away, type: webhook, url: "http://127.0.0.1:9/", kinds: [login] }
web: { tokens_file: %(tokens)s, public_url: "https://dslat.example/x" }
"""


def check(name, ok, seen=""):
    global failures
    failures += not ok
    print(("PASS: " if ok else "FAIL: ") + "notify dslatd: " + name +
          ("" if ok else " -- " + str(seen)[:600]), flush=True)


def get(base, path):
    with urllib.request.urlopen(base + path, timeout=10) as r:
        return r.read().decode()


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o600)
    return path


def address(log):
    """Where dslatd listens, from its log."""
    with open(log) as f:
        for line in f:
            if "listening on http" in line:
                return line.split("listening on ")[1].strip().rstrip("/")
    return None


def alert(hook, status):
    for post in hook.posts:
        for a in post["alerts"]:
            if (a["status"], a["labels"].get("datastore")) == (status, "slow"):
                return a
    return None


def check_button(dslat, base, token, hook):
    """dslat notify test NAME"""
    def press(name, *more):
        return subprocess.run([dslat, "notify", "test", name, "--url", base,
                               *more], text=True, capture_output=True)

    with_token = "--token-file", token
    r = press("hook", *with_token)
    check("test: arrives", r.returncode == 0 and len(hook.posts) == 1 and
          hook.posts[0]["alerts"][0]["labels"]["alertname"] == "DslatTest", r)
    r = press("away", *with_token)
    check("test: says why not", r.returncode == 1 and
          "refuses the connection" in r.stderr, r)
    r = press("nobody", *with_token)
    check("test: says who there is", r.returncode == 1 and
          "am, hook, away" in r.stderr, r)
    r = press("hook")
    check("test: not without a token", r.returncode == 1 and
          len(hook.posts) == 1, r)


def main():
    build, folder = sys.argv[1:]
    dslat = os.path.join(build, "dslat")
    token = write(folder, "token", "")
    tokens = write(folder, "tokens", "")
    with open(token, "w") as out:
        subprocess.run([dslat, "token", "new", "ann", "--role", "write",
                        "--file", tokens], check=True, stdout=out)
    signal.alarm(140)
    am_hook, hook = Hook(), Hook()
    am = Alertmanager(folder, am_hook.port)
    sim = start([os.path.join(build, "tests/sim/dslat-sim"),
                 write(folder, "scene", SCENE)],
                stdout=subprocess.PIPE, text=True)
    conf = write(folder, "dslatd.yaml", CONF % {
        "state": os.path.join(folder, "state"), "am": am.url,
        "tokens": tokens,
        "sim": sim.stdout.readline().split()[-1], "hook": hook.port,
        "password": write(folder, "password", "secret\n")})
    os.makedirs(os.path.join(folder, "state"))
    log = os.path.join(folder, "dslatd.log")
    with open(log, "w") as out:
        daemon = start([os.path.join(build, "dslatd"), "-c", conf],
                       stderr=out)
    try:
        base = wait_for(lambda: address(log))
        check_button(dslat, base, token, hook)
        first = wait_for(lambda: alert(hook, "firing"), 60)
        check("webhook: slow", first and first["labels"]["op"] == "write" and
              first["labels"]["severity"] == "critical" and
              first["labels"]["protocol"] == "nfs3" and
              "esx2" in first["annotations"]["summary"] and
              first["generatorURL"] == "https://dslat.example/x/?incident=" +
              first["annotations"]["incident"], first)
        active = wait_for(lambda: [
            a for a in am.alerts() if a["labels"].get("datastore") == "slow"
            and a["status"]["state"] == "active"])
        check("alertmanager: active", active and len(active) == 1, active)
        check("alertmanager's receiver: fires",
              wait_for(lambda: alert(am_hook, "firing")), am_hook.posts)
        last = wait_for(lambda: alert(hook, "resolved"), 60)
        check("webhook: over", last and
              last["fingerprint"] == first["fingerprint"], last)
        check("alertmanager's receiver: is told the end",
              wait_for(lambda: alert(am_hook, "resolved")), am_hook.posts)
        check("nobody is told of the other", all(
            a["labels"].get("datastore") == "slow" for p in hook.posts[1:]
            for a in p["alerts"]), hook.posts)
        status = {n["name"]: n for n in
                  json.loads(get(base, "/api/v1/status"))["notifiers"]}
        check("status", status["hook"]["state"] == "ok" and
              status["hook"]["sent"] == 3 and status["hook"]["queued"] == 0 and
              status["am"]["type"] == "alertmanager", status)
        metrics = get(base, "/metrics")
        check("metrics", 'dslat_notifier_sent_total{name="hook",type="webhook"'
              "} 3\n" in metrics and 'dslat_notifier_up{name="am",type='
              '"alertmanager"} 1\n' in metrics,
              [m for m in metrics.splitlines() if "notifier" in m])
        daemon.send_signal(signal.SIGTERM)
        check("ends well", daemon.wait(10) == 0)
    finally:
        for p in (daemon, sim):
            p.terminate()
            p.wait(10)
        for r in (am, am_hook, hook):
            r.stop()
    if failures:
        with open(log) as f:
            print(f.read())
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
