"""Drawings of the best partial match of a rule."""

import pytest

from minigraph import Tensor, ops, trace
from minigraph.core.errors import RenderError
from passes import explain_match, fuse, rule
from tests.viz.graphs import chain, missed_match, parse_svg, statuses, step, texts
from viz import dot, save, svg
from viz.drawing.partial_match import MAX_UNCROPPED_BOXES, partial_match, partial_match_scene
from viz.output.render import render


def test_matched_and_missed_nodes_have_their_own_marks_and_glyphs():
    scene = partial_match_scene(missed_match())
    assert statuses(scene) == {"n5": "matched", "n4": "matched", "n3": "mismatched"}
    assert scene.title == "ConvBiasRelu does not apply at %5"
    assert scene.note == "%3 = matmul(%0, %1) does not match conv2d(x, w)"
    assert {scene.note, "✗ %3 matmul", "✓ %4 add", "✓ %5 relu"} <= set(texts(svg(missed_match())))


def test_a_rule_that_matches_has_no_missed_node():
    scene = partial_match_scene(missed_match(at=None, test=""))
    assert set(statuses(scene).values()) == {"matched"} and scene.title == "ConvBiasRelu applies at %5"


def test_a_large_graph_is_drawn_as_a_neighbourhood():
    scene = partial_match_scene(missed_match(chain(200), at=100, matched=(101, 102)))
    assert set(statuses(scene)) == {"n100", "n101", "n102"} and len(scene) == 5 < MAX_UNCROPPED_BOXES
    assert "omitted" in scene.note and "does not match conv2d" in scene.note


def test_the_graph_itself_stays_unmarked_and_is_needed():
    explanation = missed_match()
    partial_match(explanation)
    assert dot(explanation.graph).source == dot(step()).source
    with pytest.raises(RenderError, match="'ConvBiasRelu' has no graph"):
        partial_match(missed_match()._replace(graph=None))


def test_it_is_saved_as_any_other_picture(tmp_path):
    assert save(missed_match(), tmp_path / "why.svg").read_text().startswith("<svg")
    assert b"<svg" in render(missed_match()) and "digraph" in save(missed_match(), tmp_path / "why.dot").read_text()


def test_results_of_explain_match_are_displayed():
    x = Tensor([[1.0, 2.0]])
    graph = trace(lambda x: ops.relu(ops.exp(x) + x), x)
    explanation = explain_match(fuse("Product", lambda x, w, b: ops.relu(x @ w + b)), graph)
    picture = explanation._repr_svg_()
    assert parse_svg(picture) is not None and any(text.startswith("✗") and "exp" in text for text in texts(picture))
    relu_of_sum = rule(lambda x, y: (ops.relu(x + y), ops.maximum(x + y, 0)))
    marks = statuses(partial_match_scene(explain_match(relu_of_sum, graph)))
    assert set(marks.values()) == {"matched"} and len(marks) == 2
