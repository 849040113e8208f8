"""Rules as data: roots, sizes, depths, and finding without rewriting."""

from minigraph.core.op import TABLE, apply
from passes import chain, fuse, is_cheap, maybe, rule
from passes.rewrite.match import Match
from tests.passes.small_graphs import graph_of, named_rule
from tests.tables import results

half = named_rule("half", lambda x: (x * 0.5, x / 2), target="cube")


def test_a_rule_states_its_purpose_and_reason():
    assert half.target == "cube" and half.roots == {TABLE["mul"]} and not half.is_fusion and half.exact

    @rule
    def halve(x):
        """Dividing by 2 is exact."""
        return x * 0.5, x / 2

    assert halve.doc == "Dividing by 2 is exact." and halve.text == "halve: mul(x, 0.5) -> div(x, 2)"


def test_sizes_depths_and_roots():
    mesh = fuse("M", lambda x, y: apply("exp", x + y) * apply("tanh", x))
    assert (mesh.size, mesh.depth) == (4, 3) and mesh.is_fusion
    several = fuse("A", lambda x, w: maybe("relu", x @ w))
    assert [variant.size for variant in several.variants] == [2, 1] and several.size == 2
    assert several.roots == {TABLE["relu"], TABLE["matmul"]}
    chained = fuse("C", lambda x, w: chain(is_cheap, x @ w, max_length=9))
    assert chained.depth == 10 and chained.roots is None, "a chain on top may start anywhere"


def test_find_returns_a_match_a_reason_or_nothing():
    rescaled = fuse("R", lambda x, w, s: (x @ w) * s, where=lambda m: m.s.shape == ())
    graph = graph_of("matmul(%0, %1)", "mul(%3, %2)", "neg(%0)", outs="%4, %5")
    assert rescaled.find(graph, 4) == "where" and rescaled.find(graph, 3) is None and rescaled.find(graph, 5) is None
    scalar = graph_of("const() {value=f32[]<3.0>} : f32[]", "matmul(%0, %1)", "mul(%3, %4)")
    match = rescaled.find(scalar, 5)
    assert isinstance(match, Match) and match.values == {"x": 0, "w": 1, "s": 3}


def test_a_computed_rule_is_found_at_every_node_of_its_operator():
    never = named_rule("never", lambda graph, node: None, root="exp")
    match = never.find(graph_of("exp(%0)"), 3)
    assert isinstance(match, Match) and match.nodes == (3,) and never.depth == 2 and never.size == 1


test_a_rule_is_shrinking_if_its_replacement_has_fewer_operators = results(
    lambda any_rule: any_rule.is_shrinking,
    (half, False),
    (named_rule("fewer", lambda x, y: (apply("exp", x) * apply("tanh", x) + y, apply("exp", x) * y)), True),
    (named_rule("as_many", lambda x, y: (apply("exp", x) + apply("exp", y), apply("exp", x * y) + y)), False),
    (named_rule("kept", lambda x: (apply("neg", apply("abs", e := apply("exp", x))), apply("neg", e))), True),
    (named_rule("twice", lambda x: (-apply("abs", x), apply("exp", x)), recompute=True), False),
)
