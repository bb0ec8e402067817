#!/usr/bin/python3
"""recorded.py RECORDED WORK - make golden cases of recorded answers.

RECORDED holds pyvmomi/*.yaml (HTTP exchanges, see its README); WORK gets a
folder per case with N-METHOD[-STATUS].xml and `expected`, what
tests/golden/golden must print.  The expectation is computed here from the same
bytes with ElementTree.  Properties were recorded one by one (Fetch); their
values are put, byte for byte, into the pages RetrievePropertiesEx would bring.
"""
import os
import re
import sys
import xml.etree.ElementTree as ET

import yaml

VIM = "{urn:vim25}"
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope'
    ' xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n<soapenv:Body>'
)
TAIL = "</soapenv:Body>\n</soapenv:Envelope>"


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Old recordings tag their strings."""


Loader.add_constructor(
    "tag:yaml.org,2002:python/unicode",
    lambda loader, node: loader.construct_scalar(node),
)


def text(data):
    return data.decode() if isinstance(data, bytes) else data or ""


def exchanges(path):
    """(method, property or '', status, answer) of each exchange of a file."""
    with open(path, encoding="utf-8") as f:
        recording = yaml.load(f, Loader)
    for i in recording["interactions"]:
        body = text(i["request"]["body"])
        method = re.search(r"Body>\s*<(\w+)", body)
        prop = re.search(r"<prop[^>]*>(.*?)</prop>", body)
        yield (
            method.group(1) if method else i["request"]["method"],
            prop.group(1) if prop else "",
            i["response"]["status"]["code"],
            text(i["response"]["body"]["string"]),
        )


class Case:
    def __init__(self, work, name):
        self.dir = os.path.join(work, name)
        os.makedirs(self.dir)
        self.n = 0
        self.expected = ""

    def answer(self, method, status, data, expected):
        self.n += 1
        suffix = "" if status == 200 else "-%d" % status
        name = "%02d-%s%s.xml" % (self.n, method, suffix)
        with open(os.path.join(self.dir, name), "w", encoding="utf-8") as f:
            f.write(data)
        self.expected += "-- %s %d\n%s" % (method, status, expected)

    def finish(self):
        with open(os.path.join(self.dir, "expected"), "w",
                  encoding="utf-8") as f:
            f.write(self.expected)


def find(root, path):
    e = root.find(".//" + "/".join(VIM + p for p in path.split("/")))
    return e.text or "" if e is not None else ""


def expect_content(root):
    api = find(root, "about/apiType")
    return (
        "rootFolder %s\npropertyCollector %s\nviewManager %s\n"
        "sessionManager %s\nperfManager %s\neventManager %s\n"
        "fullName %s\nversion %s\nbuild %s\napiType %s (%s)\n"
        "apiVersion %s\ninstanceUuid %s\n"
    ) % (
        find(root, "rootFolder"), find(root, "propertyCollector"),
        find(root, "viewManager"), find(root, "sessionManager"),
        find(root, "perfManager"), find(root, "eventManager"),
        find(root, "about/fullName"), find(root, "about/version"),
        find(root, "about/build"), api,
        "vCenter" if api == "VirtualCenter" else "host",
        find(root, "about/apiVersion"), find(root, "about/instanceUuid"),
    )


def expect_fault(root):
    detail = root.find(".//detail")[0]
    kind = detail.get(XSI + "type")
    assert kind == "InvalidLogin"
    return (
        "error auth: wrong user name or password: %s: %s\n"
        'fault %s object="" privilege="" property=""\n'
        % (kind, root.find(".//faultstring").text.rstrip("."), kind)
    )


def expect_versions(root):
    """Of those that are public names, the highest: all of its list are."""
    names = [v.text for v in root.iter("version")]
    public = [n for n in names if re.fullmatch(r"[0-9.]+", n)]
    return "version %s\n" % max(
        public, key=lambda n: [int(part) for part in n.split(".")])


SESSION = {
    "RetrieveServiceContent": ("content", expect_content),
    "Login": ("login", lambda r: "session %s\n" % find(r, "returnval/key")),
    "CreateContainerView":
        ("view", lambda r: "view %s\n" % find(r, "returnval")),
    "DestroyView": ("destroy", lambda r: "done\n"),
    "GET": ("versions", expect_versions),
}


def session_case(work, path):
    case = Case(work, os.path.basename(path)[:-5])
    for method, _, status, data in exchanges(path):
        if method not in SESSION:
            continue
        name, expect = SESSION[method]
        root = ET.fromstring(data)
        case.answer(name, status, data,
                    expect_fault(root) if status == 500 else expect(root))
    case.finish()


def value(data, path=""):
    """The bytes within <returnval ...>...</returnval>, or of a part of it."""
    data = re.search(r"<returnval[^>]*>(.*)</returnval>", data, re.S).group(1)
    for name in path.split("/") if path else []:
        data = re.search(r"<%s(?: [^>]*)?>(.*?)</%s>" % (name, name), data,
                         re.S).group(1)
    return data


def prop(name, data, attrs=""):
    return "<propSet><name>%s</name><val%s>%s</val></propSet>" % (
        name, attrs, data)


def obj(kind, moref, props):
    return '<objects><obj type="%s">%s</obj>%s</objects>' % (
        kind, moref, "".join(props))


def page(objects):
    return (HEAD + '<RetrievePropertiesExResponse xmlns="urn:vim25">'
            "<returnval>" + "".join(objects) +
            "</returnval></RetrievePropertiesExResponse>\n" + TAIL)


def elements(data, name):
    """The bytes of the elements of that name at the top of data."""
    found, depth, start = [], 0, 0
    for m in re.finditer(r"<(/?)([\w:]+)((?:[^>\"]|\"[^\"]*\")*?)(/?)>", data):
        if not m.group(1):
            if depth == 0:
                start = m.start()
            depth += 1
        if m.group(1) or m.group(4):
            depth -= 1
            if depth == 0 and m.group(2) == name:
                found.append(data[start:m.end()])
    return found


PROTOCOLS = {  # of the transports this host has
    "HostPcieTargetTransport": "nvme-pcie",
    "HostParallelScsiTargetTransport": "local",
    "HostBlockAdapterTargetTransport": "local",
}


def disk_protocols(config):
    """canonicalName -> protocols, from multipathInfo, in this file's way."""
    device = ET.fromstring(config).find(".//" + VIM + "storageDevice")
    names = {
        lun.find(VIM + "key").text: lun.find(VIM + "canonicalName").text
        for lun in device.findall(VIM + "scsiLun")
    }
    found = {name: set() for name in names.values()}
    for lun in device.find(VIM + "multipathInfo").findall(VIM + "lun"):
        for transport in lun.iter(VIM + "transport"):
            found[names[lun.find(VIM + "lun").text]].add(
                PROTOCOLS[transport.get(XSI + "type")])
    return found


