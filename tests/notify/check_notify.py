#!/usr/bin/python3
"""check_notify.py TELLER FOLDER - every kind of notifier, and real receivers.

TELLER (teller.c) is dslatd behind its rules; incidents are made by hand.
Receivers are Debian's Alertmanager, rsyslogd and aiosmtpd, and a web server
that verifies signatures.  One PASS or FAIL line per case.
"""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

from receivers import (Alertmanager, Hook, Mail, Syslog, make_certificate,
                       wait_for)

failures = 0
SECRET = b"very s3cret"
PASSWORD = "p\u00e4ss word"


def check(name, ok, seen=""):
    global failures
    failures += not ok
    print(("PASS: " if ok else "FAIL: ") + "notify " + name +
          ("" if ok else " -- " + str(seen)[:600]), flush=True)


class Teller:
    def __init__(self, program, conf, state):
        self.args = [program, conf, state]
        self.alive = {}
        self.begin()

    def begin(self):
        """As at a start: incidents are there, then it applies."""
        self.p = subprocess.Popen(self.args, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        for words in self.alive.values():
            self.say("inc " + words)
        self.say("start")
        assert self.p.stdout.readline() == "started\n"

    def say(self, line):
        self.p.stdin.write(line + "\n")
        self.p.stdin.flush()

    def inc(self, number, severity, state, name=None, quiet=False):
        self.say(self.words(number, severity, state, name, quiet))

    def words(self, number, severity, state, name=None, quiet=False):
        words = "%d %s %s %s%s" % (number, severity, state,
                                   name or "ds%03d" % number,
                                   " quiet" if quiet else "")
        if state == "ended":
            self.alive.pop(number, None)
        else:
            self.alive[number] = words
        return "inc " + words

    def status(self):
        self.say("status")
        return {n["name"]: n for n in json.loads(self.p.stdout.readline())}

    def idle(self):
        """Everything was told."""
        return all(n["queued"] == 0 for n in self.status().values())

    def test(self, name):
        self.say("test " + name)
        return self.p.stdout.readline().strip()

    def kill(self):
        self.p.kill()
        self.p.wait()

    def quit(self):
        self.say("quit")
        code = self.p.wait(10)
        self.p.stdout.close()
        return code


def folder_of(base, name):
    path = os.path.join(base, name)
    os.makedirs(path)
    return path


def write(folder, name, text, mode=0o600):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def write_conf(folder, notifiers):
    lines = ["targets: [{ name: lab, url: https://h, username: u, "
             "password_env: PATH }]", "notify:"]
    for n in notifiers:
        lines.append("  - " + json.dumps(n))
    return write(folder, "conf.yaml", "\n".join(lines) + "\n")


RECORD = r"""#!/usr/bin/python3
import json, os, sys
with open(os.path.join(%r, "runs"), "a") as f:
    f.write(json.dumps([sys.argv[1:], json.load(sys.stdin)]) + "\n")
"""


def runs(folder):
    path = os.path.join(folder, "runs")
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f]


# ---- all kinds at once -------------------------------------------------------


