"""Charts: rooflines, buffer occupancy, scatter plots."""

import re

import pytest

from minigraph.npu.reports import occupancy, roofline
from minigraph.npu.simulator import simulate
from tests.npu.graphs import chain, empty_graph, matmul_add, reports
from tests.viz.graphs import SVG, parse_svg
from viz.machine.charts import Axis, ScatterPoint, occupancy_svg, roofline_svg, scatter_svg

REPORTS = reports(matmul_add(), chain(5), chips=("ascend910b1", "ascend910a"), warm=False)
NOTHING = simulate(empty_graph())


def shapes(text, tag):
    """The elements of a kind in a picture, which has to be well-formed."""
    return parse_svg(text).findall(f".//{SVG}{tag}")


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_a_roofline_has_a_dot_per_point_and_a_line_per_roof(report):
    data = roofline(report, report)
    text = roofline_svg(data)
    assert len(shapes(text, "circle")) == 2 * len(data.points)
    assert all(roof.name in text for roof in data.roofs)
    for dot in shapes(text, "circle"):
        assert 0 < float(dot.get("cx")) < 760 and 0 < float(dot.get("cy")) < 470
        assert re.search(r"\d% of the .* roofline", dot[0].text)


@pytest.mark.parametrize("report", REPORTS, ids=repr)
def test_every_buffer_has_a_strip(report):
    buffers = occupancy(report)
    paths = shapes(occupancy_svg(buffers, report.mhz), "path")
    assert [path[0].text.split(" of ")[0] for path in paths] == [buffer.buffer for buffer in buffers]
    assert "cycles" in occupancy_svg(buffers)
    assert report.chip.label in occupancy_svg(buffers, report.mhz, report.chip.label)


def test_points_on_the_line_are_drawn_on_the_line():
    points = [ScatterPoint("a", 10, 10, "fitted"), ScatterPoint("b", 1000, 900, "held out")]
    text = scatter_svg(points, "t", "measured", "predicted", 0.3)
    first, second = shapes(text, "circle")
    line = shapes(text, "line")[-2]  # of -30 %, 0 and +30 %
    x1, y1, x2, y2 = (float(line.get(name)) for name in ("x1", "y1", "x2", "y2"))
    on_it = y1 + (float(first.get("cx")) - x1) / (x2 - x1) * (y2 - y1)
    assert float(first.get("cy")) == pytest.approx(on_it, abs=0.1)
    assert first.get("fill") != second.get("fill")
    assert "b: 1,000 measured, 900 predicted (-10.0%), held out" in text


def test_the_lines_of_a_relative_distance_are_parallel_and_inside_of_the_axes():
    points = [ScatterPoint("a", 1, 1, "fitted"), ScatterPoint("b", 1e7, 1e7, "fitted")]
    text = scatter_svg(points, "t", "measured", "predicted", 0.3)
    lines = [[float(line.get(name)) for name in ("x1", "y1", "x2", "y2")] for line in shapes(text, "line")[-3:]]
    slopes = [(y2 - y1) / (x2 - x1) for x1, y1, x2, y2 in lines]
    assert slopes == pytest.approx([slopes[0]] * 3, rel=1e-3)
    left, bottom, right, top = lines[1]
    assert all(left <= x1 < x2 <= right and top <= y2 < y1 <= bottom for x1, y1, x2, y2 in lines)


@pytest.mark.parametrize("text", [
    roofline_svg(roofline(NOTHING)), occupancy_svg(occupancy(NOTHING)), scatter_svg([], "", "", ""),
    roofline_svg(None), occupancy_svg(None), scatter_svg(None, "", "", ""),
])  # fmt: skip
def test_empty_and_invalid_inputs_become_a_picture_of_text(text):
    assert shapes(text, "text") and not shapes(text, "circle")


def test_axes_clamp_values_to_their_ends():
    axis = Axis(1, 1000, 0, 300)
    assert axis.px(0.1) == 0
    assert axis.px(1e9) == pytest.approx(300)
    assert axis.ticks() == [1, 10, 100, 1000]
    assert Axis(0, 8, 0, 1, log=False).ticks() == [0, 2, 4, 6, 8]
