"""Laws of hardware that every prediction of ``simulate()`` keeps, whatever the parameters of the chip are."""

import numpy as np
import pytest

from benchmarks.ascend.laws import (
    attention,
    column_sum,
    convolution,
    core_us,
    epilogue,
    fused_graph,
    row_sum,
    slower_chips,
    softmax,
    violations,
    with_cores,
)
from minigraph import Tensor, ops, trace
from minigraph.core.errors import UsageError
from minigraph.core.types import bfloat16, float16, float32, int32
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.simulator import simulate
from minigraph.npu.tiling.schedule import Schedule
from passes import as_pipeline

each_chip = pytest.mark.parametrize("chip", [chip_named(name) for name in sorted(CHIPS)], ids=sorted(CHIPS))


def product(m, k, n, dtype=float32):
    """A product, alone."""
    return fused_graph(ops.matmul, (m, k), (k, n), dtype=dtype)


def biased_relu(m, k, n):
    """A product in float16 to which FixPipe adds a row and which it clamps."""
    return fused_graph(lambda a, b, c: ops.relu(a @ b + c), (m, k), (k, n), (n,))


def outer_softmax(rows, columns, dtype=float16):
    """A softmax over the first axis."""
    return fused_graph(lambda x: ops.softmax(x, 0), (rows, columns), dtype=dtype)


def batched_product(b, m, k, n):
    """Products in float16, one for each entry of a batch."""
    return fused_graph(ops.bmm, (b, m, k), (b, k, n), dtype=float16)


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


def rms_norm(rows, length):
    """A norm of rows without their mean, in float32."""
    return fused_graph(lambda x, g: ops.rms_norm(x, g)[0], (rows, length), (length,), dtype=float32)


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


# ---- data paths of one core, and the addresses that several cores read --------------------------------------


def addition(chip, tile, tiles=256):
    """An addition of float16 vectors with ``tiles`` tiles on each vector core."""
    return fused_graph(ops.add, *[(chip.vector_cores * tile * tiles,)] * 2)


@each_chip
def test_loads_of_128_bytes_overlap_and_their_number_counts(chip):
    def us(chip, tile, **fields):
        return core_us(simulate(addition(chip, 64), chip=chip, schedule=Schedule(tile=tile, **fields)))

    tiny = us(chip, 64)
    assert 2 * 256 * chip.us(chip.mte2.lat) > 2 * tiny, "a load costs less than half of its latency"
    assert us(chip.replace(mte2_outstanding=1), 64) > 2.5 * tiny, "loads in flight hide it"
    assert us(chip, 64, buffers=4) == pytest.approx(tiny, rel=0.1), "not further slots of UB"
    assert us(chip, 128) == pytest.approx(tiny / 2, rel=0.05)


def test_small_transfers_and_alternating_loads_and_stores_take_longer():
    """Of one vector, from device memory: per byte, large transfers cost the same."""
    chip = chip_named("ascend910b1")
    graph = fused_graph(ops.add, *[(chip.vector_cores << 21,)] * 2)

    def us(tile, **fields):
        return core_us(simulate(graph, chip=chip, warm=False, schedule=Schedule(tile=tile, buffers=1, **fields)))

    small, large = us(4096), us(8192)
    assert 1.05 * large < small < 1.3 * large
    assert us(16384) == pytest.approx(large, rel=0.02)
    assert us(4096, alternate=True) >= small, "device memory bounds both"
    assert us(4096, alternate=True, cores=4) > us(4096, cores=4)
    slow = chip.replace(pool_gm_request=2 * chip.pool.gm_request)
    assert core_us(simulate(graph, chip=slow, warm=False, schedule=Schedule(tile=4096, buffers=1))) > 1.05 * small


