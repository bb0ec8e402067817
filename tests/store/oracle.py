"""oracle.py - what must be in a history that tests/store/driver has written.

The formula of rig.c once more, and what the program prints of its file held
against it: cells, and the rolls of hours made of them here.
"""

import collections
import subprocess

FIRST_SLOT = 20787 * 24 * 180 + 1
HOSTS, DATASTORES = 2, 3
OPS = ("read", "write")


def cell(h, d, slot):
    """Six fields, -1 where there is none."""
    x = (slot * 7 + h * 31 + d * 101) % 1009
    if x % 50 == 7:
        return [-1] * 6
    write_ms = 60 + x % 41 if x % 97 == 5 else x % 29
    read = [x % 13, 20 + x % 301, (20 + x % 301) * (8 + x % 3)]
    if x % 50 == 8:
        read = [0, 0, 0]
    write_kib = -1 if x % 50 == 9 else (5 + x % 57) * 11
    return [read[0] * 1000, write_ms * 1000, read[1] * 20,
            (5 + x % 57) * 20, read[2], write_kib]


def hour_of(slot):
    return (slot - 1) // 180


def is_busy(c, op):
    return c[op] > 0 or c[2 + op] > 0 or c[4 + op] > 0


def roll(cells):
    """op -> (n, I/Os, worst us) of the cells of one hour, by (pair, slot)."""
    out = {}
    for op, name in enumerate(OPS):
        there = [c for c in cells if c[op] >= 0]
        busy = [c[op] for c in there if is_busy(c, op)]
        if any(max(c[op::2]) >= 0 for c in cells):
            out[name] = (len(there),
                         sum(max(c[2 + op], 0) for c in cells),
                         max(busy, default=-1))
    return out


class Dump:
    def __init__(self, driver, folder):
        text = subprocess.run([driver, "dump", folder], check=True,
                              capture_output=True, text=True).stdout
        self.cells, self.hours, self.gaps = {}, {}, []
        for line in text.splitlines():
            word, *v = line.split()
            if word == "cell":
                h, d, slot, *values = map(int, v)
                if max(values) >= 0:
                    self.cells[h, d, slot] = values
            elif word == "hour":
                h, d, hour, op, n, ios, worst = v
                self.hours[int(h), int(d), int(hour), op] = (
                    int(n), int(ios), int(worst))
            else:
                self.gaps.append(tuple(map(int, v)))

    def check(self, slots, maybe=()):
        """All of the slots are there, nothing else is, but of those in maybe
        either all or nothing; rolls are those of the cells."""
        found = collections.Counter(k[2] for k in self.cells)
        for slot in sorted(set(slots) | set(maybe) | set(found)):
            want = {(h, d): cell(h, d, slot) for h in range(HOSTS)
                    for d in range(DATASTORES)}
            want = {k: c for k, c in want.items() if max(c) >= 0}
            if slot in maybe and slot not in found:
                continue
            if slot not in slots and slot not in maybe:
                raise AssertionError(f"slot {slot} was never told")
            if found[slot] != len(want):
                raise AssertionError(f"{found[slot]} of {len(want)} pairs "
                                     f"have slot {slot}")
            for (h, d), c in want.items():
                if self.cells[h, d, slot] != c:
                    raise AssertionError(
                        f"slot {slot} of {h}, {d} is "
                        f"{self.cells[h, d, slot]}, not {c}")
        self.check_hours()

    def check_hours(self):
        by_hour = collections.defaultdict(list)
        for (h, d, slot), c in self.cells.items():
            by_hour[h, d, hour_of(slot)].append(c)
            by_hour[-1, d, hour_of(slot)].append(c)
        for (h, d, hour, op), got in self.hours.items():
            want = roll(by_hour[h, d, hour]).get(op)
            if got != want:
                raise AssertionError(f"hour {hour} of {h}, {d}, {op}: {got}, "
                                     f"not {want}")
