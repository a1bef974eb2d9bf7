"""Operators of PyTorch between cudaProfilerStart and Stop, after a warm-up: see README.md in this folder."""
import torch
import torch.nn.functional as F

torch.manual_seed(2)
GPU = {"device": "cuda"}
operators = []


def matrix_product(m, n, k, dtype, tf32=False):
    a, b = torch.randn(m, k, dtype=dtype, **GPU), torch.randn(k, n, dtype=dtype, **GPU)

    def run():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        return a @ b

    operators.append(run)


for m, n, k in ((1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 1024), (1024, 8192, 4096),
                (512, 512, 8192)):
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        matrix_product(m, n, k, dtype)
matrix_product(2048, 2048, 2048, torch.float64)
matrix_product(4096, 4096, 1024, torch.float64)
for n in (1024, 2048, 4096):
    matrix_product(n, n, n, torch.float32, tf32=True)

for rows, columns in ((2048, 1024), (8192, 4096), (16384, 1024), (1024, 16384)):
    for dtype in (torch.float32, torch.bfloat16):
        y, w = torch.randn(rows, columns, dtype=dtype, **GPU), torch.randn(columns, dtype=dtype, **GPU)
        operators += [
            lambda y=y, w=w, c=columns: F.layer_norm(y, (c,), w, w), lambda y=y: torch.softmax(y, -1),
            lambda y=y: F.gelu(y), lambda y=y: y * y, lambda y=y: y.sum(-1), lambda y=y: y.sum(0),
            lambda y=y: torch.cumsum(y, -1), lambda y=y: y.t().contiguous(),
            lambda y=y: y.float().to(torch.float16), lambda y=y: torch.max(y, -1)]

for n, width, count in ((20000, 256, 16384), (200000, 512, 65536)):
    table, index = torch.randn(n, width, **GPU), torch.randint(0, n, (count,), **GPU)
    operators += [
        lambda t=table, i=index: t.index_select(0, i), lambda t=table, i=index: F.embedding(i, t),
        lambda t=table, i=index: torch.zeros_like(t).index_add_(0, i, t[:i.numel()])]

for batch, heads, length, width in ((4, 16, 2048, 64), (1, 32, 4096, 128)):
    q = torch.randn(batch, heads, length, width, dtype=torch.bfloat16, **GPU)
    operators += [
        lambda q=q: F.scaled_dot_product_attention(q, q, q),
        lambda q=q: F.scaled_dot_product_attention(q, q, q, is_causal=True),
        lambda q=q: q.flatten(0, 1) @ q.flatten(0, 1).transpose(1, 2)]

for n, channels, outputs, size in ((32, 64, 128, 56), (16, 128, 256, 28), (8, 64, 64, 224)):
    x, k = torch.randn(n, channels, size, size, **GPU), torch.randn(outputs, channels, 3, 3, **GPU)
    operators += [
        lambda x=x, k=k: F.conv2d(x, k, padding=1), lambda x=x: F.max_pool2d(x, 2),
        lambda x=x: F.interpolate(x, scale_factor=2)]

z = torch.randn(1 << 22, **GPU)
operators += [
    lambda: torch.sort(z), lambda: torch.topk(z, 64), lambda: torch.unique(z[:1 << 20].mul(100).long()),
    lambda: torch.histc(z, 256), lambda: F.dropout(z, .2), lambda: torch.fft.rfft(z)]

for _ in range(2):
    for operator in operators:
        operator()
torch.cuda.synchronize()
torch.cuda.profiler.start()
for operator in operators:
    operator()
torch.cuda.synchronize()
torch.cuda.profiler.stop()
