"""Instruction costs compared with the vendor's documented values."""

import pytest

from benchmarks.ascend.jobs import B1
from minigraph.core.types import float16, float32, int8
from minigraph.npu.tiling import costs


@pytest.mark.parametrize("dtype, expected, width", [(float16, 512, 2), (float32, 2048, 4), (int8, 256, 2)])
def test_mmad_is_start_up_plus_whole_cubes_and_registers_have_a_width(dtype, expected, width):
    assert costs.mmad(B1, dtype, 128, 64, 256) == expected + B1.cube.head
    assert costs.vector_width(dtype) == width


def test_mmad_pads_every_side_peaks_as_published_and_takes_three_products_without_float32():
    smallest = costs.mmad(B1, float16, 16, 16, 16)
    assert costs.mmad(B1, float16, 1, 1, 1) == smallest
    assert costs.mmad(B1, float16, 17, 16, 16) - B1.cube.head == 2
    peak = 2 * B1.cores.aic * costs.macs_per_cycle(B1, float16) * B1.hz / 1e12
    assert peak == pytest.approx(364, abs=1)
    without = B1.replace(cube_k_f32=0)
    assert costs.mmad(without, float32, 16, 16, 16) == 3 * smallest


def test_img2col_slows_with_the_output_rows_of_a_block():
    times = [costs.mte1_a(B1, 16384, 9, 1, rows) for rows in (1, 2, 4, 30)]
    assert times == sorted(times)
    assert (times[0], times[-1]) == (50 + 16384 // 256, 50 + 16384 // 32)  # the latter is the documented floor


RATES = [(1, 1, 256), (1, 2, 128), (1, 4, 512 / 6), (2, 1, 128), (2, 2, 512 / 6), (4, 1, 64), (3, 1, 32)]


@pytest.mark.parametrize("stride, rows, rate", RATES)
def test_the_img2col_rate_is_the_documented_one(stride, rows, rate):
    assert costs.img2col_rate(B1, stride, rows) == pytest.approx(rate)


def test_nd2nz_loads_have_a_longer_latency_and_are_serialized():
    plain, converted = costs.load_path(B1, 0.0, "l1"), costs.load_path(B1, 0.0, "l1", nd2nz_rows=100)
    assert (plain.latency, converted.latency) == (190, 500)
    assert (plain.serialized, converted.serialized) == (False, True)
    assert plain.rate == converted.rate == pytest.approx(170)
    assert costs.load_path(B1, 1.0, "l1", nd2nz_rows=100).latency > converted.latency


def test_unaligned_rows_cost_cycles_each_and_strided_rows_bandwidth():
    assert costs.misalignment_penalty(B1, 512, 8192) == costs.stride_penalty(B1, 0) == 0
    unaligned, strided = costs.misalignment_penalty(B1, 512, 8190), costs.stride_penalty(B1, 512)
    assert 512 / costs.load_path(B1, 0.0, "l1", 100, unaligned).rate == pytest.approx(512 / 170 + B1.mte2.row_odd)
    assert costs.load_path(B1, 0.0, "ub", 0, strided).rate == pytest.approx(126 * 512 / 665)


def test_same_address_loads_get_less_l2_bandwidth_and_write_only_traffic_is_faster():
    separate, two, same = (costs.load_path(B1, 0.0, "ub", streams=streams) for streams in (0, 2, 1))
    assert same.l2 / separate.l2 == pytest.approx(B1.pool.l2 / B1.pool.l2_same) and same.l2 == 2 * two.l2
    into_l1 = costs.load_path(B1, 0.0, "l1", streams=1)
    assert into_l1.l2 / separate.l2 == pytest.approx(B1.pool.l2 / B1.pool.l2_same_l1)
    write_only, mixed = costs.store_path(B1, 0.0, read_ratio=0.0), costs.store_path(B1, 0.0)
    assert mixed.gm / write_only.gm == pytest.approx(B1.pool.gm_write / B1.pool.gm)


@pytest.mark.parametrize("into", ["l1", "ub"])
def test_misses_are_slower_and_reach_device_memory(into):
    paths = [costs.load_path(B1, miss, into) for miss in (0.0, 0.5, 1.0)]
    assert [path.device for path in paths] == [0.0, 0.5, 1.0]
    assert paths[0].rate > paths[1].rate > paths[2].rate
    assert paths[0].latency < paths[1].latency < paths[2].latency
    assert paths[0].gm == 0 < paths[1].gm < paths[2].gm
    assert paths[0].l2 == paths[2].l2


def test_absorbed_stores_do_not_reach_device_memory_and_fixpipe_is_bound_by_elements_or_bytes():
    assert (costs.store_path(B1, 1.0).gm, costs.store_path(B1, 0.0).device) == (0, 1.0)
    assert [costs.absorbed_by_l2(B1, size) for size in (0, 2 * B1.buf.l2)] == [1.0, 0.5]
    assert [costs.fixp_path(B1, item, 1.0).rate for item in (1, 4)] == [64, 86]


def test_a_vector_instruction_is_start_up_and_repeats():
    op = costs.VectorOp
    assert costs.vector_op(B1, op("simple", 128), 2) == 20 + 1
    assert costs.vector_op(B1, op("simple", 129), 2) == 20 + 2
    assert costs.vector_op(B1, op("special", 64), 4) == 20 + 2
    assert costs.vector_op(B1, op("simple", 10240), 2, conflict=True) == 20 + 160
    assert costs.vector_op(B1, op("simple", 64, times=3, chain=True), 4) == 3 * (35 + 1)
