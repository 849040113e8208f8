from collections import namedtuple
from itertools import pairwise

import pytest

from tests.tables import results
from tests.viz.graphs import HOSTILE, SVG, Report, Skip, Span, classes, parse_svg, texts
from viz.common.style import QUEUES
from viz.machine.timeline import LEFT, Bar, bars_of, busy_cycles, merge_bars, nice_step, pack_rows, timeline, tracks_of

Task = namedtuple("Task", "node core queue name start end bound_by wait moved")
CoreSkip = namedtuple("CoreSkip", "core start end times")
Account = namedtuple("Account", "busy wait idle")


def span(queue, start, end, name="VADD", wait=0, bound_by="queue"):
    return Span(queue, name, start, end, bound_by, wait, 0, -1)


def task(node, core, queue, start, end, wait=0):
    return Task(node, core, queue, "MMAD", start, end, "flag", wait, 0)


def tips(svg):
    return [title.text for title in parse_svg(svg).iter(f"{SVG}title")]


def bars(svg, kind):
    return [group for group in parse_svg(svg).iter(f"{SVG}g") if {"span", kind} <= set(group.get("class", "").split())]


def box(group):
    rect = group.find(f"{SVG}rect")
    return float(rect.get("x")), float(rect.get("width"))


def test_one_track_per_queue_in_the_chips_order_and_unknown_ones_last():
    tracks = tracks_of([span(queue, 0, 1) for queue in ("X", *reversed(QUEUES))])
    assert [track.queue for track in tracks] == [*QUEUES, "X"]


def test_a_wait_is_a_bar_of_its_own_before_the_instruction():
    wait, work = bars_of(span("M", 50, 80, wait=20, bound_by="flag"))
    assert (wait.start, wait.end, wait.wait) == (30, 50, True)
    assert (work.start, work.end, work.wait) == (50, 80, False)
    assert "flag" in wait.cause
    assert len(bars_of(span("M", 50, 80))) == 1


def test_overlapping_moves_take_rows_and_rows_never_overlap():
    spans = [span("MTE2", start, start + 35) for start in range(0, 200, 10)]
    (track,) = tracks_of(spans)
    assert len(track.rows) == 4
    for row in track.rows:
        assert all(bar.end <= next_bar.start for bar, next_bar in pairwise(row))
    assert sum(map(len, track.rows)) == len(spans)


def test_rows_are_limited_and_nothing_is_lost():
    rows = pack_rows([Bar(0, 100, str(i)) for i in range(50)])
    assert len(rows) == 4
    assert sum(map(len, rows)) == 50


test_busy_cycles_are_those_in_which_something_runs = results(
    lambda times: busy_cycles([Bar(*time, "a") for time in times]), ([], 0), ([(0, 10), (5, 8), (20, 30)], 20)
)
test_steps_are_round = results(nice_step, (8, 1), (80, 10), (800, 100), (5040, 500), (0.4, pytest.approx(0.05)), (0, 1))


def test_axes_count_cycles_in_full_and_microseconds():
    shown = texts(timeline(Report([span("M", 0, 1850)])))
    assert {"cycles", "µs", "step · 1,850 cycles · 1.00 µs at 1,850 MHz"} <= set(shown)
    assert "µs" not in texts(timeline(Report([span("M", 0, 1850)], None)))
    shown = texts(timeline(Report([span("M", 0, 9_600_000)])))
    assert "2,000,000" in shown and not any("e+" in text for text in shown)


def test_bars_are_at_the_position_of_their_cycles():
    picture = timeline(Report([span("M", 0, 100), span("M", 300, 400)]))
    (x0, wide0), (x1, wide1) = (box(group) for group in bars(picture, "q-M"))
    assert wide0 == pytest.approx(wide1, abs=0.02)
    assert x1 - x0 == pytest.approx(3 * wide0, abs=0.05)


def test_tooltips_show_name_cycles_and_cause_and_waits_have_their_own_style():
    picture = timeline(Report([span("V", 10, 1250, "VADD", wait=5, bound_by="buffer")]))
    assert "VADD\ncycles 10 to 1,250 (1,240)\nbound by: buffer" in tips(picture)
    assert "WAIT_FLAG\ncycles 5 to 10 (5)\nwaiting for: buffer" in tips(picture)
    assert {"span", "wait"} in classes(picture) and {"span", "q-V"} in classes(picture)


