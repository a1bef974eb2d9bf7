#!/usr/bin/env python3
"""Reasons of moments under mechanisms that tests/generator does not make.

moment_mechanisms.py BIN [--seeds 3] [--only REGEX] [--width W] [--keep] (needs numpy)

An independent simulator, written from the file format and the documented output of `bins --why` alone: makes Nsight Systems
databases whose launches have known parts. Judges which cause each of the top 20 bins names, false reasons where nothing acts, and
the coverage of the intervals. The true part of a bin is the planted part minus the mean planted part of its peers elsewhere.
"""
import sys, os, re, json, sqlite3, subprocess, bisect, tempfile, time, argparse
import numpy as np
DDL = '''
CREATE TABLE StringIds ( id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL )
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ( start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER )
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY ( start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER )
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME ( start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER )
CREATE TABLE NVTX_EVENTS ( start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT )
CREATE TABLE GPU_METRICS ( timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL )
CREATE TABLE TARGET_INFO_GPU_METRICS ( typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT NOT NULL, metricId INTEGER NOT NULL, metricName TEXT NOT NULL )
CREATE TABLE TARGET_INFO_GPU ( vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, ctxswDevPath TEXT, ctrlDevPath TEXT, revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, maxIPC INTEGER, maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, maxShmemPerBlockOptin INTEGER, maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, asyncEngines INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, maxThreadsPerBlock INTEGER, maxBlockDimX INTEGER, maxBlockDimY INTEGER, maxBlockDimZ INTEGER, maxGridDimX INTEGER, maxGridDimY INTEGER, maxGridDimZ INTEGER, computeMajor INTEGER, computeMinor INTEGER, smMajor INTEGER, smMinor INTEGER )
CREATE TABLE TARGET_INFO_SESSION_START_TIME ( utcEpochNs INTEGER, utcTime TEXT, localTime TEXT )
CREATE TABLE ANALYSIS_DETAILS ( globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL )
CREATE TABLE META_DATA_EXPORT ( name TEXT NOT NULL, value TEXT )
'''
PID = lambda p: (1 << 48) | (p << 24)
US, MS = 1000, 1000000

class Train:
    """sorted disjoint intervals"""
    def __init__(s, iv):
        s.iv = sorted(iv); s.st = [a for a, b in s.iv]
    def ov(s, a, b):
        i = max(0, bisect.bisect_right(s.st, a) - 1); t = 0
        while i < len(s.iv) and s.iv[i][0] < b:
            t += max(0, min(b, s.iv[i][1]) - max(a, s.iv[i][0])); i += 1
        return t
    def inside(s, t):
        i = bisect.bisect_right(s.st, t) - 1
        return i >= 0 and t < s.iv[i][1]
    def since(s, t):
        i = bisect.bisect_right(s.st, t) - 1
        return 1e18 if i < 0 else max(0, t - s.iv[i][1])

def windows(rng, T, n, lo, hi, edge=0.05):
    """n disjoint random windows of lo to hi ns in [0, T]"""
    out = []
    for _ in range(2000):
        if len(out) == n: break
        w = rng.uniform(lo, hi); a = rng.uniform(edge * T, (1 - edge) * T - w)
        if all(a + w + lo < x or y + lo < a for x, y in out): out.append((int(a), int(a + w)))
    return sorted(out)

def train(rng, wins, lo, hi, duty=0.7):
    """transfers one after the other inside windows"""
    out = []
    for a, b in wins:
        t = a
        while t < b:
            d = int(rng.uniform(lo, hi)); out.append((t, t + d)); t += d + int(d * (1 - duty) / duty * rng.uniform(.5, 1.5))
    return out

class Trace:
    def __init__(s, seed):
        s.rng = np.random.default_rng(seed); s.k = []; s.c = []; s.m = {}; s.r = []; s.nvtx = []
    def kern(s, start, dur, base, parts, name, grid, site=0, stream=7, dev=0, pid=4242, block=256, noise=0.02):
        s.k.append(dict(start=int(start), dur=max(500, int(dur)), base=base, parts=parts, name=name, grid=grid, site=site,
                        stream=stream, dev=dev, pid=pid, block=block, sd=base * noise))
    def copy(s, iv, kind, dev=0, stream=14, pid=4242, gbps=12.):
        um = kind >= 11
        for a, b in iv:
            s.c.append((a, b, dev, 0 if um else 1, None, 0 if um else stream, 0, PID(pid), max(4096, int((b - a) * gbps)), kind, None,
                        7 if um else 1, 7 if um else 2, None, None, None, None, 2 if um else None, None, 1 << 40 if um else None))
    def metric(s, name, ts, vals, dev=0): s.m.setdefault((dev, name), (np.asarray(ts), np.asarray(vals)))
    def write(s, path):
        if os.path.exists(path): os.remove(path)
        db = sqlite3.connect(path); db.execute('pragma synchronous=off'); db.execute('pragma journal_mode=off')
        for l in DDL.strip().split('\n'): db.execute(l)
        ids = {}
        def sid(v): return ids.setdefault(v, len(ids) + 1)
        OFF = 200 * MS
        s.k.sort(key=lambda k: k['start']); lastcall = {}; K = []; R = []
        for i, k in enumerate(s.k):
            k['start'] += OFF; tid = PID(k['pid']) | (k['pid'] + k['dev'] * 10 + (k['stream'] if k['stream'] > 50 else 0))
            c0 = max(lastcall.get(tid, 0) + 300, (int(k['c']) + OFF) if 'c' in k else k['start'] - int(s.rng.uniform(8, 14) * US)); c1 = min(c0 + 3000, k['start'] - 200); c0 = min(c0, c1 - 400)
            lastcall[tid] = c1; k['call'] = (c0, c1, tid); cor = 100 + i
            R.append((c0, c1, 0, tid, cor, sid('cudaLaunchKernel_v7000'), 0, None))
            n = sid(k['name'] + '(float *, const float *, int)'); sh = sid(k['name']); mg = sid('_Z' + k['name'])
            K.append((k['start'], k['start'] + k['dur'], k['dev'], 1 + k['dev'], None, k['stream'], cor, PID(k['pid']), n, sh, mg, 1, 0, 32,
                      k['grid'], 1, 1, k['block'], 1, 1, 0, 0, 0, 127401984, i + 1, 32768, None, 0))
        db.executemany('insert into CUPTI_ACTIVITY_KIND_KERNEL values (%s)' % ','.join('?' * 28), K)
        db.executemany('insert into CUPTI_ACTIVITY_KIND_RUNTIME values (%s)' % ','.join('?' * 8), R)
        C = [(a + OFF, b + OFF) + tuple(rest) for a, b, *rest in s.c]; C.sort()
        db.executemany('insert into CUPTI_ACTIVITY_KIND_MEMCPY values (%s)' % ','.join('?' * 20), C)
        if not C: db.execute('drop table CUPTI_ACTIVITY_KIND_MEMCPY')
        if s.nvtx:
            by = {id(k): k for k in s.k}
            for text, ks in s.nvtx:
                a = min(k['call'][0] for k in ks) - 100; b = max(k['call'][1] for k in ks) + 100
                db.execute('insert into NVTX_EVENTS values (%s)' % ','.join('?' * 19), (a, b, 59, None, None, None, text, ks[0]['call'][2], None, None, 0) + (None,) * 8)
        else: db.execute('drop table NVTX_EVENTS')
        if s.m:
            names = sorted({n for d, n in s.m}); M = []
            for d in sorted({d for d, n in s.m}):
                ty = (1 << 48) + (1 << 32) + d
                for j, n in enumerate(names):
                    db.execute('insert into TARGET_INFO_GPU_METRICS values (?,?,?,?,?)', (ty, ty, '', j, n))
                    ts, v = s.m[(d, n)]
                    M += [(int(t) + OFF, ty, j, int(x)) for t, x in zip(ts, v)]
            M.sort(); db.executemany('insert into GPU_METRICS values (?,?,?,?)', M)
        for d in sorted({k['dev'] for k in s.k}):
            db.execute('insert into TARGET_INFO_GPU values (%s)' % ','.join('?' * 41), (1 << 48, d, 'NVIDIA A100-SXM4-40GB', '0000:0%d:00.0' % d, 1, 41943040, 42505273344, 1555000000000, 1410000000, 108, d, 'u%d' % d, 0, 'GA100', d, '', '', 161, 0, 65536, 4, 65536, 49152, 166912, 167936, 65536, 32, 8, 64, 32, 1024, 1024, 1024, 64, 2147483647, 65535, 65535, 8, 0, 8, 0))
        end = max(k['start'] + k['dur'] for k in s.k) + 10 * MS
        db.execute('insert into ANALYSIS_DETAILS values (?,?,?,?)', (1 << 48, end, 0, end))
        db.execute('insert into TARGET_INFO_SESSION_START_TIME values (1770334135662660875,?,?)', ('2026-02-05T23:28:55', '2026-02-05T23:28:55'))
        for a, b in [('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2023.4.4.54'), ('EXPORT_SCHEMA_VERSION', '3.7.2')]: db.execute('insert into META_DATA_EXPORT values (?,?)', (a, b))
        db.executemany('insert into StringIds values (?,?)', [(i, v) for v, i in ids.items()])
        db.commit(); db.close()