class Everything:
    """A receiver of each kind, and the configuration that names them."""

    def __init__(self, base, teller):
        self.folder = folder_of(base, "all")
        f = self.folder
        self.cert, self.key = make_certificate(f)
        self.hook = Hook(secret=SECRET)
        self.am_hook = Hook()
        self.am = Alertmanager(f, self.am_hook.port)
        self.mail = Mail(self.cert, self.key, "dslat", PASSWORD)
        self.syslog = Syslog(f)
        program = write(f, "record", RECORD % f, 0o700)
        notifiers = [
            {"name": "hook", "type": "webhook", "group_s": 1,
             "url": "http://127.0.0.1:%d/in" % self.hook.port,
             "secret_file": write(f, "secret", SECRET.decode() + "\n")},
            {"name": "am", "type": "alertmanager", "group_s": 1,
             "url": self.am.url},
            {"name": "mail", "type": "smtp", "group_s": 1,
             "server": "127.0.0.1:%d" % self.mail.port,
             "tls": {"ca_file": self.cert}, "from": "dslat@example.com",
             "to": ["ann@example.com", "bob@example.com"],
             "username": "dslat",
             "password_file": write(f, "password", PASSWORD + "\n")},
            {"name": "run", "type": "exec", "group_s": 1,
             "command": [program, "{status}", "{count}", "{datastore}",
                         "$(id) {severity}"]},
        ]
        for name, address, protocol in [
                ("udp", "127.0.0.1:%d" % self.syslog.udp, "udp"),
                ("tcp", "127.0.0.1:%d" % self.syslog.tcp, "tcp"),
                ("unix", "unix:" + self.syslog.socket, "udp")]:
            notifiers.append({"name": name, "type": "syslog", "group_s": 1,
                              "address": address, "protocol": protocol,
                              "facility": "local3"})
        self.names = [n["name"] for n in notifiers]
        self.teller = Teller(teller, write_conf(f, notifiers),
                             folder_of(f, "state"))

    def settle(self):
        return wait_for(self.teller.idle)

    def stop(self):
        check("all: ends well", self.teller.quit() == 0)
        for r in (self.am, self.syslog, self.mail, self.am_hook, self.hook):
            r.stop()


def check_hundred(x):
    """100 datastores at once are one message for each."""
    x.teller.say("\n".join(
        x.teller.words(i, "critical" if i % 10 == 0 else "warning",
                       "announced") for i in range(1, 101)))
    check("hundred: all told", x.settle(), x.teller.status())
    time.sleep(0.5)
    sent = {n: s["sent"] for n, s in x.teller.status().items()}
    check("hundred: one message per notifier",
          sent == dict.fromkeys(x.names, 1), sent)
    posts = x.hook.posts
    check("hundred: webhook", len(posts) == 1 and
          len(posts[0]["alerts"]) == 100 and posts[0]["version"] == "4" and
          posts[0]["status"] == "firing", posts)
    check("hundred: webhook signature", x.hook.forged == 0)
    mails = x.mail.mails
    subject = mails[0][1]["Subject"] if mails else None
    check("hundred: mail", len(mails) == 1 and subject ==
          "[dslat] 100 incidents: 10 critical, 90 warning", subject)
    lines = mails[0][1].get_content().splitlines()
    check("hundred: digest names all",
          all(any("ds%03d" % i in line for line in lines)
              for i in range(1, 101)))
    check("hundred: exec", len(runs(x.folder)) == 1 and
          runs(x.folder)[0][0][1] == "100", runs(x.folder)[:2])
    logged = wait_for(lambda: len(x.syslog.messages()) >= 3 and
                      x.syslog.messages())
    check("hundred: syslog by three ways", len(logged or []) == 3 and
          all('count="100"' in m["structured-data"] for m in logged), logged)
    alerts = x.am.alerts()
    check("hundred: alertmanager", len(alerts) == 100 and
          all(a["status"]["state"] == "active" for a in alerts), len(alerts))
    ours = {a["labels"]["datastore"]: a["fingerprint"]
            for a in posts[0]["alerts"]}
    theirs = {a["labels"]["datastore"]: a["fingerprint"] for a in alerts}
    check("hundred: fingerprints are Alertmanager's", ours == theirs)
    x.teller.say("\n".join(x.teller.words(i, "warning", "ended")
                           for i in range(1, 101)))
    check("hundred: all over", x.settle(), x.teller.status())
    check("hundred: over in one message", len(x.hook.posts) == 2 and
          x.hook.posts[1]["status"] == "resolved")
    check("hundred: alertmanager has none left",
          wait_for(lambda: x.am.alerts() == []))


