"""Dumps of graphs during a pipeline run."""

import io

import pytest

from minigraph.core.errors import UsageError, VerifyError
from minigraph.ir.text import parse, to_text
from passes import Pipeline
from passes.core.dump import DUMP_MODES, Dump
from tests.passes.small_graphs import REPEATED


def break_graph(graph):
    """Makes a node its own ancestor."""
    graph.set_operands(1, (3,))


def dump_text(steps, *args, **kwargs):
    """The text of a dump of a pipeline run."""
    to = io.StringIO()
    Pipeline(steps).run(parse(REPEATED), observers=[Dump(*args, to=to, **kwargs)])
    return to.getvalue()


def test_changed_graphs_are_dumped_completely():
    text, graph = dump_text(["cse", "cse", "dce"]), parse(REPEATED)
    titles = ["# ---- after cse: 5 -> 4 nodes, 32 -> 24 bytes", "# ---- after dce: 4 -> 3 nodes, 24 -> 16 bytes"]
    assert [line for line in text.splitlines() if line.startswith("# ")] == titles
    Pipeline(["cse", "dce"]).run(graph)
    assert text.endswith(to_text(graph))


def test_all_includes_unchanged_graphs_and_passes_selects():
    assert dump_text(["cse", "cse", "dce"], "all").count("# ---- after") == 3
    text = dump_text(["cse", "dce"], passes=("dce",))
    assert "after cse" not in text and "after dce" in text


def test_nodes_are_selected_by_operator_or_line_and_only_if_changed():
    text = dump_text(["cse", "dce"], op="exp")
    assert text.count("# ----") == 1 and "%1 = exp(%0) : f32[2]  # net.py:3" in text and "add" not in text
    text = dump_text(["cse", "dce"], line="net.py:6")
    assert text == "# ---- after dce: 4 -> 3 nodes, 24 -> 16 bytes\n"
    assert dump_text(["cse", "dce"], line="net.py:5").count("%3 = add(%1, %1)") == 1
    assert dump_text(["cse", "dce"], op="exp", line="net.py:6") == ""


def test_failed_dumps_only_the_graph_before_the_failure():
    to = io.StringIO()
    with pytest.raises(VerifyError):
        Pipeline(["cse", break_graph]).run(parse(REPEATED), observers=[Dump("failed", to=to)])
    first, *rest = to.getvalue().splitlines(keepends=True)
    assert first.startswith("# ---- before 'break_graph', which failed: pass 'break_graph' broke the graph: ")
    graph = parse(REPEATED)
    Pipeline(["cse"]).run(graph)
    assert "".join(rest) == to_text(graph)


def test_the_default_output_is_stderr(capsys):
    Pipeline(["cse"]).run(parse(REPEATED), observers=[Dump()])
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("# ---- after cse")


def test_other_kinds_are_rejected():
    assert "changed" in DUMP_MODES
    with pytest.raises(UsageError, match="dump: unknown mode 'change'; did you mean 'changed'"):
        Dump("change")
