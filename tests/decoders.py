#!/usr/bin/python3
"""decoders.py - our requests and decoders against the simulated vSphere.

The requests are those tests/golden/ask prints, the answers go through
tests/golden/golden, and what must come out is known by other means: a scene's
datastores are named after what they are, and the simulator's oracle says every
value without going through SOAP.
"""
import csv
import http.client
import io
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.parse

TOP = os.environ.get("top_srcdir", ".")
BUILD = os.environ.get("top_builddir", ".")
START = "2026-05-17T12:00:01Z"
FIELDS = ["read_ms", "write_ms", "read_per_s", "write_per_s",
          "read_kib_per_s", "write_kib_per_s"]  # by enum field


class Sim:
    """A simulator with its clock standing still, and a session with it."""

    def __init__(self, scene):
        self.process = subprocess.Popen(
            [f"{BUILD}/tests/sim/dslat-sim", "--clock", "manual", "--start",
             START, f"{TOP}/tests/sim/scenes/{scene}.scene"],
            stdout=subprocess.PIPE, text=True)
        url = urllib.parse.urlsplit(self.process.stdout.readline().split()[-1])
        self.address = (url.hostname, url.port)
        self.dir = tempfile.mkdtemp()
        self.cookie = None
        self.version = "8.0.3.0"
        self.known = {"content": "-", "counters": "-"}

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        self.process.stdout.close()
        shutil.rmtree(self.dir)

    def http(self, method, path, body=None):
        headers = {"SOAPAction": f"urn:vim25/{self.version}",
                   "Content-Type": "text/xml; charset=utf-8"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        c = http.client.HTTPConnection(*self.address, timeout=20)
        try:
            c.request(method, path, body, headers)
            r = c.getresponse()
            if r.headers.get("Set-Cookie"):
                self.cookie = r.headers["Set-Cookie"].split(";")[0]
            return r.status, r.read()
        finally:
            c.close()

    def control(self, path, verb="POST", **query):
        status, body = self.http(
            verb, f"/sim/{path}?" + urllib.parse.urlencode(query))
        assert status == 200, body
        return body.decode()

    def ask(self, method, *args):
        """(status, body) of the answer to our request."""
        request = subprocess.run(
            [f"{BUILD}/tests/golden/ask", self.known["content"],
             self.known["counters"], method, *args],
            check=True, stdout=subprocess.PIPE).stdout
        return self.http("POST", "/sdk", request)

    def dump(self, answers, is_host=False):
        """What the decoders make of [(method, (status, body))]."""
        case = tempfile.mkdtemp(dir=self.dir)
        for i, (method, (status, body)) in enumerate(answers):
            suffix = "" if status == 200 else f"-{status}"
            with open(f"{case}/{i:03}-{method}{suffix}.xml", "wb") as f:
                f.write(body)
        if is_host:
            open(f"{case}/host", "w").close()
        out = subprocess.run([f"{BUILD}/tests/golden/golden", "-n", case],
                             check=True, stdout=subprocess.PIPE)
        return out.stdout.decode()

    def one(self, method, *args, decoder=None):
        return self.dump([(decoder or method, self.ask(method, *args))])

    def keep(self, method):
        status, body = self.ask(method)
        assert status == 200, body
        self.known[method] = f"{self.dir}/{method}"
        with open(self.known[method], "wb") as f:
            f.write(body)

    def log_in(self, user, password):
        self.cookie = None
        self.keep("content")
        text = self.one("login", user, password)
        assert re.search("^session ", text, re.M), text
        self.keep("counters")
        self.view = re.search("^view (.*)", self.one("view"), re.M)[1]

    def pages(self, method, maximum):
        """All pages of a pass, as answers for dump()."""
        answers = [(method, self.ask(method, self.view, maximum))]
        while True:
            token = re.search(rb"<token>(.*?)</token>", answers[-1][1][1])
            if token is None:
                return answers
            answers.append((method + "next" if method != "nvme" else
                            "basicnext", self.ask("next", token[1].decode())))

    def inventory(self, maximum="0", is_host=False):
        answers = []
        for method in ("basic", "storage", "nvme"):
            answers += self.pages(method, maximum)
        text = self.dump(answers, is_host)
        assert "\nerror" not in text, text
        return parse_inventory(text)


def parse_inventory(text):
    """The hosts {moref: {...}} and datastores {name: {...}} of a dump."""
    hosts, datastores = {}, {}
    for m in re.finditer(
            r'^host (\S+) name="(.*?)" uuid=(\S+) cluster=(.*?) '
            r"datacenter=(.*?) version=(\S+) connected=(\d) maintenance=(\d)$",
            text, re.S | re.M):
        hosts[m[1]] = {"name": m[2], "cluster": m[4], "datacenter": m[5],
                       "connected": m[7] == "1", "maintenance": m[8] == "1"}
    for m in re.finditer(
            r'^datastore (.*?) uuid=(\S+) name="(.*?)" datacenter=(.*?) '
            r'fs=(\S+)\n  protocol=(\S+) (?:of (.*?)|\(not known\))\n'
            r'  backing="(.*?)"\n  accessible=(\d) maintenance=(\d).*?\n'
            r"((?:  mount [^\n]*\n)*)", text, re.S | re.M):
        datastores.setdefault(m[3], []).append({
            "moref": m[1], "uuid": m[2], "datacenter": m[4], "fs": m[5],
            "protocol": m[6], "protocols": (m[7] or "").split(),
            "backing": m[8], "accessible": m[9] == "1",
            "mounts": re.findall(r"mount (\S+)", m[11])})
    return hosts, datastores


def parse_perf(text):
    """{(host, uuid, stamp, counter): value} of a dump, -1 left out."""
    found, host, stamps = {}, None, []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("entity"):
            host = words[1].strip('"')
        elif line.startswith("  stamps"):
            stamps = words[1:]
        elif line.startswith("  series"):
            for stamp, value in zip(stamps, words[3:]):
                if value != "-1":
                    key = (host, words[2].strip('":'), stamp, int(words[1]))
                    found[key] = int(value)
    return found


class Protocols(unittest.TestCase):
    """protocols.scene: the name of a datastore says what must be found."""

    SAME = ["nfs3", "nfs41", "cifs", "iscsi", "iser", "fc", "fcoe", "nvme-fc",
            "nvme-tcp", "nvme-rdma", "nvme-pcie", "sas", "local", "vsan",
            "pmem"]
    OTHER = {
        "nfs3-nconnect": "nfs3", "nfs3-ipv6": "nfs3", "nfs41-krb5": "nfs41",
        "local-ata": "local", "local-directory": "local",
        "vvol-block": "vvol", "vvol-fc": "vvol", "vvol-nfs": "vvol",
        "vvol-nvme": "vvol", "mixed": "mixed", "mixed-three": "mixed",
        "iscsi-3-extents": "iscsi", "iscsi-plugstore": "iscsi",
        "fc-plugstore": "fc", "nvme-tcp-plugstore": "nvme-tcp",
        "nvme-tcp-nvme": "nvme-tcp", "nvme-rdma-nvme": "nvme-rdma",
        "nvme-pcie-nvme": "nvme-pcie", "iscsi-bare": "iscsi", "fc-bare": "fc",
        "unknown": "unknown", "nfs3-no-info": "nfs3",
        "iscsi-no-info": "unknown", "iscsi-sioc": "iscsi",
        "nfs3-one-host": "nfs3", "iscsi-one-host": "iscsi",
    }
    MASKS = {
        "mixed": {"iscsi", "fc"}, "mixed-three": {"iscsi", "fc", "nvme-tcp"},
        "vvol-block": {"vvol", "iscsi"}, "vvol-fc": {"vvol", "fc"},
        "vvol-nfs": {"vvol", "nfs3"}, "unknown": set(),
        "iscsi-no-info": set(),
    }
    BACKINGS = {
        "nfs3": r"10\.20\.0\.5:/vol/nfs3", "nfs3-ipv6": r"\[fd00:20::5\]:/vol/six",
        "nfs41": r"10\.20\.0\.7,10\.20\.1\.7:/export/nfs41",
        "cifs": r"10\.20\.0\.8:/share", "vvol-nfs": r"10\.20\.0\.9:/vvolPE",
        "iscsi": r"naa\.\w+ via [\d.]+:3260(, [\d.]+:3260)*",
        "iscsi-plugstore": r"naa\.\w+ via [\d.]+:3260(, [\d.]+:3260)*",
        "fc": r"naa\.\w+ via [0-9a-f]{16}(, [0-9a-f]{16})*",
        "iscsi-3-extents": r"naa\.\w+, naa\.\w+, naa\.\w+ via .*:3260",
    }

    def check(self, datastores):
        expected = {**{n: n for n in self.SAME}, **self.OTHER}
        self.assertEqual(
            {n: d[0]["protocol"] for n, d in datastores.items()}, expected)
        for name, mask in self.MASKS.items():
            self.assertEqual(set(datastores[name][0]["protocols"]), mask, name)
        for name, pattern in self.BACKINGS.items():
            self.assertRegex(datastores[name][0]["backing"],
                             "^" + pattern + "$", name)
        self.assertEqual(len(datastores["nfs3"][0]["mounts"]), 3)
        self.assertEqual(len(datastores["nfs3-one-host"][0]["mounts"]), 1)

    def test_protocols(self):
        sim = Sim("protocols")
        try:
            sim.log_in("monitor@vsphere.local", "secret")
            hosts, datastores = sim.inventory()
            self.check(datastores)
            self.assertEqual({h["name"] for h in hosts.values()},
                             {f"esx-{c}.lab.example" for c in "abc"})
            self.assertEqual({h["cluster"] for h in hosts.values()},
                             {"Topologies"})
            self.assertEqual({h["datacenter"] for h in hosts.values()},
                             {"Lab"})
            self.check(sim.inventory(maximum="2")[1])  # in many pages
            sim.control("fault", name="type-prefix")
            self.check(sim.inventory()[1])
        finally:
            sim.close()


class Names(unittest.TestCase):
    """names.scene: names come through as they are."""

    def scene_names(self):
        escapes = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
        names = []
        path = f"{TOP}/tests/sim/scenes/names.scene"
        with open(path, encoding="utf-8") as f:
            for line in f:
                m = re.match(r'datastore ("((?:[^"\\]|\\.)*)"|\S+) ', line)
                if m and "hidden=true" not in line:
                    name = m[2] if m[2] is not None else m[1]
                    names.append(re.sub(r"\\.", lambda e: escapes[e[0]], name))
        return sorted(names)

    def test_names(self):
        sim = Sim("names")
        try:
            sim.log_in("user name@vsphere.local", "a b&c<d>e\"f'g")
            hosts, datastores = sim.inventory()
            found = sorted(n for n, all_ in datastores.items() for _ in all_)
            self.assertEqual(found, self.scene_names())
            self.assertEqual({h["name"] for h in hosts.values()},
                             {"esx01.lab.example", "[fd00::15]",
                              "esx,02;{lab}='x'"})
            self.assertEqual({d["uuid"] for d in datastores["twin"]},
                             {"11111111-aaaaaaaa", "22222222-bbbbbbbb"})
            self.assertEqual(datastores["odd-moref"][0]["moref"],
                             "192.168.1.10:/c/data")
            self.assertEqual(datastores["odd-uuid"][0]["uuid"],
                             "d10c389e-c75b7dc4")
            self.assertEqual(datastores["in-a-pod"][0]["datacenter"],
                             "Zürich")
            self.assertEqual(datastores["in-a-folder"][0]["datacenter"],
                             "Zürich")
        finally:
            sim.close()


class Values(unittest.TestCase):
    """Every value of an answer is the oracle's."""

    @staticmethod
    def oracle(sim, hosts):
        text = sim.control("oracle", "GET", **{
            "from": "2026-05-17T11:30:00Z", "to": "2026-05-17T11:35:00Z"})
        morefs = {h["name"]: m for m, h in hosts.items()}
        expected = {}
        for row in csv.DictReader(io.StringIO(text)):
            for i, field in enumerate(FIELDS):
                if row[field] != "-1":
                    expected[(morefs[row["host"]], row["datastore_uuid"],
                              row["slot_end_time"], i)] = int(row[field])
        return expected

    def values(self, sim, hosts):
        """What 15 samples from 11:30 hold, by field instead of counter."""
        table = sim.dump([("counters", sim.ask("counters"))])
        field = {int(i): int(f) for i, f in
                 re.findall(r"counter (\d+) field (\d+)", table)}
        # those of a LUN: six latencies from 8 on, and what weighs them
        luns = set(range(8, 14)) | {16, 17}
        self.assertEqual(set(field.values()), set(range(6)) | luns)
        connected = [m for m, h in hosts.items() if h["connected"]]
        # maxSample keeps the newest: an hour, of which the window is compared
        text = sim.one("perf", "2026-05-17T11:30:00Z", "180", *connected)
        self.assertNotIn("error", text)
        return {(host, uuid, stamp, field[counter]): value
                for (host, uuid, stamp, counter), value
                in parse_perf(text).items()
                if stamp <= "2026-05-17T11:35:00Z"}

    def check(self, scene, user, password, is_host, faults):
        sim = Sim(scene)
        try:
            sim.log_in(user, password)
            hosts, _ = sim.inventory(is_host=is_host)
            expected = self.oracle(sim, hosts)
            self.assertGreater(len(expected), 300)
            for fault in faults:
                with self.subTest(scene=scene, fault=fault):
                    sim.control("fault/clear")
                    if fault:
                        sim.control("fault", name=fault, method="QueryPerf")
                    self.assertEqual(self.values(sim, hosts), expected)
        finally:
            sim.close()

    def test_vcenter(self):
        self.check("demo", "monitor@vsphere.local", "demo", False,
                   [None, "format-normal", "newest-first", "type-prefix",
                    "time-offset", "time-micro", "duplicate-series"])

    def test_esxi(self):
        self.check("esxi", "root", 'pass word & <more> "quotes"', True,
                   [None, "format-normal"])


class Faults(unittest.TestCase):
    """What goes wrong gets the code that tells the caller what to do."""

    CODES = [  # fault, argument, our request, word of the error or of success
        ("http-404", None, "time", "error proto"),
        ("http-502", None, "time", "error busy"),
        ("http-503", None, "time", "error busy"),
        ("http-504", None, "time", "error busy"),
        ("html-200", None, "time", "error proto"),
        ("empty-200", None, "time", "error proto"),
        ("truncate", None, "time", "error proto"),
        ("dtd", None, "time", "error proto"),
        ("entity-bomb", None, "time", "error proto"),
        ("wrong-namespace", None, "time", "error proto"),
        ("deep-nesting", "1000", "time", "error proto"),
        ("bad-utf8", None, "time", "error proto"),
        ("type-prefix", None, "time", "time_us"),
        ("not-authenticated-500", None, "time", "error session"),
        ("not-authenticated-200", None, "basic", "error session"),
        ("invalid-login", None, "login", "error auth"),
        ("no-permission-login", None, "login", "error permission"),
        ("soap-fault", "HostCommunication", "time", "fault HostCommunication"),
        ("method-not-found", None, "time", "error fault"),
        ("invalid-property", "info", "basic", 'property="info"'),
        ("no-permission", "info", "basic", "objects, token (none)"),
        ("property-missing", "summary.url", "basic", "objects, token (none)"),
        ("empty-inventory", None, "basic", "0 objects, token (none)"),
        ("perf-gone", "host-1001", "perf", "error gone"),
        ("perf-invalid", "NAME", "perf",
         'property="querySpec.interval"'),
        ("perf-empty", None, "perf", "0 entities, 0 series"),
        ("perf-bare", None, "perf", "1 entities, 0 series"),
        ("perf-no-series", None, "perf", "1 entities, 0 series"),
        ("perf-restricted", None, "perf", "error limit"),
        ("stray-instance", "no-such", "perf", '"no-such"'),
        ("absurd-value", None, "perf", "116017258324865"),
        ("negative-value", None, "perf", " -7\n"),
        ("garbage-value", None, "perf", f" {-2**63}\n"),
        ("newest-missing", None, "perf", " -1\n"),
        ("duplicate-samples", None, "perf", "end\n1 entities"),
        ("short-series", None, "perf", "end\n1 entities"),
        ("value-absent", None, "perf", "end\n1 entities"),
        ("value-empty", None, "perf", "end\n1 entities"),
        ("counter-offset", None, "counters", "counter 70189 field 0"),
        ("counter-twice", "datastore.totalReadLatency.average", "counters",
         "(not asked)"),
        ("counter-missing", "datastore.read.average", "counters",
         "fields 0x33f2f"),
        ("unit-microsecond", "datastore.totalReadLatency.average", "counters",
         "counter 189 field 0 unit 2"),
    ]

    def setUp(self):
        self.sim = Sim("demo")

    def tearDown(self):
        self.sim.close()

    def test_faults(self):
        sim = self.sim
        user = ("monitor@vsphere.local", "demo")
        sim.log_in(*user)
        host = sim.inventory()[0]["host-1001"]["name"]
        for name, arg, request, expected in self.CODES:
            args = {
                "login": user, "basic": (sim.view, "0"),
                "perf": ("-", "15", "host-1001"),
            }.get(request, ())
            with self.subTest(fault=name):
                query = {} if arg is None else {
                    "arg": host if arg == "NAME" else arg}
                sim.control("fault", name=name, count="1", **query)
                self.assertIn(expected, sim.one(request, *args))
                sim.control("fault/clear")
                sim.log_in(*user)


if __name__ == "__main__":
    unittest.main()
