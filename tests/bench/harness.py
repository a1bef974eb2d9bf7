"""Shared by tests/bench/engine and bins_against_numpy: runs programs, reads results, compares them."""
import array
import csv
import json
import math
import os
import subprocess
import sys
import time
from collections import namedtuple

COLUMNS = ("index", "n", "sum", "min", "max", "mean", "variance", "q1", "median", "q3")
EXACT = ("n", "min", "max", "q1", "median", "q3")

Cost = namedtuple("Cost", "cpu wall rss")  # s, s, bytes of the largest process


class Failed(Exception):
    """A program failed; the message is the last line of its error output."""


def measure(command, **options):
    """Runs a command and returns its cost, including that of the children that it waited for."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    words = process.stderr.read().decode(errors="replace").strip()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(words.splitlines()[-1] if words else f"exit code {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)


def median(costs):
    """The median of each figure separately."""
    return Cost(*(sorted(getattr(cost, name) for cost in costs)[len(costs) // 2] for name in Cost._fields))


def python_with(*modules):
    """This Python or the distribution's, whichever first has the modules; None if neither has."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                [python, "-c", "import " + ", ".join(modules)], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def number(text):
    if text in ("", "nan", "NaN", "NULL", "\\N"):
        return math.nan
    return float(text)


def load_bins(path):
    """Bins as {index: (n, sum, …)} from the program's JSON, the CSV of another tool, or raw float64."""
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            bins = json.load(file)["bins"]
        return {bin["index"]: tuple(math.nan if bin[name] is None else bin[name] for name in COLUMNS[1:])
                for bin in bins if bin["n"] > 0}
    if path.endswith(".csv"):
        with open(path, newline="", encoding="utf-8") as file:
            return {int(float(row["index"])): tuple(number(row[name]) for name in COLUMNS[1:])
                    for row in csv.DictReader(file)}
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    width = len(COLUMNS)
    return {int(values[at]): tuple(values[at + 1:at + width]) for at in range(0, len(values), width)}


def relative(a, b):
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    return abs(a - b) / max(abs(a), abs(b)) if math.isfinite(a) and math.isfinite(b) else math.inf


Difference = namedtuple("Difference", "column value bin")


def largest_differences(ours, theirs):
    """The largest relative difference of each column. Raises Failed if the bins themselves differ."""
    if ours.keys() != theirs.keys():
        odd = sorted(ours.keys() ^ theirs.keys())
        raise Failed(f"{len(ours)} bins instead of {len(theirs)}; the first bin that only one result has: {odd[0]}")
    worst = {}
    for place, name in enumerate(COLUMNS[1:]):
        index = max(ours, key=lambda bin: relative(ours[bin][place], theirs[bin][place]), default=None)
        value = 0.0 if index is None else relative(ours[index][place], theirs[index][place])
        worst[name] = Difference(name, value, index)
    return worst


def verdict(ours, theirs):
    """'yes': n, min and max are bit-identical, the other columns within 1e-12; otherwise the column that differs most."""
    try:
        worst = largest_differences(ours, theirs)
    except Failed as problem:
        return f"NO: {problem}"
    if all(worst[name].value == 0 for name in ("n", "min", "max")) and all(
            difference.value <= 1e-12 for difference in worst.values()):
        return "yes"
    most = max(worst.values(), key=lambda difference: difference.value)
    return f"{'to' if most.value < 1e-6 else 'NO:'} {most.value:.0e} ({most.column})"
