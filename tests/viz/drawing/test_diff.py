from minigraph.core.errors import RenderError
from tests.tables import cases, error_cases
from tests.viz.graphs import (
    EXP,
    chain,
    f32,
    fuse_record,
    fused_step,
    parse_svg,
    random_dag,
    record,
    statuses,
    step,
    texts,
)
from viz.drawing.diff import MAX_DIFF_LINES, crop_scene, diff, merge, text_diff
from viz.drawing.scene import MAX_DRAWN_BOXES, scene_of


def test_ids_identify_nodes_of_two_graphs_and_of_a_record():
    for change in (diff(step(), fused_step()), diff(fuse_record())):
        assert (change.added, change.removed, change.rewired) == ((14,), (4, 5, 7, 8), (9,))
        assert change.changed
        assert change.summary() == "1 added, 4 removed, 1 rewired"
    assert change.title == "fuse_elementwise"
    assert change.scene.title == "fuse_elementwise: 1 added, 4 removed, 1 rewired"


def test_equal_graphs_do_not_differ():
    change = diff(step(), step())
    assert not change.changed
    assert change.summary() == "nothing changed"
    assert change.text() == ""
    assert statuses(change.scene) == {}


def test_every_part_of_the_picture_has_its_status():
    marks = statuses(diff(step(), fused_step()).scene)
    assert {key for key, status in marks.items() if status == "removed"} == {"n4", "n5", "n7", "n8"}
    assert {key for key, status in marks.items() if status == "rewired"} == {"n9", "nout1"}
    assert all(key.startswith("n14_0_") for key, status in marks.items() if status == "added")


def test_both_graphs_are_in_the_picture_and_it_can_be_split_again():
    before, after = scene_of(step()), scene_of(fused_step())
    merged = merge(before, after)
    for scene, foreign in ((before, "added"), (after, "removed")):
        for parts in ("boxes", "arrows"):
            left = {key for key, part in getattr(merged, parts).items() if part.status != foreign}
            assert left == set(getattr(scene, parts))
    assert merged.groups["n14g0"].status == "added"


@cases(
    (lambda graph: graph.set_operands(10, [8]), (10,), {"n10": "rewired"}),
    (lambda graph: graph.order(4, 10, "effect"), (10,), {"n10": "rewired"}),
    (lambda graph: graph.set_outs([10, 5]), (), {"nout0": "rewired"}),
    ids=["operands", "order", "outputs"],
)
def test_other_operands_order_or_outputs_are_changes(change, rewired, marked):
    other = step()
    change(other)
    difference = diff(step(), other)
    assert difference.changed and difference.rewired == rewired and statuses(difference.scene) == marked


def test_the_text_is_a_unified_diff():
    lines = diff(step(), fused_step(), title="fuse").text().splitlines()
    assert lines[:2] == ["--- before fuse", "+++ after fuse"]
    assert any(line.startswith("-  %4 = add(%3, %2)") for line in lines)
    assert any(line.startswith("+  %14 = fused(%3, %2)") for line in lines)
    assert " " + "  %3 = matmul(%0, %1)" in [line.partition(" {")[0].partition(" :")[0] for line in lines]


def test_differences_of_long_texts_list_lines_of_one_text_and_count_repeated_ones():
    old = [f"line {i}" for i in range(MAX_DIFF_LINES)]
    assert list(text_diff(old, [*old[:10], "new", *old[11:]], "a", "b")) == ["--- a", "+++ b", "-line 10", "+new"]
    old = ["same"] * MAX_DIFF_LINES
    assert list(text_diff(old, [*old, "same"], "a", "b"))[2:] == ["+same"]
    assert list(text_diff(old, old[:-2], "a", "b"))[2:] == ["-same", "-same"]


def test_a_large_difference_is_cut_to_the_changes_and_their_neighbours():
    before = random_dag(2 * MAX_DRAWN_BOXES)
    after = before.clone()
    copy = after.emit(EXP, (MAX_DRAWN_BOXES - 1,), {}, [f32(4)])
    after.replace_uses({MAX_DRAWN_BOXES: copy})
    change = diff(before, after)
    assert copy in change.added
    assert len(change.scene) < 60
    assert f"n{copy}" in change.scene.boxes
    assert "boxes omitted, all unchanged" in change.scene.note


def test_more_changes_than_boxes_are_counted():
    change = diff(chain(3 * MAX_DRAWN_BOXES), random_dag(2), limit=50)
    assert len(change.scene) <= 50
    assert "of them changed" in change.scene.note
    assert set(statuses(change.scene).values()) <= {"added", "removed", "rewired"}


def test_cutting_keeps_groups_and_arrows_of_the_rest():
    scene = diff(step(), fused_step()).scene
    assert set(crop_scene(scene, len(scene)).groups) == {"n14g0"}
    small = crop_scene(scene, 3)
    assert len(small) == 3
    assert all({arrow.tail, arrow.head} <= set(small.boxes) for arrow in small.arrows.values())
    assert set(small.groups) == {box.parent for box in small.boxes.values() if box.parent}


def test_it_is_drawn_and_shows_itself():
    change = diff(fuse_record())
    assert any(text.startswith("+ ") for text in texts(change.svg()))
    assert change.dot().source.startswith("digraph")
    shown = change._repr_mimebundle_()
    assert shown["text/plain"] == "fuse_elementwise: 1 added, 4 removed, 1 rewired"
    assert parse_svg(shown["image/svg+xml"]) is not None


def test_graphs_of_different_programs_can_be_compared_and_bodies_are_collapsed_when_both_would_not_fit():
    change = diff(step(), chain(3))
    assert change.changed
    assert parse_svg(change.svg()) is not None
    assert diff(record("p", step(), fused_step()), limit=14).scene.groups == {}


def test_each_of_several_graphs_is_compared_with_the_one_before_it():
    changes = diff(step(), fused_step(), fused_step(), step(), title="edit")
    assert [change.title for change in changes] == ["edit 1", "edit 2", "edit 3"]
    assert [change.changed for change in changes] == [True, False, True] and changes.changed
    assert changes[0].added == changes[2].removed == (14,)
    assert changes.summary().splitlines()[1:] == ["edit 2: nothing changed", "edit 3: 4 added, 1 removed, 1 rewired"]
    assert changes.text().count("--- before edit") == 2
    shown = changes._repr_mimebundle_()
    assert shown["text/plain"] == changes.summary() and shown["text/html"].count("<svg") == 3
    assert not diff(step(), step(), step()).changed


def test_separately_captured_graphs_are_aligned_along_the_chain():
    one, other = chain(3), chain(4)
    changes = diff(one, other, chain(4), one, by="structure")
    assert [change.changed for change in changes] == [True, False, True]


test_errors = error_cases(
    (lambda: diff(), RenderError, "0 graphs cannot be compared; pass two or more"),
    (lambda: diff(step()), RenderError, "1 graphs cannot be compared; pass two or more"),
    (lambda: diff(step(), step(), "step"), RenderError, "str is not a graph; pass graphs"),
    (lambda: diff(fuse_record()._replace(before=None, after=None)), RenderError, "snapshots=True"),
    (lambda: diff(step(), step(), by="name"), RenderError, "no comparison by 'name'; use by='id' or by='structure'"),
)
