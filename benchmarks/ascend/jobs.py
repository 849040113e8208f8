"""Jobs for tests and benchmarks: products, convolutions, attention, elementwise and rowwise work, data movement."""

import csv
from functools import cache
from pathlib import Path

from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import DType, float16, float32
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.tiling.plan import Job

DATA = tuple(Path(__file__).with_name(name) for name in ("measurements.csv", "measurements_2.csv"))
B1, B4 = chip_named("ascend910b1"), chip_named("ascend910b4")


def matmul(
    m: int, k: int, n: int, dtype: DType = float16, out: int | None = None, cold: float = 1.0, window: int = 1
) -> Job:
    """(m,k) @ (k,n) with ``out`` bytes per result; ``window`` > 1: a convolution by img2col."""
    size = dtype.itemsize
    work = Work(macs=(Macs(1, m, k, n, window),), read=(m * k // window + k * n) * size, written=m * n * (out or size))
    return Job(work, dtype, max(m * k, k * n, m * n), "cube", cold)


def elementwise(n: int, ins: int, outs: int, ops: dict[str, int], dtype: DType = float16, cold: float = 1.0) -> Job:
    """``ops`` instructions per element over ``ins`` read and ``outs`` written tensors of ``n`` elements."""
    counts = tuple((kind, n * times) for kind, times in ops.items())
    work = Work(lanes=counts, read=ins * n * dtype.itemsize, written=outs * n * dtype.itemsize)
    return Job(work, dtype, n, "vector", cold)


def convolution(
    n: int, cin: int, h: int, w: int, cout: int, kernel: int = 3, stride: int = 1, group: int = 1, out: int = 2
) -> Job:  # fmt: skip
    """A convolution of float16 images with "same" padding; ``out`` bytes per result."""
    out_h, out_w, taps = -(-h // stride), -(-w // stride), cin // group * kernel * kernel
    macs = Macs(group, n * out_h * out_w, taps, cout // group, kernel * kernel, kernel, out_w, stride, stride)
    read = 2 * (n * cin * h * w + cout * taps)
    work = Work(macs=(macs,), read=read, written=out * n * cout * out_h * out_w)
    return Job(work, float16, n * max(cin * h * w, cout * out_h * out_w), "cube", 1.0)


def attention(queries: int, keys: int, depth: int, heads: int = 1) -> Job:
    """softmax(Q K^T) V in float16 as one node: two products with rowwise work between them."""
    n = heads * queries * keys
    work = Work(
        macs=(Macs(heads, queries, depth, keys), Macs(heads, queries, keys, depth)),
        lanes=(("reduce", 2 * n), ("simple", 3 * n), ("special", n)), rows=(heads * queries, keys), passes=2,
        read=2 * heads * (queries + 2 * keys) * depth, written=2 * heads * queries * depth,
    )  # fmt: skip
    return Job(work, float16, n, "cube")


def rows(
    count: int, length: int, ops: dict[str, int], keep: bool, dtype: DType = float32, cold: float = 1.0,
    passes: int = 1, run: int = 0,
) -> Job:  # fmt: skip
    """Work on ``count`` rows; ``keep``: all elements are stored, else one per row.

    ``run``: contiguous neighbouring rows, for rows over an outer axis.
    """
    n = count * length
    counts = tuple((kind, n * times) for kind, times in ops.items())
    written = (n if keep else count) * dtype.itemsize
    work = Work((), counts, (count, length), passes, n * dtype.itemsize, written, run=run)
    return Job(work, dtype, n, "vector", cold)


def batched_matmul(b: int, m: int, k: int, n: int) -> Job:
    """A batch of ``b`` products (m,k) @ (k,n) in float16, without shared operands."""
    work = Work(macs=(Macs(b, m, k, n),), read=2 * b * (m * k + k * n), written=2 * b * m * n)
    return Job(work, float16, b * max(m * k, k * n, m * n), "cube", 1.0)


def table_gather(count: int, run: int, table: int = 1 << 24) -> Job:
    """A gather of ``count`` float32 elements from a table of ``table`` bytes, in contiguous runs of ``run``."""
    read = 4 * count + 8 * count // max(run, 1)
    work = Work(lanes=(("gather", count),), read=read, written=4 * count, run=run)
    return Job(work, float32, count, "move", 1.0, largest=table)


def transposition(count: int, run: int) -> Job:
    """A transposition of ``count`` float32 elements, in contiguous runs of ``run``."""
    lanes = () if run else (("transpose", count),)
    return Job(Work(lanes=lanes, read=4 * count, written=4 * count, run=run), float32, count, "move")


SOFTMAX = {"simple": 2, "special": 1, "reduce": 2}

# Jobs of every class of operators, small to large.
CLASSES: dict[str, list[Job]] = {
    "matmul": [matmul(s, s, s) for s in (16, 100, 512, 1536, 6144)] + [matmul(1024, 4096, 2048, float32)],
    "skinny matmul": [matmul(1, 5120, 768, float32), matmul(20, 16384, 6144), matmul(128, 1024, 30720)],
    "attention": [attention(128, 1024, 128), attention(2048, 4096, 128), attention(512, 512, 64, heads=96)],
    "grouped convolution": [
        convolution(8, 64, 56, 56, 64, group=64),
        convolution(8, 64, 56, 56, 128, stride=2, group=4),
    ],
    "real convolution": [convolution(4, 128, 8, 48, 1536), convolution(32, 64, 56, 56, 64, kernel=1)],
    "batched matmul": [batched_matmul(96, 512, 64, 512), batched_matmul(7, 100, 100, 100)],
    "unaligned rows": [matmul(1024, 1024, 4095), matmul(100, 333, 77)],
    "outer reduction": [rows(c, n, {"reduce": 1}, False, run=r) for c, n, r in ((4096, 256, 256), (64, 1 << 16, 64))],
    "outer softmax": [
        rows(c, n, SOFTMAX, True, passes=3, run=r) for c, n, r in ((4096, 64, 256), (1 << 18, 64, 1 << 14))
    ],
    "pooling": [rows(1 << 18, 9, {"reduce": 1}, False), rows(1 << 12, 4, {"reduce": 1}, False, float16)],
    "transpose": [transposition(1 << 22, 0), transposition(1 << 22, 64), transposition(1 << 14, 0)],
    "gather": [table_gather(1 << 22, 768), table_gather(1 << 14, 0), table_gather(1 << 12, 0, 1 << 14)],
    "cast": [elementwise(n, 1, 1, {"cast": 1}) for n in (1000, 1 << 22)],
    "norm": [rows(c, n, {"simple": 4, "reduce": 2}, True, passes=2) for c, n in ((8192, 768), (128, 1 << 19))],
    "convolution": [matmul(s, s * 9 // 8, s, window=9) for s in (64, 1536, 4608)],
    "elementwise": [
        elementwise(n, 2, 1, {"simple": 1}, d) for n in (10, 5000, 1 << 20, 1 << 26) for d in (float16, float32)
    ],
    "fused elementwise": [elementwise(n, 3, 1, {"simple": 6, "special": 2}, float32) for n in (999, 1 << 18, 1 << 24)],
    "copy": [elementwise(n, 1, 1, {}) for n in (100, 1 << 20, 1 << 26)],
    "reduction": [rows(c, n, {"reduce": 1}, False) for c, n in ((1, 64), (4096, 256), (128, 1 << 19), (1, 1 << 20))],
    "softmax": [rows(c, n, SOFTMAX, True, passes=3) for c, n in ((128, 10), (16, 16384), (4096, 1000), (8, 1 << 20))],
}
ALL_JOBS = [(name, job) for name, jobs in CLASSES.items() for job in jobs]
IDS = [f"{name} {job.work.macs[0][:5] if job.work.macs else job.work.rows or job.elements}" for name, job in ALL_JOBS]


@cache
def published_rows() -> tuple[dict[str, str], ...]:
    """Every row of the data files, in order."""
    return tuple(row for path in DATA for row in csv.DictReader(path.read_text("utf-8").splitlines()))


@cache
def published_values() -> dict[str, float]:
    """Published values by row id; times in microseconds."""
    return {row["id"]: float(row["value"]) * (1000 if row["unit"] == "ms" else 1) for row in published_rows()}
