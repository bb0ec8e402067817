#!/usr/bin/python3
"""check_sim.py SIM - does dslat-sim do what its README says?

API versions, transports, windows, late values, state, events, sessions,
clocks, what must be refused, the demo's promise.  Faults are check_faults.py.
Prints PASS: and FAIL: lines.
"""
import gzip
import json
import re
import subprocess
import time
from datetime import datetime, timedelta

from client import HERE, SIM, START, XSI, Sim, finish, report, series

def versions():
    sim = Sim("protocols")
    sim.log_in(password="secret")
    for version, kind in (("8.0.3.0", "HostTcpHba"),
                          ("7.0.3.0", "HostTcpHba"),
                          ("7.0.2.0", "HostHostBusAdapter")):
        body, _ = sim.props("HostSystem",
                            ["config.storageDevice.hostBusAdapter"],
                            version=version)
        got = {a.find("device").text: a.get(XSI)
               for a in body.iter("HostHostBusAdapter")}
        report(f"versions/{version}", got["vmhba65"] == kind, str(got))
    sim.stop()


def transports():
    """The scene's names say what a path's transport must be."""
    want = {"iscsi": "HostInternetScsiTargetTransport",
            "iser": "HostInternetScsiTargetTransport",
            "fc": "HostFibreChannelTargetTransport",
            "fcoe": "HostFibreChannelOverEthernetTargetTransport",
            "nvme-fc": "HostFibreChannelTargetTransport",
            "nvme-tcp": "HostTcpTargetTransport",
            "nvme-rdma": "HostRdmaTargetTransport",
            "nvme-pcie": "HostPcieTargetTransport",
            "sas": "HostSerialAttachedTargetTransport",
            "local": "HostParallelScsiTargetTransport",
            "local-ata": "HostBlockAdapterTargetTransport",
            "iscsi-bare": None, "iscsi-plugstore": "absent",
            "nvme-tcp-nvme": "absent", "unknown": "absent"}
    sim = Sim("protocols")
    sim.log_in(password="secret")
    body, _ = sim.props("Datastore", ["name", "info"])
    disks = {}
    for o in body.iter("objects"):
        v = {p.find("name").text: p.find("val") for p in o.iter("propSet")}
        name = v["info"].find("vmfs/extent/diskName")
        if name is not None:
            disks[v["name"].text] = name.text
    body, _ = sim.props("HostSystem", ["config.storageDevice.scsiLun",
                                       "config.storageDevice.multipathInfo"])
    kinds = {}
    for o in body.iter("objects"):
        luns = {n.find("key").text: n.find("canonicalName").text
                for n in o.iter("ScsiLun")}
        for unit in o.iter("lun"):
            if unit.find("lun") is None:
                continue
            for path in unit.findall("path"):
                t = path.find("transport")
                kinds.setdefault(luns[unit.find("lun").text], set()).add(
                    t.get(XSI) if t is not None else None)
    for name, kind in want.items():
        got = kinds.get(disks[name], {"absent"})
        report(f"transports/{name}", got == {kind}, str(got))
    report("transports/mixed", kinds[disks["mixed"]] ==
           {"HostInternetScsiTargetTransport",
            "HostFibreChannelTargetTransport"})
    sim.stop()


def windows():
    sim = Sim("demo")
    sim.log_in()
    sim.control("clock?advance_s=60")
    body, _ = sim.perf(n=180)
    times = body.find("returnval/sampleInfoCSV").text.split(",")[1::2]
    report("windows/an hour is kept", len(times) == 180
           and times[-1] == "2026-05-17T12:01:00Z"
           and times[0] == "2026-05-17T11:01:20Z", f"{len(times)} {times[0]}")
    body, _ = sim.perf(n=180, window="<startTime>2026-05-17T12:00:00Z"
                       "</startTime><endTime>2026-05-17T12:00:40Z</endTime>")
    times = body.find("returnval/sampleInfoCSV").text.split(",")[1::2]
    report("windows/start is out, end is in",
           [t[11:19] for t in times] == ["12:00:20", "12:00:40"], str(times))
    body, _ = sim.perf(n=2, window="<startTime>2026-05-17T11:50:00Z"
                       "</startTime><endTime>2026-05-17T12:00:40Z</endTime>")
    times = body.find("returnval/sampleInfoCSV").text.split(",")[1::2]
    report("windows/maxSample keeps the newest",
           [t[11:19] for t in times] == ["12:00:20", "12:00:40"], str(times))
    sim.stop()


