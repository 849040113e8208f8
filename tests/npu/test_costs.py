"""The formulas of single instructions against the vendor's documented figures."""

import pytest

from minigraph.npu import costs
from minigraph.types import float16, float32, int8
from tests.npu.jobs import B1


@pytest.mark.parametrize("dtype, expected", [(float16, 512), (float32, 2048), (int8, 256)])
def test_mmad_is_whole_cubes_after_a_head(dtype, expected):
    assert costs.mmad(B1, dtype, 128, 64, 256) == expected + B1.cube.head


def test_mmad_pads_every_side():
    assert costs.mmad(B1, float16, 1, 1, 1) == costs.mmad(B1, float16, 16, 16, 16)
    assert costs.mmad(B1, float16, 17, 16, 16) - B1.cube.head == 2


def test_peak_of_the_chip_is_the_published_one():
    peak = 2 * B1.cores.aic * costs.macs_per_cycle(B1, float16) * B1.hz / 1e12
    assert peak == pytest.approx(364, abs=1)


def test_a_chip_without_float32_takes_three_products():
    without = B1.changed(cube_k_f32=0)
    assert costs.mmad(without, float32, 16, 16, 16) == 3 * costs.mmad(B1, float16, 16, 16, 16)


def test_loading_for_a_convolution_slows_with_the_rows_it_spans():
    times = [costs.mte1_a(B1, 16384, 9, spans) for spans in (1, 2, 4, 30)]
    assert times == sorted(times)
    assert times[0] == 50 + 16384 // 256
    assert times[-1] == 50 + 16384 // 32  # the documented floor


def test_rows_turned_into_cube_format_lose_rate():
    assert costs.row_efficiency(B1, 512) == pytest.approx(512 / 665)
    assert costs.row_efficiency(B1, 1 << 20) > 0.999


@pytest.mark.parametrize("into", ["l1", "ub"])
def test_misses_are_slower_and_reach_device_memory(into):
    ways = [costs.load_path(B1, miss, into) for miss in (0.0, 0.5, 1.0)]
    assert [way.device for way in ways] == [0.0, 0.5, 1.0]
    assert ways[0].rate > ways[1].rate > ways[2].rate
    assert ways[0].latency < ways[1].latency < ways[2].latency
    assert ways[0].gm == 0 < ways[1].gm < ways[2].gm
    assert ways[0].l2 == ways[2].l2


def test_stores_absorbed_by_l2_do_not_reach_device_memory():
    assert costs.store_path(B1, 1.0).gm == 0
    assert costs.store_path(B1, 0.0).device == 1.0
    assert costs.absorbed_by_l2(B1, 0) == 1.0
    assert costs.absorbed_by_l2(B1, 2 * B1.buf.l2) == 0.5


def test_the_way_out_of_the_cube_is_limited_by_elements_or_bytes():
    assert costs.fixp_path(B1, 1, 1.0).rate == 64
    assert costs.fixp_path(B1, 4, 1.0).rate == 86


def test_a_vector_instruction_is_a_head_and_repeats():
    assert costs.vector_op(B1, "simple", 128, 2) == 20 + 1
    assert costs.vector_op(B1, "simple", 129, 2) == 20 + 2
    assert costs.vector_op(B1, "special", 64, 4) == 20 + 2
    assert costs.vector_op(B1, "simple", 10240, 2, conflict=True) == 20 + 160


@pytest.mark.parametrize("dtype, width", [(int8, 2), (float16, 2), (float32, 4)])
def test_register_width(dtype, width):
    assert costs.vector_width(dtype) == width
