"""The formulas of single instructions against the vendor's documented figures."""

import pytest

from benchmarks.ascend.jobs import B1
from minigraph.core.types import float16, float32, int8
from minigraph.npu.tiling import costs


@pytest.mark.parametrize("dtype, expected, width", [(float16, 512, 2), (float32, 2048, 4), (int8, 256, 2)])
def test_mmad_is_whole_cubes_after_a_head_and_registers_have_a_width(dtype, expected, width):
    assert costs.mmad(B1, dtype, 128, 64, 256) == expected + B1.cube.head
    assert costs.vector_width(dtype) == width


def test_mmad_pads_every_side_peaks_as_published_and_takes_three_products_without_float32():
    one = costs.mmad(B1, float16, 16, 16, 16)
    assert costs.mmad(B1, float16, 1, 1, 1) == one
    assert costs.mmad(B1, float16, 17, 16, 16) - B1.cube.head == 2
    peak = 2 * B1.cores.aic * costs.macs_per_cycle(B1, float16) * B1.hz / 1e12
    assert peak == pytest.approx(364, abs=1)
    without = B1.changed(cube_k_f32=0)
    assert costs.mmad(without, float32, 16, 16, 16) == 3 * one


def test_loading_for_a_convolution_slows_with_the_rows_it_spans():
    times = [costs.mte1_a(B1, 16384, 9, 1, spans) for spans in (1, 2, 4, 30)]
    assert times == sorted(times)
    assert (times[0], times[-1]) == (50 + 16384 // 256, 50 + 16384 // 32)  # the latter is the documented floor


RATES = [(1, 1, 256), (1, 2, 128), (1, 4, 512 / 6), (2, 1, 128), (2, 2, 512 / 6), (4, 1, 64), (3, 1, 32)]


@pytest.mark.parametrize("stride, rows, rate", RATES)
def test_the_rate_of_a_window_is_the_documented_one(stride, rows, rate):
    assert costs.img2col_rate(B1, stride, rows) == pytest.approx(rate)


def test_rows_turned_into_cube_format_wait_and_do_not_overlap():
    plain, turned = costs.load_path(B1, 0.0, "l1"), costs.load_path(B1, 0.0, "l1", turned=True)
    assert (plain.latency, turned.latency) == (190, 600)
    assert (plain.alone, turned.alone) == (False, True)
    assert plain.rate == turned.rate == pytest.approx(170)
    assert costs.load_path(B1, 1.0, "l1", turned=True).latency > turned.latency


def test_rows_at_odd_addresses_lose_cycles_each_and_those_that_lie_apart_rate():
    assert costs.drag_of_odd_rows(B1, 512, 8192) == costs.drag_of_rows_apart(B1, 0) == 0
    odd, apart = costs.drag_of_odd_rows(B1, 512, 8190), costs.drag_of_rows_apart(B1, 512)
    assert 512 / costs.load_path(B1, 0.0, "l1", True, odd).rate == pytest.approx(512 / 170 + B1.mte2.row_odd)
    assert costs.load_path(B1, 0.0, "ub", False, apart).rate == pytest.approx(126 * 512 / 665)


def test_all_cores_at_the_same_addresses_get_less_of_l2_and_what_is_only_written_goes_faster():
    apart, together = (costs.load_path(B1, 0.0, "ub", together=same) for same in (False, True))
    assert together.l2 / apart.l2 == pytest.approx(B1.pool.l2 / B1.pool.l2_same)
    only, mixed = costs.store_path(B1, 0.0, reads=0.0), costs.store_path(B1, 0.0)
    assert mixed.gm / only.gm == pytest.approx(B1.pool.gm_write / B1.pool.gm)


@pytest.mark.parametrize("into", ["l1", "ub"])
def test_misses_are_slower_and_reach_device_memory(into):
    ways = [costs.load_path(B1, miss, into) for miss in (0.0, 0.5, 1.0)]
    assert [way.device for way in ways] == [0.0, 0.5, 1.0]
    assert ways[0].rate > ways[1].rate > ways[2].rate
    assert ways[0].latency < ways[1].latency < ways[2].latency
    assert ways[0].gm == 0 < ways[1].gm < ways[2].gm
    assert ways[0].l2 == ways[2].l2


def test_stores_absorbed_by_l2_do_not_reach_device_memory_and_leave_the_cube_by_elements_or_bytes():
    assert (costs.store_path(B1, 1.0).gm, costs.store_path(B1, 0.0).device) == (0, 1.0)
    assert [costs.absorbed_by_l2(B1, size) for size in (0, 2 * B1.buf.l2)] == [1.0, 0.5]
    assert [costs.fixp_path(B1, item, 1.0).rate for item in (1, 4)] == [64, 86]


def test_a_vector_instruction_is_a_head_and_repeats():
    op = costs.VectorOp
    assert costs.vector_op(B1, op("simple", 128), 2) == 20 + 1
    assert costs.vector_op(B1, op("simple", 129), 2) == 20 + 2
    assert costs.vector_op(B1, op("special", 64), 4) == 20 + 2
    assert costs.vector_op(B1, op("simple", 10240), 2, conflict=True) == 20 + 160
    assert costs.vector_op(B1, op("simple", 64, times=3, chain=True), 4) == 3 * (35 + 1)