def late_values():
    sim = Sim("skew")
    sim.log_in(password="secret")
    first = series(sim.perf(n=1)[0])
    missing = [k for k, v in first.items() if v[0].text == "-1"]
    stamp = sim.perf(n=1)[0].find("returnval/sampleInfoCSV").text
    sim.control("clock?advance_s=60")
    body, _ = sim.perf(n=4)
    times = body.find("returnval/sampleInfoCSV").text
    at = times.split(",")[1::2].index(stamp.split(",")[1])
    after = {k: v[0].text.split(",")[at] for k, v in series(body).items()}
    report("late/announced before its value", 0 < len(missing) <= len(first),
           str(first))
    report("late/filled in later", all(after[k] != "-1" for k in missing),
           str(after))
    sim.stop()


def state():
    sim = Sim("demo")
    sim.log_in()

    def mounts():
        body, _ = sim.props("Datastore", ["name", "summary", "host"])
        for o in body.iter("objects"):
            if o.find("obj").text == "datastore-2001":
                v = {p.find("name").text: p.find("val")
                     for p in o.iter("propSet")}
                return (v["summary"].find("accessible").text,
                        [m.find("mountInfo/accessible").text
                         for m in v["host"]],
                        v["summary"].find("maintenanceMode").text,
                        v["name"].text)
        return None

    report("state/fine at first", mounts()
           == ("true", ["true"] * 4, "normal", "nfs-gold-01"), str(mounts()))
    sim.control("set?datastore=nfs-gold-01&host=esx02.lab.example"
                "&accessible=false")
    report("state/inaccessible on one host", mounts()[:2]
           == ("true", ["true", "false", "true", "true"]), str(mounts()))
    sim.control("set?datastore=nfs-gold-01&accessible=false")
    report("state/inaccessible on all", mounts()[:2]
           == ("false", ["false"] * 4), str(mounts()))
    sim.control("set?datastore=nfs-gold-01&accessible=true"
                "&maintenance=inMaintenance&name=renamed")
    report("state/maintenance and a new name",
           mounts()[2:] == ("inMaintenance", "renamed"), str(mounts()))
    sim.control("set?datastore=renamed&gone=true")
    report("state/removed", mounts() is None)
    sim.control("set?host=esx01.lab.example&power=standBy")
    body, status = sim.perf()
    report("state/standby has no data", status == 200 and len(body) == 0)
    sim.control("set?element_limit=100")
    text, status = sim.perf(["host-1003"], n=15)
    report("state/element limit", status == 500 and text ==
           "XML document element count exceeds configured maximum 100",
           str(text))
    sim.stop()


