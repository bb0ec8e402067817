#!/usr/bin/python3
"""test_kill.py DRIVER [TIMES] - SIGKILL at any moment, a hundred times.

Each time the driver goes on two slots after the last it called stored: that
one must be there, the one under way may be, whole or not at all, and hours
made meanwhile must be right.
"""

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import oracle


def run_and_kill(driver, folder, slot, rng):
    """The slots that were called stored."""
    p = subprocess.Popen([driver, "run", folder, str(slot)],
                         stdout=subprocess.PIPE, text=True)
    stored = []
    first = p.stdout.readline()
    if not first:
        raise AssertionError(f"exit code {p.wait()}")
    timer = threading.Timer(rng.uniform(0, 0.3), p.send_signal,
                            (signal.SIGKILL,))
    timer.start()
    for line in [first, *p.stdout]:
        if line.endswith("\n"):
            stored.append(int(line.split()[1]))
    if p.wait() != -signal.SIGKILL:
        raise AssertionError(f"exit code {p.returncode}")
    return stored


def main():
    driver, times = sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 100
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="dslat-store-")
    slot, stored, maybe = oracle.FIRST_SLOT, set(), set()
    try:
        for i in range(times):
            got = run_and_kill(driver, folder, slot, rng)
            stored |= set(got)
            maybe.add(got[-1] + 1)
            slot = got[-1] + 2
            if i % 10 == 9 or i == times - 1:
                oracle.Dump(driver, folder).check(stored, maybe)
    finally:
        shutil.rmtree(folder)
    hours = oracle.hour_of(slot) - oracle.hour_of(oracle.FIRST_SLOT)
    print(f"{times} kills, {len(stored)} polls stored, {hours} hours")
    print("PASS: store/kill")


main()
