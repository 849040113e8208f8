"""Metamorphic relations of ``simulate()``, laws of hardware: how often random jobs of every chip break one.

A larger job (its sizes rounded up to whole fractals, and to whole base blocks where the vendor's library takes those,
as tiles of such a product and of attention's queries compute whole blocks) is never faster, nor is a job on
fewer cores or at a lower clock, nor with single buffers instead of double ones; both engines agree within 5 %; no
prediction is under its own roofline bound.
"""

import random
from collections.abc import Callable, Iterator
from functools import cache
from math import gcd
from typing import Any, NamedTuple

from benchmarks.ascend.networks import placeholder
from minigraph import Graph, Tensor, ops, trace
from minigraph.core.types import DType, bfloat16, float16, float32, int32
from minigraph.npu import Report, Schedule, simulate
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.tiling.cube_blocks import LARGE_BLOCKS
from passes import as_pipeline

TOLERANCE, MAX_ENGINE_DIFFERENCE = 0.02, 0.05  # relative
FRACTAL_ROWS = 16
GROWTH_FACTORS = (1.25, 1.5, 2, 3)
LAWS = ("larger job", "half of the cores", "fewer cores", "lower clock", "single buffers", "roofline", "engines")


class Violation(NamedTuple):
    """A broken law: its name, the excess, the chip and the job."""

    law: str
    excess: float
    chip: str
    job: str


def chain(n: int, adds: int, exponentials: int) -> Graph:
    """The graph of one elementwise kernel of ``n`` elements."""

    def kernel(x, y):
        for _ in range(adds):
            x = x + y
        for _ in range(exponentials):
            x = x.exp()
        return x

    graph = trace(kernel, placeholder(n, dtype=float16), placeholder(n, dtype=float16))
    as_pipeline("fuse_elementwise,dce").run(graph)
    return graph


def attention(heads: int, queries: int, keys: int, depth: int, dtype: DType = float16) -> Graph:
    """The graph of one attention kernel."""
    sides = ((heads, queries, depth), (heads, keys, depth), (heads, keys, depth))
    return fused_graph(ops.scaled_dot_product_attention, *sides, dtype=dtype)


def epilogue(m: int, k: int, n: int, dtype: DType = float16) -> Graph:
    """The graph of a product whose results a vector unit processes: one MIX kernel."""
    return fused_graph(lambda a, b: ops.gelu(a @ b), (m, k), (k, n), dtype=dtype)


def convolution(images: int, channels: int, filters: int, side: int, dtype: DType = float16) -> Graph:
    """The graph of a 3 x 3 convolution of square images."""
    shapes = (images, channels, side, side), (filters, channels, 3, 3)
    return fused_graph(lambda x, w: ops.conv2d(x, w, pad_mode="same"), *shapes, dtype=dtype)


def softmax(rows: int, length: int, dtype: DType = float16) -> Graph:
    """The graph of a softmax over rows."""
    return fused_graph(lambda x: ops.softmax(x), (rows, length), dtype=dtype)


def row_sum(rows: int, columns: int, dtype: DType = float16) -> Graph:
    """The graph of a sum over the last axis."""
    return fused_graph(lambda x: ops.sum(x, 1), (rows, columns), dtype=dtype)


def column_sum(rows: int, columns: int, dtype: DType = float16) -> Graph:
    """The graph of a sum over the first axis."""
    return fused_graph(lambda x: ops.sum(x, 0), (rows, columns), dtype=dtype)


def fused_graph(function: Callable[..., Tensor], *shapes: tuple[int, ...], dtype: DType = float16) -> Graph:
    """The graph of a function of tensors, fused as the vendor's library does."""
    graph = trace(function, *(placeholder(*shape, dtype=dtype) for shape in shapes))
    as_pipeline("cann").run(graph)
    return graph


class JobKind(NamedTuple):
    """A kind of job: its name, its graph, and for each size a unit and bounds as powers of two.

    The last ``fixed_sizes`` sizes are not changed. The width of an image is one: by the vendor's table, blocks that
    span fewer of its rows are moved faster. ``product_sizes``: which sizes are m and n of a matrix product.
    """

    name: str
    graph: Callable[..., Graph]
    sizes: tuple[tuple[int, float, float], ...]
    fixed_sizes: int = 0
    product_sizes: tuple[int, ...] = ()


def job_kind(
    name: str, function: Callable[..., Tensor], shapes: Callable[..., tuple], *sizes: tuple, **fields: Any
) -> JobKind:
    """The kind of jobs that compute a function of tensors whose ``shapes`` follow from the sizes."""
    return JobKind(name, lambda *n, dtype: fused_graph(function, *shapes(*n), dtype=dtype), sizes, **fields)


