#!/usr/bin/env python3
"""Reasons of moments against what was planted.

moments.py BIN [--launches N] [--seeds N] [--coverage-seeds N …] [--coverage-launches N …]

BIN contains jitterscope and jitterscope-generate. Each cause acts alone, and each pair of causes by turns. Of the kept bins (top
20), those are judged whose largest planted part is at least 30 % of their excess over launches of the same configurations
elsewhere: `bins --why` must name this cause. Without a planted cause no bin should get a reason. The intervals of the named parts
are judged on traces of three sizes: with few launches a bin, with many, and so many that the model is fitted to a sample of them;
the bins of one trace share the fit, so many seeds are needed. Prints a table; the exit code is 1 if an aim is missed.
"""
import argparse
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

FEATURES = {  # prefixes of the columns that show a cause
    "clock": ("mean_gpc_clock",),
    "copy": ("overlap_", "transfer_"),
    "migration": ("migration_", "page_fault", "window_migration"),
    "stream": ("stream",),
}
TURN_MS = {1_000_000: 300, 200_000: 60}
TOP = 20
LEAST_PART = 0.3


def generate(folder, binaries, launches, causes, seed, turns):
    trace, parts = os.path.join(folder, "trace.sqlite"), os.path.join(folder, "parts.csv")
    command = [os.path.join(binaries, "jitterscope-generate"), "--launches", str(launches), "--seed", str(seed), "-o", trace, "--parts", parts]
    for cause in causes:
        command += ["--cause", cause]
    if turns:
        command += ["--turns", str(turns)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return trace, parts


class Truth:
    """Launches with the part of each cause, and means by configuration."""

    def __init__(self, parts):
        with open(parts, newline="") as file:
            rows = csv.reader(file)
            self.causes = next(rows)[5:]
            self.launches = sorted((int(r[0]), int(r[3]), *map(int, r[4:])) for r in rows)
        self.starts = [launch[0] for launch in self.launches]
        self.sums = {}
        for launch in self.launches:
            self._add(self.sums, launch)

    @staticmethod
    def _add(sums, launch):
        total = sums.setdefault(launch[1], [0] * (len(launch) - 1))
        total[0] += 1
        for place, value in enumerate(launch[2:], 1):
            total[place] += value

    def of(self, begin, end):
        """Excess over launches of the same configurations elsewhere, and of each cause's part, in ns."""
        import bisect
        chosen = self.launches[bisect.bisect_left(self.starts, begin):bisect.bisect_left(self.starts, end)]
        inside = {}
        for launch in chosen:
            self._add(inside, launch)
        excess = [0.0] * (1 + len(self.causes))
        for configuration, own in inside.items():
            whole = self.sums[configuration]
            if whole[0] - own[0] < 10:
                continue
            for place in range(len(excess)):
                excess[place] += own[place + 1] - own[0] * (whole[place + 1] - own[place + 1]) / (whole[0] - own[0])
        return excess[0], dict(zip(self.causes, excess[1:]))


def reasons(binaries, trace):
    begin = time.perf_counter()
    command = [os.path.join(binaries, "jitterscope"), "bins", trace, "--why", "--top", str(TOP), "--json", "-"]
    answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    return answer, time.perf_counter() - begin


def judge(binaries, launches, causes, seed):
    """Numbers of bins judged and of right, other and missing reasons; for right ones the true part and its interval."""
    with tempfile.TemporaryDirectory() as folder:
        trace, parts = generate(folder, binaries, launches, causes, seed, TURN_MS.get(launches, 30) if len(causes) > 1 else 0)
        answer, seconds = reasons(binaries, trace)
        truth = Truth(parts)
    judged = {"bins": 0, "right": 0, "other": 0, "none": 0, "named": 0, "intervals": [], "seconds": seconds}
    places = {b["index"]: b for b in answer["bins"]}
    for kept in answer["kept"][:TOP]:
        reason = kept["reason"]
        judged["named"] += reason is not None
        begin = places[kept["index"]]["start_ns"]
        excess, parts = truth.of(begin, begin + answer["width_ns"])
        cause = max(parts, key=parts.get, default=None)
        if cause is None or excess <= 0 or parts[cause] < LEAST_PART * excess:
            continue
        judged["bins"] += 1
        if reason is None:
            judged["none"] += 1
        elif reason["feature"].startswith(FEATURES[cause]):
            judged["right"] += 1
            if "excess_low_ns" in reason:
                judged["intervals"].append((reason["excess_low_ns"], parts[cause], reason["excess_high_ns"]))
        else:
            judged["other"] += 1
    return judged


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("binaries")
    arguments.add_argument("--launches", type=int, default=1_000_000)
    arguments.add_argument("--seeds", type=int, default=5)
    arguments.add_argument("--coverage-seeds", type=int, nargs="*", default=[50, 20, 10])
    arguments.add_argument("--coverage-launches", type=int, nargs="*", default=[20_000, 200_000, 1_000_000])
    options = arguments.parse_args()
    missed = False
    names = list(FEATURES)
    print(f"Named first, top {TOP} bins of {options.launches:,} launches, {options.seeds} seeds; aim 95 %, and at most 5 % without a cause")
    print(f"{'cause':22}{'bins':>6}{'named':>9}{'other':>7}{'none':>6}{'s':>7}")
    total = {"bins": 0, "right": 0}
    questions = [(name,) for name in names] + list(itertools.combinations(names, 2)) + [()] if options.seeds else []
    for causes in questions:
        runs = [judge(options.binaries, options.launches, causes, seed) for seed in range(1, options.seeds + 1)]
        sums = {key: sum(run[key] for run in runs) for key in ("bins", "right", "other", "none", "named", "seconds")}
        if causes:
            for key in total:
                total[key] += sums[key]
            share = 100 * sums["right"] / sums["bins"] if sums["bins"] else float("nan")
            print(f"{' + '.join(causes):22}{sums['bins']:6}{share:7.1f} %{sums['other']:7}{sums['none']:6}{sums['seconds'] / len(runs):7.1f}", flush=True)
        else:
            share = 100 * sums["named"] / (TOP * len(runs))
            missed = missed or share > 5
            print(f"{'without a cause':22}{TOP * len(runs):6}{share:7.1f} %  get a reason", flush=True)
    if total["bins"]:
        share = 100 * total["right"] / total["bins"]
        missed = missed or share < 95
        print(f"{'all':22}{total['bins']:6}{share:7.1f} %")
    for launches, seeds in zip(options.coverage_launches, options.coverage_seeds):
        print(f"\nIntervals of 95 %, {launches:,} launches, {seeds} seeds; aim 92–98 %")
        for name in names:
            runs = [judge(options.binaries, launches, (name,), 1000 + seed) for seed in range(seeds)]
            intervals = list(itertools.chain.from_iterable(run["intervals"] for run in runs))
            hit = sum(low <= part <= high for low, part, high in intervals)
            below = sum(part < low for low, part, high in intervals)
            width = sorted((high - low) / part for low, part, high in intervals)
            share = 100 * hit / len(intervals) if intervals else float("nan")
            missed = missed or not 92 <= share <= 98
            print(f"{name:22}{len(intervals):6}{share:7.1f} %  truth below {below}, above {len(intervals) - hit - below}; median width "
                  f"{100 * width[len(width) // 2] if width else float('nan'):.1f} % of the part", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
