from dataclasses import replace

import pytest

from minigraph.cli.answer import answer_lines
from minigraph.cli.story import collect_story
from minigraph.cli.target import load_target
from minigraph.cli.timing import Spread
from passes import as_pipeline


def test_at_most_ten_lines_of_eighty_columns_that_name_the_users_lines(story):
    lines = answer_lines(story)
    assert len(lines) <= 10 and max(map(len, lines)) <= 80
    words = [line[:11].strip() for line in lines if line[:11].strip()]
    assert words == ["costs", "slowest", "bound by", "fusing", "passes", "graph mode"]
    slowest = next(line for line in lines if line.startswith("slowest"))
    assert "net.py:" in slowest and max(story.after.rows, key=lambda row: row.us).name in slowest


def test_no_time_of_the_cost_is_cut_off(story):
    spread = Spread(0.0354, 0.0335, 0.0403)  # the longest form of a number
    lines = answer_lines(replace(story, times=story.times._replace(compiled=spread)))
    low, high = (f"{value / 1e3:.3g}" for value in story.after.times["warm", "graph"][1:3])
    assert lines[0].endswith(")") and low in lines[0] and high in lines[0] and "(0.0335 to 0.0403)" in lines[1]


def test_the_slowest_operators_are_sorted_and_counted_by_line(story):
    rows = story.after.rows
    lines = answer_lines(replace(story, after=replace(story.after, rows=rows + rows[:1])))
    times = [float(line[11:17]) for line in lines if " us " in line and "net.py" in line and "save" not in line]
    assert times == sorted(times, reverse=True)
    assert any(f"2 × {rows[0].name}" in line for line in lines)


VERDICTS = {
    "faster": (Spread(2.0, 1.5, 2.5), "pays here: 2.0× (1.5 to 2.5), from call "),
    "slower": (Spread(0.5, 0.4, 0.6), "costs time here: 0.5× (0.4 to 0.6)"),
    "noise": (Spread(1.1, 0.8, 1.6), "no clear difference here: 1.1× (0.8 to 1.6)"),
}


@pytest.mark.parametrize(("speedup", "text"), VERDICTS.values(), ids=VERDICTS)
def test_graph_mode_pays_only_if_the_quartiles_say_so(story, speedup, text):
    times = story.times._replace(speedup=speedup, eager=Spread(2.0, 2.0, 2.0), compiled=Spread(1.0, 1.0, 1.0))
    line = answer_lines(replace(story, times=times))[-1]
    assert text in line and ("from call" in line) == (speedup.low > 1)


def test_a_pipeline_that_saves_more_is_named(story):
    lines = answer_lines(replace(story, others={"fast": story.after.cycles // 2}))
    assert any(line.endswith("'fast' would save 50 % more") for line in lines)
    assert any("no other pipeline saves more" in line for line in answer_lines(replace(story, others={})))


@pytest.mark.parametrize("name", ["first", "nothing"])
def test_a_function_that_computes_nothing(program, name):
    story = collect_story(load_target(f"{program}:{name}"), "ascend910b1", as_pipeline("default"), lambda text: None)
    assert "slowest    nothing runs on the device" in answer_lines(story)
