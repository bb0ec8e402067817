#!/usr/bin/python3
"""stats.py - what scipy and numpy say, for tests/unit/test_stats.c.

Writes stats.txt beside itself.  To make it anew (Debian: python3-scipy):

    tests/unit/data/stats.py

Mann-Whitney: scipy.stats.mannwhitneyu(method="asymptotic").  The interval: the
scheme of daemon/core/bootstrap.h written down a second time on plain lists,
with numpy's generator and scipy's t.  Of 2,000 resamples a percentile is off
by chance: its rank has the standard deviation sqrt(q (1 - q) 2000).  So each
end of the interval is kept as the two values it must lie between: those 4
standard deviations (of ours and of the 20,000 here) of rank below and above.
1 % of the interval's width comes on top, for t by its series.
"""

import math
import os

import numpy as np
import scipy.stats

BLOCK = 15
RESAMPLES = 20000
OURS = 2000

rng = np.random.default_rng(20261130)
lines = []


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def mann_whitney(name, a, b):
    r = scipy.stats.mannwhitneyu(a, b, method="asymptotic",
                                 alternative="two-sided", use_continuity=True)
    # by its definition, not from U
    wins = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    effect = wins / len(a) / len(b)
    lines.append(f"test {name} {len(a)} {len(b)} {float(r.statistic)!r} "
                 f"{float(r.pvalue)!r} {effect!r}")
    lines.append(numbers(a))
    lines.append(numbers(b))


def windows(slots):
    """Indices in each block of time that holds any."""
    slots = np.asarray(slots)
    found = []
    for w in range(slots[0] - BLOCK + 1, slots[-1] + 1):
        inside = np.flatnonzero((slots >= w) & (slots < w + BLOCK))
        if len(inside):
            found.append(inside)
    return found


def bootstrap(name, slots, values):
    values = np.asarray(values, dtype=float)
    n = len(values)
    blocks = windows(slots)
    medians = np.empty(RESAMPLES)
    for i in range(RESAMPLES):
        parts, have = [], 0
        while have < n:
            part = blocks[rng.integers(len(blocks))]
            parts.append(part)
            have += len(part)
        medians[i] = np.median(values[np.concatenate(parts)])
    middle = np.median(values)
    k = len(blocks) / BLOCK
    wide = math.sqrt(k / (k - 1)) * \
        scipy.stats.t.ppf(0.975, k - 1) / scipy.stats.norm.ppf(0.975)

    def end(q):
        return middle + wide * (np.quantile(medians, q) - middle)

    by = 4 * (math.sqrt(0.025 * 0.975 / OURS) +
              math.sqrt(0.025 * 0.975 / RESAMPLES))
    room = 0.01 * (end(0.975) - end(0.025)) + 1e-9
    q = [0.025 - by, 0.025 + by, 0.975 - by, 0.975 + by]
    ends = [end(v) + (room if i % 2 else -room) for i, v in enumerate(q)]
    lines.append(f"interval {name} {n} {float(middle)!r} {numbers(ends)}")
    lines.append(" ".join(str(int(s)) for s in slots))
    lines.append(numbers(values))


def ar1(n, phi):
    x = np.empty(n)
    v = rng.normal()
    for i in range(n):
        v = phi * v + math.sqrt(1 - phi * phi) * rng.normal()
        x[i] = v
    return x


mann_whitney("small", [3.1, 4.7, 2.2], [5.9, 1.4, 8.3, 9.1])
mann_whitney("one_each", [1.0], [2.0])
mann_whitney("all_equal", [4.0] * 12, [4.0] * 9)
mann_whitney("equal_samples", rng.gamma(2, 3, 40), rng.gamma(2, 3, 40))
same = rng.gamma(2, 3, 50)
mann_whitney("the_same", same, same)
mann_whitney("whole_ms", rng.poisson(4, 120), rng.poisson(5, 150))
mann_whitney("ties_and_zeros", rng.integers(0, 3, 200), rng.integers(0, 3, 90))
mann_whitney("shifted", rng.normal(10, 2, 150), rng.normal(13, 2, 170))
mann_whitney("far_apart", rng.normal(10, 1, 300), rng.normal(90, 1, 300))
mann_whitney("heavy_tails", rng.standard_cauchy(200),
             rng.standard_cauchy(180) + 0.4)
mann_whitney("a_slower", rng.pareto(1.5, 100) + 3, rng.pareto(1.5, 60))

bootstrap("an_hour", range(1000, 1180), 3 + ar1(180, 0.5))
bootstrap("ten_minutes", range(-15, 15), 1 + ar1(30, 0.3))
bootstrap("correlated", range(540), ar1(540, 0.9))
bootstrap("whole_ms", range(7, 307), rng.poisson(6, 300) - 4)
bootstrap("heavy_tails", range(240), rng.standard_cauchy(240))
gaps = sorted(rng.choice(900, 300, replace=False))
bootstrap("gaps", gaps, 2 + np.array(gaps) % 7 + ar1(300, 0.6))
apart = [100 * i for i in range(60)]
bootstrap("far_apart", apart, 5 + rng.normal(size=60))
runs = list(range(40)) + list(range(5000, 5003)) + list(range(90000, 90100))
bootstrap("runs", runs, np.concatenate([ar1(40, 0.5), ar1(3, 0.5) + 9,
                                        ar1(100, 0.5)]))

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "stats.txt"), "w", encoding="ascii") as f:
    f.write("# Made by stats.py, which says what this is.\n")
    f.write("\n".join(lines) + "\n")