def check_one(x):
    """One incident, by every way, in every word."""
    before = len(x.mail.mails), len(x.syslog.messages()), len(runs(x.folder))
    x.teller.inc(500, "critical", "announced", 'n\u00fcfs"01]')
    check("one: told", x.settle(), x.teller.status())
    alert = x.hook.posts[-1]["alerts"][0]
    check("one: webhook", alert["status"] == "firing" and
          alert["labels"]["datastore"] == 'n\u00fcfs"01]' and
          alert["labels"]["severity"] == "critical" and
          alert["annotations"]["worst"] == "83 ms" and
          alert["endsAt"] == "0001-01-01T00:00:00Z", alert)
    envelope, mail = x.mail.mails[-1]
    check("one: mail arrives under TLS and with a login",
          all(x.mail.tls_seen) and len(x.mail.mails) == before[0] + 1 and
          envelope.rcpt_tos == ["ann@example.com", "bob@example.com"])
    check("one: mail's headers", mail["Subject"] == '[dslat] CRITICAL: lab/'
          'n\u00fcfs"01] write 83 ms on esx3 (>= 75)' and
          mail["To"].addresses[1].addr_spec == "bob@example.com" and
          abs(mail["Date"].datetime.timestamp() - time.time()) < 60 and
          mail["Message-ID"] and mail["Auto-Submitted"] == "auto-generated",
          str(mail)[:500])
    text = mail.get_content()
    check("one: mail's text", "Where to look: only esx3: its path" in text and
          'datastore   n\u00fcfs"01]' in text and "esx3" in text and
          re.search(r"http://dslat\.example:9969/\?incident=\d+\r?\n",
                    text) and
          not mail.defects, text)
    argv, stdin = runs(x.folder)[-1]
    check("one: exec", argv == ["firing", "1", 'n\u00fcfs"01]',
                                "$(id) critical"] and
          stdin["alerts"][0]["labels"]["kind"] == "slow", argv)
    logged = wait_for(lambda: len(x.syslog.messages()) == before[1] + 3 and
                      x.syslog.messages()[-3:]) or [{}]
    m = logged[0]
    # local3 is 19, critical 2
    check("one: syslog's fields", all(
        m["pri"] == str(19 * 8 + 2) and m["app-name"] == "dslatd" and
        m["msgid"] == "incident" and m["protocol-version"] == "1" and
        int(m["procid"]) == x.teller.p.pid for m in logged), logged)
    check("one: syslog's data", all(
        re.search(r'datastore="n\u00fcfs\\"01\\]"', m["structured-data"])
        for m in logged), m.get("structured-data"))
    check("one: syslog's text", all(
        'CRITICAL: lab/n\u00fcfs"01] write 83 ms' in m["msg"]
        for m in logged), m.get("msg"))
    am = wait_for(lambda: [p for p in x.am_hook.posts for a in p["alerts"]
                           if a["labels"]["datastore"] == 'n\u00fcfs"01]'])
    check("one: alertmanager tells its receiver",
          am and am[0]["status"] == "firing", am)
    x.teller.inc(500, "critical", "ended", 'n\u00fcfs"01]')
    check("one: over", x.settle(), x.teller.status())
    am = wait_for(lambda: [p for p in x.am_hook.posts if
                           p["status"] == "resolved" and p["alerts"][0]
                           ["labels"]["datastore"] == 'n\u00fcfs"01]'])
    check("one: alertmanager tells the end", am)
    check("one: mail of the end", x.mail.mails[-1][1]["Subject"].startswith(
        "[dslat] OVER: lab/n\u00fcfs"), x.mail.mails[-1][1]["Subject"])
    check("one: both mails are one thread",
          x.mail.mails[-1][1]["References"] == mail["References"])


def check_severity(x):
    """A severity that changes is told; Alertmanager has one alert, not two."""
    def active():
        return [a["labels"]["severity"] for a in x.am.alerts()
                if a["labels"]["datastore"] == "sev" and
                a["status"]["state"] == "active"]

    for severity in ("warning", "critical", "warning"):
        x.teller.inc(600, severity, "announced", "sev")
        x.settle()
        check("severity: " + severity,
              x.hook.posts[-1]["alerts"][0]["labels"]["severity"] == severity
              and wait_for(lambda: active() == [severity]), active())
    x.teller.inc(600, "warning", "ended", "sev")
    x.settle()
    check("severity: over", wait_for(lambda: active() == []), active())


