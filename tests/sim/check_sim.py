#!/usr/bin/python3
"""check_sim.py SIM - does dslat-sim do what its README says?

Every fault of its table, the clock, state changes, paging, versions and the
oracle, each asked over plain HTTP with Python's own library.  Prints PASS:
and FAIL: lines; a fault without a case is a failure.
"""
import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta

SIM = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
START = "2026-05-17T12:00:01Z"
XSI = "{http://www.w3.org/2001/XMLSchema-instance}type"
failures = 0
cases = {}


def report(what, ok, detail=""):
    global failures
    failures += not ok
    print(f"{'PASS' if ok else 'FAIL'}: sim/{what}"
          + (f" {detail}" if detail and not ok else ""), flush=True)


class Sim:
    """One running simulator and a session with it."""

    def __init__(self, scene="demo", *options, timeout=5):
        args = [f"{HERE}/scenes/{scene}.scene"] if scene else []
        self.process = subprocess.Popen(
            [SIM, "--clock", "manual", "--start", START, *options, *args],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = urllib.parse.urlsplit(self.process.stdout.readline().split()[-1])
        self.address = (url.hostname, url.port)
        self.timeout = timeout
        self.cookie = None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(10)
        self.process.stdout.close()
        return code

    def http(self, method, path, body=None, headers=None):
        """(status, headers, bytes), or the exception that came instead."""
        c = http.client.HTTPConnection(*self.address, timeout=self.timeout)
        try:
            c.request(method, path, body, headers or {})
            r = c.getresponse()
            return r.status, r.headers, r.read()
        except (OSError, http.client.HTTPException) as e:
            return e
        finally:
            c.close()

    def control(self, path, method="POST"):
        status, _, body = self.http(method, "/sim/" + path)
        assert status == 200, (path, body)
        return body.decode()

    def fault(self, name, arg=None, method=None, count=1):
        q = {"name": name, "count": count}
        if arg is not None:
            q["arg"] = arg
        if method is not None:
            q["method"] = method
        self.control("fault?" + urllib.parse.urlencode(q))

    def raw(self, inner, version="8.0.3.0"):
        env = ('<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv='
               '"http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi='
               '"http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
               f'{inner}</soapenv:Body></soapenv:Envelope>')
        headers = {"SOAPAction": f"urn:vim25/{version}",
                   "Content-Type": "text/xml"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        r = self.http("POST", "/sdk", env.encode(), headers)
        if isinstance(r, tuple) and r[1].get("Set-Cookie"):
            self.cookie = r[1]["Set-Cookie"].split(";")[0]
        return r

    def call(self, inner, version="8.0.3.0"):
        """(root element without namespaces or fault type, status)."""
        r = self.raw(inner, version)
        if isinstance(r, Exception):
            return r, 0
        status, _, body = r
        root = strip(ET.fromstring(body))
        fault = root.find("Body/Fault")
        if fault is not None:
            detail = list(fault.find("detail"))
            return (detail[0].get(XSI) if detail else
                    fault.find("faultstring").text), status
        return root.find("Body")[0], status

    def log_in(self, user="monitor@vsphere.local", password="demo"):
        return self.call(
            '<Login xmlns="urn:vim25"><_this type="SessionManager">'
            f'SessionManager</_this><userName>{user}</userName>'
            f'<password>{password}</password></Login>')

    def now(self):
        return self.call('<CurrentTime xmlns="urn:vim25"><_this type='
                         '"ServiceInstance">ServiceInstance</_this>'
                         '</CurrentTime>')

    def perf(self, hosts=("host-1001",), fmt="csv", n=3, ids=(189, 190),
             window=""):
        metrics = "".join(f"<metricId><counterId>{i}</counterId><instance>*"
                          "</instance></metricId>" for i in ids)
        return self.call(
            '<QueryPerf xmlns="urn:vim25"><_this type="PerformanceManager">'
            'PerfMgr</_this>' + "".join(
                f'<querySpec><entity type="HostSystem">{h}</entity>{window}'
                f'<maxSample>{n}</maxSample>{metrics}<intervalId>20'
                f'</intervalId><format>{fmt}</format></querySpec>'
                for h in hosts) + '</QueryPerf>')

    def view(self):
        body, _ = self.call(
            '<CreateContainerView xmlns="urn:vim25"><_this type="ViewManager"'
            '>ViewManager</_this><container type="Folder">group-d1'
            '</container><type>HostSystem</type><type>Datastore</type>'
            '<recursive>true</recursive></CreateContainerView>')
        return body.find("returnval").text

    def props(self, kind, paths, options="", version="8.0.3.0"):
        return self.call(
            '<RetrievePropertiesEx xmlns="urn:vim25"><_this type='
            '"PropertyCollector">propertyCollector</_this><specSet><propSet>'
            f'<type>{kind}</type>'
            + "".join(f"<pathSet>{p}</pathSet>" for p in paths)
            + f'</propSet><objectSet><obj type="ContainerView">{self.view()}'
            '</obj><skip>true</skip><selectSet xsi:type="TraversalSpec">'
            '<name>v</name><type>ContainerView</type><path>view</path><skip>'
            'false</skip></selectSet></objectSet></specSet><options>'
            f'{options}</options></RetrievePropertiesEx>', version)


def strip(element):
    for e in element.iter():
        e.tag = e.tag.rsplit("}", 1)[-1]
    return element


def case(*names):
    def add(fn):
        for name in names:
            cases[name] = fn
        return fn
    return add


def series(body):
    return {(e.find("entity").text, v.find("id/counterId").text,
             v.find("id/instance").text or ""): v.findall("value")
            for e in body.iter("returnval") for v in e.findall("value")}


def csv_values(body):
    return [(v[0].text or "").split(",") for v in series(body).values() if v]


# ---- one function per fault: None or a text that says what was wrong ----

@case("http-404", "http-502", "http-503", "http-504", "html-200")
def html(sim, name):
    sim.fault(name)
    status, headers, body = sim.raw("<X/>")
    assert status == int(name[-3:]) and b"<html>" in body, (status, body)
    assert headers["Content-Type"] == "text/html"
    assert sim.now()[1] == 200


@case("empty-200")
def empty(sim, name):
    sim.fault(name)
    status, _, body = sim.raw("<CurrentTime xmlns='urn:vim25'/>")
    assert (status, body) == (200, b"")


@case("redirect")
def redirect(sim, name):
    sim.fault(name, "http://127.0.0.1:1/evil")
    status, headers, _ = sim.raw("<X/>")
    assert status == 302 and headers["Location"] == "http://127.0.0.1:1/evil"


@case("delay")
def delay(sim, name):
    sim.fault(name, 700, "CurrentTime")
    begin = time.monotonic()
    assert sim.perf()[1] == 200  # bound to another method
    quick = time.monotonic() - begin
    assert sim.now()[1] == 200
    assert time.monotonic() - begin - quick >= 0.7


@case("blackhole")
def blackhole(sim, name):
    sim.fault(name)
    sim.timeout = 1
    assert isinstance(sim.raw("<X/>"), socket.timeout)
    sim.timeout = 5
    assert sim.now()[1] == 200  # others are served meanwhile


@case("drip")
def drip(sim, name):
    sim.fault(name, 400)
    begin = time.monotonic()
    assert sim.now()[1] == 200
    assert time.monotonic() - begin >= 1


@case("truncate")
def truncate(sim, name):
    sim.fault(name, 200)
    assert len(sim.raw("<X/>")[2]) == 200


@case("close")
def close(sim, name):
    sim.fault(name, 100)
    r = sim.raw("<X/>")
    assert isinstance(r, http.client.IncompleteRead), r
    assert len(r.partial) == 100


def read_some(sim, want):
    """Read a body that may have no end; returns how much came."""
    env = ('<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">'
           '<e:Body><RetrieveServiceContent xmlns="urn:vim25"/></e:Body>'
           '</e:Envelope>')
    c = http.client.HTTPConnection(*sim.address, timeout=5)
    c.request("POST", "/sdk", env)
    r = c.getresponse()
    got, last = 0, b""
    while got < want:
        piece = r.read(1 << 20)
        if not piece:
            break
        got += len(piece)
        last = piece
    c.close()
    return got, last


@case("endless")
def endless(sim, name):
    sim.fault(name)
    assert read_some(sim, 64 << 20)[0] >= 64 << 20
    assert sim.now()[1] == 200


@case("huge")
def huge(sim, name):
    sim.fault(name, 8)
    got, last = read_some(sim, 1 << 30)
    assert 8 << 20 <= got < (8 << 20) + 10000, got
    assert last.endswith(b"</soapenv:Envelope>")


@case("gzip-bomb")
def gzip_bomb(sim, name):
    sim.fault(name, 32)
    status, headers, body = sim.raw("<X/>")
    assert headers["Content-Encoding"] == "gzip" and len(body) < 1 << 20
    plain = gzip.decompress(body)
    assert len(plain) >= 32 << 20 and plain.endswith(b"</soapenv:Envelope>")


@case("dtd", "entity-bomb")
def doctype(sim, name):
    sim.fault(name)
    body = sim.raw("<X/>")[2]
    assert body.index(b"<!DOCTYPE") < body.index(b"<soapenv:Envelope")
    assert (b"&h;" in body) == (name == "entity-bomb")


@case("wrong-namespace")
def wrong_namespace(sim, name):
    sim.fault(name)
    root = ET.fromstring(sim.raw("<X/>")[2])
    assert root.tag == "{urn:example:not-soap}Envelope", root.tag


@case("deep-nesting")
def deep_nesting(sim, name):
    sim.fault(name, 3000)
    assert sim.raw("<X/>")[2].count(b"<d>") == 3000


@case("type-prefix")
def type_prefix(sim, name):
    sim.fault(name)
    status, _, body = sim.raw(
        '<Fetch xmlns="urn:vim25"><_this type="Datastore">datastore-2001'
        '</_this><prop>info</prop></Fetch>')
    assert b"xsi:type" not in body
    value = strip(ET.fromstring(body)).find("Body/FetchResponse/returnval")
    assert value.get(XSI) == "NasDatastoreInfo"


@case("bad-utf8")
def bad_utf8(sim, name):
    sim.fault(name)
    try:
        sim.raw("<X/>")[2].decode()
        raise AssertionError("is UTF-8")
    except UnicodeDecodeError:
        pass


@case("not-authenticated-500")
def not_authenticated(sim, name):
    sim.fault(name, method="QueryPerf")
    assert sim.now()[1] == 200
    assert sim.perf() == ("NotAuthenticated", 500)
    assert sim.perf() == ("NotAuthenticated", 500)
    assert sim.log_in()[1] == 200
    assert sim.perf()[1] == 200


@case("not-authenticated-200")
def not_authenticated_missing(sim, name):
    sim.fault(name)
    body, status = sim.props("Datastore", ["name"])
    assert status == 200
    fault = body.find("returnval/objects/missingSet/fault/fault")
    assert fault.get(XSI) == "NotAuthenticated"
    assert body.find(".//propSet") is None
    assert sim.now() == ("NotAuthenticated", 500)
    assert sim.log_in()[1] == 200


@case("kill-sessions")
def kill_sessions(sim, name):
    sim.fault(name)
    assert sim.now() == ("NotAuthenticated", 500)
    assert sim.log_in()[1] == 200
    assert sim.now()[1] == 200


@case("kill-between-pages")
def kill_between_pages(sim, name):
    sim.fault(name)
    body, _ = sim.props("Datastore", ["name"], "<maxObjects>4</maxObjects>")
    assert len(body.findall("returnval/objects")) == 4
    assert sim.call(
        '<ContinueRetrievePropertiesEx xmlns="urn:vim25"><_this type='
        '"PropertyCollector">propertyCollector</_this><token>'
        + body.find("returnval/token").text
        + "</token></ContinueRetrievePropertiesEx>") \
        == ("NotAuthenticated", 500)


@case("invalid-login")
def invalid_login(sim, name):
    sim.cookie = None
    sim.fault(name)
    assert sim.log_in() == ("InvalidLogin", 500)
    assert re.match('vmware_soap_session="[0-9a-f]{40}"$', sim.cookie)
    before = json.loads(sim.control("stats", "GET"))
    sim.raw("<X/>")
    after = json.loads(sim.control("stats", "GET"))
    assert after["requests_after_invalid_login"] \
        == before["requests_after_invalid_login"] + 1
    assert sim.log_in()[1] == 200


@case("no-permission-login")
def no_permission_login(sim, name):
    sim.cookie = None
    sim.fault(name)
    assert sim.log_in() == ("NoPermission", 500)


@case("soap-fault")
def soap_fault(sim, name):
    sim.fault(name, "HostCommunication", "CurrentTime")
    assert sim.now() == ("HostCommunication", 500)


@case("method-not-found")
def method_not_found(sim, name):
    sim.fault(name, method="CurrentTime")
    assert sim.now() == ("MethodNotFound", 500)
    assert sim.call('<CreateFilter xmlns="urn:vim25"/>') \
        == ("MethodNotFound", 500)


@case("invalid-property")
def invalid_property(sim, name):
    path = "config.storageDevice.nvmeTopology"
    sim.fault(name, path)
    assert sim.props("HostSystem", ["name", path]) \
        == ("InvalidProperty", 500)
    assert sim.props("HostSystem", ["name", path])[1] == 200
    assert sim.props("HostSystem", ["name", path], version="6.7") \
        == ("InvalidProperty", 500)


@case("no-permission")
def no_permission(sim, name):
    sim.fault(name, "summary", count=100)
    body, _ = sim.props("Datastore", ["name", "summary"])
    objects = body.findall("returnval/objects")
    assert len(objects) > 1
    for o in objects:
        assert [p.find("name").text for p in o.findall("propSet")] == ["name"]
        assert o.find("missingSet/path").text == "summary"
        assert o.find("missingSet/fault/fault").get(XSI) == "NoPermission"
    sim.fault(name, count=0)


@case("property-missing")
def property_missing(sim, name):
    sim.fault(name, "datastore-2002:summary", count=-1)
    body, _ = sim.props("Datastore", ["name", "summary"])
    without = [o.find("obj").text for o in body.findall("returnval/objects")
               if len(o.findall("propSet")) == 1]
    assert without == ["datastore-2002"], without
    sim.fault(name, count=0)


@case("bad-token")
def bad_token(sim, name):
    body, _ = sim.props("Datastore", ["name"], "<maxObjects>4</maxObjects>")
    token = body.find("returnval/token").text
    again = ('<ContinueRetrievePropertiesEx xmlns="urn:vim25"><_this type='
             '"PropertyCollector">propertyCollector</_this><token>'
             f'{token}</token></ContinueRetrievePropertiesEx>')
    sim.fault(name)
    assert sim.call(again) == ("InvalidArgument", 500)
    assert sim.call(again)[1] == 200
    assert sim.call(again) == ("InvalidArgument", 500)  # good once


@case("empty-inventory")
def empty_inventory(sim, name):
    sim.fault(name, count=-1)
    body, status = sim.props("Datastore", ["name"])
    assert status == 200 and body.find("returnval") is None
    sim.fault(name, count=0)


@case("perf-disconnect")
def perf_disconnect(sim, name):
    sim.fault(name, "esx02.lab.example")
    assert sim.perf(["host-1001", "host-1002"]) == ("InvalidArgument", 500)
    assert sim.perf(["host-1001"])[1] == 200
    body, _ = sim.props("HostSystem", ["runtime.connectionState"])
    states = [v.text for v in body.iter("val")]
    assert states == ["connected", "disconnected", "connected", "connected"]
    sim.control("set?host=esx02.lab.example&connection=connected")
    assert sim.perf(["host-1001", "host-1002"])[1] == 200


@case("perf-gone")
def perf_gone(sim, name):
    sim.fault(name, "esx02.lab.example")
    assert sim.perf(["host-1001", "host-1002"]) \
        == ("ManagedObjectNotFound", 500)


@case("perf-invalid")
def perf_invalid(sim, name):
    sim.fault(name, "esx02.lab.example")
    assert sim.perf(["host-1001"])[1] == 200
    assert sim.perf(["host-1001", "host-1002"]) == ("InvalidArgument", 500)


@case("perf-empty")
def perf_empty(sim, name):
    sim.fault(name)
    body, status = sim.perf()
    assert status == 200 and len(body) == 0


@case("perf-bare")
def perf_bare(sim, name):
    sim.fault(name)
    body, _ = sim.perf()
    assert [e.tag for e in body.find("returnval")] == ["entity"]


@case("perf-no-series")
def perf_no_series(sim, name):
    sim.fault(name)
    body, _ = sim.perf()
    assert [e.tag for e in body.find("returnval")] \
        == ["entity", "sampleInfoCSV"]


@case("perf-restricted")
def perf_restricted(sim, name):
    sim.fault(name)
    assert sim.perf() == ("RestrictedByAdministrator", 500)


@case("format-normal")
def format_normal(sim, name):
    sim.fault(name)
    body, _ = sim.perf()
    assert body.find("returnval").get(XSI) == "PerfEntityMetric"
    assert len(body.findall("returnval/sampleInfo")) == 3
    assert all(len(v) == 3 for v in series(body).values())


@case("newest-first")
def newest_first(sim, name):
    plain, _ = sim.perf()
    sim.fault(name)
    turned, _ = sim.perf()
    assert csv_values(turned) == [v[::-1] for v in csv_values(plain)]
    times = turned.find("returnval/sampleInfoCSV").text.split(",")[1::2]
    assert times == sorted(times, reverse=True)


@case("newest-missing")
def newest_missing(sim, name):
    sim.fault(name, 2)
    body, _ = sim.perf()
    assert all(v[1:] == ["-1", "-1"] and v[0] != "-1"
               for v in csv_values(body))


@case("short-series")
def short_series(sim, name):
    sim.fault(name, 2)
    body, _ = sim.perf(n=5)
    assert all(len(v) == 3 for v in csv_values(body))
    times = body.find("returnval/sampleInfoCSV").text.split(",")[1::2]
    assert len(times) == 5


@case("value-absent")
def value_absent(sim, name):
    sim.fault(name)
    body, _ = sim.perf()
    assert [len(v) for v in series(body).values()][:4] == [1, 0, 1, 0]


@case("value-empty")
def value_empty(sim, name):
    sim.fault(name)
    body, _ = sim.perf()
    assert [v[0].text is None for v in series(body).values()][:4] \
        == [False, True, False, True]


@case("duplicate-samples")
def duplicate_samples(sim, name):
    sim.fault(name)
    body, _ = sim.perf()
    times = body.find("returnval/sampleInfoCSV").text.split(",")[1::2]
    assert len(times) == 4 and times[-1] == times[-2]
    assert all(len(v) == 4 for v in csv_values(body))


@case("duplicate-series")
def duplicate_series(sim, name):
    plain = len(sim.perf()[0].findall("returnval/value"))
    sim.fault(name)
    assert len(sim.perf()[0].findall("returnval/value")) == 2 * plain


@case("stray-instance")
def stray_instance(sim, name):
    sim.fault(name, "0badcafe-deadbeef")
    body, _ = sim.perf()
    assert ("host-1001", "189", "0badcafe-deadbeef") in series(body)
    assert ("host-1001", "189", "0badcafe-deadbeef") \
        not in series(sim.perf()[0])


@case("absurd-value")
def absurd_value(sim, name):
    sim.fault(name)
    body, _ = sim.perf(ids=(189, 185))
    for key, v in series(body).items():
        absurd = v[0].text.endswith(",116017258324865")
        assert absurd == (key[1] == "189")


@case("negative-value")
def negative_value(sim, name):
    sim.fault(name, -42)
    assert all(v[-1] == "-42" for v in csv_values(sim.perf()[0]))


@case("garbage-value")
def garbage_value(sim, name):
    sim.fault(name)
    assert all(not v[-1].lstrip("-").isdigit()
               for v in csv_values(sim.perf()[0]))


@case("time-offset", "time-micro")
def time_form(sim, name):
    sim.fault(name)
    times = sim.perf()[0].find("returnval/sampleInfoCSV").text
    end = r"\+00:00" if name == "time-offset" else r"\.000000Z"
    form = r"20,2026-05-17T\d\d:\d\d:[024]0" + end
    assert re.fullmatch(f"{form}(,{form}){{2}}", times), times


def counters(sim):
    body, _ = sim.call(
        '<RetrievePropertiesEx xmlns="urn:vim25"><_this type='
        '"PropertyCollector">propertyCollector</_this><specSet><propSet><type>'
        'PerformanceManager</type><pathSet>perfCounter</pathSet></propSet>'
        '<objectSet><obj type="PerformanceManager">PerfMgr</obj></objectSet>'
        '</specSet><options/></RetrievePropertiesEx>')
    found = {}
    for c in body.iter("PerfCounterInfo"):
        name = ".".join((c.find("groupInfo/key").text,
                         c.find("nameInfo/key").text,
                         c.find("rollupType").text))
        found.setdefault(name, []).append(
            (int(c.find("key").text), c.find("unitInfo/key").text))
    return found


READ = "datastore.totalReadLatency.average"


@case("counter-missing")
def counter_missing(sim, name):
    assert READ in counters(sim)
    sim.fault(name, READ, count=-1)
    assert READ not in counters(sim)
    assert series(sim.perf(ids=(189,))[0]) == {}
    sim.fault(name, count=0)


@case("counter-twice")
def counter_twice(sim, name):
    sim.fault(name, READ, count=-1)
    ids = [i for i, _ in counters(sim)[READ]]
    assert len(ids) == 2 and ids[0] == 189 and ids[1] != 189
    sim.fault(name, count=0)


@case("counter-offset")
def counter_offset(sim, name):
    sim.fault(name, 70000, count=-1)
    assert counters(sim)[READ] == [(70189, "millisecond")]
    assert series(sim.perf()[0]) == {}
    assert series(sim.perf(ids=(70189,))[0]) != {}
    sim.fault(name, count=0)


@case("renumber")
def renumber(sim, name):
    sim.fault(name, 300)
    sim.cookie = None
    sim.log_in()
    assert counters(sim)[READ] == [(489, "millisecond")]
    assert series(sim.perf(ids=(489,))[0]) != {}


@case("unit-microsecond")
def unit_microsecond(sim, name):
    sim.fault(name, READ, count=-1)
    assert counters(sim)[READ] == [(189, "microsecond")]
    sim.fault(name, count=0)


# ---- what is no fault ----

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


def faults():
    sim = Sim("demo")
    names = [line.split("\t")[0]
             for line in sim.control("faults", "GET").splitlines()]
    sim.stop()
    for name in names:
        if name not in cases:
            report(f"faults/{name}", False, "has no case")
            continue
        sim = Sim("demo")
        sim.log_in()
        sim.control("clock?advance_s=10")  # all values have come
        try:
            cases[name](sim, name)
            report(f"faults/{name}", True)
        except Exception as e:  # any surprise is a failure of the case
            report(f"faults/{name}", False, repr(e)[:300])
        sim.stop()
    for name in set(cases) - set(names):
        report(f"faults/{name}", False, "is not in the table")


for part in (faults, versions, transports, windows, late_values, state,
             events, sessions, compressed, clocks, demo, strict,
             control):
    part()
sys.exit(failures != 0)
