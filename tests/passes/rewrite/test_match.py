"""Matches: the properties that predicates read, and the removable nodes."""

import numpy as np
import pytest

from minigraph.core.op import apply
from tests.passes.small_graphs import find, graph_of


def test_a_predicate_sees_types_uses_and_constants():
    graph = graph_of("const() {value=f32[]<3.0>} : f32[]", "mul(%0, %3)", "neg(%0)", outs="%4, %5")
    match = find(lambda x, c: x * c, graph, 4)
    assert (match.x.shape, match.x.dtype.name, match.x.uses, match.x.const) == ((2, 2), "float32", 2, None)
    assert match.c.const == np.float32(3) and str(match.c.type) == "f32[]"
    assert match.c.op.role == "const" and match.out.shape == (2, 2) and match.root == 4
    with pytest.raises(AttributeError, match="no variable 'y'"):
        match.y.shape  # noqa: B018
    assert match.location == "%4 = mul"


def test_nodes_removed_with_the_root():
    def pattern(x):
        return -apply("exp", apply("tanh", x))

    lines = ["tanh(%0)", "exp(%3)", "neg(%4)"]

    def removable_nodes(graph, kept=()):
        return find(pattern, graph, 5, recompute=True).removable_nodes(kept)

    assert removable_nodes(graph_of(*lines)) == (5, 4, 3)
    assert removable_nodes(graph_of(*lines), kept=(3,)) == (5, 4)
    assert removable_nodes(graph_of(*lines, "abs(%3)")) == (5, 4)
    assert removable_nodes(graph_of(*lines, "abs(%4)")) == (5,)
    assert removable_nodes(graph_of(*lines, outs="%3, %5")) == (5, 4)