@each_chip
def test_a_conversion_to_nz_costs_by_rows_and_by_loads(chip):
    m, k, n, base = 512, 2048, 512, (128, 128, 64)
    graph = fused_graph(ops.matmul, (m, k), (k, n))

    def loading(chip, step=1, ready=""):
        schedule = Schedule(base=base, step_k=step, nz_operands=ready, keep_in_l1=False, grid=(1, 1), split_k=1)
        return simulate(graph, chip=chip, schedule=schedule).queues["aic", "MTE2"].busy

    tiles, blocks = (m // 128) * (n // 128), k // 64
    per_row = loading(chip.replace(mte2_row_nz=chip.mte2.row_nz + 1)) - loading(chip)
    assert per_row == tiles * blocks * (128 + 64), "rows of a and of b"
    saved = loading(chip) - loading(chip, step=2)
    assert saved >= tiles * blocks * (chip.mte2.lat_nz - 2), "half as many loads of twice the bytes"
    assert loading(chip, ready="ab") < loading(chip, ready="b") < loading(chip)


@each_chip
def test_cores_that_read_one_address_wait_for_each_other_and_one_core_for_none(chip):
    graph = fused_graph(ops.relu, (chip.vector_cores * 65536,))

    def us(cores, shared_loads, **changes):
        schedule = Schedule(cores=cores, shared_loads=shared_loads)
        return core_us(simulate(graph, chip=chip.replace(**changes), schedule=schedule))

    assert us(1, True) == us(1, False)
    assert us(2, True) >= us(2, False) and us(chip.vector_cores, True) > us(chip.vector_cores, False)
    slow = {"pool_l2_same": chip.pool.l2_same / 16, "pool_l2_same_l1": chip.pool.l2_same_l1 / 16}
    times = [us(cores, True, **slow) for cores in sorted({2, chip.vector_cores})]
    assert times[-1] == pytest.approx(times[0], rel=0.05), "the address serves the same bytes, however many ask"
    assert times[-1] == pytest.approx(chip.vector_cores * 131072 / slow["pool_l2_same"] / 1e6, rel=0.25)


@each_chip
def test_a_kernel_may_use_all_of_ub_and_the_library_keeps_the_reserved_part(chip):
    """Double buffers of both operands and the sum."""
    fitting = chip.buf.ub // 12
    graph = addition(chip, fitting, tiles=4)

    def ub_bytes(**fields):
        return simulate(graph, chip=chip, schedule=Schedule(**fields)).rows[0].cost.parts[0].program.footprint["UB"]

    assert ub_bytes(tile=fitting) == 12 * fitting > chip.buf.ub - 12
    assert ub_bytes() <= chip.buf.ub - chip.buf.ub_reserved
    with pytest.raises(UsageError, match=f"does not fit UB; use at most {fitting}"):
        ub_bytes(tile=fitting + 1)


def test_a_schedule_with_unit_flag_keeps_it_where_two_tiles_fit_l0c():
    for base in ((128, 128, 64), (128, 256, 64)):
        graph = fused_graph(ops.matmul, (1024, 512), (512, 2048))
        report = simulate(graph, schedule=Schedule(base=base, unit_flag=True))
        (row,) = report.rows
        assert row.schedule.unit_flag and simulate(graph, schedule=row.schedule).cycles == report.cycles


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
    ("ascend310p3", batched_product(6, 16, 384, 368), batched_product(7, 16, 384, 368)),  # all grids of a batch
    ("ascend910b3", column_sum(17, 512), column_sum(17, 768)),  # strips are equal, none narrower than the least
    ("ascend910_9382", column_sum(13, 256, float32), column_sum(13, 384, float32)),
    ("ascend910b3", epilogue(64, 176, 3712), epilogue(80, 176, 3712)),  # vector tiles that overlap with the cube's
], ids=str)  # fmt: skip
def test_larger_jobs_that_were_faster_are_not(chip, smaller, larger):
    assert core_us(simulate(smaller, chip=chip)) <= 1.02 * core_us(simulate(larger, chip=chip))


@pytest.mark.parametrize("chip, sizes", [
    ("ascend950", (4, 2304, 256, 208)), ("ascend910_9382", (2, 2048, 3856, 144)),
    ("ascend910a", (1, 2304, 128, 16, bfloat16)),  # half of the cores have another even split of the row tiles
], ids=str)  # fmt: skip
def test_attention_is_not_faster_on_half_of_the_cores(chip, sizes):
    """Cores that load the same keys wait for each other, so that some kernels use half of them."""
    chip_data = chip_named(chip)
    times = [core_us(simulate(attention(*sizes), chip=chip)) for chip in (chip_data, slower_chips(chip_data)[0])]
    assert times[0] <= 1.02 * times[1]


