import re
from dataclasses import replace

import pytest

from minigraph.cli.answer import answer_lines
from minigraph.cli.story import collect_story
from minigraph.cli.target import load_target
from minigraph.cli.timing import Spread
from minigraph.npu.reports.fusion import EdgeGain
from passes import as_pipeline


def test_at_most_ten_lines_of_eighty_columns_that_name_the_users_lines(story):
    lines = answer_lines(story)
    assert len(lines) <= 10 and max(map(len, lines)) <= 80
    words = [line[:11].strip() for line in lines if line[:11].strip()]
    assert words == ["costs", "slowest", "bound by", "fusing", "passes", "graph mode"]
    slowest = next(line for line in lines if line.startswith("slowest"))
    row = max(story.after.rows, key=lambda row: row.us)
    assert "net.py:" in slowest and (row.originals or [row.name])[0] in slowest


def test_no_time_of_the_cost_is_cut_off(story):
    for compiled, text in (
        (Spread(0.354, 0.335, 0.403), "0.354 ms here: numpy, median of 12345 (0.335 to 0.403), 1 BLAS thread"),
        (Spread(0.00224, 0.0022, 0.00231), "2.24 us here: numpy, median of 12345 (2.20 to 2.31), 1 BLAS thread"),
    ):
        times = story.times._replace(compiled=compiled, rounds=12345, threads="1 BLAS thread")
        lines = answer_lines(replace(story, times=times))
        low, high = (f"{value:#.3g}".rstrip(".") for value in story.after.times["warm", "graph"][1:3])
        assert lines[0].endswith(f"({low} to {high})") and lines[1].endswith(text)


def test_the_longest_texts_end_with_the_users_line(story):
    line = "a_long_name_of_a_file.py:1234"
    after = replace(story.after, rows=tuple(replace(row, loc=line) for row in story.after.rows))
    node = after.rows[0].node
    gain = EdgeGain(node, node, ("a" * 30, "b" * 30), 8, "L2", 25.0, 12.5, 6.0, 1.0, 55.0)
    changed = replace(story, after=after)
    changed.__dict__["gains"] = (gain,)
    lines = answer_lines(changed)
    assert max(map(len, lines)) <= 80
    assert any(re.search(r" 12.5 us, \d+ % \(a_long_nam…:1234\)$", line) for line in lines)


def test_the_slowest_operators_are_sorted_and_counted_by_line(story):
    rows = story.after.rows
    slowest = max(rows, key=lambda row: row.us)
    lines = answer_lines(replace(story, after=replace(story.after, rows=(*rows, slowest))))
    times = [float(line[11:17]) for line in lines if " us " in line and "net.py" in line and "save" not in line]
    assert times == sorted(times, reverse=True) and times[0] == pytest.approx(
        slowest.us, rel=0.01
    )  # of one, not of all
    assert "(1 of 2)" in lines[2]


def test_a_fused_kernel_is_named_by_its_operators(story):
    slowest = max(story.after.rows, key=lambda row: row.us)
    row = replace(slowest, name="elementwise", originals=("mul", "sub", "mul"))
    lines = answer_lines(replace(story, after=replace(story.after, rows=(row,))))
    assert "mul, sub " in lines[2] and "elementwise" not in lines[2]


def test_the_calls_that_pay_for_compiling_agree_between_runs(story):
    """A median, or the time of compiling, that differs by a third gives ranges that overlap."""
    ranges = []
    for factor in (0.75, 1.0, 1.33):
        times = story.times._replace(
            speedup=Spread(2.0, 1.8, 2.2), eager=Spread(2.0, 2.0, 2.0), compiled=Spread(1.0, 1.0, 1.0),
            capture=900.0 * factor, passes=200.0 * factor, build=15.0 * factor,
        )  # fmt: skip
        low, high = re.search(
            r"after ([\d,]+) to ([\d,]+) calls", answer_lines(replace(story, times=times))[-1]
        ).groups()
        ranges.append((int(low.replace(",", "")), int(high.replace(",", ""))))
        assert ranges[-1][0] <= 1115 * factor <= ranges[-1][1]
    assert max(low for low, _ in ranges) < min(high for _, high in ranges)


VERDICTS = {
    "faster": (Spread(2.0, 1.5, 2.5), "pays here: 2.0× (1.5 to 2.5), after "),
    "slower": (Spread(0.5, 0.4, 0.6), "costs time here: 0.5× (0.4 to 0.6)"),
    "noise": (Spread(1.1, 0.8, 1.6), "no clear difference here: 1.1× (0.8 to 1.6)"),
}


@pytest.mark.parametrize(("speedup", "text"), VERDICTS.values(), ids=VERDICTS)
def test_graph_mode_pays_only_if_the_range_says_so(story, speedup, text):
    times = story.times._replace(speedup=speedup, eager=Spread(2.0, 2.0, 2.0), compiled=Spread(1.0, 1.0, 1.0))
    line = answer_lines(replace(story, times=times))[-1]
    assert text in line and (" calls" in line) == (speedup.low > 1)


def test_a_pipeline_that_saves_more_is_named(story):
    lines = answer_lines(replace(story, other_cycles={"fast": story.after.cycles // 2}))
    assert any(line.endswith("'fast' would save 50 % more") for line in lines)
    assert any("no other named pipeline saves more" in line for line in answer_lines(replace(story, other_cycles={})))


@pytest.mark.parametrize("name", ["returns_first", "returns_none"])
def test_a_function_that_computes_nothing(program, name):
    story = collect_story(load_target(f"{program}:{name}"), "ascend910b1", as_pipeline("default"), lambda text: None)
    assert "slowest    nothing runs on the device" in answer_lines(story)
