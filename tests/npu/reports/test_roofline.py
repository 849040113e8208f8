"""Rooflines: no point above its roof, intensity from the traffic of each level."""

import pytest

from minigraph.npu import CHIPS, chip_named, simulate
from minigraph.npu.reports.roofline import CURVES, roofline, roofline_sheet, roofs_of
from tests.npu.graphs import chain, empty_graph, matmul_add


@pytest.mark.parametrize("chip", sorted(CHIPS))
@pytest.mark.parametrize("warm", [True, False])
def test_no_point_is_above_its_roof(chip, warm):
    for graph in (matmul_add(), matmul_add(4096, 2048, 4096), chain(2, 1 << 24)):
        model = roofline(simulate(graph, chip=chip, engine="analytic", warm=warm))
        assert model.points
        for point in model.points:
            assert 0 < point.tops <= point.attainable * 1.0001 <= point.peak * 1.0002


def test_intensity_is_operations_per_byte_of_the_level_and_the_sheet_has_a_row_per_point():
    report = simulate(matmul_add(2048, 2048, 2048), warm=False)
    cost = report.rows[0].cost
    gm, l2 = roofline(report).points[:2]
    assert (gm.roof, l2.roof) == (CURVES["GM"], CURVES["L2"])
    assert cost.ops == 2 * 2048**3
    assert gm.intensity == pytest.approx(2 * 2048**3 / cost.bytes["GM"])
    assert l2.intensity < gm.intensity
    records = roofline_sheet(report).records()
    assert [row["roof"] for row in records] == [point.roof for point in roofline(report).points]
    assert all(0 < row["% peak"] <= row["% attainable"] <= 100 for row in records)


def test_roofs_are_the_chips():
    roofs = {roof.name: roof.value for roof in roofs_of(chip_named("ascend910b1"))}
    assert roofs["GM Read + Write"] == 1.8
    assert roofs["Cube_FP16(100%)"] == pytest.approx(24 * 8192 * 1.85e9 / 1e12)
    assert roofs["Vector_FP16(100%)"] == pytest.approx(48 * 128 * 1.85e9 / 1e12)


def test_a_warm_graph_has_no_point_for_device_memory_an_empty_one_none_and_earlier_runs_can_be_added():
    assert {point.roof for point in roofline(simulate(matmul_add())).points} == {CURVES["L2"]}
    assert roofline(simulate(empty_graph())).points == ()
    model = roofline(simulate(chain(1)), simulate(chain(3)))
    assert len(model.earlier) == 3 * len(model.points)