def events():
    sim = Sim("demo")
    sim.log_in()
    sim.control("event?kind=latency&ds=nfs-gold-02&host=esx03*&at_s=0"
                "&for_s=40&read_ms=500")
    sim.control("event?kind=idle&ds=iscsi-sql-01&at_s=0&for_s=40")
    sim.control("event?kind=missing&ds=iscsi-sql-02&at_s=0&for_s=40")
    sim.control("event?kind=gap&host=esx02*&at_s=0&for_s=40")
    sim.control("event?kind=hung&ds=fc-erp&at_s=0&for_s=20&write_ms=7000")
    sim.control("clock?advance_s=600")
    rows = [r.split(",") for r in sim.control(
        "oracle?from=2026-05-17T12:00:00Z&to=2026-05-17T12:01:00Z",
        "GET").splitlines()[1:]]
    body, _ = sim.props("Datastore", ["name", "summary.url"])
    uuid = {}
    for o in body.iter("objects"):
        v = [p.find("val").text for p in o.iter("propSet")]
        uuid[v[0]] = v[1].rstrip("/").rsplit("/", 1)[-1]

    def values(host, name):
        return [[int(x) for x in r[3:]] for r in rows
                if r[0] == host and r[1] == uuid[name]]

    esx3 = values("esx03.lab.example", "nfs-gold-02")
    esx4 = values("esx04.lab.example", "nfs-gold-02")
    report("events/latency on one host", [r[0] >= 500 for r in esx3]
           == [True, True, False] and all(r[0] < 100 for r in esx4),
           str(esx3))
    idle = values("esx03.lab.example", "iscsi-sql-01")
    report("events/idle", idle[:2] == [[0] * 6] * 2 and idle[2] != [0] * 6)
    missing = values("esx03.lab.example", "iscsi-sql-02")
    report("events/missing", missing[:2] == [[-1] * 6] * 2
           and missing[2][0] >= 0)
    hung = values("esx03.lab.example", "fc-erp")
    report("events/hung", hung[0] == [0, 7000, 0, 0, 0, 0]
           and hung[1][1] < 100, str(hung))
    body, _ = sim.perf(["host-1002"], n=180)
    times = body.find("returnval/sampleInfoCSV").text
    report("events/gap", "12:00:20Z" not in times and "12:00:40Z" not in times
           and "12:01:00Z" in times)
    sim.stop()


def luns():
    """disk.*: the parts are the total, and that the datastore's latency."""
    sim = Sim("demo")
    sim.log_in()
    sim.control("event?kind=latency&ds=fc-erp&at_s=0&for_s=600&write_ms=80"
                "&kernel_pct=75")
    sim.control("set?datastore=iscsi-test&kernel_pct=50")
    sim.control("clock?advance_s=600")
    span = "from=2026-05-17T12:02:00Z&to=2026-05-17T12:08:00Z"
    text = sim.control("oracle?luns=true&" + span, "GET").splitlines()
    head = text[0].split(",")[3:]
    rows = {tuple(r.split(",")[:3]): dict(zip(head, map(int, r.split(",")[3:])))
            for r in text[1:]}
    wrong = [(k, r) for k, r in rows.items() for op in ("read", "write")
             if not 0 <= r[f"total_{op}_ms"] - r[f"device_{op}_ms"]
             - r[f"kernel_{op}_ms"] <= 1
             or r[f"queue_{op}_ms"] > r[f"kernel_{op}_ms"]]
    report("luns/device and kernel are the total", rows and not wrong,
           str(wrong[:3]))
    body, _ = sim.props("Datastore", ["name", "summary.url", "info"])
    lun, uuid = {}, {}
    for o in body.iter("objects"):
        v = {p.find("name").text: p.find("val") for p in o.iter("propSet")}
        uuid[v["name"].text] = v["summary.url"].text.rstrip("/").rsplit("/")[-1]
        extents = v["info"].findall("vmfs/extent/diskName")
        if extents:
            lun[v["name"].text] = [e.text for e in extents]
    single = {uuid[n]: x[0] for n, x in lun.items() if len(x) == 1}
    pairs = [r.split(",") for r in sim.control("oracle?" + span,
                                               "GET").splitlines()[1:]]
    both = [(rows[r[0], single[r[1]], r[2]], int(r[3]), int(r[4]))
            for r in pairs if (r[0], single.get(r[1]), r[2]) in rows]
    report("luns/one extent has the datastore's latency",
           both and all((r["total_read_ms"], r["total_write_ms"]) == (a, b)
                        for r, a, b in both))

    def share(name):
        mine = [r for k, r in rows.items() if k[1] in lun[name]]
        return (sum(r["kernel_write_ms"] for r in mine)
                / sum(r["total_write_ms"] for r in mine))
    report("luns/kernel heavy by event", 0.7 < share("fc-erp") < 0.76,
           str(share("fc-erp")))
    report("luns/kernel heavy by datastore", 0.4 < share("iscsi-test") <= 0.5,
           str(share("iscsi-test")))
    report("luns/else the device's", share("iscsi-sql-02") < 0.05)
    body, _ = sim.perf(["host-1001"], ids=(500, 505), n=20)
    times = body.find("returnval/sampleInfoCSV").text.split(",")[1::2]
    keys = {"500": "device_read_ms", "505": "kernel_write_ms"}
    sent = {(i, t, c): int(x) for (_, c, i), v in series(body).items()
            for t, x in zip(times, v[0].text.split(","))}
    differ = [(i, t) for (i, t, c), x in sent.items()
              if ("esx01.lab.example", i, t) in rows
              and rows["esx01.lab.example", i, t][keys[c]] != x]
    report("luns/what is sent is the oracle's", sent and not differ,
           str(differ[:3]))
    sim.stop()