def check_quiet(x):
    n = len(x.hook.posts)
    x.teller.inc(700, "warning", "announced", "hush", quiet=True)
    time.sleep(1.5)
    check("silence: nothing is told", len(x.hook.posts) == n)
    x.teller.inc(700, "warning", "announced", "hush")
    x.settle()
    check("silence: told when it is over", len(x.hook.posts) == n + 1)
    x.teller.inc(700, "warning", "ended", "hush", quiet=True)
    x.settle()
    check("silence: the end is told", len(x.hook.posts) == n + 2 and
          x.hook.posts[-1]["status"] == "resolved")


def check_tests(x):
    said = {n: x.teller.test(n) for n in x.names}
    check("test messages", said == dict.fromkeys(x.names, "test ok"), said)
    check("test message is marked", x.hook.posts[-1]["alerts"][0]["labels"]
          ["alertname"] == "DslatTest")
    said = x.teller.test("nobody")
    check("test of nobody names all", "hook, am, mail" in said, said)


# ---- receivers that are away, and a daemon that is killed ----------------------


def names_told(hook):
    """What a receiver that only listens knows: (datastore, status), in order;
    what only goes on is not repeated here."""
    told = []
    for post in hook.posts:
        for a in post["alerts"]:
            row = a["labels"]["datastore"], a["status"]
            if row not in told:
                told.append(row)
    return told


def check_away(base, program):
    folder = folder_of(base, "away")
    hook = Hook()
    port = hook.port
    conf = write_conf(folder, [
        {"name": "hook", "type": "webhook", "group_s": 0,
         "url": "http://127.0.0.1:%d/" % port}])
    t = Teller(program, conf, folder_of(folder, "state"))
    t.inc(1, "warning", "announced", "before")
    wait_for(t.idle)
    hook.stop()
    first = hook
    t.inc(1, "warning", "ended", "before")
    t.inc(2, "warning", "announced", "stays")
    wait_for(lambda: t.status()["hook"]["failures"] >= 1)
    t.inc(3, "warning", "announced", "passes")
    t.inc(3, "warning", "ended", "passes")
    s = t.status()["hook"]
    check("away: said", s["state"] == "failing" and "refuses" in s["error"] and
          s["queued"] == 3, s)
    time.sleep(0.5)  # what is queued is on disk by now
    t.kill()
    t.begin()
    wait_for(lambda: t.status()["hook"]["failures"] >= 1)
    hook = Hook(port)
    check("away: told when it is back", wait_for(t.idle, 20), t.status())
    told = names_told(hook)
    check("away: everything, and once", len(hook.posts) == 1 and sorted(told)
          == [("before", "resolved"), ("passes", "resolved"),
              ("stays", "firing")], told)
    check("away: the first one knew", names_told(first) ==
          [("before", "firing")], first.posts)
    time.sleep(0.5)
    t.kill()
    t.begin()
    time.sleep(1.5)
    check("killed: nothing is told twice", len(hook.posts) == 1, hook.posts)
    t.inc(2, "warning", "ended", "stays")
    wait_for(t.idle)
    check("killed: the end is told once", len(hook.posts) == 2 and
          hook.posts[1]["status"] == "resolved", hook.posts)
    hook.headers, hook.status = {"Retry-After": "3"}, 503
    t.inc(4, "warning", "announced", "later")
    wait_for(lambda: t.status()["hook"]["failures"] >= 1)
    check("away: says so", "503" in t.status()["hook"]["error"], t.status())
    hook.status, hook.headers = 400, {}
    check("ends while it waits", t.quit() == 0)
    hook.stop()


