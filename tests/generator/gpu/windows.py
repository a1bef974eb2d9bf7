"""Traces of PyTorch on a GPU with known causes: python3 windows.py FOLDER

Steps of six kernels; at random times, for some steps, one of these acts: a copy within the device on another stream, a copy
from the host, a kernel on another stream (neighbour), or a pause of the host (host_stall). Two kernels have the same
configuration and different work (rows in order, rows at random). Writes windows.json.gz (profiler) and windows-truth.csv
(begin and end of the steps in ns since 1970, and what acted).
"""
import csv
import gzip
import os
import random
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

folder = sys.argv[1]
choose = random.Random(7)
torch.manual_seed(7)
torch.backends.cuda.matmul.allow_tf32 = False
GPU = {"device": "cuda"}
MODES = ["copy_on_device", "copy_from_host", "neighbour", "host_stall"]

left, right = torch.randn(1024, 1024, **GPU), torch.randn(1024, 1024, **GPU)
a, b, total = torch.randn(1 << 24, **GPU), torch.randn(1 << 24, **GPU), torch.empty(1 << 24, **GPU)
rows, table = torch.randn(4096, 2048, **GPU), torch.randn(200000, 256, **GPU)
in_order, at_random = torch.arange(65536, **GPU), torch.randint(0, 200000, (65536,), **GPU)
large, copy_of_large = torch.randn(1 << 26, **GPU), torch.empty(1 << 26, **GPU)
on_host, from_host = torch.empty(1 << 24, pin_memory=True), torch.empty(1 << 24, **GPU)
other_stream = torch.cuda.Stream()


def step():
    torch.mm(left, right)
    torch.add(a, b, out=total)
    torch.softmax(rows, -1)
    table.index_select(0, in_order)
    torch.layer_norm(rows, (2048,))
    table.index_select(0, at_random)


def act(mode):
    if mode == "host_stall":
        time.sleep(choose.uniform(.0002, .002))
    with torch.cuda.stream(other_stream):
        if mode == "copy_on_device":
            copy_of_large.copy_(large, non_blocking=True)
        elif mode == "copy_from_host":
            from_host.copy_(on_host, non_blocking=True)
        elif mode == "neighbour":
            torch.exp(large, out=copy_of_large)


for _ in range(20):
    step()
for mode in MODES:
    act(mode)
torch.cuda.synchronize()
truth = []
with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
    mode, steps_left = "none", choose.randint(20, 60)
    for number in range(1500):
        if steps_left == 0:
            mode = choose.choice(MODES) if mode == "none" else "none"
            steps_left = choose.randint(30, 90) if mode == "none" else choose.randint(8, 25)
        steps_left -= 1
        act(mode)
        begin = time.time_ns()
        step()
        torch.cuda.synchronize()
        truth.append((number, mode, begin, time.time_ns()))

plain = os.path.join(folder, "windows.json")
profiler.export_chrome_trace(plain)
with open(plain, "rb") as trace, gzip.open(plain + ".gz", "wb") as packed:
    packed.write(trace.read())
os.remove(plain)
with open(os.path.join(folder, "windows-truth.csv"), "w") as file:
    csv.writer(file).writerows([("step", "mode", "begin_ns", "end_ns")] + truth)
