#!/usr/bin/env python3
"""Randomised experiments on a real GPU: do answers find the cause that was switched on and off at random?

gpu_experiments.py record DIR [--seed N]            on a machine with an NVIDIA GPU (needs torch and cupy)
gpu_experiments.py compare DIR BIN [--only REGEX]   where Jitterscope was built (needs numpy); BIN: folder of programs

A step of ten kernels is repeated. Blocks of 10 to 40 steps are treated at random: other work runs at the same
time. As chance decides, treated launches would otherwise be like the untreated ones of their configuration. The true
share is what would then vanish of the sum of |duration - median|. Controls: nothing planted;
work of another process, which no trace shows. `compare` asks for the whole run and for treated and untreated blocks.
"""
import argparse, collections, json, os, random, re, subprocess, sys, time

# Experiment: words that name its cause. None: no recorded cause.
CAUSES = {'noise': None, 'hidden': None, 'kernels': 'other kernels', 'graphs': 'other kernels',
          'multiprocessors': 'other kernels', 'copies_dd': 'device-to-device', 'copies_hd': 'host-to-device',
          'clocks': 'SM clock', 'cache': 'call site', 'shapes': 'call site', 'training': 'other kernels',
          'training_waits': None, 'two': 'other kernels|host-to-device'}


def record(folder, seed_offset):
    import torch
    from torch.profiler import ProfilerActivity, profile
    os.makedirs(folder, exist_ok=True)
    on = {'device': 'cuda'}
    half = {**on, 'dtype': torch.bfloat16}
    a, b, x, s = (torch.randn(n, m, **half) for n, m in ((4096, 4096), (4096, 4096), (8192, 4096), (1024, 1024)))
    f, small = torch.randn(32 << 20, **on), torch.randn(5 << 20, **on)
    c, d, y, g, small_out = (torch.empty_like(t) for t in (a, s, x, f, small))
    index, gathered = torch.randint(0, 32 << 20, (4 << 20,), **on), torch.empty(4 << 20, **on)
    big, big_out = torch.empty(256 << 20, **on), torch.empty(256 << 20, **on)
    host, copied = torch.empty(16 << 20, pin_memory=True), torch.empty(16 << 20, **on)
    side = torch.cuda.Stream()

    def step():
        torch.mm(a, b, out=c)
        torch.nn.functional.layer_norm(x, (4096,))
        torch.softmax(x, -1)
        torch.nn.functional.gelu(x)
        torch.add(f, 1., out=g)
        torch.mm(s, s, out=d)
        torch.sum(f)
        torch.index_select(f, 0, index, out=gathered)
        torch.mm(a, c, out=y[:4096])
        torch.mul(x, 1.01, out=y)

    def beside(work):
        def run():
            with torch.cuda.stream(side):
                work()
        return run

    def twice(work):
        return lambda: (work(), work())

    def blocks(count, share, on, seed, body=step, steps=(10, 40)):
        def run():
            chance, truth, done = random.Random(seed + seed_offset), [], 0
            while done < count:
                treated, length = chance.random() < share, chance.randint(*steps)
                start = time.time_ns()
                for _ in range(length):
                    if treated:
                        on()
                    body()
                    torch.cuda.synchronize()
                truth.append([int(treated), start, time.time_ns()])
                done += length
            return truth
        return run

    def trace(name, body, clocks=False):
        torch.cuda.synchronize()
        log = clocks and subprocess.Popen(
            ['nvidia-smi', '--query-gpu=timestamp,index,clocks.sm,clocks.mem,power.draw.instant,temperature.gpu',
             '--format=csv', '-lms', '20', '-f', f'{folder}/{name}_clocks.csv'])
        if log:
            time.sleep(0.5)
        with profile(activities=[ProfilerActivity.CUDA]) as recorded:
            truth = body()
            torch.cuda.synchronize()
        if log:
            log.terminate(), log.wait()
        recorded.export_chrome_trace(f'{folder}/{name}.json')
        with open(f'{folder}/{name}_truth.json', 'w') as file:
            json.dump(truth, file)
        print(name, flush=True)

    for _ in range(20):
        step()
    kernels = beside(twice(lambda: torch.mul(big, 1.5, out=big_out)))
    trace('noise', blocks(4000, 0.2, lambda: None, 1))
    trace('kernels', blocks(3000, 0.15, kernels, 2))
    trace('copies_dd', blocks(3000, 0.15, beside(twice(lambda: big_out.copy_(big))), 3))
    copies = beside(lambda: copied.copy_(host, non_blocking=True))
    trace('copies_hd', blocks(2500, 0.15, copies, 4))

    def clocks():  # random numbers need more power than zeros, and power limits the clock
        zeros = torch.zeros(8192, 8192, **half)
        numbers, out = torch.randn_like(zeros), torch.empty_like(zeros)
        chance, truth = random.Random(5 + seed_offset), []
        for _ in range(40):
            treated, start = chance.random() < 0.5, time.time_ns()
            end = time.time() + chance.uniform(0.3, 0.9)
            while time.time() < end:
                for _ in range(10):
                    torch.mm(numbers if treated else zeros, numbers if treated else zeros, out=out)
                    torch.nn.functional.gelu(x)
                    torch.mul(s, 1.1, out=d)
                torch.cuda.synchronize()
            truth.append([int(treated), start, time.time_ns()])
        return truth
    trace('clocks', clocks, clocks=True)

    chance = random.Random(6 + seed_offset)

    def shapes():  # one matrix product has the same grid for two lengths
        rows = x[:4 * chance.choice([256, 512, 512, 512, 512, 1024])]
        torch.mm(rows, a), torch.softmax(rows, -1), torch.nn.functional.gelu(rows)
        torch.nn.functional.layer_norm(rows, (4096,)), torch.add(f, 1., out=g), torch.sum(f)
    trace('shapes', blocks(2500, 0, None, 6, shapes))

    def cache():  # 20 MB stay in the second-level cache unless other data are written before
        for _ in range(3):
            if chance.random() < 0.2:
                g.zero_()
            torch.mul(small, 1.01, out=small_out), torch.sum(small), torch.mm(s, s, out=d)
    trace('cache', blocks(5000, 0, None, 7, cache))

    other = subprocess.Popen([sys.executable, '-c', '''
import random, time, torch
x = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
while True:
    time.sleep(random.uniform(0.05, 0.4))
    end = time.time() + random.uniform(0.05, 0.2)
    while time.time() < end:
        x @ x
        torch.cuda.synchronize()'''])
    time.sleep(9)
    trace('hidden', blocks(6000, 0, None, 9))
    other.kill()

    def graphs():
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        return blocks(1600, 0.15, kernels, 10, graph.replay)()
    trace('graphs', graphs)

    import cupy
    hold = cupy.RawKernel('extern "C" __global__ void hold(long long cycles) { long long begin = clock64(); '
                          'while (clock64() - begin < cycles); }', 'hold')
    hold.max_dynamic_shared_size_bytes = 200 << 10
    stream = cupy.cuda.ExternalStream(side.cuda_stream)

    def multiprocessors():
        with stream:
            hold((44,), (1024,), (3_000_000,), shared_mem=200 << 10)
    trace('multiprocessors', blocks(2500, 0.15, multiprocessors, 8))

    def one_of_two():
        multiprocessors() if chance.random() < 0.5 else copies()
    trace('two', blocks(2500, 0.15, one_of_two, 11))

    layers = torch.nn.Sequential(*[torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dropout=0.0)
                                   for _ in range(4)]).to(**half)
    optimiser = torch.optim.SGD(layers.parameters(), lr=1e-4)
    tokens = torch.randn(16, 512, 1024, **half)

    def training():
        layers(tokens).float().square().mean().backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=False)
    for _ in range(10):
        training()
    trace('training', blocks(250, 0.15, lambda: [multiprocessors() for _ in range(4)], 12, training, (2, 8)))
    trace('training_waits', blocks(250, 0.3, lambda: time.sleep(chance.uniform(0, 0.02)), 13, training, (2, 8)))


