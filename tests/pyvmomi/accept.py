#!/usr/bin/python3
"""accept.py URL SCENE START USER PASSWORD ORACLE_CSV - pyvmomi as a client.

A client that nobody here wrote uses the simulated vSphere the way it uses a
real one, and every performance value is compared with the oracle (a csv that
a second process computed).  Prints PASS: and FAIL: lines.
"""
import csv
import shlex
import ssl
import sys
import traceback
import urllib.request
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from pyVim import connect
from pyVmomi import SoapStubAdapter, vim, vmodl

URL, SCENE, START, USER, PASSWORD, ORACLE = sys.argv[1:7]
PARTS = urlsplit(URL)
NAME = SCENE.rsplit("/", 1)[-1].rsplit(".", 1)[0]
FIELDS = ["datastore.totalReadLatency.average",
          "datastore.totalWriteLatency.average",
          "datastore.numberReadAveraged.average",
          "datastore.numberWriteAveraged.average",
          "datastore.read.average",
          "datastore.write.average"]
INFO = {"nfs3": "NasDatastoreInfo", "nfs41": "NasDatastoreInfo",
        "cifs": "NasDatastoreInfo", "localdir": "LocalDatastoreInfo",
        "vsan": "Info", "pmem": "PMemDatastoreInfo"}
HBA = {"iscsi": "InternetScsiHba", "iser": "InternetScsiHba",
       "fc": "FibreChannelHba", "fcoe": "FibreChannelOverEthernetHba",
       "nvme-fc": "FibreChannelHba", "sas": "SerialAttachedHba",
       "local": "ParallelScsiHba", "block": "BlockHba",
       # this pyvmomi speaks 6.7: newer types come as their base
       "nvme-tcp": "HostBusAdapter", "nvme-rdma": "HostBusAdapter",
       "nvme-pcie": "HostBusAdapter"}
failures = 0


def check(what, ok, detail=""):
    global failures
    failures += not ok
    print(f"{'PASS' if ok else 'FAIL'}: pyvmomi/{NAME}/{what}"
          + (f" {detail}" if detail and not ok else ""))


def control(path):
    context = ssl._create_unverified_context() if PARTS.scheme == "https" \
        else None
    request = urllib.request.Request(f"{PARTS.scheme}://{PARTS.netloc}/sim/"
                                     + path, method="POST")
    return urllib.request.urlopen(request, context=context).read()


def new_stub():
    if PARTS.scheme == "https":
        # what SmartConnect does, without its look for a newer version
        return SoapStubAdapter(
            host=PARTS.hostname, port=PARTS.port, path="/sdk",
            version="vim.version.version13",
            sslContext=ssl._create_unverified_context())
    return SoapStubAdapter(host=PARTS.hostname, port=-PARTS.port,
                           path="/sdk", version="vim.version.version13")


def scene_rows():
    """What the scene file says, read by something that is not the sim."""
    hosts, datastores = [], []
    with open(SCENE, encoding="utf-8") as lines:
        for line in lines:
            if line.lstrip().startswith("#"):
                continue
            words = shlex.split(line.replace("\\n", "\n")
                                .replace("\\t", "\t"), comments=True)
            keys = dict(w.split("=", 1) for w in words[2:] if "=" in w)
            if words[:1] == ["host"]:
                hosts.append((words[1], keys))
            elif words[:1] == ["datastore"] and keys.get("hidden") != "true":
                keys["protocol"] = words[2]
                datastores.append((words[1], keys))
    return hosts, datastores


def log_in():
    try:
        vim.ServiceInstance("ServiceInstance", new_stub()) \
            .content.sessionManager.Login(USER, PASSWORD + "x")
        check("a wrong password is refused", False, "logged in")
    except vim.fault.InvalidLogin:
        check("a wrong password is refused", True)
    if PARTS.scheme == "https":
        si = connect.SmartConnect(
            host=PARTS.hostname, port=PARTS.port, user=USER, pwd=PASSWORD,
            sslContext=ssl._create_unverified_context())
        check("SmartConnect", True)
        return si
    si = vim.ServiceInstance("ServiceInstance", new_stub())
    session = si.content.sessionManager.Login(USER, PASSWORD)
    check("login", session.userName == USER, session.userName)
    return si


def view_of(content, types):
    view = content.viewManager.CreateContainerView(
        content.rootFolder, types, True)
    found = list(view.view)
    view.DestroyView()
    return found


def inventory(content, hosts, datastores):
    objects = view_of(content, [vim.HostSystem, vim.Datastore])
    got_hosts = [o for o in objects if isinstance(o, vim.HostSystem)]
    got = [o for o in objects if isinstance(o, vim.Datastore)]
    check("hosts", sorted(h.name for h in got_hosts)
          == sorted(n for n, _ in hosts), str([h.name for h in got_hosts]))
    check("datastores", sorted(d.name for d in got)
          == sorted(n for n, _ in datastores), str([d.name for d in got]))
    for host in got_hosts:
        top = host
        while top.parent is not None:
            top = top.parent
        check(f"parents of {host.name}", top == content.rootFolder)
    return got_hosts, got