# ---- the simulated program: steps of kernels on one stream per device -------------
KERN = [('gemm_nt', 432, 42e3, 'c'), ('bias_act', 864, 9e3, 'm'), ('layernorm', 216, 14e3, 'm'), ('attention', 324, 31e3, 'c'), ('softmax', 512, 11e3, 'm'),
        ('gemm_nt', 108, 22e3, 'c'), ('reduce', 128, 8e3, 'm'), ('adam', 640, 18e3, 'm')]

def program(tr, steps, effect, dev=0, stream=7, pid=4242, t0=0, noise=0.02, gap=3e3, kern=KERN, pre=None, tail=None, basef=None, ranges=None, site0=0):
    """effect(i, kernel index, name, grid, kind, t, d0, state) returns the extra ns by cause"""
    rng = tr.rng; t = float(t0); i = 0; st = {}
    for s in range(steps):
        ks = []
        for j, (name, grid, base, kind) in enumerate(kern):
            g = gap * rng.uniform(.6, 1.6)
            if pre: g += pre(i, j, t, st)
            t += g
            b = basef(s, j, base, t) if basef else base
            d0 = b * float(np.exp(rng.normal(0, noise)))
            if tail: d0 += tail(b)
            parts = {c: float(v) for c, v in effect(i, j, name, grid, kind, t, d0, st).items() if v}
            d = d0 + sum(parts.values())
            tr.kern(t, d, b, parts, name, grid, site0 + j, stream, dev, pid, noise=noise); ks.append(tr.k[-1])
            t += int(d); i += 1
        if ranges: tr.nvtx.append((ranges(s), ks))
    return t
STEP = sum(k[2] for k in KERN) + 8 * 3.3e3     # ns per step

def counters(tr, T, clock=None, dt=100e3, late=0, dev=0, more=None, noise=True):
    rng = tr.rng; ts = np.arange(0, T + 20 * MS, dt); n = len(ts)
    f = np.array([clock(max(0, x - late)) if clock else 1.41e9 for x in ts])
    q = np.round((f + rng.normal(0, 2e6, n)) / 1e6) * 1e6
    tr.metric('GPC Clock Frequency', ts, q, dev); tr.metric('SYS Clock Frequency', ts, np.full(n, 1.275e9), dev)
    tr.metric('SM Active', ts, np.clip(rng.normal(82, 5, n), 0, 100).round(), dev)
    tr.metric('DRAM Read Throughput', ts, np.clip(rng.normal(35, 6, n), 0, 100).round(), dev)
    tr.metric('PCIe RX Throughput', ts, np.clip(rng.normal(3, 2, n), 0, 100).round(), dev)
    if more:
        for name, fn in more.items(): tr.metric(name, ts, np.array([fn(x) for x in ts]).round(), dev)

NO = lambda *a: {}
N = 2500                # 20,000 launches in steps
def mech(fam, **kw):
    def d(f): MECH[f.__name__] = (f, fam, kw); return f
    return d
MECH = {}
CL, CO, MI, OT, GA, FI, DE, WO = 'clock', 'copies', 'migration', 'other', 'gap', 'first', 'place', 'work'

