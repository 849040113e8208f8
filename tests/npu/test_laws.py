"""Laws of hardware that every prediction of ``simulate()`` keeps, whatever the figures of the chip are."""

import numpy as np
import pytest

from benchmarks.ascend.laws import (
    attention,
    column_sum,
    convolution,
    core_us,
    epilogue,
    fused_graph,
    slower_chips,
    softmax,
    violations,
)
from minigraph import Tensor, ops, trace
from minigraph.core.types import bfloat16, float16, float32, int32
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.simulator import simulate
from minigraph.npu.tiling.schedule import Schedule
from passes import as_pipeline

each_chip = pytest.mark.parametrize("chip", [chip_named(name) for name in sorted(CHIPS)], ids=sorted(CHIPS))


def product(m, k, n, dtype=float32):
    """A product, alone."""
    return fused_graph(ops.matmul, (m, k), (k, n), dtype=dtype)


def stem(images, filters, side):
    """A 7 x 7 convolution of color images."""
    return fused_graph(lambda x, w: ops.conv2d(x, w, pad_mode="same", stride=2), (images, 3, side, side),
                       (filters, 3, 7, 7))  # fmt: skip


def pointwise(images, channels, filters, side):
    """A 1 x 1 convolution in float32."""
    return fused_graph(ops.conv2d, (images, channels, side, side), (filters, channels, 1, 1), dtype=float32)


def layer_norm(rows, length, dtype=float16):
    """A norm of rows with a scale and an offset."""
    return fused_graph(lambda x, g, b: ops.layer_norm(x, (length,), g, b), (rows, length), (length,), (length,),
                       dtype=dtype)  # fmt: skip


def embedding(words, count, width):
    """Rows of a table."""
    return fused_graph(lambda x, i: ops.gather(x, i.astype(int32), 0), (words, width), (count,), dtype=float32)