def datastore_details(got, datastores, hosts):
    protocols = {}
    for name, keys in datastores:
        protocols.setdefault(name, []).append(keys)
    for d in got:
        keys = protocols[d.name][0]
        want = INFO.get(keys["protocol"], "VvolDatastoreInfo"
                        if keys["protocol"].startswith("vvol")
                        else "VmfsDatastoreInfo")
        kind = type(d.info).__name__.rsplit(".", 1)[-1]
        url_id = d.summary.url.rstrip("/").rsplit("/", 1)[-1]
        ok = (kind == want and d.summary.name == d.name
              and d.info.url == d.summary.url and url_id != ""
              and len(d.host) > 0
              and all(m.mountInfo.path.endswith(url_id) for m in d.host)
              and ("hosts" in keys or len(d.host) == len(hosts)))
        if kind == "NasDatastoreInfo" and d.info.nas is not None:
            if "path" in keys and len(protocols[d.name]) == 1:
                ok = ok and d.info.nas.remotePath == keys["path"]
        if kind == "VmfsDatastoreInfo" and d.info.vmfs is not None:
            ok = ok and len(d.info.vmfs.extent) == int(
                keys.get("extents", 1))
        check(f"datastore {d.name!r}", ok, f"{kind} {d.summary.url}")


def host_storage(got_hosts, datastores):
    """Adapters and paths, as the storage protocols in the scene want them."""
    for host in got_hosts:
        device = host.config.storageDevice
        adapters = {a.key: a for a in device.hostBusAdapter}
        luns = {lun.canonicalName: lun for lun in device.scsiLun}
        units = {u.lun: u for u in device.multipathInfo.lun}
        wrong = []
        for d in host.datastore:
            keys = dict(datastores).get(d.name, {})
            want = HBA.get(keys.get("protocol"))
            if want is None or "mixed" in keys or d.info.vmfs is None \
                    or keys.get("topology", "multipath") != "multipath":
                continue
            for extent in d.info.vmfs.extent:
                unit = units.get(luns[extent.diskName].key)
                for path in unit.path:
                    kind = type(adapters[path.adapter]).__name__ \
                        .rsplit(".", 1)[-1]
                    if kind != want:
                        wrong.append((d.name, kind))
        check(f"storage of {host.name}", not wrong, str(wrong))