def sessions():
    sim = Sim("demo")
    report("sessions/none", sim.now() == ("NotAuthenticated", 500))
    body, _ = sim.log_in()
    report("sessions/cookie", re.fullmatch(
        'vmware_soap_session="[0-9a-f]{40}"', sim.cookie) is not None)
    report("sessions/twice is refused", sim.log_in() == ("InvalidLogin", 500))
    sim.cookie = None
    sim.log_in()
    sim.call('<Logout xmlns="urn:vim25"><_this type="SessionManager">'
             'SessionManager</_this></Logout>')
    stats = json.loads(sim.control("stats", "GET"))
    report("sessions/counted", (stats["logins"], stats["logouts"],
                                stats["sessions"]) == (2, 1, 1), str(stats))
    sim.control("set?max_sessions=1")
    cookie, sim.cookie = sim.cookie, None
    status, headers, _ = sim.raw(
        '<Login xmlns="urn:vim25"><_this type="SessionManager">SessionManager'
        '</_this><userName>monitor@vsphere.local</userName><password>demo'
        '</password></Login>')
    report("sessions/too many", status == 503
           and headers["Content-Type"] == "text/html", str(status))
    sim.cookie = cookie
    report("sessions/logged out", sim.now() == ("NotAuthenticated", 500))
    report("sessions/SIGTERM", sim.stop() == 0)


def compressed():
    sim = Sim("demo")
    sim.log_in()
    sim.control("set?gzip=true")
    plain = sim.raw("<X/>")
    r = sim.http("POST", "/sdk", "<X/>", {"Accept-Encoding": "gzip"})
    report("gzip/only if asked", plain[1].get("Content-Encoding") is None
           and r[1].get("Content-Encoding") == "gzip")
    report("gzip/unpacks", b"</soapenv:Envelope>" in gzip.decompress(r[2]))
    sim.stop()


def clocks():
    sim = Sim("demo", "--clock", "real", "--speed", "50")
    sim.log_in()

    def now():
        text = sim.now()[0].find("returnval").text
        return datetime.fromisoformat(text.replace("Z", "+00:00"))

    first = now()
    time.sleep(0.4)
    passed = (now() - first).total_seconds()
    report("clocks/50 times as fast", 20 <= passed < 200, str(passed))
    sim.control("set?clock_offset_s=3600")
    passed = (now() - first).total_seconds()
    report("clocks/an hour ahead", 3620 <= passed < 3900, str(passed))
    sim.stop()
    sim = Sim("demo", "--clock", "real")
    text = json.loads(sim.control("clock", "GET"))["start"]
    report("clocks/starts as told", text == START, text)
    sim.stop()


