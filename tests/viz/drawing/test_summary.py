import re

from minigraph.core.location import Loc
from tests.tables import results
from tests.viz.graphs import ADD, chain, f32, fused_step, random_dag, step
from viz.drawing.scene import MAX_DRAWN_BOXES
from viz.drawing.summary import GROUPINGS, MAX_SUMMARY_BOXES, readable_scene, summary_of


def program(lines, operators_per_line):
    """The graph of a program with ``lines`` source lines, each executed repeatedly."""
    graph = chain(0)
    for iteration in range(operators_per_line):
        for line in range(lines):
            loc = Loc("net.py", line + 1, 0, 0, f"function{line % 3}")
            graph.emit(ADD, (graph.next_id - 1, max(0, graph.next_id - 1 - iteration % 2)), {}, [f32(4)], loc=(loc,))
    graph.set_outs([graph.next_id - 1])
    return graph


def test_a_small_graph_is_drawn_completely_and_bodies_are_collapsed_to_fit_the_limit():
    scene = readable_scene(fused_step())
    assert scene.note == ""
    assert list(scene.groups) == ["n14g0"]
    scene = readable_scene(fused_step(), limit=12)
    assert scene.groups == {}
    assert "fused bodies are collapsed" in scene.note
    assert "n14" in scene.boxes


def test_a_large_graph_becomes_one_box_per_source_line():
    scene = readable_scene(program(lines=30, operators_per_line=100))
    assert len(scene) <= MAX_SUMMARY_BOXES + 1
    for text in ("summary: 3,001 nodes in 31 boxes, one per source line and operator", "single nodes are not drawn"):
        assert text in scene.note
    first, second, *_ = scene.boxes["s1"].lines
    assert first == "add ×100" and second.startswith("net.py:1")


def test_values_and_highlights_are_passed_to_the_scene():
    scene = readable_scene(step(), values={3: 1.5}, highlight=[4])
    assert scene.boxes["n3"].lines[1] == "1.5" and scene.boxes["n4"].highlighted


test_the_finest_grouping_that_fits_is_taken = results(
    lambda boxes: re.search("one per (.*?);", summary_of(program(200, 2), boxes).note)[1],
    (400, "source line and operator"),
    (10, "function"),
    (2, "operator"),
    (1, "kind of operator"),
)


def test_counts_of_nodes_edges_and_outputs_are_kept():
    graph = random_dag(1000)
    scene = summary_of(graph)
    members = sum(
        int(box.lines[0].rpartition("×")[2].replace(",", "")) for key, box in scene.boxes.items() if "out" not in key
    )
    assert members == len(graph)
    assert [box.lines for key, box in scene.boxes.items() if key.endswith("out")] == [("output",)]
    between = [arrow for arrow in scene.arrows.values() if arrow.head.removesuffix("out") != arrow.tail]
    assert {arrow.tail for arrow in between} <= set(scene.boxes)


def test_summaries_keep_order_edges_and_their_tooltips_list_the_operators():
    assert {arrow.kind for arrow in summary_of(step(), 100).arrows.values()} == {"data", "depend", "effect"}
    assert any("matmul ×1" in box.tooltip for box in summary_of(step(), 4).boxes.values())


def test_every_grouping_covers_all_nodes_and_the_limit_holds():
    for _, grouping in GROUPINGS:
        assert 1 <= len({grouping(step(), node) for node in step()}) <= len(step())
    for length in (MAX_DRAWN_BOXES, 50_000):
        assert len(readable_scene(chain(length))) <= MAX_DRAWN_BOXES