class Truth:
    """Effects of the treatment on a recorded trace."""

    def __init__(self, folder, name):
        import numpy as np
        with open(f'{folder}/{name}.json') as file:
            trace = json.load(file)
        with open(f'{folder}/{name}_truth.json') as file:
            blocks = np.array([row[:3] for row in json.load(file)], dtype=np.int64)
        kernels = sorted((e for e in trace['traceEvents'] if e.get('cat') == 'kernel'), key=lambda e: e['ts'])
        zero = int(trace.get('baseTimeNanoseconds', 0))
        self.first = kernels[0]['ts'] * 1000
        self.start = np.array([e['ts'] * 1000 for e in kernels])
        self.duration = np.array([e['dur'] * 1000 for e in kernels])
        self.begin, self.end = blocks[:, 1] - zero, blocks[:, 2] - zero
        self.block = np.maximum(np.searchsorted(self.begin, self.start, side='right') - 1, 0)
        self.treated_block = blocks[:, 0] == 1
        self.treated = self.treated_block[self.block]
        if name == 'cache':  # by launch: the two after the kernel that fills the cache
            fills = np.array([e['args']['grid'][0] == 32768 for e in kernels])
            self.treated = np.zeros(len(kernels), dtype=bool)
            for distance in (1, 2):
                self.treated[distance:] |= fills[:-distance]
        streams = collections.Counter(e['args']['stream'] for e in kernels)
        self.stream = streams.most_common(1)[0][0]  # all others run what was planted
        groups = collections.defaultdict(list)
        for row, e in enumerate(kernels):
            if e['args']['stream'] != self.stream:
                continue
            groups[e['name'], tuple(e['args']['grid'])].append(row)
        self.groups = [np.array(rows) for rows in groups.values()]

    def share(self, weights=None):
        import numpy as np
        before = after = 0.0
        for rows in self.groups:
            if weights is not None:
                rows = np.repeat(rows, weights[self.block[rows]])
            if not len(rows):
                continue
            duration, treated = self.duration[rows], self.treated[rows]
            before += np.abs(duration - np.median(duration)).sum()
            free = duration[~treated] if treated.any() and not treated.all() else duration
            after += len(duration) * np.abs(free - np.median(free)).mean()
        return 100 * (1 - after / before)

    def interval(self):
        import numpy as np
        chance, count = np.random.default_rng(1), len(self.begin)
        shares = [self.share(np.bincount(chance.integers(0, count, count), minlength=count)) for _ in range(100)]
        return np.percentile(shares, [2.5, 97.5])

    def excess(self, block):
        """Time by which the launches of a block exceed the same launches elsewhere, ns, and as a part of that time."""
        excess = expected = 0.0
        for rows in self.groups:
            inside = self.block[rows] == block
            if inside.any() and not inside.all():
                elsewhere = self.duration[rows[~inside]].mean()
                excess += (self.duration[rows[inside]] - elsewhere).sum()
                expected += elsewhere * inside.sum()
        return excess, excess / max(expected, 1)


