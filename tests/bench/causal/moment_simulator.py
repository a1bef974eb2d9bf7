#!/usr/bin/env python3
"""Reasons of moments against a simulated GPU.

moment_simulator.py BIN [--launches 150000] [--seeds 2] [--only REGEX] [--against 3] (needs numpy)

Launches are work that a GPU does at a rate. The rate depends on the clock, on copies, on kernels of another stream, on migrations
and on a cache that copies have emptied; each mechanism acts in timed windows. The true part of a cause in a launch is the Shapley
value over the same launch, simulated with and without each mechanism and with the same random numbers. Of the top 20 bins, those
are judged whose largest planted part is at least 30 % of the excess: `bins --why` must name that cause first. Bins without a
planted part must get no reason. `causal --against rest` is run for some of the bins: its intervals must contain the true parts.
"""
import argparse
import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

import numpy as np

US, MS = 1_000, 1_000_000
FAMILIES = [  # of the columns that show a cause
    ("cold", r"^recent_"),
    ("clock", r"clock"),
    ("migration", r"migrat|page_fault"),
    ("copy", r"host_to|device_to|peer_to|transfer|linked|copy|memset"),
    ("stream", r"concurren|^stream"),
]
# Name, grid, duration [ns], part that depends on the clock, part that depends on memory.
KERNELS = [("matmul", 512, 38e3, 1.0, 0.3), ("scale", 256, 9e3, 0.2, 1.0), ("stencil", 384, 24e3, 0.5, 0.8), ("matmul", 128, 17e3, 1.0, 0.3),
           ("reduce", 96, 7e3, 0.4, 0.9), ("gather", 320, 29e3, 0.1, 1.0), ("update", 640, 13e3, 0.6, 0.6)]
RATED_CLOCK = 1410  # MHz


def family_of(column):
    return next((name for name, words in FAMILIES if re.search(words, column or "")), column)


def windows(rng, length, count, low, high):
    """Disjoint windows of low … high ns in 2 … 98 % of the run."""
    found = []
    for _ in range(20_000):
        if len(found) == count:
            break
        size = rng.uniform(low, high)
        begin = rng.uniform(0.02 * length, 0.98 * length - size)
        if all(begin + 1.3 * size < a or b + 0.3 * size < begin for a, b in found):
            found.append((begin, begin + size))
    return sorted(found)


def transfers(rng, inside, low, high, pause):
    """Transfers one after the other, with pauses, inside windows."""
    found = []
    for begin, end in inside:
        at = begin
        while at < end:
            size = rng.uniform(low, high)
            found.append((at, at + size))
            at += size + rng.exponential(pause)
    return found


class Spans:
    """Disjoint spans of time that are read in order."""

    def __init__(self, spans=()):
        self.spans, self.at = sorted(spans), 0

    def seek(self, time):
        while self.at < len(self.spans) and self.spans[self.at][1] <= time:
            self.at += 1

    def active(self, time):
        """Whether a span covers this time, and when that changes. Times do not decrease by more than a launch."""
        at = self.at
        while at < len(self.spans) and self.spans[at][1] <= time:
            at += 1
        if at == len(self.spans):
            return False, float("inf")
        begin, end = self.spans[at]
        return (True, end) if begin <= time else (False, begin)


class Scene:
    """What happens around the launches of a run, and how strongly it acts on them."""

    def __init__(self, rng, length):
        self.rng, self.length = rng, length
        self.slow_clock, self.clock = Spans(), RATED_CLOCK  # spans and the clock inside them, MHz
        self.copies, self.copy_slows = Spans(), 0.0         # of the part that depends on memory
        self.faults, self.fault_windows = 0.0, Spans()      # fraction of the launches in these windows that fault
        self.fault_ns = (8e3, 25e3)
        self.busy, self.busy_slows = Spans(), 0.0           # kernels of another stream
        self.busy_typical = Spans()                         # the same without the planted effect
        self.cold, self.cold_ns = 0.0, 120e3                # after a copy: largest slow-down, time until the cache is warm
        self.hidden, self.hidden_slows = Spans(), 0.0       # slow-down that nothing records
        self.idle_faults = []                               # migrations without effect
        self.noise, self.tail = 0.02, 0.0
        self.sample_ns, self.lag_ns = 100e3, 0.0            # of the counters
        self.extra = {}                                     # more counters: name → function of time

    def causes(self):
        acts = {"clock": self.slow_clock.spans and self.clock != RATED_CLOCK, "copy": self.copy_slows,
                "cold": self.cold, "migration": self.faults, "stream": self.busy_slows, "hidden": self.hidden_slows}
        return [name for name, does in acts.items() if does]