def demo():
    """Whenever it is started, an NFS and an iSCSI incident are confirmed
    within two minutes: 3 of 5 slots at 50 ms with 20 I/Os on a host."""
    for start in ("2026-05-17T03:00:01Z", "2026-05-17T08:59:59Z",
                  "2026-05-17T15:00:10Z", "2026-05-17T21:30:19Z"):
        begin = datetime.fromisoformat(start.replace("Z", "+00:00"))
        end = begin + timedelta(seconds=120)
        out = subprocess.run(
            [SIM, "--oracle", "--start", start, "--from", start, "--to",
             end.strftime("%Y-%m-%dT%H:%M:%SZ"),
             f"{HERE}/scenes/demo.scene"],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        slots = {}
        for row in out.splitlines()[1:]:
            host, uuid, t, *v = row.split(",")
            rms, wms, riops, wiops, _, _ = map(int, v)
            for op, ms, iops in (("r", rms, riops), ("w", wms, wiops)):
                if ms >= 50 and iops * 20 >= 20:
                    slots.setdefault((uuid, op), set()).add(t)
        kinds = {"nfs" if len(uuid) == 17 else "block"
                 for (uuid, _), t in slots.items() if len(t) >= 3}
        report(f"demo/incidents from {start}", kinds == {"nfs", "block"},
               str(slots))


def strict():
    """What a real server refuses must not pass here."""
    def login(inner):
        return ('<Login xmlns="urn:vim25"><_this type="SessionManager">'
                f'SessionManager</_this>{inner}</Login>')

    def perf(inner, manager="PerfMgr"):
        return ('<QueryPerf xmlns="urn:vim25"><_this type="Performance'
                f'Manager">{manager}</_this><querySpec><entity type='
                f'"HostSystem">host-1001</entity>{inner}</querySpec>'
                '</QueryPerf>')

    pc = ('<RetrievePropertiesEx xmlns="urn:vim25"><_this type="Property'
          'Collector">propertyCollector</_this><specSet><propSet><type>'
          'HostSystem</type><pathSet>name</pathSet></propSet><objectSet><obj '
          'type="HostSystem">host-1001</obj></objectSet></specSet>%s'
          '</RetrievePropertiesEx>')
    metric = ("<metricId><counterId>189</counterId><instance>*</instance>"
              "</metricId>")
    sim = Sim("demo")
    sim.log_in()
    for what, request, want in (
            ("order of QueryPerf", perf(f"{metric}<maxSample>1</maxSample>"),
             "InvalidRequest"),
            ("order of metricId", perf(
                "<metricId><instance>*</instance><counterId>1</counterId>"
                "</metricId>"), "InvalidRequest"),
            ("unknown element", perf("<max>1</max>"), "InvalidRequest"),
            ("order of Login", login("<password>x</password>"
                                     "<userName>x</userName>"),
             "InvalidRequest"),
            ("options are missing", pc % "", "InvalidRequest"),
            ("maxObjects 0", pc % "<options><maxObjects>0</maxObjects>"
             "</options>", "InvalidArgument"),
            ("another server's manager", perf(metric, "ha-perfmgr"),
             "ManagedObjectNotFound")):
        got = sim.call(request)
        report(f"strict/{what}", got == (want, 500), str(got))
    for what, request in (("QueryPerf", perf(metric)),
                          ("options", pc % "<options/>")):
        report(f"strict/{what} is fine", sim.call(request)[1] == 200)
    sim.stop()


def control():
    sim = Sim("demo")
    for path in ("fault?name=no-such", "fault", "set?host=nobody&x=1",
                 "set?host=esx01.lab.example&nokey=1", "event?kind=no-such",
                 "set?host=esx01.lab.example&clock_offset_s=x"):
        status, _, _ = sim.http("POST", "/sim/" + path)
        report(f"control/{path} is refused", status == 400, str(status))
    report("control/unknown path", sim.http("GET", "/sim/x")[0] == 404)
    report("control/no GET on /sdk", sim.http("GET", "/sdk")[0] == 405)
    sim.stop()
    for args in ([], ["--clock", "odd", "x"], ["--hosts", "1", "x"]):
        code = subprocess.run([SIM, *args], stderr=subprocess.DEVNULL,
                              check=False).returncode
        report(f"control/{args} is wrong usage", code == 2, str(code))


for part in (versions, transports, windows, late_values, state, events, luns,
             sessions, compressed, clocks, demo, strict, control):
    part()
finish()
