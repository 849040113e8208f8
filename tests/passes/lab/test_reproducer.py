"""Reproducers: readable text that brings a failure back."""

from __future__ import annotations

import pytest

from minigraph.errors import ParseError, UsageError
from minigraph.ir.text import parse
from passes.lab.reproducer import Reproducer, is_reproducer, read, save
from tests.passes.lab.faults import program


def failing():
    """One to save."""
    return Reproducer(program(), "lower_depend,fuse{rules=cube}", 7, "pass 'x' broke it:\n%3 is wrong")


def test_what_is_saved_reads_back(tmp_path):
    path = save(failing(), tmp_path)
    assert path.name == "step.repro.ir"
    text = path.read_text()
    assert is_reproducer(text)
    again = read(text)
    assert again.graph.same_as(program())
    assert again[1:] == failing()[1:]
    assert list(tmp_path.iterdir()) == [path]


def test_it_is_graph_text_too():
    assert parse(failing().text()).same_as(program())


def test_the_first_line_is_the_command():
    assert failing().text("a.ir").splitlines()[0] == "# minigraph reproducer: minigraph bisect a.ir"


def test_a_title_is_made_a_file_name(tmp_path):
    graph = program()
    graph.title = "../net: step<1>"
    assert save(Reproducer(graph, "dce"), tmp_path).name == "net_step_1.repro.ir"
    graph.title = "<>"
    assert save(Reproducer(graph, "dce"), tmp_path).name == "graph.repro.ir"


@pytest.mark.parametrize("where", ["missing", "file"])
def test_a_place_that_cannot_be_written_is_refused_cleanly(tmp_path, where):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"^reproducer: cannot write '.*step.repro.ir': .*; choose another folder$"):
        save(failing(), tmp_path / where)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("graph f()\n  return\n", "the first line is not"),
        ("# minigraph reproducer: minigraph bisect x\ngraph f()\n  return\n", "the lines '# pipeline"),
        ("# minigraph reproducer: minigraph bisect x\n# pipeline: dce\n# seed: -\ngraph f()\n  return\n", "# seed: "),
        ("# minigraph reproducer: minigraph bisect x\n# pipeline: dce\n# seed: 0\ngraph f(\n", "graph text, line 4"),
    ],
)
def test_other_files_are_refused(text, told):
    with pytest.raises(ParseError, match=told):
        read(text)