@mech({'clk': {CL}})
def clock_slow_ramp(tr):
    T = N * STEP * 1.05; c, w = tr.rng.uniform(.35, .65) * T, .15 * T
    f = lambda t: 1.41e9 * (1 - .25 * max(0, 1 - abs(t - c) / w))
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1)}); counters(tr, end, f)
@mech({'clk': {CL}})
def clock_compute_only(tr):
    T = N * STEP; W = Train(windows(tr.rng, T, 8, 3 * MS, 8 * MS)); f = lambda t: 1.05e9 if W.inside(t) else 1.41e9
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1) if k == 'c' else 0}); counters(tr, end, f)
@mech({'cpy': {CO}})
def copies_one_stream(tr):
    T = N // 2 * STEP; C = Train(train(tr.rng, windows(tr.rng, T, 10, 2 * MS, 5 * MS), 40e3, 120e3)); tr.copy(C.iv, 1)
    A = [k for k in KERN]; B = [('halo_' + k[0], k[1], k[2] * .9, k[3]) for k in KERN]
    e = program(tr, N // 2, lambda i, j, n, g, k, t, d, s: {'cpy': .5 * C.ov(t, t + d)}, kern=A)
    program(tr, N // 2, NO, kern=B, stream=15, site0=20); counters(tr, e)
@mech({'clk': {CL}, 'mig': {MI}})
def two_causes(tr):
    T = N * STEP; W = windows(tr.rng, T, 12, 3 * MS, 6 * MS); f = lambda t: 1.1e9 if Wc.inside(t) else 1.41e9
    Wc = Train(W[:4] + W[4:8]); M = Train(train(tr.rng, W[4:8] + W[8:], 15e3, 50e3)); tr.copy(M.iv, 11)
    def eff(i, j, n, g, k, t, d, s):
        c = d * (1.41e9 / f(t) - 1); return {'clk': c, 'mig': .6 * M.ov(t, t + d + c)}
    end = program(tr, N, eff); counters(tr, end, f)
@mech({})
def migration_delays_start(tr):
    M = []; w = Train(windows(tr.rng, N * STEP, 10, 2 * MS, 5 * MS))
    def pre(i, j, t, s):
        if w.inside(t) and tr.rng.random() < .5:
            g = int(tr.rng.uniform(10e3, 40e3)); M.append((int(t) + 500, int(t) + 500 + g)); return g + 1000
        return 0
    end = program(tr, N, NO, pre=pre); tr.copy(M, 11); counters(tr, end)
def _four(tr, rec):
    n = N // 3; W = Train(windows(tr.rng, n * STEP, 3, 20 * MS, 30 * MS)); f = lambda t: 1.15e9 if W.inside(t) else 1.41e9
    for d in range(4):
        e = program(tr, n, (lambda i, j, nm, g, k, t, d0, s: {'thr': d0 * (1.41e9 / f(t) - 1)}) if d == 2 else NO, dev=d)
        counters(tr, e, f if d == 2 and rec else None, dev=d, dt=200e3)
@mech({'thr': {CL}})
def four_dev_one_throttled_clock(tr): _four(tr, True)
@mech({'thr': {DE}}, soft=True)
def four_dev_one_slow_unrecorded(tr): _four(tr, False)
@mech({'oth': {OT}})
def second_process(tr):
    T = N * STEP; W = windows(tr.rng, T, 8, 3 * MS, 7 * MS); O = []
    for a, b in W:
        t = a
        while t < b:
            d = 30e3 * np.exp(tr.rng.normal(0, .02)); tr.kern(t, d, 30e3, {}, 'foreign', 54, 40, 7, 0, 999); O.append((int(t), int(t + d))); t += d + tr.rng.uniform(5e3, 60e3)
    O = Train(O); end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'oth': .55 * O.ov(t, t + d)}); counters(tr, end)
@mech({}, work=True)
def nvtx_different_work(tr):
    W = Train(windows(tr.rng, N * STEP, 12, 3 * MS, 6 * MS)); last = [0.]; ev = {}
    def basef(s, j, b, t):
        if j == 0: ev[s] = W.inside(t)
        return b * (1.5 if ev[s] and j in (0, 3) else 1)
    end = program(tr, N, NO, basef=basef, ranges=lambda s: 'eval' if ev[s] else 'train'); counters(tr, end)
    for k in tr.k: pass
    # launches in "eval" ranges are at another call site
    for s in range(N):
        for j in range(8):
            if ev[s]: tr.k[8 * s + j]['site'] += 100
@mech({}, work=True)
def two_places_no_range(tr):
    """gemm_nt<108> also called 4 times in a row with 1.6x the work in a rare phase (no NVTX)"""
    W = Train(windows(tr.rng, N * STEP, 12, 2 * MS, 4 * MS)); t = 0.; s = 0
    while s < N:
        if W.inside(t):
            for r in range(4):
                tr.kern(t, 9e3 * np.exp(tr.rng.normal(0, .02)), 9e3, {}, 'pack', 64, 50); t = tr.k[-1]['start'] + tr.k[-1]['dur'] + 3e3
                tr.kern(t, 35e3 * np.exp(tr.rng.normal(0, .02)), 35e3, {}, 'gemm_nt', 108, 51); t = tr.k[-1]['start'] + tr.k[-1]['dur'] + 3e3
        t = program(tr, 1, NO, t0=t); s += 1
    counters(tr, t)
@mech({'per': {CO}})
def periodic_100th_copy(tr):
    M = []
    def eff(i, j, n, g, k, t, d, s):
        if i % 100 == 37:
            M.append((int(t - 1000), int(t + 2.0 * d + 5000))); return {'per': d}
        return {}
    end = program(tr, N, eff); tr.copy(M, 2); counters(tr, end)
@mech({'per': set()})
def periodic_100th_unrecorded(tr):
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'per': d} if i % 100 == 37 else {}); counters(tr, end)
@mech({'cpy': {CO}})
def opposite_signs_two_grids(tr):
    T = N * STEP; C = Train(train(tr.rng, windows(tr.rng, T, 12, 3 * MS, 6 * MS), 60e3, 150e3, .8)); tr.copy(C.iv, 1)
    K = [('stencil', 512, 40e3, 'c'), ('aux', 64, 12e3, 'm'), ('stencil', 128, 25e3, 'c'), ('aux2', 32, 9e3, 'm')]
    end = program(tr, N * 2, lambda i, j, n, g, k, t, d, s: {'cpy': {512: .4, 128: -.3}.get(g, 0) * C.ov(t, t + d)}, kern=K); counters(tr, end)
@mech({'clk': {CL}})
def clock_coarse_and_late(tr):
    T = N * STEP; W = Train(windows(tr.rng, T, 5, 25 * MS, 40 * MS)); f = lambda t: 1.1e9 if W.inside(t) else 1.41e9
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1)}); counters(tr, end, f, dt=10e6, late=4 * MS)
@mech({'drift': set()})
def drift_unrecorded(tr):
    T = N * STEP * 1.08; end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'drift': d * .16 * t / T}); counters(tr, end)
@mech({'drift': set()})
def drift_with_idle_gaps(tr):
    """drift without a cause; copies without effect over the whole run, more frequent at its beginning"""
    T = N * STEP * 1.08; w = [x for x in windows(tr.rng, T, 30, 1 * MS, 2 * MS) if x[0] < .5 * T or tr.rng.random() < .3]; tr.copy(train(tr.rng, w, 30e3, 80e3), 1)
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'drift': d * .16 * t / T}); counters(tr, end)
@mech({})
def heavy_tail_noise(tr):
    tr.copy(train(tr.rng, windows(tr.rng, N * STEP, 15, 2 * MS, 4 * MS), 30e3, 80e3), 1); tr.copy(train(tr.rng, windows(tr.rng, N * STEP, 15, 1 * MS, 3 * MS), 10e3, 30e3), 11)
    end = program(tr, N, NO, tail=lambda b: b * min(8, (tr.rng.pareto(1.6)) * .05)); counters(tr, end)
