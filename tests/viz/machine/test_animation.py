from types import SimpleNamespace

import pytest

import minigraph as ms
import viz
from minigraph.lessons import numbers
from tests.tables import results
from tests.viz.graphs import SVG, parse_svg
from viz.machine.animation import MAX_FRAMES, data_path, indicator_frames
from viz.machine.timeline import Bar


@pytest.fixture(scope="module")
def report():
    return ms.simulate(lambda x, w: ms.ops.relu(x @ w), numbers(0, 128, 128), numbers(1, 128, 128))


def moves(picture):
    return parse_svg(picture).iter(f"{SVG}animate")


def spans(*rows):
    names = ("core", "queue", "start", "end")
    return SimpleNamespace(spans=[SimpleNamespace(name="X", **dict(zip(names, row, strict=True))) for row in rows])


def test_the_data_path_and_the_timeline_are_one_picture(report):
    picture = viz.animation(report, core="aic")
    root = parse_svg(picture)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert [name for name in ("MTE2", "L1", "MTE1", "L0A · L0B", "M", "L0C", "FIXP") if name not in texts] == []
    assert len(list(root.iter(f"{SVG}svg"))) == 2
    assert "UB" in viz.animation(report, core="aiv")


def test_all_parts_have_the_same_duration_and_repetitions_and_restart_on_a_click(report):
    timing = [(move.get("dur"), move.get("repeatCount")) for move in moves(viz.animation(report, seconds=3, repeats=2))]
    assert set(timing) == {("3s", "2")}
    picture = viz.animation(report)
    name = parse_svg(picture).get("id")
    assert {(m.get("repeatCount"), m.get("begin")) for m in moves(picture)} == {("indefinite", f"0s;{name}.click")}


def test_times_rise_from_0_to_1_with_a_value_for_each(report):
    for move in moves(viz.animation(report)):
        times = [float(time) for time in move.get("keyTimes").split(";")]
        assert times == sorted(times)
        assert times[0] == 0 and times[-1] <= 1
        assert len(times) == len(move.get("values").split(";"))


def test_without_animation_nothing_is_covered(report):
    picture = parse_svg(viz.animation(report))
    (cover,) = (rect for rect in picture.iter(f"{SVG}rect") if rect.get("class") == "cover")
    assert float(cover.get("width")) == 0


def test_the_busier_core_is_selected_and_the_start_of_a_task_omitted():
    picture = viz.animation(spans(("aiv", "V", 500, 510), ("aic", "M", 520, 620), ("aic", "S", 0, 500)))
    assert "aic M" in picture and "aiv" not in picture and "100 cycles" in picture


def test_one_operator(report):
    first, second = report.rows
    assert f"{viz.animation(report, node=first.node)}" != viz.animation(report, node=second.node)
    assert "UB" in viz.animation(report, node=second.node)


@pytest.mark.parametrize(("core", "node"), [("aix", None), (None, 99)])
def test_an_empty_animation_is_a_message(core, node, report):
    assert "nothing to animate" in viz.animation(report, core=core, node=node)
    assert "cannot draw this picture" in viz.animation(None)


def test_hostile_names_are_text():
    row = spans(("<b>", 'M"><script>', 0, 10))
    row.title = "]]><script>"
    assert "<script" not in viz.animation(row)
    parse_svg(viz.animation(row))


# ---- indicators ----------------------------------------------------------------------------------------


test_an_indicator_is_lit_during_bars = results(
    lambda bars: indicator_frames([Bar(*bar, "x") for bar in bars], 0, 100),
    ([(0, 100)], ([0.0], [True])),
    ([(20, 40)], ([0.0, 0.2, 0.4], [False, True, False])),
    ([(20, 100)], ([0.0, 0.2], [False, True])),
    ([(0, 50), (40, 60)], ([0.0, 0.6], [True, False])),
    ([(0, 50), (50.1, 60)], ([0.0, 0.6], [True, False])),
    ([(0, 80), (10, 20)], ([0.0, 0.8], [True, False])),
    ([(0, 20), (30, 40)], ([0.0, 0.2, 0.3, 0.4], [True, False, True, False])),
)


def test_an_indicator_has_a_limited_number_of_frames():
    times, lit = indicator_frames([Bar(i, i + 0.5, "x") for i in range(50_000)], 0, 50_000)
    assert len(times) == len(lit) <= 2 * MAX_FRAMES


def test_a_core_without_a_known_data_path_shows_its_queues():
    assert data_path(["MTE3", "MTE2"]) == ("MTE2", "MTE3")
    assert data_path(["V", "M"])[1] == "MTE2"