def streaming_add(nbytes):
    """An addition whose three tensors have this many bytes together."""
    x = Tensor(np.zeros(int(nbytes) // 6, np.float16))
    assert x.dtype is float16
    return trace(lambda x, y: x + y, x, Tensor(x.asnumpy()))


def slower_memory(chip):
    return chip.replace(**{f"pool_{name}": getattr(chip.pool, name) / 2 for name in ("gm", "gm_write", "gm_roof")})


@each_chip
def test_streaming_twice_the_l2_hits_nothing_and_is_bound_by_device_memory(chip):
    graph = streaming_add(2 * chip.buf.l2)
    report = simulate(graph, chip=chip)
    assert report.bytes["GM"] == pytest.approx(2 * chip.buf.l2, rel=0.01)
    assert simulate(graph, chip=slower_memory(chip)).us / report.us == pytest.approx(2, rel=0.1)


@each_chip
def test_streaming_half_of_the_l2_hits_and_leaves_device_memory_alone(chip):
    graph = streaming_add(chip.buf.l2 / 2)
    report = simulate(graph, chip=chip)
    assert report.bytes["GM"] == 0 and simulate(graph, chip=slower_memory(chip)).us == report.us
    assert simulate(graph, chip=chip, warm=False).us > report.us


def gelu_of_product(x, w):
    return ops.gelu(x @ w + 1.0) * 2.0


def test_eager_mode_launches_every_operator_of_the_captured_function():
    x, w = Tensor(np.ones((64, 64), np.float32)), Tensor(np.ones((64, 64), np.float32))
    report, captured = simulate(gelu_of_product, x, w), trace(gelu_of_product, x, w)
    launches = simulate(captured)
    assert len(report.rows) < len(launches.rows) == len(report.eager.rows) == len(report.host("eager"))
    assert report.eager_us == launches.eager_us > report.graph_us and len(report.host("graph")) == len(report.rows)


def test_fusions_of_an_optimised_graph_are_undone_and_later_passes_change_nothing():
    x = Tensor(np.ones((64, 64), np.float32))
    graph = trace(lambda x: (x.exp() + 1.0).tanh(), x)
    launches = len(simulate(graph).rows)
    as_pipeline("fuse_elementwise,dce").run(graph)
    report = simulate(graph)
    as_pipeline("unfuse").run(graph)
    assert (len(report.rows), len(report.eager.rows), launches) == (1, 3, 3)


@each_chip
def test_an_embedding_costs_as_much_in_a_larger_table(chip):
    def embedding(words):
        return fused_graph(lambda x, i: ops.gather(x, i.astype(int32), 0), (words, 256), (640,))

    small, large = (core_us(simulate(embedding(words), chip=chip)) for words in (832, 1664))
    assert small == large


@pytest.mark.parametrize("chip, smaller, larger", [
    ("ascend910_9362", epilogue(2832, 64, 96), epilogue(3552, 64, 96)),  # cube and vector cores overlap tile by tile
    ("ascend950", attention(24, 1888, 48, 64), attention(24, 1888, 64, 64)),  # blocks of each product's own columns
    ("ascend310p3", attention(1, 384, 32, 96), attention(1, 1152, 32, 96)),  # tiles of 128 rows on coupled cores, too
    ("ascend910_9372", column_sum(10, 3968), column_sum(10, 4992)),  # strips of the least width are tried
    ("ascend910b1", attention(16, 333, 333, 64), attention(16, 336, 336, 64)),  # keys are read by rows of a head
    ("ascend910_9382", product(3120, 16, 256), product(3120, 16, 320)),  # whole blocks in more tiles
    ("ascend950", product(1040, 16, 1600, bfloat16), product(1040, 16, 2000, bfloat16)),  # even grids
    ("ascend910_9372", layer_norm(1, 11008), layer_norm(2, 11008)),  # each core loads the scale and the offset
    ("ascend910b3", layer_norm(39, 10368, float32), layer_norm(48, 10368, float32)),  # one core per row
    ("ascend950", pointwise(5, 208, 16, 2), pointwise(10, 208, 16, 2)),  # two k blocks, of which MTE1 copies one ahead
    ("ascend310p3", stem(9, 128, 44), stem(9, 256, 44)),  # blocks that span fewer rows of the image
    ("ascend910b3", epilogue(64, 176, 3712), epilogue(80, 176, 3712)),  # vector tiles that overlap with the cube's
], ids=str)  # fmt: skip
def test_larger_jobs_that_were_faster_are_not(chip, smaller, larger):
    assert core_us(simulate(smaller, chip=chip)) <= 1.02 * core_us(simulate(larger, chip=chip))


@pytest.mark.parametrize("chip, sizes", [
    ("ascend950", (4, 2304, 256, 208)), ("ascend910_9382", (2, 2048, 3856, 144)),
], ids=str)  # fmt: skip
def test_attention_is_not_faster_on_half_of_the_cores(chip, sizes):
    """Cores that load the same keys wait for each other, so that some kernels use half of them."""
    whole = chip_named(chip)
    times = [core_us(simulate(attention(*sizes), chip=one)) for one in (whole, slower_chips(whole)[0])]
    assert times[0] <= 1.02 * times[1]


@pytest.mark.parametrize("chip, graph", [
    ("ascend910_9391", convolution(6, 25, 14, 38)), ("ascend950", convolution(1, 48, 48, 16)),
    ("ascend310p3", convolution(18, 32, 16, 4)), ("ascend910b4", softmax(111, 512)),
    ("ascend910_9372", attention(14, 21, 2362, 5)), ("ascend910b4", attention(25, 2944, 128, 144)),
    ("ascend910a", embedding(1309, 27, 8)),
], ids=str)  # fmt: skip
def test_the_engines_agree_without_heads_where_they_did_not(chip, graph):
    event, closed = (core_us(simulate(graph, chip=chip, engine=engine)) for engine in ("event", "analytic"))
    assert closed == pytest.approx(event, rel=0.03)


@pytest.mark.parametrize("chip, graph", [
    ("ascend910_9382", softmax(94, 25984)), ("ascend910b4", softmax(111, 29952)),  # two slots make a row too long
    ("ascend910b4", attention(36, 500, 777, 64)), ("ascend950", attention(16, 333, 333, 64)),
    ("ascend950", epilogue(1489, 100, 5238, bfloat16)),  # L2 serves both halves of a kernel
], ids=str)  # fmt: skip
def test_single_buffers_that_were_faster_are_not(chip, graph):
    double, single = simulate(graph, chip=chip), simulate(graph, chip=chip, schedule=Schedule(buffers=1))
    assert core_us(double) <= 1.02 * core_us(single)


def test_random_jobs_break_no_law():
    """A larger job, fewer cores, a lower clock or single buffers are never faster; ``--laws N`` draws more pairs."""
    assert list(violations(seed=1, count=48)) == []
