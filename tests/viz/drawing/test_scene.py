import numpy as np
import pytest

from minigraph.ir.graph import Graph
from minigraph.ir.outline import outline
from tests.viz.graphs import ADD, COND, EXP, HOSTILE, RELU, SPLIT, chain, f32, fused_step, hostile, one_input, step
from viz.drawing.scene import MAX_EXPANDED_DEPTH, Arrow, Scene, box_count, scene_of


def arrows(scene):
    return {(arrow.tail, arrow.head, arrow.kind): arrow.text for arrow in scene.arrows.values()}


def region_graph():
    """A node with two regions, each with an input of its own."""
    graph, bodies = one_input(), (one_input(), one_input())
    for body, operator in zip(bodies, (EXP, RELU), strict=True):
        body.set_outs([body.emit(operator, (0,), {}, [f32(2)])])
    graph.set_outs([graph.emit(COND, (0,), {}, [f32(2)], regions=bodies)])
    return graph


def nested_scene(levels):
    """Fused nodes in fused nodes, ``levels`` deep around one operator."""
    graph = chain(1)
    for level in range(levels):
        outline(graph, [graph.next_id - 1], {"name": f"level{level}"})
    return graph


def test_every_node_and_output_has_a_box():
    graph = step()
    scene = scene_of(graph)
    assert set(scene.boxes) == {f"n{node}" for node in graph} | {"nout0", "nout1"}
    assert scene.boxes["n3"].lines == ("%3 matmul",)
    assert scene.boxes["n1"].lines == ("%1 fc.weight",)
    assert len(scene) == 16


def test_every_operand_has_an_arrow_with_its_type():
    graph = step()
    labels = arrows(scene_of(graph))
    for node in graph:
        for operand in graph.ins(node):
            assert str(graph.type(operand)) in labels[f"n{operand}", f"n{node}", "data"]
    assert labels["n13", "nout0", "data"] == "f32[]"


def test_parallel_operands_are_counted_or_listed_where_their_texts_differ():
    assert arrows(scene_of(step()))["n7", "n8", "data"] == "f32[64,10] ×2"
    scene = Scene()
    for text in ("f32[2]", ".1 f32[3]", "f32[2]"):
        scene.add(Arrow("a", "b", text))
    assert arrows(scene) == {("a", "b", "data"): "f32[2], .1 f32[3], f32[2]"}


def test_order_edges_carry_their_kind_and_hold_on_to_the_first_and_last_operator_of_an_open_body():
    labels = arrows(scene_of(step()))
    assert labels["n3", "n12", "effect"] == "effect"
    assert labels["n12", "n13", "depend"] == "depend"
    assert labels["n12", "n13", "data"] == "f32[64,10]"
    graph = fused_step()
    graph.order(3, 14, "depend")
    graph.order(14, 10, "effect")
    labels = arrows(scene_of(graph))
    assert labels["n3", "n14_0_2", "depend"] == "depend"
    assert labels["n14_0_6", "n10", "effect"] == "effect"


def test_a_fused_body_is_drawn_open_and_its_edges_lead_to_the_real_users():
    scene = scene_of(fused_step())
    assert scene.groups["n14g0"].title == "%14 bias_relu"
    assert "n14" not in scene.boxes
    inner = {key for key, box in scene.boxes.items() if box.parent == "n14g0"}
    assert {scene.boxes[key].lines[0] for key in inner} == {"add", "relu", "0.1", "mul"}
    into = {(tail, head) for tail, head, _ in scene.arrows if head in inner and tail not in inner}
    assert {tail for tail, _ in into} == {"n3", "n2"}
    out = {head for tail, head, _ in scene.arrows if tail in inner and head not in inner}
    assert out == {"n9", "nout1"}


def test_a_fused_body_can_stay_collapsed():
    scene = scene_of(fused_step(), bodies=False)
    assert scene.groups == {}
    assert scene.boxes["n14"].lines == ("%14 bias_relu (4 operators)",)
    assert arrows(scene)["n14", "n9", "data"] == ".1 f32[64,10]"


def test_a_value_that_only_passes_through_a_body_comes_from_outside():
    graph, body = one_input(), one_input()
    body.set_outs([0])
    from_body = graph.emit(fused_step().op(14), (0,), {"name": "nothing"}, [f32(2)], regions=(body,))
    graph.set_outs([graph.emit(EXP, (from_body,), {}, [f32(2)])])
    graph.order(from_body, 2, "depend")
    assert ("n0", "n2", "data") in arrows(scene_of(graph))


def test_regions_of_other_operators_are_next_to_their_node():
    scene = scene_of(region_graph())
    assert [group.title for group in scene.groups.values()] == ["%1 cond, region 0", "%1 cond, region 1"]
    assert scene.boxes["n1"].kind == "region"
    titles = [box.lines[0].split()[0] for box in scene.boxes.values() if box.kind != "output"]
    assert len(titles) == len(set(titles)) and {"%1/0", "%1.1/0"} <= set(titles)  # no id means two nodes
    assert {scene.boxes[f"n1_{r}_out0"].parent for r in (0, 1)} == {"n1g0", "n1g1"}
    assert ("n1", "n1_0_0", "body") in scene.arrows


@pytest.mark.parametrize("levels", [1, MAX_EXPANDED_DEPTH, MAX_EXPANDED_DEPTH + 3])
def test_bodies_are_opened_to_a_limited_depth(levels):
    scene = scene_of(nested_scene(levels))
    assert len(scene.groups) == min(levels, MAX_EXPANDED_DEPTH)
    innermost = [box for box in scene.boxes.values() if box.parent]
    assert len(innermost) == 1
    assert ("exp" if levels <= MAX_EXPANDED_DEPTH else "operators") in innermost[0].lines[0]


def test_results_beyond_the_first_are_named():
    graph = one_input(f32(4))
    parts = graph.emit(SPLIT, (0,), {}, [f32(1), f32(3)])
    graph.emit(ADD, (parts, (parts, 1)), {}, [f32(3)])
    assert arrows(scene_of(graph))["n1", "n2", "data"] == ".0 f32[1], .1 f32[3]"


def test_values_and_highlights_are_shown_and_large_values_cut():
    scene = scene_of(step(), values={3: np.array([[1.0, 2.5]]), 4: "text\nof two lines", 5: 7}, highlight={5})
    assert scene.boxes["n3"].lines == ("%3 matmul", "[[1. 2.5]]")
    assert scene.boxes["n4"].lines == ("%4 add", "text", "of two lines")
    assert scene.boxes["n5"].lines == ("%5 relu", "7")
    assert [key for key, box in scene.boxes.items() if box.highlighted] == ["n5"]
    lines = scene_of(step(), values={3: np.zeros((50, 50))}).boxes["n3"].lines
    assert 2 <= len(lines) <= 5
    assert all(len(line) <= 44 for line in lines)


def test_keys_never_hold_text_of_the_user():
    scene = scene_of(hostile())
    assert all(key.replace("out", "").replace("g", "").replace("_", "")[1:].isdigit() for key in scene.boxes)
    assert HOSTILE not in {*scene.boxes, *scene.groups}


def test_the_number_of_boxes_includes_bodies_and_counting_stops_early():
    assert box_count(step(), 1000) == 14
    assert box_count(fused_step(), 1000) == len(fused_step()) + 7
    assert box_count(chain(5000), 10) > 10


def test_a_chain_of_fifty_thousand_operators_is_read_and_an_empty_graph_too():
    scene = scene_of(chain(50_000))
    assert len(scene) == 50_002
    assert len(scene.arrows) == 50_001
    assert len(scene_of(Graph())) == 0
