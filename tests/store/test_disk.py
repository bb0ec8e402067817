#!/usr/bin/python3
"""test_disk.py DRIVER - real disks that fail: full, read-only, taken away.

Each on a small tmpfs of its own (root).  Whatever happens within an hour, in
the end every slot must be there, since the rings were sent again.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

import oracle

FIRST = oracle.FIRST_SLOT


@contextlib.contextmanager
def tmpfs(size, options=""):
    folder = tempfile.mkdtemp(prefix="dslat-store-")
    mount(folder, f"size={size}{options}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


def mount(folder, options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "dslat", folder],
                   check=True)


class Going:
    """A driver that polls when it is told to."""

    def __init__(self, driver, folder, slot=FIRST):
        self.p = subprocess.Popen([driver, "go", folder, str(slot)],
                                  stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.log = ""

    def polls(self, n):
        """The state after n polls."""
        self.p.stdin.write(f"{n}\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline().split()
        if not line:
            raise AssertionError(self.p.stderr.read())
        self.slot, self.state, self.failures = (int(line[0]), line[1],
                                                int(line[2]))
        return self.state

    def want(self, n, state):
        if self.polls(n) != state:
            raise AssertionError(f"slot {self.slot}: the store is "
                                 f"{self.state}, not {state}")

    def end(self):
        self.p.stdin.close()
        self.log = self.p.stderr.read()
        if self.p.wait() != 0:
            raise AssertionError(f"exit code {self.p.returncode}: {self.log}")


def fill(folder):
    """No byte is left: the file that takes them all."""
    path = os.path.join(folder, "ballast")
    with open(path, "wb", buffering=0) as f:
        for size in (65536, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    f.write(b"x" * size)
    return path


def said(log, what, times):
    n = log.count(what)
    if n != times:
        raise AssertionError(f"{n} times {what!r}, not {times}:\n{log}")


def full_and_free(driver):
    with tmpfs("12m") as folder:
        g = Going(driver, folder)
        g.want(30, "ok")
        ballast = fill(folder)
        g.want(40, "failed")
        os.unlink(ballast)
        g.want(10, "ok")
        g.want(20, "ok")
        ballast = fill(folder)  # and over the end of an hour
        g.want(120, "failed")
        os.unlink(ballast)
        g.want(10, "ok")
        g.end()
        oracle.Dump(driver, folder).check(set(range(FIRST, g.slot + 1)))
        said(g.log, "the disk is full", 2)
        said(g.log, "works again", 2)


def full_from_the_start(driver):
    with tmpfs("12m") as folder:
        ballast = fill(folder)
        g = Going(driver, folder)
        g.want(50, "failed")
        os.unlink(ballast)
        g.want(10, "ok")
        g.end()
        oracle.Dump(driver, folder).check(set(range(FIRST, g.slot + 1)))
        said(g.log, "polling and serving go on", 1)


def full_for_longer_than_the_rings(driver):
    """What has left them is a gap, and said to be one."""
    with tmpfs("12m") as folder:
        g = Going(driver, folder)
        g.want(5, "ok")
        ballast = fill(folder)
        g.want(300, "failed")
        os.unlink(ballast)
        g.want(10, "ok")
        g.end()
        d = oracle.Dump(driver, folder)
        if len(d.gaps) != 1 or d.gaps[0][0] != FIRST + 5:
            raise AssertionError(f"gaps: {d.gaps}")
        kept = d.gaps[0][1] + 1
        # 64 minutes before the disk worked again, at most 4 polls later
        if not FIRST + 305 - 192 <= kept <= FIRST + 315 - 192:
            raise AssertionError(f"kept from {kept - FIRST}")
        d.check(set(range(FIRST, FIRST + 5)) |
                set(range(kept, g.slot + 1)))


def read_only(driver):
    with tmpfs("12m") as folder:
        g = Going(driver, folder)
        g.want(10, "ok")
        g.end()
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        g = Going(driver, folder, FIRST + 10)
        g.want(20, "failed")
        subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
        g.want(10, "ok")
        g.end()
        said(g.log, "Read-only file system", 1)
        oracle.Dump(driver, folder).check(set(range(FIRST, g.slot + 1)))


def taken_away(driver):
    """The disk is pulled; later there is an empty one."""
    with tmpfs("12m") as folder:
        state = folder + "/a/state"
        os.makedirs(state)
        g = Going(driver, state)
        g.want(10, "ok")
        subprocess.run(["umount", "-l", folder], check=True)
        g.want(30, "failed")  # the folder above is gone too: none is made
        mount(folder, "size=12m")
        os.makedirs(state)
        g.want(10, "ok")
        g.end()
        said(g.log, "works again", 1)
        oracle.Dump(driver, state).check(
            set(range(FIRST, g.slot + 1)))


CASES = (full_and_free, full_from_the_start, full_for_longer_than_the_rings,
         read_only, taken_away)


def main():
    failed = 0
    for case in CASES:
        try:
            case(sys.argv[1])
            print(f"PASS: store/{case.__name__}")
        except AssertionError as e:
            print(e)
            print(f"FAIL: store/{case.__name__}")
            failed = 1
    sys.exit(failed)


main()