def same_conv2d(x: Tensor, w: Tensor, **options: int) -> Tensor:
    """A convolution with "same" padding."""
    return ops.conv2d(x, w, pad_mode="same", **options)


# sizes: a unit and the log2 of the least and the greatest number of units
ROWS, SIDE, IMAGES, CHANNELS = (1, 0, 12), (16, 0, 12.5), (1, 0, 5), (16, 0, 9)
JOB_KINDS = (
    job_kind("product", ops.matmul, lambda m, k, n: ((m, k), (k, n)), SIDE, SIDE, SIDE, product_sizes=(0, 2)),
    job_kind("batched product", ops.matmul, lambda b, m, k, n: ((b, m, k), (b, k, n)), (1, 0, 7), *[(16, 0, 9)] * 3,
             product_sizes=(1, 3)),
    job_kind("shared weights", ops.matmul, lambda b, m, k, n: ((b, m, k), (k, n)), IMAGES, *[(16, 0, 9)] * 3,
             product_sizes=(1, 3)),
    job_kind("vector by matrix", ops.matmul, lambda k, n: ((1, k), (k, n)), (16, 0, 15), (16, 0, 15)),
    job_kind("product and softmax", lambda a, b: ops.softmax(a @ b), lambda m, k, n: ((m, k), (k, n)),
             *[(16, 0, 11)] * 2, (16, 0, 14), product_sizes=(0, 2)),
    job_kind("product, bias, relu", lambda a, b, c: ops.relu(a @ b + c), lambda m, k, n: ((m, k), (k, n), (n,)),
       *[SIDE] * 3, product_sizes=(0, 2)),
    JobKind("epilogue", epilogue, (SIDE,) * 3, product_sizes=(0, 2)),
    JobKind("attention", attention, (IMAGES, (128, 0, 12), (16, 0, 15), (16, 0, 8))),
    JobKind("convolution", convolution, (IMAGES, CHANNELS, CHANNELS, (1, 0, 7)), 1),
    job_kind("1 x 1 convolution", same_conv2d, lambda b, c, f, s: ((b, c, s, s), (f, c, 1, 1)),
         IMAGES, *[CHANNELS] * 2, (1, 0, 6), fixed_sizes=1),
    job_kind("7 x 7 convolution", lambda x, w: same_conv2d(x, w, stride=2),
         lambda b, f, s: ((b, 3, 2 * s, 2 * s), (f, 3, 7, 7)), IMAGES, (16, 0, 8), (1, 2, 6), fixed_sizes=1),
    JobKind("softmax", softmax, (ROWS, (16, 0, 19))), JobKind("column sum", column_sum, (ROWS, (16, 0, 14))),
    job_kind("outer softmax", lambda x: ops.softmax(x, 0), lambda n, m: ((n, m),), ROWS, (16, 0, 13)),
    job_kind("layer norm", lambda x, g, b: ops.layer_norm(x, x.shape[1:], g, b), lambda n, m: ((n, m), (m,), (m,)),
             ROWS, (16, 0, 19)),
    JobKind("row sum", row_sum, (ROWS, (16, 0, 17))),
    job_kind("sum", ops.sum, lambda n: ((n,),), (16, 0, 27)),
    job_kind("transposition", lambda x: ops.transpose(x, (0, 2, 1)) + 1, lambda b, m, n: ((b, m, n),), IMAGES,
       *[(16, 0, 12)] * 2),
    job_kind("pooling", lambda x: ops.max_pool2d(x, 2, 2), lambda b, c, s: ((b, c, 2 * s, 2 * s),), *[IMAGES] * 3),
    job_kind("addition of a row", lambda x, y: x + y, lambda n, m: ((n, m), (m,)), ROWS, (16, 0, 15)),
    job_kind("cast", lambda x: x.astype(float32) * 2, lambda n: ((n,),), (16, 0, 27)),
    job_kind("concatenation", lambda x, y: ops.concat((x, y)), lambda a, b, n: ((a, n), (b, n)), *[(1, 0, 9)] * 2,
       (16, 0, 14)),
    job_kind("embedding", lambda x, i: ops.gather(x, i.astype(int32), 0), lambda v, t, n: ((v, n), (t,)), (16, 0, 18),
       (16, 0, 15), (16, 0, 15)),
)  # fmt: skip
DTYPES = (float16, float16, float32, bfloat16)