@mech({'slow': set()})
def decoy_counter_time_of_day(tr):
    T = N * STEP * 1.05; W = Train([w for w in windows(tr.rng, T, 30, 2 * MS, 5 * MS) if tr.rng.random() < w[0] / T])
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'slow': d * .25} if W.inside(t) else {}); counters(tr, end, more={'GPU Temperature': lambda x: 55 + 25 * x / T + tr.rng.normal(0, .4)})
@mech({'first': {FI}, 'warm': {FI}})
def warm_up(tr):
    def eff(i, j, n, g, k, t, d, s):
        return {'first': 6 * d if i < 8 else 0, 'warm': .3 * d * np.exp(-t / (8 * MS))}
    end = program(tr, N, eff); counters(tr, end)
@mech({'size': set()})
def hidden_size(tr):
    sz = {}
    def basef(s, j, b, t): return b
    def eff(i, j, n, g, k, t, d, s):
        if j == 0: s['z'] = float(np.exp(tr.rng.normal(0, .35))) if tr.rng.random() < .15 else 1.
        return {'size': d * (s['z'] - 1) if k == 'c' else 0}
    tr.copy(train(tr.rng, windows(tr.rng, N * STEP, 15, 2 * MS, 4 * MS), 30e3, 80e3), 1); end = program(tr, N, eff); counters(tr, end)
@mech({})
def null_all_recorded(tr):
    T = N * STEP; Wc = Train(windows(tr.rng, T, 10, 2 * MS, 6 * MS)); f = lambda t: 1.2e9 if Wc.inside(t) else 1.41e9
    tr.copy(train(tr.rng, windows(tr.rng, T, 15, 2 * MS, 4 * MS), 30e3, 80e3), 1); tr.copy(train(tr.rng, windows(tr.rng, T, 15, 1 * MS, 3 * MS), 10e3, 30e3), 11)
    end = program(tr, N, NO, noise=.03); counters(tr, end, f)
@mech({'slow': set()})
def telegraph_noise_idle_copies(tr):
    """unrecorded slow windows; copies and migrations without effect at independent moments"""
    T = N * STEP * 1.05; W = Train(windows(tr.rng, T, 30, 1 * MS, 4 * MS)); tr.copy(train(tr.rng, windows(tr.rng, T, 40, 1 * MS, 3 * MS), 30e3, 80e3), 1)
    tr.copy(train(tr.rng, windows(tr.rng, T, 25, 1 * MS, 2 * MS), 10e3, 30e3), 11)
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'slow': .2 * d} if W.inside(t) else {}); counters(tr, end)
@mech({'cpy': {CO}}, once=True)
def copies_act_once(tr):
    T = N * STEP; a = int(tr.rng.uniform(.3, .7) * T); C = Train(train(tr.rng, [(a, a + 6 * MS)], 60e3, 120e3)); tr.copy(C.iv, 1)
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'cpy': .6 * C.ov(t, t + d)}); counters(tr, end)
@mech({'cpy': {CO}})
def copy_fixed_penalty(tr):
    """any overlap, however short, adds 12 us"""
    T = N * STEP; C = Train([(x, x + int(tr.rng.uniform(2e3, 60e3))) for w in windows(tr.rng, T, 25, 2 * MS, 3 * MS) for x in range(w[0], w[1], 150000)]); tr.copy(C.iv, 1)
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'cpy': 12e3 if C.ov(t, t + d) else 0}); counters(tr, end)
@mech({'lag': {MI}})
def migration_lagged_cold_cache(tr):
    """launches within 150 us AFTER a migration are 40 % longer, those during it are not"""
    T = N * STEP; M = Train([(x, x + 20000) for w in windows(tr.rng, T, 15, 2 * MS, 4 * MS) for x in range(w[0], w[1], 400000)]); tr.copy(M.iv, 11)
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'lag': .4 * d if 0 < M.since(t) < 150e3 else 0}); counters(tr, end)
@mech({'cold': {GA}})
def slow_after_idle_gap(tr):
    def pre(i, j, t, s):
        if tr.rng.random() < .004: s['cold'] = 3; return tr.rng.uniform(.3, 1.5) * MS
        return 0
    def eff(i, j, n, g, k, t, d, s):
        if s.get('cold', 0) > 0: s['cold'] -= 1; return {'cold': .45 * d}
        return {}
    end = program(tr, N, eff, pre=pre); counters(tr, end)
@mech({'clk': {CL}}, confounded=True)
def clock_with_idle_copies_on_top(tr):
    """the clock drops in windows; copies without effect run in most of those windows and in many others"""
    T = N * STEP; W = windows(tr.rng, T, 12, 2 * MS, 5 * MS); Wc = Train(W); f = lambda t: 1.15e9 if Wc.inside(t) else 1.41e9
    X = [w for w in windows(tr.rng, T, 25, 2 * MS, 5 * MS) if all(w[1] < a or b < w[0] for a, b in W)]
    tr.copy(train(tr.rng, W[:9] + X, 40e3, 120e3), 1); end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1)}); counters(tr, end, f)
@mech({'slow': set()}, confounded=True)
def unrecorded_two_streams(tr):
    """two streams run side by side all the time (concurrency has no effect); an unrecorded slow-down hits windows"""
    T = N // 2 * STEP; W = Train(windows(tr.rng, T, 15, 1 * MS, 4 * MS)); B = [('side_' + k[0], k[1], k[2] * .8, k[3]) for k in KERN]
    e = program(tr, N // 2, lambda i, j, n, g, k, t, d, s: {'slow': .25 * d} if W.inside(t) else {}); program(tr, N // 3, NO, kern=B, stream=15, site0=20); counters(tr, e)
@mech({'clk': {CL}})
def clock_short_and_deep(tr):
    """drops of 150 us, which one or two samples of a 100 us counter show"""
    T = N * STEP; W = Train(windows(tr.rng, T, 80, 120e3, 200e3, .01)); f = lambda t: .7e9 if W.inside(t) else 1.41e9
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1)}); counters(tr, end, f)

# ---- few episodes, ramps and other mechanisms -------------------------------------
def _episodes(n, what, ln=5 * MS):
    def f(tr):
        T = N * STEP; W = windows(tr.rng, T, n, ln * .8, ln * 1.2); Wt = Train(W)
        if what == 'clk':
            f = lambda t: 1.15e9 if Wt.inside(t) else 1.41e9
            e = program(tr, N, lambda i, j, nm, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1)}); counters(tr, e, f)
        else:
            C = Train(train(tr.rng, W, 40e3, 120e3)); tr.copy(C.iv, 1); e = program(tr, N, lambda i, j, nm, g, k, t, d, s: {'cpy': .6 * C.ov(t, t + d)}); counters(tr, e)
    return f
for n in (1, 2, 3, 4, 6):
    MECH['clock_%d_episodes' % n] = (_episodes(n, 'clk'), {'clk': {CL}}, {}); MECH['copies_%d_episodes' % n] = (_episodes(n, 'cpy'), {'cpy': {CO}}, {})
@mech({'clk': {CL}})
def clock_sawtooth_ramps(tr):
    """the clock falls slowly and recovers, six times"""
    T = N * STEP * 1.1; f = lambda t: 1.41e9 * (1 - .22 * ((6 * t / T + .3) % 1))
    end = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1)}); counters(tr, end, f)
