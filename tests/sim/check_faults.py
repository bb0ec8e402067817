#!/usr/bin/python3
"""check_faults.py SIM - does every fault of dslat-sim do what it says?

Prints PASS: and FAIL: lines; a fault without a case is a failure.
"""
import gzip
import http.client
import json
import re
import socket
import time
import xml.etree.ElementTree as ET

from client import XSI, Sim, csv_values, finish, report, series, strip

cases = {}


def case(*names):
    def add(fn):
        for name in names:
            cases[name] = fn
        return fn
    return add


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


@case("perf-disk")
def perf_disk(sim, name):
    sim.fault(name, "esx02.lab.example", count=-1)
    assert sim.perf(["host-1001"], ids=(189, 500))[1] == 200
    assert sim.perf(["host-1001", "host-1002"])[1] == 200  # no disk.*
    assert sim.perf(["host-1001", "host-1002"], ids=(189, 500)) \
        == ("InvalidArgument", 500)
    sim.fault(name, "esx02.lab.example", count=0)
    sim.fault(name)
    assert sim.perf(["host-1001"], ids=(500,)) == ("InvalidArgument", 500)


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


faults()
finish()
