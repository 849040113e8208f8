"""Records of a run as tables, in notebooks and as text."""

import pytest

from minigraph import Tensor, jit, ops, set_context
from passes import Pipeline
from passes.core.records import Records
from tests.viz.graphs import Tags

X = Tensor([[1.0, 2.0], [3.0, 4.0]])
FN = jit(lambda x: ops.exp(x @ x) * 2.0 + 1.0)
PASSES = "cse,fuse_elementwise,dce"


@pytest.fixture
def records():
    return FN.records(X, pipeline=PASSES)


def test_a_run_returns_records_which_are_a_list(records):
    assert isinstance(records, Records)
    assert isinstance(Pipeline().run(FN.graph(X, pipeline=())), Records)
    assert [record.name for record in records] == ["cse", "fuse_elementwise", "dce"]
    assert records == list(records)
    assert [*records[1:]] == [records[1], records[2]]


def test_the_table_has_a_row_for_every_pass_and_a_picture_of_its_changes(records):
    text = records._repr_html_()
    assert [tag for tag, _ in Tags(text).tags].count("tr") == 4
    assert "<td>cse</td><td>7</td><td>64</td><td></td>" in text
    assert "<td>fuse_elementwise</td><td>7 → 5</td><td>64 → 32</td><td>1</td>" in text
    assert text.count("<svg") == 2
    assert text.count("<td>nothing changed</td>") == 1
    assert [record._repr_svg_() is not None and "<svg" in record._repr_svg_() for record in records] == [True] * 3
    hostile = Records([record.__class__(**{**vars(record), "name": "<script>"}) for record in records])
    assert "<script>" not in hostile._repr_html_(), "names stay text"


def test_records_without_graphs_have_no_picture():
    records = Pipeline(PASSES.split(",")).run(FN.graph(X, pipeline=()))
    assert "<svg" not in records._repr_html_()
    assert [record._repr_svg_() for record in records] == [None] * 3


def test_without_pictures_there_is_still_a_table(records, monkeypatch):
    monkeypatch.setattr("passes.core.records.svg_of", lambda instance: None)
    assert "<svg" not in records._repr_html_()
    assert "fuse_elementwise" in records._repr_html_()


def test_a_jitted_function_shows_the_graph_it_compiled_last():
    fn = jit(lambda x: ops.exp(x))
    assert fn._repr_svg_() is None
    fn(X)
    fn(X[0])
    assert "f32[2]" in fn._repr_svg_()
    assert "f32[2,2]" not in fn._repr_svg_()


def test_records_are_the_same_whatever_the_context_saves(tmp_path):
    set_context(save_graphs=1, save_graphs_path=str(tmp_path))
    assert [record.name for record in FN.records(X, pipeline=PASSES)] == PASSES.split(",")


def test_as_text_a_line_per_pass_and_the_totals(records):
    head, *lines, total = records.table().splitlines()
    assert head.split() == ["pass", "nodes", "bytes", "rewrites", "ms", "cycles"]
    assert [line.split()[0] for line in lines] == ["cse", "fuse_elementwise", "dce"]
    assert "7 -> 5" in lines[1] and total.startswith("total") and "->" in total
    assert records.table().isascii(), "it is printed by users, whose terminals have any encoding"
    assert all(line == line.rstrip() for line in (head, *lines, total))
    cost_lines = FN.records(X, pipeline=PASSES, cost=len).table().splitlines()
    assert cost_lines[2].endswith("7 -> 5") and cost_lines[-1].endswith("7 -> 3")
    assert Records().table() == "", "no passes are no text"


def test_records_print_as_the_table():
    records = FN.records(X, pipeline=PASSES)
    assert str(records) == repr(records) == records.table().rstrip("\n")
    assert str(Records()) == "no passes"