def end_of(scene, start, work, kernel, acting, fault, warm_at):
    """End of a launch that begins at `start`, if only the causes in `acting` act."""
    compute, memory = kernel[3], kernel[4]
    now, left = start, work
    stall = fault[1] if fault and "migration" in acting else None  # the launch is delayed after a part of the work
    before = fault[0] * work if stall else -1.0
    while left > 1e-6:
        pace, change = 1.0, float("inf")  # time per work: each cause adds to it
        if "clock" in acting:
            slow, until = scene.slow_clock.active(now)
            pace += compute * (RATED_CLOCK / scene.clock - 1) if slow else 0.0
            change = min(change, until)
        if "copy" in acting and scene.copy_slows:
            slow, until = scene.copies.active(now)
            pace += memory * scene.copy_slows if slow else 0.0
            change = min(change, until)
        if "cold" in acting and now < warm_at:
            pace += memory * scene.cold * (warm_at - now) / scene.cold_ns
            change = min(change, now + 0.1 * scene.cold_ns)
        if scene.busy_slows:
            slow, until = (scene.busy if "stream" in acting else scene.busy_typical).active(now)
            pace += scene.busy_slows if slow else 0.0
            change = min(change, until)
        if "hidden" in acting:
            slow, until = scene.hidden.active(now)
            pace += scene.hidden_slows if slow else 0.0
            change = min(change, until)
        done = min(left, (change - now) / pace)
        if stall and work - left <= before < work - left + done + 1e-9:
            done = before - (work - left)
            now, left, stall = now + done * pace + stall, left - done, None
        else:
            now, left = now + done * pace, left - done
    return now


def simulate(scene, launches):
    """Launches with the part of each cause, and the migrations that they wait for."""
    rng, causes = scene.rng, scene.causes()
    subsets = [frozenset(s) for size in range(len(causes) + 1) for s in itertools.combinations(causes, size)]
    rows, faults, now, warm_at, last_copy = [], [], 0.0, -1.0, 0
    every = (scene.slow_clock, scene.copies, scene.busy, scene.busy_typical, scene.hidden, scene.fault_windows)
    noise = np.exp(rng.normal(0, scene.noise, launches)) * (1 + (scene.tail * rng.pareto(1.6, launches)).clip(0, 8) if scene.tail else 1)
    gaps, chances, places = rng.uniform(2e3, 5e3, launches), rng.random(launches), rng.uniform(0.1, 0.9, launches)
    lengths = rng.uniform(*scene.fault_ns, launches)
    copies = scene.copies.spans
    for i in range(launches):
        place = i % len(KERNELS)
        kernel = KERNELS[place]
        now += gaps[i]
        for spans in every:
            spans.seek(now)
        while last_copy < len(copies) and copies[last_copy][1] <= now:
            warm_at, last_copy = copies[last_copy][1] + scene.cold_ns, last_copy + 1
        fault = (places[i], lengths[i]) if scene.faults and scene.fault_windows.active(now)[0] and chances[i] < scene.faults else None
        work = kernel[2] * noise[i]
        quiet = now >= warm_at and not fault and not any(spans.active(now)[0] or spans.active(now)[1] < now + work for spans in every[:5])
        time_of = {}
        for acting in subsets:
            time_of[acting] = work if quiet else end_of(scene, now, work, kernel, acting, fault, warm_at) - now
        parts = {}
        for cause in causes:
            others, value = [c for c in causes if c != cause], 0.0
            for size in range(len(others) + 1):
                weight = 1 / (len(causes) * max(1, len(list(itertools.combinations(others, size)))))
                for chosen in itertools.combinations(others, size):
                    value += weight * (time_of[frozenset(chosen) | {cause}] - time_of[frozenset(chosen)])
            parts[cause] = value
        duration = time_of[frozenset(causes)]
        if fault:
            at = now + places[i] * (duration - lengths[i])
            faults.append((at, at + lengths[i]))
        rows.append((now, duration, place, parts))
        now += duration
    return rows, faults