def vmfs(moref, disk):
    """A datastore that was not recorded, on a disk that was."""
    return obj("Datastore", moref, [
        prop("summary.url", "ds:///vmfs/volumes/%s/" % moref),
        prop("summary.type", "VMFS"),
        prop("info", "<vmfs><extent><diskName>%s</diskName></extent></vmfs>"
             % disk, ' xsi:type="VmfsDatastoreInfo"'),
        prop("host", '<DatastoreHostMount><key type="HostSystem">host-14</key>'
             "<mountInfo/></DatastoreHostMount>"),
    ])


def expect_vmfs(moref, disk, protocol):
    return (
        "datastore %s uuid=%s name=\"(null)\" datacenter=(null) fs=VMFS\n"
        "  protocol=%s of %s\n  backing=\"%s\"\n"
        "  accessible=1 maintenance=0 capacity_bytes=-1 free_bytes=-1\n"
        "  mount host-14 mounted=1 accessible=1 reason=(null)\n"
    ) % (moref, moref, protocol, protocol, disk)


def expect_host(moref, name="(null)", uuid="(null)", version="(null)"):
    return (
        'host %s name="%s" uuid=%s cluster=(null) datacenter=(null) '
        "version=%s connected=1 maintenance=0\n" % (moref, name, uuid, version)
    )


def host_of(fetched):
    """The recorded host as a page would bring it, and what must come out."""
    summary = ET.fromstring(fetched["summary"])
    runtime = [
        prop("runtime." + p, value(fetched["summary"], "runtime/" + p))
        for p in ("connectionState", "powerState", "inMaintenanceMode")
    ]
    name = find(summary, "config/name")
    uuid = find(ET.fromstring(fetched["hardware"]), "systemInfo/uuid")
    version = find(summary, "config/product/version")
    return obj("HostSystem", "host-14", [
        prop("name", name),
        prop("parent", value(fetched["parent"]),
             ' type="ClusterComputeResource"'),
        *runtime,
        prop("config.product.version",
             value(fetched["config"], "product/version")),
        prop("hardware.systemInfo.uuid",
             value(fetched["hardware"], "systemInfo/uuid")),
    ]), expect_host("host-14", name, uuid, version)


