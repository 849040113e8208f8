"""What-if questions: sliders through every band, the most sensitive first, and the chip changed as a whole."""

from itertools import pairwise

import pytest

from minigraph.core.errors import ChipError
from minigraph.npu import CHIPS, chip_named, cycles
from minigraph.npu.chips.chip import WHOLE
from minigraph.npu.reports.sensitivity import sliders, tornado, tornado_sheet, what_if
from tests.npu.graphs import chain, matmul_add

B1 = chip_named("ascend910b1")
GRAPHS = [matmul_add(), matmul_add(4096, 4096, 4096), chain(4, 1 << 26)]
# Figures of which more is better, whatever is computed; of all others less is.
MORE = {
    "mte1.l0a", "mte1.l0b", "mte2.cap_l1", "mte2.cap_l1_miss", "mte2.cap_ub", "mte2.cap_ub_miss", "mte3.cap",
    "fixp.elems", "fixp.l2_write", "pool.gm", "pool.gm_write", "pool.gm_roof", "pool.l2", "pool.l2_same",
    "pool.l2_roof", "mte2.outstanding", "cores.freq_mhz", "cores.aic", "cores.aiv", "cube.m", "cube.n", "cube.k_f16",
    "cube.k_i8", "cube.k_f32", "vector.bytes", "buf.l0a", "buf.l0b", "buf.l0c", "buf.l1", "buf.ub", "buf.l2",
}  # fmt: skip


def test_every_figure_with_a_band_has_a_slider_and_at_its_own_value_the_time_is_the_graphs():
    keys = [key for key, figure in B1.figures.items() if figure.lo < figure.hi]
    assert [slider.key for slider in sliders(GRAPHS[0])] == keys
    slider = next(s for s in sliders(GRAPHS[1]) if s.figure.v in s.values)
    own = slider.times[slider.values.index(slider.figure.v)]
    assert own == pytest.approx(B1.us(cycles(GRAPHS[1])), rel=1e-3)


@pytest.mark.parametrize("chip", sorted(CHIPS))
def test_sliders_move_one_way(chip):
    for slider in (slider for graph in GRAPHS for slider in sliders(graph, chip)):
        times = slider.times if slider.key in MORE else slider.times[::-1]
        assert all(a >= b * 0.9999 for a, b in pairwise(times)), slider
        step = 1 if slider.key in WHOLE else 1e-9
        assert slider.figure.lo - 1e-9 <= slider.values[0] < slider.figure.lo + step
        assert slider.figure.hi - step < slider.values[-1] <= slider.figure.hi + 1e-9
        assert slider.key not in WHOLE or all(value == int(value) for value in slider.values)


def test_the_head_decides_small_graphs_and_bandwidth_large_ones():
    assert tornado(sliders(chain(4)))[0].key == "task.head_us"
    large = [slider.key for slider in tornado(sliders(GRAPHS[2]))]
    assert len(large) == 5
    assert "pool.gm" in large or "pool.gm_write" in large


def test_the_sheet_is_sorted_by_swing():
    told = tornado_sheet(GRAPHS[0]).records()
    swings = [row["swing us"] for row in told]
    assert len(told) == 5
    assert swings == sorted(swings, reverse=True)
    assert all(row["source"] and row["low"] <= row["value"] <= row["high"] for row in told)


def test_the_chip_as_a_whole_can_be_another_and_a_smaller_l2_makes_work_slower():
    graph, small = matmul_add(8192, 8192, 8192), chain(4, 1 << 24)
    assert what_if(graph, cores_aic=48, pool_l2=12, pool_gm=1.8) < 0.6 * B1.us(cycles(graph))
    assert what_if(small, buf_l2=1 << 22) > 1.5 * what_if(small)
    with pytest.raises(ChipError, match="did you mean 'mte2.lat'"):
        what_if(graph, mte2_lats=1)
