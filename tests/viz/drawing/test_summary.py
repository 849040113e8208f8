import re

from minigraph.core.location import Loc
from tests.tables import results
from tests.viz.graphs import ADD, chain, f32, fused_step, random_dag, step
from viz.drawing.scene import LIMIT
from viz.drawing.summary import BOXES, GROUPINGS, readable_scene, summary_of


def program(lines, operators_per_line):
    """A graph of a program with so many source lines, each run again and again."""
    graph = chain(0)
    for turn in range(operators_per_line):
        for line in range(lines):
            loc = Loc("net.py", line + 1, 0, 0, f"function{line % 3}")
            graph.emit(ADD, (graph.next_id - 1, max(0, graph.next_id - 1 - turn % 2)), {}, [f32(4)], loc=(loc,))
    graph.set_outs([graph.next_id - 1])
    return graph


def test_a_small_graph_is_drawn_whole_with_open_bodies_that_close_when_they_would_not_fit():
    scene = readable_scene(fused_step())
    assert scene.note == ""
    assert list(scene.groups) == ["n14g0"]
    scene = readable_scene(fused_step(), limit=12)
    assert scene.groups == {}
    assert "fused bodies are closed" in scene.note
    assert "n14" in scene.boxes


def test_a_large_graph_becomes_one_box_per_source_line():
    scene = readable_scene(program(lines=30, operators_per_line=100))
    assert len(scene) <= BOXES + 1
    for told in ("summary: 3,001 nodes in 31 boxes, one per source line and operator", "single nodes are not drawn"):
        assert told in scene.note
    first, second, *_ = scene.boxes["s1"].lines
    assert first == "add ×100" and second.startswith("net.py:1")


def test_values_and_highlights_reach_the_whole_drawing():
    scene = readable_scene(step(), values={3: 1.5}, highlight=[4])
    assert scene.boxes["n3"].lines[1] == "1.5" and scene.boxes["n4"].strong


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


def test_order_edges_survive_the_summary_and_its_tips_say_what_is_in_a_box():
    assert {arrow.kind for arrow in summary_of(step(), 100).arrows.values()} == {"data", "depend", "effect"}
    assert any("matmul ×1" in box.tip for box in summary_of(step(), 4).boxes.values())


def test_every_grouping_puts_every_node_somewhere_and_there_are_never_more_boxes_than_asked_for():
    for _, grouping in GROUPINGS:
        assert 1 <= len({grouping(step(), node) for node in step()}) <= len(step())
    for length in (LIMIT, 50_000):
        assert len(readable_scene(chain(length))) <= LIMIT