@mech({'first': {FI}})
def first_launch_60_configs(tr):
    K = [('k%02d' % q, 64 + 8 * q, 1e3 * tr.rng.uniform(8, 45), 'c') for q in range(60)]; seen = set(); on = {q: int(tr.rng.integers(0, 250)) for q in range(60)}; t = 0.
    for s in range(330):
        for q, (nm, g, b, k) in enumerate(K):
            if on[q] > s: continue
            t += 3e3; d = b * np.exp(tr.rng.normal(0, .02)); x = 0
            if q not in seen: seen.add(q); x = 4 * b
            tr.kern(t, d + x, b, {'first': x} if x else {}, nm, g, q); t += d + x
    counters(tr, t)
@mech({'per': {CO}})
def periodic_copy_exact_part(tr):
    """same as periodic_100th_copy, but the planted part does not depend on the noise of the launch"""
    M = []
    def eff(i, j, n, g, k, t, d, s):
        if i % 100 == 37:
            b = KERN[j][2]; M.append((int(t - 1000), int(t + 2.2 * b + 5000))); return {'per': b}
        return {}
    end = program(tr, N, eff); tr.copy(M, 2); counters(tr, end)
@mech({'per': {CO}})
def hundredth_launch_noisy(tr):
    """every 97th launch, of all kernels in turn, overlaps a copy and takes 60 % longer; noise 8 %"""
    M = []
    def eff(i, j, n, g, k, t, d, s):
        if i % 97 == 37:
            b = KERN[j][2]; M.append((int(t - 1000), int(t + 1.9 * b + 5000))); return {'per': .6 * b}
        return {}
    end = program(tr, N, eff, noise=.08); tr.copy(M, 2); counters(tr, end)
@mech({'slow': set()})
def device_slow_once(tr):
    """4 devices; device 2 is 25 % slower during 8 % of the run, for an unrecorded reason"""
    n = N // 3; a = tr.rng.uniform(.2, .8) * n * STEP; W = Train([(a, a + .08 * n * STEP)])
    for d in range(4):
        e = program(tr, n, (lambda i, j, nm, g, k, t, d0, s: {'slow': .25 * d0} if W.inside(t) else {}) if d == 2 else NO, dev=d); counters(tr, e, dev=d, dt=200e3)
@mech({'slow': set()})
def device_slow_all_unrelated(tr):
    """4 devices; device 1 is always 4 % slower; every device has unrecorded slow windows of its own"""
    n = N // 3
    for d in range(4):
        W = Train(windows(tr.rng, n * STEP, 8, 1 * MS, 3 * MS)); m = 1.04 if d == 1 else 1.
        e = program(tr, n, lambda i, j, nm, g, k, t, d0, s: {'slow': .3 * d0 if W.inside(t) else 0}, dev=d, kern=[(a, b, c * m, x) for a, b, c, x in KERN]); counters(tr, e, dev=d, dt=200e3)
@mech({'stall': set()})
def reverse_overlap_copies(tr):
    """short copies all the time without effect; 3 % of launches stall (+150 %, unrecorded): long launches overlap more copies"""
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'stall': 1.5 * d} if tr.rng.random() < .03 else {}); tr.copy([(x, x + 6000) for x in range(0, int(e), 45000)], 1); counters(tr, e)
@mech({'stall': set()})
def reverse_overlap_migrations(tr):
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'stall': 1.5 * d} if tr.rng.random() < .03 else {}); x = 0; M = []
    while x < e: M.append((int(x), int(x) + 4000)); x += 4000 + tr.rng.exponential(80e3)
    tr.copy(M, 11); counters(tr, e)
@mech({'stall': set()})
def reverse_overlap_kernels(tr):
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'stall': 1.5 * d} if tr.rng.random() < .03 else {}); x = 0
    while x < e:
        d = 7e3 * np.exp(tr.rng.normal(0, .02)); tr.kern(x, d, 7e3, {}, 'poll', 1, 60, 23); x += d + tr.rng.exponential(70e3)
    counters(tr, e)
@mech({'slow': set()})
def slow_windows_backlog(tr):
    """unrecorded slow windows; the host launches at a fixed rate, so the queue grows because launches are slow"""
    T = N * STEP * 1.05; W = Train(windows(tr.rng, T, 12, 2 * MS, 5 * MS)); t = 0.; call = 0.; i = 0
    for s in range(N):
        for j, (nm, g, b, k) in enumerate(KERN):
            call += b * 1.12 + 3e3; t = max(t + 2500, call + 6000); d = b * np.exp(tr.rng.normal(0, .02)); x = .3 * d if W.inside(t) else 0
            tr.kern(t, d + x, b, {'slow': x} if x else {}, nm, g, j); tr.k[-1]['c'] = call; t += d + x
    counters(tr, t)
@mech({'slow': set()})
def counter_is_consequence(tr):
    """unrecorded slow windows, which lower the counter SM Active"""
    T = N * STEP * 1.05; W = Train(windows(tr.rng, T, 12, 2 * MS, 5 * MS)); e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'slow': .3 * d if W.inside(t) else 0})
    counters(tr, e, more={'SM Active': lambda x: (60 if W.inside(x) else 82) + tr.rng.normal(0, 4)})
@mech({'boost': {CL}})
def clock_boost_faster(tr):
    T = N * STEP; W = Train(windows(tr.rng, T, 10, 2 * MS, 4 * MS)); f = lambda t: 1.74e9 if W.inside(t) else 1.41e9
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'boost': d * (1.41e9 / f(t) - 1)}); counters(tr, e, f)
@mech({'cpy': {CO}})
def opposite_signs_strong_weak(tr):
    """copies lengthen grid 512 by 60 % and shorten grid 128 by 8 %; the sign of the sum is clear"""
    T = N * STEP; C = Train(train(tr.rng, windows(tr.rng, T, 12, 3 * MS, 6 * MS), 60e3, 150e3, .8)); tr.copy(C.iv, 1); K = [('stencil', 512, 40e3, 'c'), ('aux', 64, 12e3, 'm'), ('stencil', 128, 25e3, 'c'), ('aux2', 32, 9e3, 'm')]
    e = program(tr, N * 2, lambda i, j, n, g, k, t, d, s: {'cpy': {512: .6, 128: -.08}.get(g, 0) * C.ov(t, t + d)}, kern=K); counters(tr, e)
@mech({'clk': {CL}, 'mig': {MI}})
def two_causes_additive(tr):
    """clock and migrations act at the same moments; each adds a fixed share of the base duration"""
    T = N * STEP; W = windows(tr.rng, T, 12, 3 * MS, 6 * MS); f = lambda t: 1.1e9 if Wc.inside(t) else 1.41e9
    Wc = Train(W[:8]); M = Train(train(tr.rng, W[4:], 15e3, 50e3)); tr.copy(M.iv, 11)
    def eff(i, j, n, g, k, t, d, s):
        b = KERN[j][2]; return {'clk': b * (1.41e9 / f(t) - 1), 'mig': .9 * b if M.ov(t, t + d) > .3 * b else 0}
    e = program(tr, N, eff); counters(tr, e, f)