def pairs(seed: int, count: int) -> Iterator[tuple[Chip, str, Graph, Graph, Graph]]:
    """``count`` random jobs for every chip: graphs of any sizes, of the sizes rounded up, and of a larger one."""
    rng, names = random.Random(seed), sorted(CHIPS)
    for number in range(count * len(names)):
        chip, factor, dtype = chip_named(names[number % len(names)]), rng.choice(GROWTH_FACTORS), rng.choice(DTYPES)
        if rng.random() < 0.8:
            kind = rng.choice(JOB_KINDS)
            drawn_sizes = [max(1, int(2 ** rng.uniform(low, high))) for _, low, high in kind.sizes]
            units = [unit for unit, _, _ in kind.sizes]
            if kind.fixed_sizes:  # a fractal has 16 pixels of all images, so that of small ones it needs several
                units[0] = FRACTAL_ROWS // gcd(FRACTAL_ROWS, drawn_sizes[-1] ** 2)
            sizes = [_round_up(size, unit) for size, unit in zip(drawn_sizes, units, strict=True)]
            if _takes_library_blocks(kind, sizes, chip, dtype):
                for product_axis in kind.product_sizes:
                    units[product_axis] = max(max(block) for block in LARGE_BLOCKS)
                sizes = [_round_up(size, unit) for size, unit in zip(sizes, units, strict=True)]
            larger, axis = list(sizes), rng.randrange(len(sizes) - kind.fixed_sizes)
            larger[axis] = _round_up(max(sizes[axis] * factor, sizes[axis] + 1), units[axis])
            graph_sizes = rng.choice((drawn_sizes, sizes))
            job = f"{kind.name} {dtype.name} {graph_sizes}, {sizes} and {larger}"
            graphs = (kind.graph(*n, dtype=dtype) for n in (graph_sizes, sizes, larger))
            yield chip, job, *graphs
        else:
            n, counts = _round_up(2 ** rng.uniform(6, 25), FRACTAL_ROWS), (rng.randrange(1, 6), rng.randrange(3))
            graph = chain(n, *counts)
            yield chip, f"chain {counts} of {n}", graph, graph, chain(_round_up(n * factor, FRACTAL_ROWS), *counts)


def _takes_library_blocks(kind: JobKind, sizes: list[int], chip: Chip, dtype: DType) -> bool:
    """Whether a job's product is tiled in the large base blocks of the vendor's library."""
    if not kind.product_sizes:
        return False
    report = simulate(kind.graph(*sizes, dtype=dtype), chip=chip, engine="analytic")
    return any((plan.bm, plan.bn) in LARGE_BLOCKS for row in report.rows for plan in row.cost.layout.cube)


def violations(seed: int, count: int) -> Iterator[Violation]:
    """Every broken law of ``count`` random pairs of jobs on every chip."""
    rng = random.Random(seed)
    for chip, job, graph, rounded, larger in pairs(seed, count):
        report = simulate(graph, chip=chip)
        half_cores, slow_clock = slower_chips(chip)
        slower = {
            "half of the cores": simulate(graph, chip=half_cores),
            "fewer cores": simulate(graph, chip=with_cores(chip, rng.randrange(1, chip.cores.aic))),
            "lower clock": simulate(graph, chip=slow_clock),
            "single buffers": simulate(graph, chip=chip, schedule=Schedule(buffers=1)),
        }
        excesses = {law: core_us(report) / core_us(other) - 1 for law, other in slower.items()}
        excesses["larger job"] = core_us(simulate(rounded, chip=chip)) / core_us(simulate(larger, chip=chip)) - 1
        excesses["roofline"] = TOLERANCE * any(row.cost.cycles < row.cost.bound for row in report.rows) * 2
        analytic_report = simulate(graph, chip=chip, engine="analytic")
        excesses["engines"] = abs(core_us(analytic_report) / core_us(report) - 1) - MAX_ENGINE_DIFFERENCE + TOLERANCE
        yield from (Violation(law, excess, chip.name, job) for law, excess in excesses.items() if excess > TOLERANCE)


@cache
def slower_chips(chip: Chip) -> tuple[Chip, Chip]:
    """The chip with half of its cores, and at a lower clock."""
    return with_cores(chip, chip.cores.aic // 2), chip.replace(cores_freq_mhz=chip.cores.freq_mhz * 0.8)


@cache
def with_cores(chip: Chip, cube_cores: int) -> Chip:
    """The chip with another number of cube cores, and as many vector cores for each of them."""
    vector_cores = chip.cores.aiv * cube_cores // chip.cores.aic
    return chip.replace(cores_aic=cube_cores, **{"cores_aiv": vector_cores} if vector_cores else {})


def core_us(report: Report) -> float:
    """Microseconds of all kernels without the heads of plain ones; a MIX kernel's extra counts."""
    extra = sum(row.cost.head_us - row.chip.task.head_us for row in report.rows)
    return sum(row.chip.us(row.cost.cycles) for row in report.rows) + extra


def _round_up(size: float, unit: int) -> int:
    return -(-int(size) // unit) * unit