def two_cores(end, start=100):
    """A task on each core."""
    return [task("%3 matmul", "aic", "M", 0, 90), task("%4 add", "aiv", "V", start, end)]


def test_operators_are_above_the_queues_of_both_cores():
    shown = texts(timeline(Report(two_cores(150))))
    assert [text for text in shown if text in ("operators", "aic M", "aiv V")] == ["operators", "aic M", "aiv V"]
    assert "%3 matmul" in shown


def test_one_core_or_one_operator_can_be_selected():
    report = Report(two_cores(1500, start=1000))
    picture_of_node = timeline(report, node=4)
    assert all("aic M" not in texts(picture) for picture in (picture_of_node, timeline(report, core="aiv")))
    (x, wide) = box(bars(picture_of_node, "q-V")[0])
    assert wide > 900
    assert "1,000" in texts(picture_of_node)
    assert x == pytest.approx(LEFT, abs=0.1)


def test_a_track_shows_its_utilisation():
    assert "25%" in texts(timeline(Report([span("M", 0, 100), span("V", 0, 400)])))


def test_utilisation_comes_from_the_reports_totals_if_it_has_them():
    Full = namedtuple("Full", "spans mhz title skips queues cycles")
    spans = [task("%3 matmul", "aic", "M", 0, 100), task("%3 matmul", "aic", "M", 300, 400)]
    skips = [CoreSkip("aic", 100, 300, 40)]
    assert "100%" in texts(timeline(Full(spans, 1850, "t", skips, {("aic", "M"): Account(400, 0, 0)}, 400)))
    assert not any(text.endswith("%") for text in texts(timeline(Report(spans, 1850, "t", skips))))


def test_skipped_iterations_are_bands_unless_their_core_is_not_shown():
    picture = timeline(Report([span("M", 0, 100), span("M", 900, 1000)], 1850, "t", [Skip(100, 900, 4120)]))
    assert "×4,120 more" in texts(picture)
    assert any("4,120 identical iterations" in tip for tip in tips(picture))
    picture = timeline(Report(two_cores(50, start=0), 1850, "t", [CoreSkip("aic", 10, 80, 7)]), core="aiv")
    assert "×7 more" not in texts(picture)


def test_bars_smaller_than_pixels_become_one_but_waits_and_work_are_never_merged():
    row = [Bar(i, i + 1, "VADD") for i in range(10_000)]
    groups = merge_bars(row, 0.1)
    assert len(groups) < 1000
    assert sum(map(len, groups)) == len(row)
    assert [len(group) for group in merge_bars(row[:5], 100.0)] == [1] * 5
    row = [Bar(i, i + 1, "x", wait=bool(i % 2)) for i in range(100)]
    assert all(len({bar.wait for bar in group}) == 1 for group in merge_bars(row, 0.01))


def test_many_spans_make_a_small_picture():
    picture = timeline(Report([span("V", i * 20, i * 20 + 18) for i in range(50_000)]))
    assert len(picture) < 400_000
    assert any("instructions, first VADD" in tip for tip in tips(picture))


def test_an_empty_report_or_an_unknown_core_is_a_message():
    assert texts(timeline(Report([]))) == ["no simulated time: the report has no spans"]
    assert "cores: aic" in texts(timeline(Report([task("%1 a", "aic", "M", 0, 1)]), core="aiv"))[0]
    assert "no spans of %9" in texts(timeline(Report([task("%1 a", "aic", "M", 0, 1)]), node=9))[0]


@pytest.mark.parametrize("report", [None, 3, Report(None), Report([1, 2])])
def test_it_never_raises(report):
    assert texts(timeline(report))[0].startswith("cannot draw this picture")


def test_hostile_names_are_only_text():
    report = Report([Task(HOSTILE, HOSTILE, HOSTILE, HOSTILE, 0, 10, HOSTILE, 3, 0)], 1850, HOSTILE)
    picture = timeline(report)
    assert "<script" not in picture
    assert {element.tag.removeprefix(SVG) for element in parse_svg(picture).iter()} <= {
        "svg", "g", "polygon", "rect", "text", "title", "path",
    }  # fmt: skip


def test_a_zero_cycle_span_is_visible():
    ((_, wide),) = (box(group) for group in bars(timeline(Report([span("S", 0, 0)])), "q-S"))
    assert wide >= 0.6