def write(path, scene, rows, faults):
    """An Nsight Systems export with only the columns that are needed."""
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.executescript("""pragma synchronous=off; pragma journal_mode=off;
      create table StringIds (id integer primary key, value text);
      create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer, contextId integer, streamId integer,
        correlationId integer, globalPid integer, demangledName integer, shortName integer, registersPerThread integer, gridX integer,
        gridY integer, gridZ integer, blockX integer, blockY integer, blockZ integer, staticSharedMemory integer, dynamicSharedMemory integer);
      create table CUPTI_ACTIVITY_KIND_MEMCPY (start integer, end integer, deviceId integer, contextId integer, streamId integer,
        correlationId integer, globalPid integer, bytes integer, copyKind integer, srcKind integer, dstKind integer, migrationCause integer);
      create table GPU_METRICS (timestamp integer, typeId integer, metricId integer, value integer);
      create table TARGET_INFO_GPU_METRICS (typeId integer, sourceId integer, typeName text, metricId integer, metricName text);
      create table META_DATA_EXPORT (name text, value text);""")
    names = {}

    def text(value):
        return names.setdefault(value, len(names) + 1)

    def kernel(start, end, stream, number, name, grid):
        return (int(start), int(end), 0, 1, stream, number, 1 << 24, text(name + "(float *)"), text(name), 32, grid, 1, 1, 256, 1, 1, 0, 0)

    shift = 50 * MS
    table = [kernel(shift + s, shift + s + d, 7, i, KERNELS[p][0], KERNELS[p][1]) for i, (s, d, p, _) in enumerate(rows)]
    table += [kernel(shift + a, shift + b, 20, len(rows) + i, "neighbour", 32) for i, (a, b) in enumerate(scene.busy.spans)]
    db.executemany(f"insert into CUPTI_ACTIVITY_KIND_KERNEL values ({','.join('?' * 18)})", sorted(table))
    memory = [(int(shift + a), int(shift + b), 0, 1, 14, 0, 1 << 24, int(12 * (b - a)), 1, 1, 2, None) for a, b in scene.copies.spans]
    memory += [(int(shift + a), int(shift + b), 0, 1, 0, 0, 1 << 24, int(8 * (b - a)), 11, 1, 2, 2) for a, b in faults + scene.idle_faults]
    db.executemany(f"insert into CUPTI_ACTIVITY_KIND_MEMCPY values ({','.join('?' * 12)})", sorted(memory, key=lambda m: m[:2]))
    end = rows[-1][0] + rows[-1][1] + 2 * MS
    times = np.arange(0, end, scene.sample_ns)
    clock = np.full(len(times), float(RATED_CLOCK))
    for a, b in scene.slow_clock.spans:  # a sample is the mean since the previous sample
        for k in range(max(0, int(a // scene.sample_ns)), min(len(times), int(b // scene.sample_ns) + 2)):
            part = (min(b, times[k]) - max(a, times[k] - scene.sample_ns)) / scene.sample_ns
            clock[k] += max(0.0, part) * (scene.clock - RATED_CLOCK)
    counters = {"GPC Clock Frequency": 1e6 * (clock + scene.rng.normal(0, 3, len(times)).round()),
                "SM Active": scene.rng.normal(80, 5, len(times)).clip(0, 100),
                "DRAM Read Throughput": scene.rng.normal(35, 5, len(times)).clip(0, 100)}
    for name, value in scene.extra.items():
        counters[name] = np.array([value(t) for t in times])
    for number, (name, values) in enumerate(counters.items()):
        db.execute("insert into TARGET_INFO_GPU_METRICS values (?,?,?,?,?)", (1 << 48, 0, "", number, name))
        db.executemany("insert into GPU_METRICS values (?,?,?,?)",
                       [(int(shift + t + scene.lag_ns), 1 << 48, number, int(v)) for t, v in zip(times, values)])
    db.executemany("insert into StringIds values (?,?)", [(number, name) for name, number in names.items()])
    db.executemany("insert into META_DATA_EXPORT values (?,?)",
                   [("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"), ("EXPORT_SCHEMA_VERSION", "3.7.2")])
    db.commit()
    db.close()


MECHANISMS = {}


def mechanism(function):
    MECHANISMS[function.__name__] = function
    return function


def clock(scene, count, low, high, mhz):
    scene.slow_clock, scene.clock = Spans(windows(scene.rng, scene.length, count, low, high)), mhz


def copies(scene, inside, slows, low=60e3, high=200e3, pause=40e3):
    scene.copies, scene.copy_slows = Spans(transfers(scene.rng, inside, low, high, pause)), slows


def bursts(scene, count=15, low=4 * MS, high=12 * MS):
    return windows(scene.rng, scene.length, count, low, high)


@mechanism
def clock_long(scene):
    clock(scene, 8, 20 * MS, 50 * MS, 1100)


@mechanism
def clock_short_drops(scene):
    """Drops of one to three samples, far shorter than a bin."""
    clock(scene, 120, 100 * US, 300 * US, 800)


@mechanism
def clock_shorter_than_samples(scene):
    """Drops of half a sample: the counter shows a smaller drop that lasts longer."""
    clock(scene, 150, 60 * US, 150 * US, 600)
    scene.sample_ns = 200e3


@mechanism
def clock_drops_in_groups(scene):
    """Drops of 200 µs, ten or twenty in each of twelve groups."""
    spans = [(a + k * 0.5 * MS, a + k * 0.5 * MS + 200 * US) for a, b in bursts(scene, 12, 5 * MS, 10 * MS) for k in range(int((b - a) / (0.5 * MS)))]
    scene.slow_clock, scene.clock = Spans(spans), 850


@mechanism
def clock_late_counter(scene):
    clock(scene, 30, 2 * MS, 5 * MS, 1000)
    scene.lag_ns = 300e3


@mechanism
def copies_in_windows(scene):
    copies(scene, bursts(scene), 0.6)


@mechanism
def migrations_in_windows(scene):
    scene.fault_windows, scene.faults = Spans(bursts(scene)), 0.3


@mechanism
def neighbour_in_windows(scene):
    scene.busy, scene.busy_slows = Spans(transfers(scene.rng, bursts(scene), 49e3, 51e3, 20e3)), 0.5


@mechanism
def neighbour_of_any_length(scene):
    """Same as neighbour_in_windows, but the neighbour's own durations vary by a factor of three."""
    scene.busy, scene.busy_slows = Spans(transfers(scene.rng, bursts(scene), 30e3, 90e3, 20e3)), 0.5


@mechanism
def cold_after_copies(scene):
    """Launches after a copy find the cache empty; the copy itself does not slow them."""
    copies(scene, bursts(scene), 0.0, 20e3, 50e3, 400e3)
    scene.cold, scene.cold_ns = 0.8, 150e3


@mechanism
def cold_after_copies_counter(scene):
    """Same as cold_after_copies, but a counter of the memory also shows the refill, later."""
    cold_after_copies(scene)
    ends, read = np.array([b for _, b in scene.copies.spans]), 35

    def refill(t):
        before = ends[np.searchsorted(ends, t - 100e3) - 1] if np.searchsorted(ends, t - 100e3) else -1e9
        return read + 40 * max(0.0, 1 - max(0.0, t - 100e3 - before) / 150e3)
    scene.extra["DRAM Read Throughput"] = lambda t: refill(t) + scene.rng.normal(0, 3)
    scene.lag_ns = 50e3


@mechanism
def copies_slow_and_cool(scene):
    copies(scene, bursts(scene), 0.4, 60e3, 150e3, 250e3)
    scene.cold, scene.cold_ns = 0.5, 100e3


def both(scene, mhz):
    where = bursts(scene, 18, 5 * MS, 14 * MS)
    scene.slow_clock, scene.clock = Spans(where[:6] + where[6:12]), mhz
    return where[6:]


@mechanism
def clock_and_migrations(scene):
    """Six moments with a low clock, six with migrations, six with both."""
    scene.fault_windows, scene.faults = Spans(both(scene, 1100)), 0.15


@mechanism
def clock_and_many_migrations(scene):
    scene.fault_windows, scene.faults = Spans(both(scene, 1200)), 0.5
    scene.fault_ns = (3e3, 10e3)


@mechanism
def clock_and_copies(scene):
    copies(scene, both(scene, 1100), 0.5)


@mechanism
def boost_against_copies(scene):
    """The clock rises in the moments in which copies slow the launches."""
    copies(scene, both(scene, 1750), 0.6)


@mechanism
def boost_against_migrations(scene):
    scene.fault_windows, scene.faults = Spans(both(scene, 1750)), 0.25


@mechanism
def low_clock_without_neighbour(scene):
    """A neighbour runs all the time and pauses while the clock is low."""
    where = both(scene, 1000)
    always = transfers(scene.rng, [(0.0, 1.3 * scene.length)], 49e3, 51e3, 15e3)
    scene.busy, scene.busy_slows = Spans([s for s in always if not any(a < s[1] and s[0] < b for a, b in where)]), 0.25
    scene.busy_typical = Spans(always)


@mechanism
def migrations_and_neighbour(scene):
    where = bursts(scene, 18, 5 * MS, 14 * MS)
    scene.fault_windows, scene.faults = Spans(where[:12]), 0.2
    scene.busy, scene.busy_slows = Spans(transfers(scene.rng, where[6:], 49e3, 51e3, 20e3)), 0.4


@mechanism
def nothing_acts(scene):
    clock(scene, 12, 4 * MS, 9 * MS, RATED_CLOCK)
    copies(scene, bursts(scene), 0.0)
    scene.idle_faults = transfers(scene.rng, bursts(scene), 5e3, 20e3, 60e3)
    scene.noise = 0.03


@mechanism
def nothing_acts_long_tail(scene):
    nothing_acts(scene)
    scene.tail = 0.05


@mechanism
def unrecorded_windows(scene):
    """Slow windows that nothing records; copies and migrations at other moments."""
    nothing_acts(scene)
    scene.hidden, scene.hidden_slows = Spans(bursts(scene)), 0.25


@mechanism
def unrecorded_short_windows(scene):
    nothing_acts(scene)
    scene.hidden, scene.hidden_slows = Spans(windows(scene.rng, scene.length, 100, 100 * US, 400 * US)), 0.5


def run_json(command):
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[:500])
    return json.loads(done.stdout[done.stdout.index("{"):]), time.perf_counter() - begin


class Truth:
    def __init__(self, rows, causes, noise):
        self.start = np.array([r[0] for r in rows]) + 50 * MS
        self.duration = np.array([r[1] for r in rows])
        self.place = np.array([r[2] for r in rows])
        self.parts = {c: np.array([r[3][c] for r in rows]) for c in causes}
        self.noise = noise

    def of(self, begin, end):
        """Excess, parts and the standard deviation of the noise, over launches of the same configuration elsewhere."""
        inside = (self.start >= begin) & (self.start < end)
        excess, parts, variance = 0.0, dict.fromkeys(self.parts, 0.0), 0.0
        for place in np.unique(self.place[inside]):
            here, there = inside & (self.place == place), ~inside & (self.place == place)
            n = here.sum()
            excess += self.duration[here].sum() - n * self.duration[there].mean()
            for cause, part in self.parts.items():
                parts[cause] += part[here].sum() - n * part[there].mean()
            variance += n * (self.noise * KERNELS[place][2]) ** 2
        return excess, parts, variance ** 0.5


def judge_interval(counts, reason, parts):
    truth = parts.get(family_of(reason["feature"]))
    if truth is None or reason.get("excess_low_ns") is None:
        return
    low, high = sorted((reason["excess_low_ns"], reason["excess_high_ns"]))
    counts["intervals"] += 1
    counts["covered"] += low <= truth <= high
    counts["below"] += truth < low
    counts["above"] += truth > high
    counts["errors"].append((reason["excess_ns"] - truth) / abs(truth) if truth else 0.0)


def judge(name, seed, options, log):
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    length = options.launches * (sum(k[2] for k in KERNELS) / len(KERNELS) + 3.5e3)
    scene = Scene(rng, length)
    MECHANISMS[name](scene)
    rows, faults = simulate(scene, options.launches)
    counts = dict(bins=0, right=0, other=0, none=0, free=0, false=0, intervals=0, covered=0, below=0, above=0, errors=[], seconds=[],
                  all_intervals=0, all_covered=0, named={})
    trace = os.path.join(options.folder, f"{name}-{seed}.sqlite")
    write(trace, scene, rows, faults)
    store = trace[:-7] + ".jts"
    exe = os.path.join(options.binaries, "jitterscope")
    subprocess.run([exe, "import", trace, "-o", store, "--force"] if options.force else [exe, "import", trace, "-o", store],
                   check=True, stdout=subprocess.DEVNULL)
    answer, _ = run_json([exe, "bins", store, "--why", "--top", "20", "--json", "-"])
    truth = Truth(rows, scene.causes(), scene.noise)
    begins = {b["index"]: b["start_ns"] for b in answer["bins"]}
    asked = []
    for kept in answer["kept"][:20]:
        begin = begins[kept["index"]]
        end = begin + answer["width_ns"]
        excess, parts, deviation = truth.of(begin, end)
        reason = kept["reason"]
        feature = reason["feature"] if reason else "-"
        named = family_of(reason["feature"]) if reason else None
        counts["named"][feature] = counts["named"].get(feature, 0) + 1
        recorded = {c: v for c, v in parts.items() if c != "hidden"}
        largest = max(parts, key=parts.get, default=None)
        verdict = ""
        if reason and named in recorded:
            judge_interval(counts, reason, recorded)
        if largest in recorded and excess > 0 and parts[largest] >= 0.3 * excess and parts[largest] > 3 * deviation:
            counts["bins"] += 1
            alike = [c for c, v in recorded.items() if v >= 0.8 * parts[largest]]
            verdict = "none" if not reason else "right" if named in alike else "other"
            counts[verdict] += 1
            asked.append((begin, end, parts))
        elif all(abs(v) < 3 * deviation for v in recorded.values()):
            counts["free"] += 1
            counts["false"] += reason is not None
            verdict = "false" if reason else ""
        log(f"{name} {seed} bin {kept['index']} E {excess / 1e3:.0f} µs noise {deviation / 1e3:.1f} "
            + " ".join(f"{c} {v / 1e3:.0f}" for c, v in parts.items())
            + f" | {reason['text'] if reason else kept.get('reason_note')} {reason['excess_ns'] / 1e3 if reason else 0:.0f} "
            + (f"({reason['excess_low_ns'] / 1e3:.0f}–{reason['excess_high_ns'] / 1e3:.0f})" if reason and reason.get("excess_low_ns") is not None else "")
            + f" | {verdict}")
    step = max(1, len(asked) // options.against) if options.against else 1
    for begin, end, parts in asked[::step][:options.against]:
        contrast, seconds = run_json([exe, "causal", store, "--where", f"start >= {begin}ns and start < {end}ns", "--against", "rest", "--json", "-"])
        counts["seconds"].append(seconds)
        for reason in contrast["contributions"]:
            true = parts.get(family_of(reason["feature"]))
            if true is None:
                continue
            low, high = sorted((reason["excess_low_ns"], reason["excess_high_ns"]))
            counts["all_intervals"] += 1
            counts["all_covered"] += low <= true <= high
            log(f"  against: {reason['feature']} {reason['excess_ns'] / 1e3:.0f} ({low / 1e3:.0f}–{high / 1e3:.0f}) true {true / 1e3:.0f}")
    if not options.keep:
        os.remove(trace)
        subprocess.run(["rm", "-rf", store], check=True)
    return counts


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("binaries")
    arguments.add_argument("--launches", type=int, default=150_000)
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--first-seed", type=int, default=1)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--against", type=int, default=3)
    arguments.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "moment-simulator"))
    arguments.add_argument("--log", help="file for one line per bin")
    arguments.add_argument("--keep", action="store_true")
    arguments.add_argument("--force", action="store_true", help="overwrite stores of an earlier run")
    options = arguments.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    log = open(options.log, "a", encoding="utf-8") if options.log else open(os.devnull, "w", encoding="utf-8")
    total = dict(bins=0, right=0, free=0, false=0, intervals=0, covered=0)
    print(f"{'mechanism':28}{'bins':>5}{'right':>7}{'other':>6}{'none':>5} |{'free':>5}{'false':>6} | "
          f"{'covered':>9} low/high  error | against: covered, s | columns named")
    for name in MECHANISMS:
        if not re.search(options.only, name):
            continue
        runs = [judge(name, seed, options, lambda line: print(line, file=log, flush=True))
                for seed in range(options.first_seed, options.first_seed + options.seeds)]
        c = {key: sum((run[key] for run in runs), [] if isinstance(runs[0][key], list) else 0) for key in runs[0] if key != "named"}
        named = {}
        for run in runs:
            for feature, count in run["named"].items():
                named[feature] = named.get(feature, 0) + count
        for key in total:
            total[key] += c[key]
        error = f"{100 * np.median(c['errors']):+5.0f} %" if c["errors"] else "      -"
        seconds = f"{np.median(c['seconds']):.2f}" if c["seconds"] else "-"
        print(f"{name:28}{c['bins']:5}{c['right']:7}{c['other']:6}{c['none']:5} |{c['free']:5}{c['false']:6} | {c['covered']:4}/{c['intervals']:<4} "
              f"{c['below']:3}/{c['above']:<3} {error} | {c['all_covered']:3}/{c['all_intervals']:<3} {seconds:>5} | "
              + ", ".join(f"{k} {v}" for k, v in sorted(named.items(), key=lambda x: -x[1])), flush=True)
    shares = [100 * total[a] / max(1, total[b]) for a, b in (("right", "bins"), ("false", "free"), ("covered", "intervals"))]
    print(f"named first {shares[0]:.1f} % of {total['bins']}; a reason without a cause {shares[1]:.1f} % of {total['free']}; "
          f"intervals that cover {shares[2]:.1f} % of {total['intervals']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