def ask(binary, *arguments):
    run = subprocess.run([f'{binary}/jitterscope', *arguments, '--json', '-'], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    return json.loads(run.stdout)


def compare(folder, binary, only):
    # right: the planted cause first, or none where its share is below 10 %; other: a cause that was not planted.
    print(f'{"experiment":16} {"launches":>9} {"true share":>20}   answer')
    for name, cause in CAUSES.items():
        if not re.search(only, name) or not os.path.exists(f'{folder}/{name}.json'):
            continue
        truth = Truth(folder, name)
        files = [f'{folder}/{name}.json'] + [f for f in [f'{folder}/{name}_clocks.csv'] if os.path.exists(f)]
        store = f'{folder}/{name}.jts'
        subprocess.run([f'{binary}/jitterscope', 'import', *files, '-o', store], check=True, capture_output=True)
        answer = ask(binary, 'causal', store, '--where', f'stream == {truth.stream}')
        causes = [c for c in answer['contributions'] if c['role'] == 'cause']
        planted = truth.treated.any()
        low, high = truth.interval() if planted else (0, 0)
        words = ', '.join(f'{c["label"]} {c["attributable_percent"]:.1f} % ({c["attributable_ci_low"]:.1f}–'
                          f'{c["attributable_ci_high"]:.1f})' for c in causes) or 'no cause'
        share = truth.share() if planted else 0
        small = planted and share < 10  # causes have shares of 10 % or more
        named = re.search(cause, causes[0]['label']) if causes and cause else None
        verdict = ('right' if named or (not causes and (cause is None or small)) else 'MISSED' if not causes else 'other')
        print(f'{name:16} {len(truth.start):9,} {share:6.1f} % ({low:4.1f}–{high:4.1f})   {verdict}: {words}', flush=True)
        if planted and name not in ('cache', 'clocks', 'noise'):
            moments(truth, binary, store, cause)


def moments(truth, binary, store, cause):
    """Answers to blocks: treated ones have the cause, untreated ones do not."""
    import numpy as np
    zero = truth.first - ask(binary, 'info', store)['launches']['first_start_ns']
    named = others = clear = false = free_blocks = 0
    errors = []
    treated, free = np.flatnonzero(truth.treated_block), np.flatnonzero(~truth.treated_block)
    for block in [*treated[:20], *free[1:21]]:
        excess, part = truth.excess(block)
        where = (f'stream == {truth.stream} and start >= {truth.begin[block] - zero:.0f}ns and '
                 f'start < {truth.end[block] - zero:.0f}ns')
        answer = ask(binary, 'causal', store, '--against', f'stream == {truth.stream}', '--where', where)
        first = answer['contributions'][0] if answer['contributions'] else None
        if not truth.treated_block[block]:
            free_blocks += 1
            false += bool(first) and first['excess_ns'] > 0 and (first['excess_percent'] or 0) >= 10
        elif part >= 0.003:
            clear += 1
            named += bool(first) and bool(re.search(cause, first['label']))
            others += bool(first) and not re.search(cause, first['label'])
            errors += [abs(first['excess_ns'] / excess - 1)] if first else []
    if clear:
        error = f'; the named part differs by {100 * np.median(errors):.0f} % (median)' if errors else ''
        print(f'{"":16} of {clear} treated blocks that took 0.3 % longer or more, {named} name it, {others} another cause{error}')
    print(f'{"":16} of {free_blocks} other blocks, {false} name a cause of longer launches', flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('what', choices=['record', 'compare'])
    parser.add_argument('folder')
    parser.add_argument('binary', nargs='?')
    parser.add_argument('--only', default='')
    parser.add_argument('--seed', type=int, default=0)
    of = parser.parse_args()
    record(of.folder, of.seed) if of.what == 'record' else compare(of.folder, of.binary, of.only)


main()