@mech({})
def six_kernels_pure_noise_bursty_copies(tr):
    T = N * STEP; tr.copy(train(tr.rng, windows(tr.rng, T, 60, .3 * MS, 1 * MS), 10e3, 60e3), 1); tr.copy(train(tr.rng, windows(tr.rng, T, 40, .3 * MS, 1 * MS), 5e3, 20e3), 11)
    e = program(tr, N, NO, noise=.15, gap=8e3); counters(tr, e, lambda t: 1.41e9 + 3e7 * np.sin(t / 7e6))

# ---- different work of one kernel --------------------------------------
def _work(mode):
    def f(tr):
        T = N * STEP; W = Train(windows(tr.rng, T, 12, 3 * MS, 6 * MS)); t = 0.
        if mode == 'alternate':       # every step has a fwd and a bwd range; same kernels, 1.5x the work in bwd
            e = program(tr, N, NO, basef=lambda s, j, b, t: b * (1.5 if s % 2 and j in (0, 3) else 1), ranges=lambda s: 'bwd' if s % 2 else 'fwd')
            for s in range(N):
                if s % 2:
                    for j in range(8): tr.k[8 * s + j]['site'] += 100
        elif mode == 'step_two_places':   # each step calls gemm_nt<432> twice: 42 us, later 60 us
            K = KERN[:5] + [('gemm_nt', 432, 60e3, 'c')] + KERN[6:]; e = program(tr, N, NO, kern=K)
        elif mode == 'rare_branch':       # each 20th step takes a branch: checkpoint<..> then gemm_nt<432> with 1.6x the work
            for s in range(N):
                K = KERN if s % 20 != 7 else KERN[:3] + [('branch', 77, 15e3, 'm'), ('gemm_nt', 432, 68e3, 'c')] + KERN[3:]
                t = program(tr, 1, NO, t0=t, kern=K, site0=0 if s % 20 != 7 else 200)
            e = t
        elif mode == 'phase_range':       # one long range per phase
            ev = {}
            def basef(s, j, b, t):
                if j == 0: ev[s] = W.inside(t)
                return b * (1.5 if ev[s] and j in (0, 3) else 1)
            e = program(tr, N, NO, basef=basef); a = 0
            for s in range(1, N + 1):
                if s == N or ev[s] != ev[a]: tr.nvtx.append(('eval' if ev[a] else 'train', tr.k[8 * a:8 * s])); a = s
            for s in range(N):
                for j in range(8): tr.k[8 * s + j]['site'] += 100 * ev[s]
        counters(tr, e)
    return f
for m_ in ('alternate', 'step_two_places', 'rare_branch', 'phase_range'): MECH['work_' + m_] = (_work(m_), {}, {'work': True})
def _scale(fn, **kw): return fn
@mech({'first': {FI}})
def first_launch_12_configs_same_size(tr):
    """60 configurations of equal duration: coverage of the interval where all have the same cost"""
    K = [('k%02d' % q, 64 + 8 * q, 25e3, 'c') for q in range(60)]; seen = set(); on = {q: int(tr.rng.integers(0, 250)) for q in range(60)}; t = 0.
    for s in range(330):
        for q, (nm, g, b, k) in enumerate(K):
            if on[q] > s: continue
            t += 3e3; d = b * np.exp(tr.rng.normal(0, .02)); x = 0
            if q not in seen: seen.add(q); x = 2 * b
            tr.kern(t, d + x, b, {'first': x} if x else {}, nm, g, q); t += d + x
    counters(tr, t)
@mech({'cold': {GA}})
def gap_effect_clean(tr):
    """only the first launch after an idle gap of more than 200 us is 45 % longer"""
    def pre(i, j, t, s):
        if tr.rng.random() < .01: s['cold'] = 1; return tr.rng.uniform(.2, .8) * MS
        return 0
    def eff(i, j, n, g, k, t, d, s):
        if s.get('cold'): s['cold'] = 0; return {'cold': .45 * d}
        return {}
    e = program(tr, N, eff, pre=pre); counters(tr, e)
@mech({'slow': set()})
def slow_windows_queue_only(tr):
    """same as slow_windows_backlog, but gaps never vary: only queue_delay is a consequence"""
    T = N * STEP * 1.05; W = Train(windows(tr.rng, T, 12, 2 * MS, 5 * MS)); t = 0.; call = -3 * MS
    for s in range(N):
        for j, (nm, g, b, k) in enumerate(KERN):
            call += b * 1.0 + 3e3; t += tr.rng.uniform(2e3, 3e3); d = b * np.exp(tr.rng.normal(0, .02)); x = .3 * d if W.inside(t) else 0
            tr.kern(t, d + x, b, {'slow': x} if x else {}, nm, g, j); tr.k[-1]['c'] = min(call, t - 4000); t += d + x
    counters(tr, t)
@mech({'clk': {CL}})
def clock_ramp_two(tr):
    """the clock falls and rises slowly twice, for 15 % of the run each"""
    T = N * STEP * 1.05; c = (tr.rng.uniform(.2, .3) * T, tr.rng.uniform(.65, .8) * T); w = .08 * T
    f = lambda t: 1.41e9 * (1 - .25 * max(0, 1 - min(abs(t - x) for x in c) / w))
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * (1.41e9 / f(t) - 1)}); counters(tr, e, f)
@mech({'clk': {CL}})
def clock_exponents(tr):
    """the clock drops; durations of the kernels follow (f0/f) to the power 0, 0.5, 1 and 1.5"""
    T = N * STEP; W = Train(windows(tr.rng, T, 8, 3 * MS, 8 * MS)); f = lambda t: 1.0e9 if W.inside(t) else 1.41e9; E = [1, 0, .5, 1.5, 0, 1, .5, 0]
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'clk': d * ((1.41e9 / f(t)) ** E[j] - 1)}); counters(tr, e, f)
@mech({'clk': {CL}})
def clock_of_wrong_device(tr):
    """2 devices; the clock of device 0 drops without effect there (memory-bound); device 1 slows with its own clock"""
    n = N // 2; W0 = Train(windows(tr.rng, n * STEP, 6, 3 * MS, 6 * MS)); W1 = Train(windows(tr.rng, n * STEP, 6, 3 * MS, 6 * MS))
    for d, W in ((0, W0), (1, W1)):
        f = lambda t, W=W: 1.1e9 if W.inside(t) else 1.41e9
        e = program(tr, n, (lambda i, j, nm, g, k, t, d0, s: {'clk': d0 * (1.41e9 / f(t) - 1)}) if d else NO, dev=d, kern=KERN if d else [('m_' + k[0],) + k[1:] for k in KERN], site0=50 * (1 - d)); counters(tr, e, f, dev=d)

