"""expect.py - what the server of serve.c must answer, computed anew.

The values are the formulas of site.c; the arithmetic is design section 4,
written down here a second time and on plain lists.
"""

import functools

T0 = 1796040000
SLOT_S = 20
NAMES = ["esx1.example", "esx2.example", 'esx3 "left" \\ \u00fc']
HOST_IDS = ["lab:host-1", "lab:host-2", "lab:host-3"]
CLUSTERS = ["prod", "prod", "test"]
DS_IDS = ["lab:10.0.0.5:/export/gold%2f", "lab:61a-b", "lab:e2", "lab:vsan-1"]
DS_NAMES = ["nfs-gold", "iscsi-01", 'odd "name"\nwith \\ <\u00e9> & %2f',
            "vsanDatastore"]
PROTOCOLS = ["nfs3", "iscsi", "nfs41", "vsan"]
N_HOSTS = [3, 2, 3, 2]
WARNING_MS, CRITICAL_MS, MIN_IOS, SPARSE_MS = 50, 75, 20, 1000


def end_s(k):
    """End of slot k, epoch seconds."""
    return T0 + SLOT_S * (k - 179)


def slot_at(s):
    return (s - T0) // SLOT_S + 179


class Point:
    """One direction of one sample: load, ms, rate, weight, kib."""

    def __init__(self, h, d, k, op):
        read_ps = (h + 1) * (k % 5)
        idle = read_ps == 0 and k % 2 == 0
        if op == "read":
            self.ms = 0 if idle else (7 * h + 13 * d + 3 * k) % 97
            self.rate = None if d == 2 and h == 2 and k % 13 == 5 else read_ps
            self.kib = read_ps * 4
        else:
            self.ms = (11 * h + 5 * d + 7 * k) % 131
            self.rate = 1 + (k + d) % 7
            self.kib = (1 + (k + d) % 7) * 8
        if h == 2 and k % 11 == 3:
            self.load = "missing"
        elif self.rate is None:
            self.load = "unknown"
        elif self.rate > 0:
            self.load = "normal"
        elif self.ms > 0 or self.kib > 0:
            self.load = "sparse"
        else:
            self.load = "idle"
        self.host = h
        self.ds = d
        self.k = k
        self.op = op
        self.busy = self.load in ("normal", "sparse", "unknown")
        self.weight = {"normal": (self.rate or 0) * SLOT_S, "sparse": 1,
                       }.get(self.load, 0)

    def breach(self):
        enough = {"normal": self.weight >= MIN_IOS, "unknown": True,
                  "sparse": self.ms >= SPARSE_MS}.get(self.load, False)
        if not enough or self.ms < WARNING_MS:
            return "none"
        return "critical" if self.ms >= CRITICAL_MS else "warning"


@functools.lru_cache(None)
def point(h, d, k, op):
    return Point(h, d, k, op)


def points(d, ks, op, hosts=None):
    if PROTOCOLS[d] == "vsan":
        return []
    return [point(h, d, k, op) for k in ks for h in range(N_HOSTS[d])
            if hosts is None or h in hosts]


LAYERS = ["device", "kernel", "queue"]
BLOCK = 1  # the datastore that has them, on two extents


def lun_ms(h, x, k, l, o):
    if h == 1 and l == 2 and k % 7 == 2:
        return None
    return (5 * h + 11 * x + 3 * l + 2 * o + k) % 23


class LayerPoint(Point):
    """Device, kernel or queue time of one direction of one sample."""

    def __init__(self, h, k, layer, op):
        super().__init__(h, BLOCK, k, op)
        l, o = LAYERS.index(layer), ("read", "write").index(op)
        extents = []
        for x in (0, 1):
            ios = 0 if x == 1 and k % 4 == 0 else \
                (x + 1) * (1 + (k + o) % 3) * SLOT_S
            if ios == 0 and any((lun_ms(h, x, k, m, o) or 0) > 0
                                for m in range(3)):
                ios = 1
            extents.append((lun_ms(h, x, k, l, o), ios))
        if extents[0][0] is None:
            self.load, self.busy, self.ms, self.worst = \
                "missing", False, None, None
            return
        # to whole microseconds, as it is kept
        self.ms = round(sum(v * w for v, w in extents) * 1000
                        / sum(w for _, w in extents)) / 1000
        self.worst = max(v for v, _ in extents)
        if not self.busy:
            self.ms = self.worst = 0


def layer_points(ks, layer, op, hosts=None):
    return [LayerPoint(h, k, layer, op) for k in ks
            for h in range(N_HOSTS[BLOCK]) if hosts is None or h in hosts]


def mean(pts):
    """Weighted mean of a slot's or bin's points; None without a sample."""
    busy = [p for p in pts if p.busy]
    weight = sum(p.weight for p in busy)
    if weight > 0:
        return sum(p.ms * p.weight for p in busy) / weight
    if len(busy) == 1:
        return busy[0].ms
    if not busy and any(p.load == "idle" for p in pts):
        return 0
    return None


def worst(pts):
    busy = [p for p in pts if p.busy]
    if busy:
        return max(busy, key=lambda p: p.ms)
    return None


def worst_ms(pts):
    w = worst(pts)
    if w is not None:
        return w.ms
    return 0 if any(p.load == "idle" for p in pts) else None


def rate(pts):
    """Sum over hosts of one slot, per second."""
    known = [p.rate for p in pts if p.rate is not None]
    return sum(known) if known else None


def bytes_per_s(pts):
    return sum(p.kib for p in pts) * 1024 if pts else None


def latest_slot(d, newest):
    """The newest slot valid on all hosts (all of these are young)."""
    k = newest
    while any(p.load == "missing" for p in points(d, [k], "read")):
        k -= 1
    return k
