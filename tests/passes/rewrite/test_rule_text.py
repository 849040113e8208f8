"""The text of a rule: terms used twice are defined once."""

from minigraph.core.op import apply
from passes import S, chain, every_rule, fuse, is_cheap, reapply, rule


def test_terms_used_once_are_inline_and_terms_used_twice_are_defined_once():
    """Including nested terms and terms of both sides; generated names differ from the rule's own."""
    assert fuse("Biased", lambda x, w, b: x @ w + b).summary == "add(matmul(x, w), b) -> fused"

    def steps(x):
        low = apply("exp", x)
        high = apply("tanh", low + low)
        return high * high

    assert fuse("Steps", steps).summary == "mul(t1, t1) -> fused where t1 = tanh(add(t2, t2)), t2 = exp(x)"
    reused = rule(lambda x: (apply("relu", low := apply("exp", x)), low))
    assert reused.summary == "relu(t1) -> t1 where t1 = exp(x)"
    squared = fuse("Squared", lambda t1: (low := apply("exp", t1)) * low)
    assert squared.summary == "mul(t2, t2) -> fused where t2 = exp(t1)"


def test_chains_and_captured_attributes_are_shown_as_written():
    @rule
    def walk(x):
        steps = chain(is_cheap, apply("sum", x, axis=S.axis))
        return apply("abs", steps), reapply(steps, apply("sum", apply("abs", x), axis=S.axis))

    assert walk.summary.startswith("abs(chain(is_cheap, sum(x, axis=?axis))) -> reapply(is_cheap, sum(abs(x), ")


def test_every_rule_of_the_table_fits_on_a_page():
    assert all(len(any_rule.summary) < 700 and "\n" not in any_rule.summary for _, any_rule in every_rule())
