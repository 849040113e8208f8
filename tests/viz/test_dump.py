import pytest

from minigraph.context import get_context, resolve
from minigraph.ir.text import parse, to_text
from tests.viz.graphs import HOSTILE, fuse_record, parsed, record, step
from viz.dump import dump_records, safe_name


def records():
    same = step()
    return [record("dce", same, same), fuse_record(), record("cse", same, same)]


def names(paths):
    return [path.name for path in paths]


def test_the_context_finds_it():
    assert resolve(get_context("graph_dump")) is dump_records


def test_level_one_writes_text_of_changed_stages(tmp_path):
    written = dump_records("train_step", records(), tmp_path, 1)
    assert names(written) == [
        "train_step_00_captured.ir",
        "train_step_01_fuse_elementwise.ir",
        "train_step_01_fuse_elementwise.diff",
    ]
    assert written[0].read_text("utf-8") == to_text(step())
    assert "+  %14 = fused" in written[2].read_text("utf-8")


@pytest.mark.parametrize(("level", "suffixes"), [(0, set()), (1, {".ir", ".diff"}), (2, {".ir", ".diff", ".svg"})])
def test_levels_add_kinds_of_files(tmp_path, level, suffixes):
    assert {path.suffix for path in dump_records("net", records(), tmp_path, level)} == suffixes


def test_level_three_adds_dot(tmp_path):
    written = dump_records("net", records(), tmp_path, 3)
    assert [path.suffix for path in written] == [".ir", ".svg", ".dot", ".ir", ".diff", ".svg", ".dot"]
    assert parsed(written[1].read_text("utf-8")) is not None
    assert written[2].read_text("utf-8").startswith("digraph")


def test_the_text_parses_back(tmp_path):
    ops = {step().op(node).name: step().op(node) for node in step()}
    path = dump_records("net", records(), tmp_path)[0]
    assert to_text(parse(path.read_text("utf-8"), ops)) == to_text(step())


def test_the_same_dump_twice_replaces_the_files(tmp_path):
    first = dump_records("net", records(), tmp_path, 2)
    assert dump_records("net", records(), tmp_path, 2) == first
    assert len(list(tmp_path.iterdir())) == len(first)


@pytest.mark.parametrize("title", ["../../etc/passwd", "a/b\\c:d", HOSTILE, "", ".", "x" * 500])
def test_titles_never_choose_the_place(tmp_path, title):
    written = dump_records(title, [fuse_record()._replace(name=title)], tmp_path / "out")
    assert {path.parent for path in written} == {tmp_path / "out"}
    assert all(len(path.name) < 150 for path in written)


@pytest.mark.parametrize(("text", "safe"), [("net.py", "net_py"), ("..", "graph"), ("é", "graph"), ("a-b_1", "a-b_1")])
def test_safe_names(text, safe):
    assert safe_name(text) == safe


def test_records_without_graphs_write_nothing(tmp_path):
    assert dump_records("net", [fuse_record()._replace(before=None, after=None)], tmp_path, 3) == []
    assert dump_records("net", [], tmp_path, 3) == []
    assert list(tmp_path.iterdir()) == []
