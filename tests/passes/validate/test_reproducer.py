"""Reproducers: readable text that reproduces a failure."""

import numpy as np
import pytest

from minigraph.core.errors import ParseError, UsageError
from minigraph.ir.structural_ops import Literal
from minigraph.ir.text import parse
from passes.validate.reproducer import Reproducer, is_reproducer, read_reproducer, save_reproducer
from tests.passes.validate.faults import program
from tests.tables import error_cases


def make_reproducer():
    """A reproducer."""
    return Reproducer(program(), "lower_depend,fuse{rules=cube}", 7, "pass 'x' broke it:\n%3 is wrong")


def test_a_saved_reproducer_reads_back(tmp_path):
    path = save_reproducer(make_reproducer(), tmp_path)
    assert path.name == "step.repro.ir"
    text = path.read_text()
    assert is_reproducer(text)
    again = read_reproducer(text)
    assert again.graph.same_as(program())
    assert again[1:] == make_reproducer()[1:]
    assert list(tmp_path.iterdir()) == [path]


def test_the_arrays_it_was_run_on_are_kept_to_the_bit():
    arrays = Literal(np.array([np.nan, -0.0], np.float32)), Literal(np.arange(60.0).reshape(3, 20)), Literal(True)
    text = make_reproducer()._replace(inputs=arrays).text()
    assert read_reproducer(text).inputs == arrays and read_reproducer(text).message == make_reproducer().message
    assert read_reproducer(make_reproducer()._replace(inputs=()).text()).inputs == ()
    with pytest.raises(ParseError, match="has values that are not arrays"):
        read_reproducer(text.replace("# inputs: (", "# inputs: (3, "))


def test_it_is_graph_text_too_and_the_first_line_is_the_command():
    assert parse(make_reproducer().text()).same_as(program())
    assert make_reproducer().text("a.ir").splitlines()[0] == "# minigraph reproducer: minigraph opt a.ir --bisect"


def test_a_title_becomes_a_file_name(tmp_path):
    graph = program()
    graph.title = "../net: step<1>"
    assert save_reproducer(Reproducer(graph, "dce"), tmp_path).name == "net_step_1.repro.ir"
    graph.title = "<>"
    assert save_reproducer(Reproducer(graph, "dce"), tmp_path).name == "graph.repro.ir"


@pytest.mark.parametrize("where", ["missing", "file"])
def test_an_unwritable_folder_is_an_error(tmp_path, where):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"^reproducer: cannot write '.*step.repro.ir': .*; choose another folder$"):
        save_reproducer(make_reproducer(), tmp_path / where)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


test_other_files_are_refused = error_cases(
    ("graph f()\n  return\n", "the first line is not"),
    ("# minigraph reproducer: minigraph opt x\ngraph f()\n  return\n", "the lines '# pipeline"),
    ("# minigraph reproducer: minigraph opt x\n# pipeline: dce\n# seed: -\ngraph f()\n  return\n", "# seed: "),
    ("# minigraph reproducer: minigraph opt x\n# pipeline: dce\n# seed: 0\ngraph f(\n", "graph text, line 4"),
    by=read_reproducer,
    error=ParseError,
)