def check_kills(base, program):
    """Killed at any moment: each beginning and each end is told; twice only
    where the kill came between the answer and its note."""
    folder = folder_of(base, "kills")
    hook = Hook()
    t = Teller(program, write_conf(folder, [
        {"name": "hook", "type": "webhook", "group_s": 0,
         "url": "http://127.0.0.1:%d/" % hook.port}]),
        folder_of(folder, "state"))
    chance = random.Random(7)
    n = 15
    for i in range(1, n + 1):
        for state in ("announced", "ended"):
            t.inc(i, "warning", state)
            time.sleep(chance.random() * 0.05)
            t.kill()
            t.begin()
            wait_for(t.idle)
    told = [(a["labels"]["datastore"], a["status"]) for post in hook.posts
            for a in post["alerts"]]
    wanted = [("ds%03d" % i, s) for i in range(1, n + 1)
              for s in ("firing", "resolved")]
    check("kills: all is told", set(told) == set(wanted),
          set(wanted) ^ set(told))
    check("kills: at most once more", all(told.count(w) <= 2 for w in wanted),
          told)
    order = [told.index(w) for w in wanted]
    check("kills: in order", order == sorted(order), told)
    check("kills: ends well", t.quit() == 0)
    hook.stop()


# ---- what goes wrong, and what is said of it -------------------------------------


def check_faults(base, program):
    folder = folder_of(base, "faults")
    cert, key = make_certificate(folder)
    tls, plain = Mail(cert, key, "dslat", PASSWORD), Mail()
    good = write(folder, "good", PASSWORD)
    mail = {"type": "smtp", "from": "a@b.example", "to": "c@d.example"}
    tls_at = {"server": "127.0.0.1:%d" % tls.port, **mail}
    login = {"username": "dslat", "password_file": good}
    script = write(folder, "hangs", "#!/bin/sh\necho busy >&2\nsleep 60\n",
                   0o700)
    pin = subprocess.run(["openssl", "x509", "-in", cert, "-noout",
                          "-fingerprint", "-sha256"], check=True, text=True,
                         capture_output=True).stdout.split("=")[1].strip()
    cases = [
        ("login", {**tls_at, "tls": {"ca_file": cert}, "username": "dslat",
                   "password_file": write(folder, "bad", "wrong")},
         "refuses the login"),
        ("untrusted", {**tls_at, **login}, "fingerprint_sha256"),
        ("pinned", {**tls_at, **login, "tls": {"fingerprint_sha256": pin}},
         "test ok"),
        ("insecure", {**tls_at, **login, "tls": {"insecure": True}},
         "test ok"),
        ("nostarttls", {**mail, "server": "127.0.0.1:%d" % plain.port},
         "offers no STARTTLS"),
        ("plain", {**mail, "server": "127.0.0.1:%d" % plain.port,
                   "starttls": False}, "test ok"),
        ("some", {**mail, "server": "127.0.0.1:%d" % plain.port,
                  "starttls": False, "to": ["nobody@d.example",
                                            "ann@d.example"]}, "test ok"),
        ("none", {**mail, "server": "127.0.0.1:%d" % plain.port,
                  "starttls": False, "to": "nobody@d.example"},
         "RCPT failed: 550"),
        ("hangs", {"type": "exec", "command": [script], "timeout_s": 1},
         "did not end within 1 s and was killed: busy"),
    ]
    conf = write_conf(folder, [{"name": n, **keys} for n, keys, _ in cases])
    t = Teller(program, conf, folder_of(folder, "state"))
    for name, _, expected in cases:
        said = t.test(name)
        check("faults: " + name, expected in said, said)
    check("faults: one of two recipients", plain.mails[-1][0].rcpt_tos ==
          ["ann@d.example"], plain.mails)
    check("faults: no password is said", "wrong" not in json.dumps(t.status()))
    check("faults: ends well", t.quit() == 0)
    tls.stop()
    plain.stop()


def main():
    program, base = sys.argv[1:]
    signal.alarm(100)
    x = Everything(base, program)
    try:
        check_hundred(x)
        check_one(x)
        check_severity(x)
        check_quiet(x)
        check_tests(x)
    finally:
        x.stop()
    check_away(base, program)
    check_kills(base, program)
    check_faults(base, program)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