# ---- different work in a share of the steps, and others ----------------------------
def _share(sh, ln):
    def f(tr):
        """a share `sh` of all steps are eval steps, `ln` in a row, with an NVTX range and 1.5x the work in two kernels"""
        ev = np.zeros(N, bool)
        while ev.mean() < sh: a = int(tr.rng.integers(0, N - ln)); ev[a:a + ln] = True
        e = program(tr, N, NO, basef=lambda s, j, b, t: b * (1.5 if ev[s] and j in (0, 3) else 1), ranges=lambda s: 'eval' if ev[s] else 'train')
        for s in range(N):
            for j in range(8): tr.k[8 * s + j]['site'] += 100 * int(ev[s])
        counters(tr, e)
    return f
for sh_, ln_ in ((.05, 1), (.1, 1), (.2, 1), (.35, 1), (.2, 25), (.35, 25)): MECH['range_share_%02d_runs_of_%d' % (sh_ * 100, ln_)] = (_share(sh_, ln_), {}, {'work': True})
@mech({'clk': {CL}})
def few_peers(tr):
    """each configuration is launched 3 times only; the clock drops in windows"""
    T = N * STEP; W = Train(windows(tr.rng, T, 8, 3 * MS, 8 * MS)); f = lambda t: 1.05e9 if W.inside(t) else 1.41e9; t = 0.; q = 0; cfg = [(int(64 + x), b) for x in range(4000) for b in [1e3 * tr.rng.uniform(8, 60)]]
    o = tr.rng.permutation(np.repeat(np.arange(4000), 3))
    for q in o:
        g, b = cfg[q]; t += 3e3; d = b * np.exp(tr.rng.normal(0, .02)); x = d * (1.41e9 / f(t) - 1); tr.kern(t, d + x, b, {'clk': x} if x else {}, 'jit%d' % (q % 97), g, int(q)); t += d + x
    counters(tr, t, f)
@mech({'size': set()})
def hidden_size_with_copy(tr):
    """work depends on an unrecorded size; the input copy before it on the same stream grows with that size, but is not a cause"""
    M = []
    def pre(i, j, t, s):
        if j == 0: s['z'] = float(np.exp(tr.rng.normal(0, .4))); c = 6e3 * s['z']; M.append((int(t) + 800, int(t + 800 + c))); return c + 1600
        return 0
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'size': d * (s['z'] - 1) if k == 'c' else 0}, pre=pre); tr.copy(M, 1, stream=7); counters(tr, e)
@mech({'oth': {OT}})
def second_process_same_kernel(tr):
    """a second process runs the same kernel and grid, and both slow each other"""
    T = N * STEP; W = Train(windows(tr.rng, T, 8, 3 * MS, 7 * MS)); O = []; e = N * STEP
    for a, b in W.iv:
        t = a
        while t < b: d = 22e3; O.append((int(t), int(t + d * 1.4))); t += d * 1.4 + tr.rng.uniform(3e3, 30e3)
    O = Train(O); e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'oth': .4 * O.ov(t, t + d)})
    for a, b in O.iv: tr.kern(a, (b - a) * np.exp(tr.rng.normal(0, .02)), 22e3, {'oth': .4 * 22e3}, 'gemm_nt', 108, 5, 7, 0, 999)
    counters(tr, e)
@mech({'thr': {CL}, 'cpy': {CO}})
def clock_and_copies_opposed(tr):
    """in the same windows a higher clock shortens launches by 18 % and copies lengthen them: both nearly cancel"""
    T = N * STEP; W = windows(tr.rng, T, 15, 3 * MS, 6 * MS); Wc = Train(W[:10]); C = Train(train(tr.rng, W[5:], 60e3, 150e3, .8)); tr.copy(C.iv, 1); f = lambda t: 1.72e9 if Wc.inside(t) else 1.41e9
    e = program(tr, N, lambda i, j, n, g, k, t, d, s: {'thr': d * (1.41e9 / f(t) - 1), 'cpy': .5 * C.ov(t, t + d)}); counters(tr, e, f)
@mech({'slow': set()})
def slow_backlog_mild(tr):
    """same as slow_windows_backlog, but with launches 12 % longer and a rate that leaves the device idle for 25 %"""
    T = N * STEP * 1.05; W = Train(windows(tr.rng, T * 1.25, 12, 2 * MS, 5 * MS)); t = 0.; call = 0.
    for s in range(N):
        for j, (nm, g, b, k) in enumerate(KERN):
            call += b * (1.25 if j else 1.0) + 3e3; t = max(t + 2500, call + 6000); d = b * np.exp(tr.rng.normal(0, .02)); x = .4 * d if W.inside(t) else 0
            tr.kern(t, d + x, b, {'slow': x} if x else {}, nm, g, j); tr.k[-1]['c'] = call; t += d + x
    counters(tr, t)
def _paced(what, pace=1.25):
    def f(tr):
        """the host limits the rate of launches; the recorded cause fills the queue, so that bursts get longer"""
        T = N * STEP * 1.1; w = windows(tr.rng, T, 12, 2 * MS, 5 * MS); W = Train(w); f = lambda t: 1.05e9 if W.inside(t) else 1.41e9; C = Train(train(tr.rng, w, 40e3, 120e3)) if what == 'cpy' else None; t = 0.; call = 0.
        for s in range(N):
            for j, (nm, g, b, k) in enumerate(KERN):
                call += b * (pace if j else 1.0) + 3e3; t = max(t + 2500, call + 6000); d = b * np.exp(tr.rng.normal(0, .02)); x = .5 * C.ov(t, t + d) if C else d * (1.41e9 / f(t) - 1)
                tr.kern(t, d + x, b, {what: x} if x else {}, nm, g, j); tr.k[-1]['c'] = call; t += d + x
        if C: tr.copy(C.iv, 1)
        counters(tr, t, None if C else f)
    return f
MECH['host_paced_clock'] = (_paced('clk'), {'clk': {CL}}, {}); MECH['host_paced_copies'] = (_paced('cpy'), {'cpy': {CO}}, {}); MECH['host_paced_clock_compute_pace'] = (_paced('clk', 1.12), {'clk': {CL}}, {})

FAMILY = [(CL, r'clock'), (MI, r'migrat|page_fault'), (CO, r'host_to|device_to|peer|transfer|copy|copies|linked|memset'), (OT, r'concurren|other_kernel|overlap_kernel'),
          (FI, r'first_launch|warm'), (GA, r'gap|idle|burst|queue|waiting'), (DE, r'device|rank|stream|process|place|trace'), (WO, r'different_work|call_site|range|work')]
def family(f):
    for n, p in FAMILY:
        if re.search(p, f or ''): return n
    return 'counter:' + str(f)

