import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigraph.core.location import Loc
from minigraph.ir.graph import Graph
from tests.tables import results
from tests.viz.graphs import HOSTILE, f32, fused_step, hostile, op, step
from viz.common.labels import node_label, node_tooltip, operator_count, truncate, value_lines


def test_the_tooltip_has_text_source_line_and_provenance():
    graph = fused_step()
    lines = node_tooltip(graph, 14).split("\n")
    assert lines[0].startswith("%14 = fused(%3, %2)")
    assert lines[1].startswith("graphs.py:")
    assert "graph.emit(ADD" in lines[1] or "user_loc()" in lines[1]
    assert lines[-1] == "created by fuse_elementwise from %4, %5, %7, %8"


def test_a_label_that_fails_falls_back_to_the_name():
    graph = Graph()
    graph.emit(op("odd", label=lambda attrs: attrs["missing"]), (), {}, [f32()])
    assert node_label(graph, 0) == "odd"


test_truncated_text_is_one_short_line = results(
    truncate, ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("a\n b\t c", 9, "a b c"), ("", 3, "")
)


@given(st.text(), st.integers(1, 60))
def test_no_text_is_longer_than_allowed(text, width):
    short = truncate(text, width)
    assert len(short) <= width
    assert "\n" not in short


def test_the_tooltip_lists_few_lines_and_sources():
    graph = step()
    locs = tuple(Loc("net.py", n) for n in range(50))
    node = graph.emit(op("many"), (), {}, [f32()], loc=locs, sources=tuple(range(14)))
    lines = node_tooltip(graph, node).split("\n")
    assert sum(line.startswith("net.py:") for line in lines) == 4
    assert lines[-1].count("%") == 8


@pytest.mark.parametrize("file", [HOSTILE, "no\x00such", "\ud800", "", "missing.py"])
def test_a_file_that_cannot_be_read_has_an_empty_line(file):
    assert Loc(file, 3).text == ""


def test_tooltips_of_hostile_text_do_not_fail():
    graph = hostile()
    assert all(node_tooltip(graph, node) for node in graph)


test_values_are_a_few_lines = results(
    value_lines,
    (3, ("3",)),
    (None, ("None",)),
    (np.float32(0.5), ("0.5",)),
    ("a\nb", ("a", "b")),
    ("", ()),
    ("1\n2\n3\n4\n5", ("1", "2", "3", "…")),
)


def test_operators_of_a_body_do_not_count_its_leaves():
    (body,) = fused_step().regions(14)
    assert len(body) == 7
    assert operator_count(body) == 4
