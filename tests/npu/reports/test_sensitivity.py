"""Sensitivity analysis: sliders across every band, the tornado, and chips with several changes."""

from itertools import pairwise

import pytest

from minigraph.core.errors import ChipError
from minigraph.npu import CHIPS, chip_named, cycles
from minigraph.npu.chips.chip import INTEGER_KEYS
from minigraph.npu.reports.sensitivity import sliders, tornado, tornado_sheet, what_if
from tests.npu.graphs import chain, matmul_add

B1 = chip_named("ascend910b1")
GRAPHS = [matmul_add(), matmul_add(4096, 4096, 4096), chain(4, 1 << 26)]
# Parameters for which a larger value is always faster; for all others, a smaller one.
LARGER_IS_FASTER = {
    "mte1.l0a", "mte1.l0b", "mte2.cap_l1", "mte2.cap_l1_miss", "mte2.cap_ub", "mte2.cap_ub_miss", "mte3.cap",
    "fixp.elems", "fixp.l2_write", "pool.gm", "pool.gm_write", "pool.gm_roof", "pool.l2", "pool.l2_same",
    "pool.l2_same_l1", "pool.l2_roof",
    "mte2.outstanding", "cores.freq_mhz", "cores.aic", "cores.aiv", "cube.m", "cube.n", "cube.k_f16",
    "cube.k_i8", "cube.k_f32", "vector.bytes", "buf.l0a", "buf.l0b", "buf.l0c", "buf.l1", "buf.ub", "buf.l2",
}  # fmt: skip


def test_every_parameter_with_a_band_has_a_slider_which_passes_through_the_graphs_time():
    keys = [key for key, parameter in B1.parameters.items() if parameter.lo < parameter.hi]
    assert [slider.key for slider in sliders(GRAPHS[0])] == keys
    slider = next(s for s in sliders(GRAPHS[1]) if s.parameter.v in s.values)
    unchanged_us = slider.times[slider.values.index(slider.parameter.v)]
    assert unchanged_us == pytest.approx(B1.us(cycles(GRAPHS[1])), rel=1e-3)


@pytest.mark.parametrize("chip", sorted(CHIPS))
def test_sliders_are_monotonic(chip):
    for slider in (slider for graph in GRAPHS for slider in sliders(graph, chip)):
        times = slider.times if slider.key in LARGER_IS_FASTER else slider.times[::-1]
        assert all(a >= b * 0.995 for a, b in pairwise(times)), slider
        step = 1 if slider.key in INTEGER_KEYS else 1e-9
        assert slider.parameter.lo - 1e-9 <= slider.values[0] < slider.parameter.lo + step
        assert slider.parameter.hi - step < slider.values[-1] <= slider.parameter.hi + 1e-9
        assert slider.key not in INTEGER_KEYS or all(value == int(value) for value in slider.values)


def test_small_graphs_are_sensitive_to_the_head_and_large_ones_to_bandwidth():
    assert tornado(sliders(chain(4)))[0].key == "task.head_us"
    large = [slider.key for slider in tornado(sliders(GRAPHS[2]))]
    assert len(large) == 5
    assert "pool.gm" in large or "pool.gm_write" in large


def test_the_sheet_is_sorted_by_swing():
    records = tornado_sheet(GRAPHS[0]).records()
    swings = [row["swing us"] for row in records]
    assert len(records) == 5
    assert swings == sorted(swings, reverse=True)
    assert all(row["source"] and row["low"] <= row["value"] <= row["high"] for row in records)


def test_several_parameters_can_change_and_a_smaller_l2_is_slower():
    graph, small = matmul_add(8192, 8192, 8192), chain(4, 1 << 24)
    assert what_if(graph, cores_aic=48, pool_l2=12, pool_gm=1.8) < 0.6 * B1.us(cycles(graph))
    assert what_if(small, buf_l2=1 << 22) > 1.5 * what_if(small)
    with pytest.raises(ChipError, match="did you mean 'mte2.lat'"):
        what_if(graph, mte2_lats=1)