def paging(content, got_hosts, got):
    """The same objects when they come three at a time."""
    view = content.viewManager.CreateContainerView(
        content.rootFolder, [vim.HostSystem, vim.Datastore], True)
    query = vmodl.query.PropertyCollector
    spec = query.FilterSpec(
        objectSet=[query.ObjectSpec(obj=view, skip=True, selectSet=[
            query.TraversalSpec(name="v", type=vim.view.ContainerView,
                                path="view", skip=False)])],
        propSet=[query.PropertySpec(type=vim.Datastore,
                                    pathSet=["name", "summary.url"]),
                 query.PropertySpec(type=vim.HostSystem, pathSet=[
                     "name", "runtime.connectionState",
                     "config.storageDevice.multipathInfo"])])
    collector = content.propertyCollector
    page = collector.RetrievePropertiesEx([spec],
                                          query.RetrieveOptions(maxObjects=3))
    objects, pages = [], 0
    while page is not None:
        objects += page.objects
        pages += 1
        if not page.token:
            break
        page = collector.ContinueRetrievePropertiesEx(page.token)
    wanted = {o._moId for o in got_hosts + got}
    check("paging", {o.obj._moId for o in objects} == wanted
          and len(objects) == len(wanted)
          and pages == max(1, -(-len(wanted) // 3)) * (len(wanted) > 0),
          f"{len(objects)} objects in {pages} pages")
    whole = collector.RetrieveContents([spec])
    check("RetrieveContents", {o.obj._moId for o in whole} == wanted)
    try:
        spec.propSet[0].pathSet = ["name", "noSuchThing"]
        collector.RetrieveContents([spec])
        check("an unknown path is refused", len(wanted) == 0)
    except vmodl.query.InvalidProperty as e:
        check("an unknown path is refused", e.name == "noSuchThing", e.name)
    view.DestroyView()


def query(content, host, ids, fmt, max_sample=None):
    metric = vim.PerformanceManager.MetricId
    spec = vim.PerformanceManager.QuerySpec(
        entity=host, intervalId=20, format=fmt, maxSample=max_sample,
        metricId=[metric(counterId=i, instance="*") for i in ids.values()])
    series = {}
    names = {i: n for n, i in ids.items()}
    for entity in content.perfManager.QueryPerf([spec]):
        if fmt == "csv":
            parts = entity.sampleInfoCSV.split(",")
            times = [t.replace("Z", "") for t in parts[1::2]]
            assert set(parts[0::2]) == {"20"}
        else:
            times = [s.timestamp.strftime("%Y-%m-%dT%H:%M:%S")
                     for s in entity.sampleInfo]
        for one in entity.value:
            values = one.value.split(",") if fmt == "csv" else one.value
            assert len(values) == len(times)
            for t, v in zip(times, values):
                series[(one.id.instance, t, names[one.id.counterId])] = int(v)
    return series


def oracle():
    truth = {}
    with open(ORACLE, newline="", encoding="utf-8") as f:
        for row in csv.reader(f):
            if row[0] == "host":
                continue
            for name, value in zip(FIELDS, row[3:]):
                truth[(row[0], row[1], row[2].replace("Z", ""), name)] = \
                    int(value)
    return truth


def compare(host_name, got, truth, hidden, expected):
    """Is what came the oracle's, and is nothing missing?"""
    if not expected:
        check(f"{host_name}: no values", got == {}, str(len(got)))
        return
    seconds = {t: datetime.fromisoformat(t).timestamp()
               for t in {k[1] for k in list(got) + list(truth)}}
    newest = max(seconds[k[1]] for k in got)
    wrong, compared = [], 0
    for (instance, t, name), value in got.items():
        if instance == hidden:
            continue
        compared += 1
        # a value may be late, but by no more than the scenes say
        if value != truth.get((instance, t, name)) and not (
                value == -1 and newest - seconds[t] < 460):
            wrong.append((instance, t, name, value))
    check(f"{host_name}: values are the oracle's", not wrong and compared > 0,
          f"{compared} compared, wrong: {wrong[:3]}")
    lost = [k for k, v in truth.items() if v != -1 and k not in got
            and newest - 3600 < seconds[k[1]] <= newest]
    check(f"{host_name}: nothing of the hour is missing", not lost,
          str(lost[:3]))


def performance(content, got_hosts, hidden):
    by_name = {f"{c.groupInfo.key}.{c.nameInfo.key}.{c.rollupType}": c
               for c in content.perfManager.perfCounter}
    check("units", [by_name[n].unitInfo.key for n in FIELDS]
          == ["millisecond"] * 2 + ["number"] * 2
          + ["kiloBytesPerSecond"] * 2)
    ids = {n: by_name[n].key for n in FIELDS}
    truth = oracle()
    early = {}
    # every attribute is a call: names once
    named = [(h, h.name) for h in got_hosts]
    for host, name in named:
        connected = host.runtime.connectionState == "connected"
        try:
            early[name] = query(content, host, ids, "csv", 15)
            check(f"QueryPerf of {name}", connected)
        except vmodl.fault.InvalidArgument as e:
            check(f"QueryPerf of {name}", not connected
                  and e.invalidProperty == "querySpec.interval",
                  str(e.invalidProperty))
    now_missing = sum(v < 0 for s in early.values() for v in s.values())
    # twenty minutes on, everything that was late has come
    control("clock?advance_s=1200")
    for host, host_name in named:
        if host_name not in early:
            continue
        late = query(content, host, ids, "csv")
        normal = query(content, host, ids, "normal")
        check(f"csv and normal of {host_name}", late == normal)
        compare(host_name, late, {k[1:]: v for k, v in truth.items()
                                  if k[0] == host_name}, hidden,
                host.runtime.powerState == "poweredOn" and host.datastore)
        # values seen early are either not there yet or the final ones
        wrong = [k for k, v in early[host_name].items()
                 if v not in (-1, late.get(k))]
        check(f"{host_name}: early values were final", not wrong,
              str(wrong[:3]))
        # every slot of the hour is in the oracle, and nothing else
        lost = [k for k in early[host_name]
                if k[0] != hidden and (host_name,) + k not in truth]
        check(f"{host_name}: nothing but the oracle's", not lost,
              str(lost[:3]))
    return now_missing


def main():
    hosts, datastores = scene_rows()
    si = log_in()
    content = si.content
    got_hosts, got = inventory(content, hosts, datastores)
    datastore_details(got, datastores, hosts)
    host_storage(got_hosts, datastores)
    paging(content, got_hosts, got)
    skew = si.CurrentTime() - connect.vim.ServiceInstance(
        "ServiceInstance", si._stub).serverClock
    check("CurrentTime", abs(skew) < timedelta(seconds=2), str(skew))
    missing = performance(content, got_hosts, "deadbeef-0badcafe")
    if NAME in ("demo", "skew"):
        check("the newest values come late", missing > 0)
    content.sessionManager.Logout()
    try:
        si.CurrentTime()
        check("after logout nothing goes", False)
    except vim.fault.NotAuthenticated:
        check("after logout nothing goes", True)


try:
    main()
except Exception:  # a client that stumbles has found a bug
    traceback.print_exc(file=sys.stdout)
    check("no exception", False)
sys.exit(failures != 0)
