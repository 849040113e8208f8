"""Laws of hardware on random jobs of every chip: how often a prediction of ``simulate()`` breaks one.

A larger job (its sizes rounded up to whole cubes, repeats or blocks) is never faster, nor is a job on half of the cores
or at a lower clock, nor with single buffers instead of double ones; both engines agree within 5 %; no prediction is
under its own roofline bound.
"""

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from benchmarks.ascend.networks import placeholder
from minigraph import Graph, Tensor, ops, trace
from minigraph.core.types import float16
from minigraph.npu import Report, Schedule, simulate
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import CHIPS, chip_named
from passes import as_pipeline

TOLERANCE, MAX_ENGINE_DIFFERENCE = 0.02, 0.05  # relative
GROWTH = (1.25, 1.5, 2, 3)
LAWS = ("larger job", "half of the cores", "lower clock", "single buffers", "roofline", "engines")


class Violation(NamedTuple):
    """A broken law: its name, the excess, the chip and the job."""

    law: str
    excess: float
    chip: str
    job: str


def product(m: int, k: int, n: int) -> Graph:
    """The graph of an (m,k) @ (k,n) product."""
    return trace(lambda a, b: a @ b, placeholder(m, k, dtype=float16), placeholder(k, n, dtype=float16))


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


def attention(heads: int, queries: int, keys: int, depth: int) -> Graph:
    """The graph of one attention kernel."""
    sides = ((heads, queries, depth), (heads, keys, depth), (heads, keys, depth))
    return fused(ops.scaled_dot_product_attention, *sides)


def epilogue(m: int, k: int, n: int) -> Graph:
    """The graph of a product whose results a vector unit processes: one MIX kernel."""
    return fused(lambda a, b: ops.gelu(a @ b), (m, k), (k, n))


def convolution(images: int, channels: int, filters: int, side: int) -> Graph:
    """The graph of a 3 x 3 convolution of square images."""
    shapes = (images, channels, side, side), (filters, channels, 3, 3)
    return fused(lambda x, w: ops.conv2d(x, w, pad_mode="same"), *shapes)


def softmax(rows: int, length: int) -> Graph:
    """The graph of a softmax over rows."""
    return fused(lambda x: ops.softmax(x), (rows, length))


def column_sum(rows: int, columns: int) -> Graph:
    """The graph of a sum over the first axis."""
    return fused(lambda x: ops.sum(x, 0), (rows, columns))


def fused(function: Callable[..., Tensor], *shapes: tuple[int, ...]) -> Graph:
    """The graph of a function of float16 tensors, fused as the vendor's library does."""
    graph = trace(function, *(placeholder(*shape, dtype=float16) for shape in shapes))
    as_pipeline("cann").run(graph)
    return graph


class Kind(NamedTuple):
    """A kind of job: its graph, for each size a unit, and bounds as powers of two; ``kept``: the number of last sizes
    that are not changed.

    The width of an image is one: by the vendor's table, blocks that span fewer of its rows are moved faster.
    """

    graph: Callable[..., Graph]
    sizes: tuple[tuple[int, float, float], ...]
    kept: int = 0


KINDS = (
    Kind(product, ((16, 4, 12.5),) * 3), Kind(product, ((16, 4, 12.5),) * 3),
    Kind(attention, ((1, 0, 5), (128, 4, 12), (16, 4, 12), (16, 4, 8))), Kind(epilogue, ((16, 4, 12),) * 3),
    Kind(convolution, ((1, 0, 5), (16, 4, 9), (16, 4, 9), (2, 2, 7)), 1), Kind(softmax, ((1, 0, 12), (128, 7, 16))),
    Kind(column_sum, ((1, 0, 12), (512, 7, 14))),
)  # fmt: skip


def pairs(seed: int, count: int) -> Iterator[tuple[Chip, str, Graph, Graph]]:
    """Random chips and pairs of graphs, of which the second one has more work."""
    rng, names = random.Random(seed), sorted(CHIPS)
    for number in range(count):
        chip, factor = chip_named(names[number % len(names)]), rng.choice(GROWTH)
        if rng.random() < 0.7:
            kind = rng.choice(KINDS)
            sizes = [_round_up(2 ** rng.uniform(low, high), unit) for unit, low, high in kind.sizes]
            larger, axis = list(sizes), rng.randrange(len(sizes) - kind.kept)
            larger[axis] = _round_up(sizes[axis] * factor, kind.sizes[axis][0])
            yield chip, f"{kind.graph.__name__} {sizes} and {larger}", kind.graph(*sizes), kind.graph(*larger)
        else:
            n, kinds = _round_up(2 ** rng.uniform(6, 25), 128), (rng.randrange(1, 6), rng.randrange(3))
            yield chip, f"chain {kinds} of {n}", chain(n, *kinds), chain(_round_up(n * factor, 128), *kinds)


def violations(seed: int, count: int) -> Iterator[Violation]:
    """Every broken law of ``count`` random pairs."""
    for chip, job, graph, larger in pairs(seed, count):
        report = simulate(graph, chip=chip)
        half, slow = slower_chips(chip)
        slower = {
            "larger job": simulate(larger, chip=chip),
            "half of the cores": simulate(graph, chip=half),
            "lower clock": simulate(graph, chip=slow),
            "single buffers": simulate(graph, chip=chip, schedule=Schedule(buffers=1)),
        }
        excesses = {law: core_us(report) / core_us(other) - 1 for law, other in slower.items()}
        excesses["roofline"] = TOLERANCE * any(row.cost.cycles < row.cost.bound for row in report.rows) * 2
        closed = simulate(graph, chip=chip, engine="analytic")
        excesses["engines"] = abs(core_us(closed) / core_us(report) - 1) - MAX_ENGINE_DIFFERENCE + TOLERANCE
        yield from (Violation(law, excess, chip.name, job) for law, excess in excesses.items() if excess > TOLERANCE)


@cache
def slower_chips(chip: Chip) -> tuple[Chip, Chip]:
    """The chip with half of its cores, and at a lower clock."""
    half = {"cores_aic": max(1, chip.cores.aic // 2)}
    if chip.cores.aiv:
        half["cores_aiv"] = max(1, chip.cores.aiv // 2)
    return chip.replace(**half), chip.replace(cores_freq_mhz=chip.cores.freq_mhz * 0.8)


def core_us(report: Report) -> float:
    """Microseconds of all kernels from their first instructions to their last, without head overheads."""
    return sum(row.chip.us(row.cost.cycles) for row in report.rows)


def _round_up(size: float, unit: int) -> int:
    return -(-int(size) // unit) * unit
