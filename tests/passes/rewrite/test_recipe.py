"""Rules as data: roots, sizes, depths, and finding without rewriting."""

from minigraph.core.op import TABLE, apply
from passes import chain, fuse, is_cheap, maybe, rule
from passes.rewrite.match import Match
from tests.passes.finding import graph_of


@rule(target="cube")
def half(x):
    """Dividing by 2 is exact."""
    return x * 0.5, x / 2


def test_a_rule_says_what_it_is():
    assert str(half) == half.text == "half: mul(x, 0.5) -> div(x, 2)"
    assert half.at == f"rule 'half' ({half.loc})" and half.__name__ == "half" and half.target == "cube"
    assert half.roots == {TABLE["mul"]} and not half.outlines and half.exact
    assert half.doc == "Dividing by 2 is exact."


def test_sizes_and_depths():
    mesh = fuse("M", lambda x, y: apply("exp", x + y) * apply("tanh", x))
    assert (mesh.size, mesh.depth) == (4, 3) and mesh.outlines
    several = fuse("A", lambda x, w: maybe("relu", x @ w))
    assert [spelling.size for spelling in several.spellings] == [2, 1] and several.size == 2
    assert several.roots == {TABLE["relu"], TABLE["matmul"]}
    assert fuse("C", lambda x, w: chain(is_cheap, x @ w, most=9)).depth == 10


def test_a_chain_on_top_may_start_anywhere():
    assert fuse("C", lambda x, w: chain(is_cheap, x @ w)).roots is None


def test_finding_tells_match_reason_or_nothing():
    rescaled = fuse("R", lambda x, w, s: (x @ w) * s, where=lambda m: m.s.shape == ())
    graph = graph_of("matmul(%0, %1)", "mul(%3, %2)", "neg(%0)", outs="%4, %5")
    assert rescaled.find(graph, 4) == "where" and rescaled.find(graph, 3) is None and rescaled.find(graph, 5) is None
    scalar = graph_of("const() {value=f32[]<3.0>} : f32[]", "matmul(%0, %1)", "mul(%3, %4)")
    found = rescaled.find(scalar, 5)
    assert isinstance(found, Match) and found.values == {"x": 0, "w": 1, "s": 3}


def test_a_computed_rule_is_found_at_every_node_of_its_operator():
    @rule(root="exp")
    def never(graph, node):
        """Says no."""

    found = never.find(graph_of("exp(%0)"), 3)
    assert isinstance(found, Match) and found.nodes == (3,) and never.depth == 2 and never.size == 1


def test_a_rule_shrinks_when_fewer_operators_are_left_however_many_of_its_own_are_one_node():
    @rule
    def fewer(x, y):
        return apply("exp", x) * apply("tanh", x) + y, apply("exp", x) * y

    @rule
    def as_many(x, y):
        return apply("exp", x) + apply("exp", y), apply("exp", x * y) + y

    @rule
    def kept(x):
        inner = apply("exp", x)
        return apply("neg", apply("abs", inner)), apply("neg", inner)

    @rule(recompute=True)
    def twice(x):
        return -apply("abs", x), apply("exp", x)

    assert (half.shrinks, fewer.shrinks, as_many.shrinks, kept.shrinks, twice.shrinks) == (
        False, True, False, True, False,
    )  # fmt: skip