def judge(name, tr, fam, opt, J):
    W = J['width_ns']; out = []
    grp = {}
    for i, k in enumerate(tr.k): grp.setdefault((k['name'], k['grid'], k['block'], k['site']), []).append(i)
    starts = np.array([k['start'] for k in tr.k]); key = {i: g for g, l in grp.items() for i in l}
    causes = sorted(fam) if fam else []
    P = {c: np.array([k['parts'].get(c, 0.) for k in tr.k]) for c in causes}; D = np.array([k['dur'] for k in tr.k], float); SD = np.array([k['sd'] for k in tr.k])
    S = {g: (len(l), {c: P[c][l].sum() for c in causes}, D[l].sum()) for g, l in grp.items()}
    for kb in J['kept']:
        a = kb['start_ns']; I = np.where((starts >= a) & (starts < a + W))[0]
        T = dict.fromkeys(causes, 0.); Tm = dict.fromkeys(causes, 0.); tot = 0.
        for g in {key[i] for i in I}:
            il = [i for i in I if key[i] == g]; n, ps, ds = S[g]; m = n - len(il)
            if m == 0: continue
            oth = [x for x in grp[g] if not (a <= starts[x] < a + W)]
            for c in causes:
                T[c] += P[c][il].sum() - len(il) * (ps[c] - P[c][il].sum()) / m; Tm[c] += P[c][il].sum() - len(il) * float(np.median(P[c][oth]))
            tot += D[il].sum() - len(il) * (ds - D[il].sum()) / m
        sd = float(np.sqrt((SD[I] ** 2).sum())); r = kb.get('reason')
        dom = max(causes, key=lambda c: abs(T[c])) if causes else None
        planted = dom is not None and abs(T[dom]) > max(3.5 * sd, .02 * D[I].sum())
        f = family(r['feature']) if r else None
        o = dict(bin=kb['index'], planted=planted, dom=dom, T=T, tot=tot, n=len(I), sd=sd, reason=r, note=kb.get('reason_note'), fam=f, rep=kb.get('excess_ns'))
        o['cov'] = o['covm'] = None
        if r is not None:
            nf = next((c for c in causes if f in fam[c] and (not planted or c == dom)), None) or next((c for c in causes if f in fam[c]), None)
            if r.get('excess_low_ns') is not None:
                t = sum(T[c] for c in causes if f in fam[c]) if nf else 0.; tm = sum(Tm[c] for c in causes if f in fam[c]) if nf else 0.
                lo, hi = sorted((r['excess_low_ns'], r['excess_high_ns']))
                if nf: o['cov'] = lo <= t <= hi; o['covm'] = lo <= tm <= hi
                o['true'] = t
            if planted and f in fam[dom]: o['v'] = 'right'
            elif f == WO: o['v'] = 'work'
            elif planted and not fam[dom]: o['v'] = 'false'
            elif planted and nf: o['v'] = 'right2'
            elif planted: o['v'] = 'wrong'
            elif nf and abs(T[nf]) > 2 * sd: o['v'] = 'right2'
            else: o['v'] = 'false'
        else:
            few = re.search(r'few|peer|only here|enough', o['note'] or '')
            if planted and fam[dom]: o['v'] = 'refused' if few else 'nothing'
            else: o['v'] = 'silent'      # no reason was named, which is right
        out.append(o)
    return out

def main():
    ap = argparse.ArgumentParser(); ap.add_argument('bin'); ap.add_argument('--seeds', type=int, default=3); ap.add_argument('--first-seed', type=int, default=1); ap.add_argument('--only', default=''); ap.add_argument('--width')
    ap.add_argument('--keep', action='store_true'); ap.add_argument('--dir', default=os.path.join(tempfile.gettempdir(), 'moment-mechanisms')); ap.add_argument('--out', default=os.path.join(tempfile.gettempdir(), 'moment-mechanisms.json')); a = ap.parse_args()
    exe = a.bin if os.path.isfile(a.bin) else os.path.join(a.bin, 'jitterscope'); os.makedirs(a.dir, exist_ok=True); os.nice(15) if os.nice(0) < 15 else 0
    ALL = {}
    print('Bins by result. right: the named cause has the largest planted part; right2: it has a smaller planted part; wrong: it has none, although a recorded cause acts; false: it has none, and no recorded cause acts;')
    print('work: "different work"; silent: rightly no reason; nothing/refused: no reason, although a recorded cause acts. cover, cov.med: intervals that contain the true part, relative to the mean and to the median of the peers; err%: median error of the named part')
    print('%-32s %4s | %5s %6s %5s %5s | %5s %5s %6s %7s | %9s %9s %6s | %s' % ('mechanism', 'bins', 'right', 'right2', 'wrong', 'false', 'work', 'silnt', 'nothng', 'refused', 'cover', 'cov.med', 'err%', 'features named'))
    for name, (fn, fam, opt) in MECH.items():
        if a.only and not re.search(a.only, name): continue
        rows = []
        for seed in range(a.first_seed, a.first_seed + a.seeds):
            tr = Trace(seed * 1000 + len(name) * 7 + sum(map(ord, name)) % 97); fn(tr); p = '%s/%s-%d.sqlite' % (a.dir, name, seed); tr.write(p)
            cmd = [exe, 'bins', p, '--why', '--top', '20', '--json', '-'] + (['--width', a.width] if a.width else [])
            q = subprocess.run(cmd, capture_output=True, text=True)
            try: J = json.loads(q.stdout[q.stdout.index('{'):])
            except Exception as e: print(name, seed, 'FAILED', q.returncode, q.stderr[:300], q.stdout[:200]); continue
            R = judge(name, tr, fam, opt, J)
            for o in R: o['seed'] = seed
            rows += R
            if not a.keep: os.remove(p)
        ALL[name] = rows; C = lambda v: sum(o['v'] == v for o in rows); cv = [o['cov'] for o in rows if o['cov'] is not None]; cm = [o['covm'] for o in rows if o['covm'] is not None]
        er = [100 * abs(o['reason']['excess_ns'] - o['true']) / abs(o['true']) for o in rows if o['cov'] is not None and o.get('true')]
        ft = {}
        for o in rows: ft[o['reason']['feature'] if o['reason'] else '-'] = ft.get(o['reason']['feature'] if o['reason'] else '-', 0) + 1
        print('%-32s %4d | %5d %6d %5d %5d | %5d %5d %6d %7d | %4d/%-4d %4d/%-4d %6s | %s' % (name, len(rows), C('right'), C('right2'), C('wrong'), C('false'), C('work'), C('silent'), C('nothing'), C('refused'), sum(cv), len(cv), sum(cm), len(cm), ('%.1f' % np.median(er)) if er else '-',
              ', '.join('%s %d' % x for x in sorted(ft.items(), key=lambda x: -x[1])))); sys.stdout.flush()
        json.dump(ALL, open(a.out, 'w'), default=lambda x: x.item() if hasattr(x, 'item') else str(x), indent=1)
if __name__ == '__main__': main()
