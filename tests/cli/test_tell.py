import io
from dataclasses import replace

import pytest
from rich.console import Console

from minigraph import Tensor, jit, ops
from minigraph.cli.tell import tell, what_changed
from minigraph.core.op import TABLE


def told(story, width):
    console = Console(file=io.StringIO(), width=width)
    tell(story, console)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [50, 80, 160])
def test_the_story_fits_the_terminal(story, width):
    text = told(story, width)
    assert max(map(len, text.splitlines())) <= width
    for part in ("attend", "1. One eager step", "2. The passes", "3. Eager against", "4. Four bars", "5. Unit by unit"):
        assert part in text
    assert width < 80 or all(record.name in text for record in story.records)


def test_a_wide_terminal_shows_the_expressions_and_how_far_figures_can_be_trusted(story):
    assert "q @ k" in told(story, 160) and "q @ k" not in told(story, 80)
    assert "Simulated, not measured. Ascend 910B1 is calibrated on published measurements: " in told(story, 200)


def test_what_a_pass_changed_is_told_by_operator_if_there_are_not_too_many(story):
    told = {record.name: what_changed(record) for record in story.records}
    assert told["fuse_matmul_bias"] == "-1 matmul, -1 add, -1 relu, +1 MatMulBiasRelu"
    assert told["constant_fold"] == "nothing"
    wasteful = jit(lambda x: [ops.abs(x), ops.exp(x), ops.sin(x), ops.cos(x), ops.tanh(x)] and x)
    (record,) = wasteful.records(Tensor([1.0]), pipeline="dce")
    assert what_changed(record).endswith("-1 cos, …")


def test_what_is_left_out_is_an_ellipsis(story):
    kinds = [story.calls[0]._replace(op=op) for op in list(TABLE.values())[:6]]
    assert ", …" not in told(replace(story, calls=story.calls * 5), 160)
    assert ", …" in told(replace(story, calls=story.calls * 5 + kinds), 160)