def datastore_of(fetched):
    """The same for the recorded datastore, on vSAN."""
    summary = ET.fromstring(fetched["summary"])
    mounts = [
        e.text for e in ET.fromstring(fetched["host"]).iter(VIM + "key")
    ]
    url = find(summary, "returnval/url")
    expected = (
        'datastore datastore-17 uuid=%s name="%s" datacenter=(null) fs=vsan\n'
        '  protocol=vsan of vsan\n  backing="(null)"\n'
        "  accessible=1 maintenance=0 capacity_bytes=%s free_bytes=%s\n"
    ) % (
        url.rstrip("/").split("/")[-1], find(summary, "returnval/name"),
        find(summary, "returnval/capacity"),
        find(summary, "returnval/freeSpace"),
    )
    expected += "".join(
        "  mount %s mounted=1 accessible=1 reason=(null)\n" % m
        for m in mounts)
    props = [
        prop("summary." + p, value(fetched["summary"], p))
        for p in ("url", "type", "accessible", "maintenanceMode", "capacity",
                  "freeSpace")
    ]
    kind = re.search(r"<returnval( [^>]*)>", fetched["info"]).group(1)
    return obj("Datastore", "datastore-17", [
        prop("name", value(fetched["name"])),
        prop("info", value(fetched["info"]), kind),
        prop("host", value(fetched["host"]),
             ' xsi:type="ArrayOfDatastoreHostMount"'),
        *props,
    ]), mounts, expected


def storage_page(config, whole):
    device = value(config, "storageDevice")
    props = []
    for name, kind in (("hostBusAdapter", "ArrayOfHostHostBusAdapter"),
                       ("scsiLun", "ArrayOfScsiLun")):
        props.append(prop("config.storageDevice." + name,
                          "".join(elements(device, name)),
                          ' xsi:type="%s"' % kind))
    for name in ("multipathInfo", "plugStoreTopology"):
        # without multipathInfo the topology alone must say the same
        if name == "multipathInfo" and not whole:
            continue
        inner = re.sub(r"^<%s[^>]*>|</%s>$" % (name, name), "",
                       elements(device, name)[0])
        props.append(prop("config.storageDevice." + name, inner))
    return page([obj("HostSystem", "host-14", props)])


def nvme_page(config):
    device = value(config, "storageDevice")
    inner = re.sub(r"^<nvmeTopology[^>]*>|</nvmeTopology>$", "",
                   elements(device, "nvmeTopology")[0])
    return page([obj("HostSystem", "host-14",
                     [prop("config.storageDevice.nvmeTopology", inner)])])


def inventory_case(work, name, hosts, datastores, whole):
    case = Case(work, name)
    host, expected_host = host_of(hosts)
    datastore, mounts, expected_datastore = datastore_of(datastores)
    others = [m for m in mounts if m != "host-14"]
    disks = disk_protocols(hosts["config"])
    assert len(disks) >= 6 and "nvme-pcie" in set().union(*disks.values())
    objects = [host, *(obj("HostSystem", m, []) for m in others), datastore]
    expected = expected_host + "".join(expect_host(m) for m in others)
    expected += expected_datastore
    for i, (disk, protocols) in enumerate(sorted(disks.items())):
        assert len(protocols) == 1
        objects.append(vmfs("vmfs-%d" % i, disk))
        expected += expect_vmfs("vmfs-%d" % i, disk, *protocols)
    case.answer("basic", 200, page(objects),
                "%d objects, token (none)\n" % len(objects))
    case.answer("storage", 200, storage_page(hosts["config"], whole),
                "1 objects, token (none)\n")
    case.answer("nvme", 200, nvme_page(hosts["config"]),
                "1 objects, token (none)\n")
    # a megabyte of what was not asked for is passed over
    case.answer("basic", 200, page([obj("HostSystem", "host-14", [
        prop("config", value(hosts["config"]))])]),
                "1 objects, token (none)\n")
    case.expected += "problem (null)\n%sdenied 0\n" % expected
    case.finish()


def main():
    recorded, work = sys.argv[1:]
    folder = os.path.join(recorded, "pyvmomi")
    files = sorted(f for f in os.listdir(folder) if f.endswith(".yaml"))
    for name in files:
        session_case(work, os.path.join(folder, name))
    fetched = {}
    for kind in ("host", "datastore"):
        path = os.path.join(folder, "test_json_%s_explode.yaml" % kind)
        fetched[kind] = {
            p: data for method, p, _, data in exchanges(path)
            if method == "Fetch"
        }
    inventory_case(work, "inventory", fetched["host"], fetched["datastore"],
                   True)
    inventory_case(work, "inventory-without-multipath", fetched["host"],
                   fetched["datastore"], False)


main()
