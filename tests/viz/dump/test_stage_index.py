"""The index page of saved graphs."""

import re
from html import unescape

import pytest

from minigraph.core.context import get_context, set_context
from minigraph.npu import cycles
from tests.viz.graphs import HOSTILE, Stats, Tags, chain, fused_step, op, step
from viz.dump import stage_index
from viz.dump.stage_index import (
    MAX_CHARACTERS,
    MAX_LINES,
    Compilation,
    Row,
    add_to_index,
    drop_details,
    index_page,
    shorten,
)


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    """Each test starts with no folders."""
    monkeypatch.setattr(stage_index, "_folders", {})


def rows(rules=None):
    first, last = step(), fused_step()
    text = "--- a\n+++ b\n-old\n+new\n"
    return [
        Row("00_bootstrap_0000", first, None, {}, "the text\n", ("00_bootstrap_0000.ir",)),
        Row("01_fuse_0001", last, first, rules or {}, text, ("01_fuse_0001.ir", "diff_01_fuse_0001.diff")),
        Row("02_execute_0002", last, None, {}, text, ("02_execute_0002.ir",)),
    ]


def cells_of(text):
    """The texts of the cells of all table rows."""
    rows = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in text.split("<tr>")[1:]]
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in rows]


def page_of(folder, graph=None, stages=None):
    """The page of a folder after one more compilation."""
    return add_to_index(folder, graph or step(), stages or rows()).read_text("utf-8")


def test_the_table_lists_stages_with_sizes_cycles_changes_and_links(tmp_path):
    head, first, fused, last = cells_of(page_of(tmp_path, stages=rows({"bias_relu": Stats(1)})))
    priced = [f"{cycles(graph, get_context('chip')):,}" for graph in (step(), fused_step())]
    assert head == ["stage", "nodes", "operators", "cycles", "changes", "files"]
    assert first == ["00_bootstrap_0000", "14", "10", priced[0], "", "ir"]
    assert fused == ["01_fuse_0001", "11", "7", priced[1], "1 added, 4 removed, 1 rewired (bias_relu ×1)", "ir diff"]
    assert last[4:] == ["", "ir"]


def test_links_lead_to_the_files_next_to_the_page_which_loads_nothing(tmp_path):
    text = page_of(tmp_path)
    tags = Tags(text).tags
    links = [attrs["href"] for tag, attrs in tags if tag == "a" and attrs["href"].startswith("./")]
    assert links == ["./00_bootstrap_0000.ir", "./01_fuse_0001.ir", "./diff_01_fuse_0001.diff", "./02_execute_0002.ir"]
    assert "default-src 'none'" in text
    assert not [tag for tag, attrs in tags if "src" in attrs or tag == "link"]


def test_texts_are_collapsed_and_diffs_marked(tmp_path):
    text = page_of(tmp_path)
    assert re.findall("<summary>(.*?)</summary>", text) == [
        "00_bootstrap_0000: the graph", "01_fuse_0001: changes", "02_execute_0002: changes",
    ]  # fmt: skip
    assert "<span>--- a</span>\n<span>+++ b</span>\n<del>-old</del>\n<ins>+new</ins>" in text


def test_every_compilation_of_a_folder_is_on_its_page(tmp_path):
    page_of(tmp_path)
    assert "1 compilation." in page_of(tmp_path / "other")
    text = page_of(tmp_path, chain(2))
    assert re.findall("<h2>(.*?)</h2>", text) == ["1 · train_step(f32[64,64])", "2 · chain(f32[4])"]
    assert "2 compilations" in text
    (tmp_path / "index.html").unlink()
    text = page_of(tmp_path, chain(2))
    assert re.findall("<h2>(.*?)</h2>", text) == ["1 · chain(f32[4])"], "a new page after the old one was deleted"


def test_only_the_newest_show_their_texts_when_there_are_too_many():
    compilations = [
        Compilation(i, f"f{i}", f"<i>table {i}</i>", f"<b>{i}</b>" + "x" * (MAX_CHARACTERS // 3)) for i in range(5)
    ]
    drop_details(compilations)
    text = index_page(compilations)
    shown = [(f"table {i}" in text, f"<b>{i}</b>" in text) for i in range(5)]
    assert shown == [(True, False)] * 3 + [(True, True)] * 2
    assert len(text) < 1.1 * MAX_CHARACTERS


def test_the_oldest_compilations_are_left_to_their_files(tmp_path, monkeypatch):
    monkeypatch.setattr(stage_index, "MAX_COMPILATIONS", 2)
    for size in (2, 3, 4):
        text = page_of(tmp_path, chain(size))
    assert re.findall("<h2>(.*?)</h2>", text) == ["2 · chain(f32[4])", "3 · chain(f32[4])"]
    assert "3 compilations, of which the last 2 are shown." in text


def test_the_page_of_an_old_folder_starts_again(tmp_path, monkeypatch):
    monkeypatch.setattr(stage_index, "MAX_FOLDERS", 2)
    for name in ("a", "b", "a", "c", "a", "b"):
        (tmp_path / name).mkdir(exist_ok=True)
        text = page_of(tmp_path / name)
        assert len(stage_index._folders) <= 2
    assert "1 compilation." in text and "4 compilations." in page_of(tmp_path / "a")


def test_long_texts_are_truncated():
    assert shorten("a\n" * MAX_LINES) == "a\n" * MAX_LINES
    assert shorten("a\n" * (MAX_LINES + 5)) == "a\n" * MAX_LINES + "... 5 more lines\n"


def test_hostile_text_stays_text(tmp_path):
    graph = step()
    graph.title = HOSTILE
    hostile = [row._replace(name=HOSTILE, text=HOSTILE, rules={HOSTILE: Stats(1)}) for row in rows()]
    text = add_to_index(tmp_path, graph, hostile).read_text("utf-8")
    assert [tag for tag, _ in Tags(text).tags].count("script") == 1
    assert "alert(&#x27;x&#x27;)" in text


def test_cycles_are_of_the_contexts_chip_and_empty_without_a_cost(tmp_path):
    set_context(chip="ascend310p3")
    text = page_of(tmp_path)
    assert "Cycles are simulated on ascend310p3" in text
    assert f"{cycles(step(), 'ascend310p3'):,}" in cells_of(text)[1]
    graph = chain(1)
    graph.set_outs([graph.emit(op("mine", work=lambda *types: 1 / 0), (1,), {}, [graph.type(1)])])
    assert cells_of(page_of(tmp_path / "other", graph, [rows()[0]._replace(graph=graph)]))[1][3] == ""