@pytest.mark.parametrize("chip, cores, graph", [
    ("ascend910b3", 10, product(399, 1, 635, float16)),  # tiles that half of the cores share evenly
    ("ascend910b3", 19, product(399, 1, 635, float16)),  # as many rows of tiles as cores
    ("ascend910_9382", 23, biased_relu(2045, 5, 3024)),  # of a short k, a core loads rows of one operand once
    ("ascend910b4", 14, attention(3, 807, 691, 7, float32)),  # as many turns on fewer cores
    ("ascend950", 29, attention(3, 529, 2, 238)),  # two turns, of which the second overlaps
    ("ascend910b2", 21, outer_softmax(416, 7680, bfloat16)),  # as many parts of a strip on each core
    ("ascend910b4", 14, softmax(166, 3968, float32)), ("ascend910b3", 17, batched_product(44, 96, 16, 272)),
    ("ascend950", 29, column_sum(173, 9088)), ("ascend310p3", 7, column_sum(6, 59232)),
], ids=str)  # fmt: skip
def test_fewer_cores_that_were_faster_are_not(chip, cores, graph):
    chip_data = chip_named(chip)
    times = [core_us(simulate(graph, chip=device)) for device in (chip_data, with_cores(chip_data, cores))]
    assert times[0] <= 1.02 * times[1]


@pytest.mark.parametrize("chip, graph", [
    ("ascend910_9391", convolution(6, 25, 14, 38)), ("ascend950", convolution(1, 48, 48, 16)),
    ("ascend310p3", convolution(18, 32, 16, 4)), ("ascend910b4", softmax(111, 512)),
    ("ascend910_9372", attention(14, 21, 2362, 5)), ("ascend910b4", attention(25, 2944, 128, 144)),
    ("ascend910a", embedding(1309, 27, 8)), ("ascend910_9382", row_sum(2379, 1092)),
    ("ascend910_9382", rms_norm(89, 9728)), ("ascend910b2", rms_norm(221, 9344)),  # single buffers, two tiles each
], ids=str)  # fmt: skip
def test_the_engines_agree_without_heads_where_they_did_not(chip, graph):
    event, closed = (core_us(simulate(graph, chip=chip, engine=engine)) for engine in ("event", "analytic"))
    assert closed == pytest.approx(event, rel=0.03)


@pytest.mark.parametrize("chip", ["ascend910_9382", "ascend910b3"])
def test_cores_that_are_done_early_slow_no_other_core_down(chip):
    """238 or 239 tiles of rows take as long as 240 of them, five per core; requests of the last wave are no burst."""
    shorter_us, longer_us = (core_us(simulate(row_sum(rows, 1092), chip=chip)) for rows in (2379, 2400))
    assert shorter_us <= 1.001 * longer_us


@pytest.mark.parametrize("chip, graph", [
    ("ascend910_9382", softmax(94, 25984)), ("ascend910b4", softmax(111, 29952)),  # two slots make a row too long
    ("ascend910b4", attention(36, 500, 777, 64)), ("ascend950", attention(16, 333, 333, 64)),
    ("ascend950", epilogue(1489, 100, 5238, bfloat16)),  # L2 serves both halves of a kernel
    ("ascend910_9362", fused_graph(lambda x, y: x + y, (2009, 256), (256,), dtype=float32)),  # one tile for each core
    ("ascend910b1", fused_graph(lambda x, i: ops.gather(x, i.astype(int32), 0), (7872, 1792), (768,))),
], ids=str)  # fmt: skip
def test_single_buffers_that_were_faster_are_not(chip, graph):
    double, single = simulate(graph, chip=chip), simulate(graph, chip=chip, schedule=Schedule(buffers=1))
    assert core_us(double) <= 1.02 * core_us(single)


def test_random_jobs_break_no_law():
    """A larger job, fewer cores, a lower clock or single buffers are never faster; ``--laws N`` draws more pairs."""
    assert list(violations(seed=1, count=4)) == []
