import pytest

from tests.viz.graphs import HOSTILE, Stats, Tags, fuse_record, fused_step, hostile, record, step
from viz.diff import diff
from viz.steps import VIEWS, Steps, counts_table, diff_html


def tags(html, name):
    return [attrs for tag, attrs in Tags(html).tags if tag == name]


def records():
    same = step()
    return [record("dce", same, same), fuse_record(cycles=(1000, 600)), record("cse", same, same)]


def test_every_pass_has_an_item_and_a_panel():
    html = Steps(records()).html()
    assert [attrs["data-step"] for attrs in tags(html, "button") if "data-step" in attrs] == ["0", "1", "2"]
    assert [attrs["data-panel"] for attrs in tags(html, "article")] == ["0", "1", "2"]


def test_passes_that_changed_nothing_are_marked_and_counted():
    html = Steps(records()).html()
    assert html.count('<li class="unchanged">') == 2
    assert "show 2 that changed nothing" in html
    assert "data-quiet" not in Steps([fuse_record()]).html()


def test_a_changed_pass_has_every_view_in_one_drawing():
    html = Steps([fuse_record()]).html()
    assert [attrs["data-view"] for attrs in tags(html, "button") if "data-view" in attrs] == [view for view, _ in VIEWS]
    shown = [attrs["data-shows"] for attrs in tags(html, "div") if "data-shows" in attrs]
    assert shown == ["changes before after", "diff", "text"]
    assert html.count("<svg") == 1


def test_counts_are_told_with_their_change():
    rows = {row[0]: row[1:] for row in counts_table(fuse_record(cycles=(1000, 600))).rows}
    assert rows["nodes"] == (14, 11, "-21.4%")
    assert rows["cycles"] == (1000, 600, "-40.0%")
    assert list(rows) == ["nodes", "edges", "bytes", "cycles"]


def test_equal_counts_and_counts_from_nothing():
    rows = {row[0]: row[3] for row in counts_table(record("p", step(), step(), cycles=(0, 5))).rows}
    assert rows["nodes"] == ""
    assert rows["cycles"] == "+5"


def test_rules_that_rewrote_are_named():
    html = Steps([fuse_record(rules={"matmul_bias": Stats(3), "idle": Stats(0)})]).html()
    assert "matmul_bias ×3" in html
    assert "idle" not in html


def test_a_record_without_graphs_shows_its_counts():
    html = Steps([fuse_record()._replace(before=None, after=None)]).html()
    assert "snapshots=True" in html
    assert "nodes" in html


def test_the_text_diff_marks_lines_by_sign_and_element():
    html = diff_html(diff(step(), fused_step()))
    assert "<del>-  %4 = add(%3, %2)" in html
    assert "<ins>+  %14 = fused(%3, %2)" in html
    assert html.count("<pre") == 1


@pytest.mark.parametrize("text", [HOSTILE])
def test_hostile_names_are_only_text(text):
    changed = hostile()
    changed.set_outs([])
    html = Steps([record(text, hostile(), changed, rules={text: Stats(1)})]).html()
    assert "<script" not in html
    assert not any(name.startswith("on") or name == "style" for _, attrs in Tags(html).tags for name in attrs)


def test_no_passes_is_an_empty_list():
    assert "<ol></ol>" in Steps([]).html()
