import io
from dataclasses import replace

import pytest
from rich.console import Console

from minigraph import Tensor, jit, ops
from minigraph.cli.terminal import print_story, summarize_changes
from minigraph.core.op import TABLE


def printed_text(story, width):
    console = Console(file=io.StringIO(), width=width)
    print_story(story, console)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [50, 80, 160])
def test_the_story_fits_the_terminal(story, width):
    text = printed_text(story, width)
    assert max(map(len, text.splitlines())) <= width
    for part in (
        "attend",
        "slowest  ",
        "graph mode ",
        "1. Eager execution",
        "2. Passes",
        "3. One warm call",
        "4. Cold and warm",
        "5. Busy cycles",
    ):
        assert part in text
    assert width < 80 or all(record.name in text for record in story.records)


def test_a_wide_terminal_shows_source_expressions_and_the_calibration(story):
    assert "q @ k" in printed_text(story, 160) and "q @ k" not in printed_text(story, 80)
    assert "Simulated, not measured. Ascend 910B1 is calibrated on published measurements: " in printed_text(story, 200)


def test_changes_of_a_pass_are_listed_by_operator(story):
    changes = {record.name: summarize_changes(record) for record in story.records}
    assert changes["fuse_matmul_bias"] == "-1 matmul, -1 add, -1 relu, +1 MatMulBiasRelu"
    assert changes["constant_fold"] == "nothing"
    wasteful = jit(lambda x: [ops.abs(x), ops.exp(x), ops.sin(x), ops.cos(x), ops.tanh(x)] and x)
    (record,) = wasteful.records(Tensor([1.0]), pipeline="dce")
    assert summarize_changes(record).endswith("-1 cos, …")


def test_omitted_operators_are_an_ellipsis(story):
    kinds = [story.calls[0]._replace(op=op) for op in list(TABLE.values())[:6]]
    assert ", …" not in printed_text(replace(story, calls=story.calls * 5), 160)
    assert ", …" in printed_text(replace(story, calls=story.calls * 5 + kinds), 160)
