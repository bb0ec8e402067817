#!/usr/bin/python3
"""dslatd against govmomi's simulator: a server nobody here wrote.

    run.py DSLATD VCSIM

Login over TLS by fingerprint, content views, property pages, the type prefix
that Go's XML encoder makes up, samples that come newest first and without
zeros (its known deviations), logout.  One PASS or FAIL line per case.
"""
import hashlib
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request

failures = 0


def check(name, ok, seen=""):
    global failures
    failures += not ok
    print(("PASS: " if ok else "FAIL: ") + "govmomi " + name +
          ("" if ok else " -- " + str(seen)), flush=True)


def get(base, path):
    with urllib.request.urlopen(base + path, timeout=10) as r:
        return json.load(r)


def wait_for(what, seconds=40):
    """The last value of what(), as soon as it is true."""
    until = time.monotonic() + seconds
    value = None
    while time.monotonic() < until:
        try:
            value = what()
            if value:
                return value
        except OSError:
            pass
        time.sleep(0.3)
    return value


def start_vcsim(program, kind):
    p = subprocess.Popen([program, kind], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
    url = p.stdout.readline().strip()
    return p, re.sub(r"//[^@]*@", "//", url)


def fingerprint(url):
    host, port = re.match(r"https://([^:/]+):(\d+)", url).groups()
    pem = ssl.get_server_certificate((host, int(port)))
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


def write_conf(folder, url, tls):
    with open(os.path.join(folder, "password"), "w") as f:
        f.write("pass\n")
    os.chmod(f.name, 0o600)
    conf = os.path.join(folder, "dslatd.yaml")
    with open(conf, "w") as out:
        out.write(f"listen: 127.0.0.1:0\n"
                  f"state_dir: {folder}/state\n"
                  f"targets:\n"
                  f"  - name: vcsim\n"
                  f"    url: {url}\n"
                  f"    username: user\n"
                  f"    password_file: {f.name}\n"
                  f"    tls: {{ {tls} }}\n")
    return conf


def start_dslatd(program, conf, folder):
    log = os.path.join(folder, "log")
    p = subprocess.Popen([program, "-c", conf], stderr=open(log, "w"))

    def address():
        m = re.search(r"listening on (http://\S+)/", open(log).read())
        return m and m.group(1)

    return p, wait_for(address, 10), log


def target_of(base):
    t = get(base, "/api/v1/status")["targets"][0]
    return t if t["state"] not in ("starting",) else None


def run_good(dslatd, vcsim, kind, want):
    with tempfile.TemporaryDirectory() as folder:
        v, url = start_vcsim(vcsim, kind)
        conf = write_conf(folder, url,
                          f'fingerprint_sha256: "{fingerprint(url)}"')
        d, base, log = start_dslatd(dslatd, conf, folder)
        t = wait_for(lambda: target_of(base))
        check(f"{kind}: logged in and polled",
              t and t["state"] in ("ok", "degraded"), t or open(log).read())
        check(f"{kind}: api_type", t["api_type"] == want["api_type"], t)
        check(f"{kind}: hosts", t["hosts"] == want["hosts"], t)
        check(f"{kind}: datastores", t["datastores"] == want["datastores"], t)
        items = get(base, "/api/v1/datastores?expand=hosts")["items"]
        names = sorted(i["name"] for i in items)
        check(f"{kind}: names", names == want["names"], names)
        check(f"{kind}: protocol is local by info and type OTHER",
              {i["protocol"] for i in items} == {"local"}, items)
        check(f"{kind}: every datastore is mounted somewhere",
              all(len(i["hosts"]) > 0 for i in items), items)
        hosts = get(base, "/api/v1/hosts")["items"]
        check(f"{kind}: cluster and datacenter",
              any((h["cluster"], h["datacenter"]) == want["place"]
                  for h in hosts), hosts)
        d.send_signal(signal.SIGTERM)
        try:
            rc = d.wait(5)
        except subprocess.TimeoutExpired:
            d.kill()
            rc = "still running after 5 s"
        check(f"{kind}: ends on SIGTERM", rc == 0, rc)
        check(f"{kind}: nothing but the expected in the log",
              not re.search(r"^<[0-4]>", open(log).read(), re.M),
              open(log).read())
        v.stdin.close()
        v.wait(10)


def run_bad(dslatd, vcsim, name, tls, words, password=None):
    """A connection that must not come about, and says the cure."""
    with tempfile.TemporaryDirectory() as folder:
        v, url = start_vcsim(vcsim, "vpx")
        fp = fingerprint(url)
        conf = write_conf(folder, url, tls.replace("FP", fp))
        if password:
            with open(os.path.join(folder, "password"), "w") as f:
                f.write(password + "\n")
        d, base, _ = start_dslatd(dslatd, conf, folder)
        t = wait_for(lambda: target_of(base))
        text = (t or {}).get("error") or ""
        check(name, t and t["state"] in ("unreachable", "auth_failed") and
              all(w.replace("FP", fp) in text for w in words), t)
        d.send_signal(signal.SIGTERM)
        d.wait(10)
        v.stdin.close()
        v.wait(10)


def main():
    dslatd, vcsim = sys.argv[1:]
    run_good(dslatd, vcsim, "vpx", {
        "api_type": "VirtualCenter", "hosts": 5, "datastores": 3,
        "names": ["LocalDS_0", "LocalDS_1", "LocalDS_2"],
        "place": ("DC0_C0", "DC0")})
    run_good(dslatd, vcsim, "esx", {
        "api_type": "HostAgent", "hosts": 1, "datastores": 1,
        "names": ["LocalDS_0"], "place": (None, "ha-datacenter")})
    run_bad(dslatd, vcsim, "a certificate nobody vouches for is refused, "
            "its fingerprint told", "insecure: false",
            ['fingerprint_sha256: "FP"'])
    run_bad(dslatd, vcsim, "another fingerprint is refused",
            f'fingerprint_sha256: "{"ab" * 32}"', ["FP"])
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
