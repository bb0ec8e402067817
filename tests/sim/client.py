"""A client of dslat-sim with nothing but Python's own library.

Shared by check_sim.py and check_faults.py; the first argument is the program.
"""
import http.client
import os
import signal
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ET

SIM = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
START = "2026-05-17T12:00:01Z"
XSI = "{http://www.w3.org/2001/XMLSchema-instance}type"
failures = 0


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


def series(body):
    return {(e.find("entity").text, v.find("id/counterId").text,
             v.find("id/instance").text or ""): v.findall("value")
            for e in body.iter("returnval") for v in e.findall("value")}


def csv_values(body):
    return [(v[0].text or "").split(",") for v in series(body).values() if v]


def finish():
    sys.exit(failures != 0)
