import io

import pytest
from rich.console import Console

from minigraph.cli.tell import tell, what_changed


def told(story, width):
    console = Console(file=io.StringIO(), width=width)
    tell(story, console)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 160])
def test_the_story_fits_the_terminal(story, width):
    text = told(story, width)
    assert max(map(len, text.splitlines())) <= width
    for part in ("1. One eager step", "2. The passes", "3. Eager against graph", "4. Unit by unit", "attend"):
        assert part in text
    assert all(record.name in text for record in story.records)


def test_a_wide_terminal_shows_the_expressions(story):
    assert "q @ k" in told(story, 160) and "q @ k" not in told(story, 80)


def test_what_a_pass_changed_is_told_by_operator(story):
    told = {record.name: what_changed(record) for record in story.records}
    assert told["fuse_matmul_bias"] == "-1 matmul, -1 add, -1 relu, +1 MatMulBiasRelu"
    assert told["constant_fold"] == "nothing"
