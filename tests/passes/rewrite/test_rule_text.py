"""A rule in one line: what is used twice is told once, and nothing that a reader needs is lost."""

from minigraph.core.op import apply
from passes import S, again, chain, every_rule, fuse, is_cheap, rule


def test_what_is_used_once_stays_where_it_is_and_what_is_used_twice_is_told_once():
    """Also inside of each other, also where both sides use it, and under a name that the rule does not take."""
    assert fuse("Biased", lambda x, w, b: x @ w + b).summary == "add(matmul(x, w), b) -> fused"

    def steps(x):
        low = apply("exp", x)
        high = apply("tanh", low + low)
        return high * high

    assert fuse("Steps", steps).summary == "mul(t1, t1) -> fused where t1 = tanh(add(t2, t2)), t2 = exp(x)"
    kept = rule(lambda x: (apply("relu", low := apply("exp", x)), low))
    assert kept.summary == "relu(t1) -> t1 where t1 = exp(x)"
    squared = fuse("Squared", lambda t1: (low := apply("exp", t1)) * low)
    assert squared.summary == "mul(t2, t2) -> fused where t2 = exp(t1)"


def test_chains_and_captured_attributes_are_told_as_they_are():
    @rule
    def walk(x):
        steps = chain(is_cheap, apply("sum", x, axis=S.axis))
        return apply("abs", steps), again(steps, apply("sum", apply("abs", x), axis=S.axis))

    assert walk.summary.startswith("abs(chain(is_cheap, sum(x, axis=?axis))) -> again(is_cheap, sum(abs(x), ")


def test_every_rule_of_the_table_fits_on_a_page():
    assert all(len(subject.summary) < 700 and "\n" not in subject.summary for _, subject in every_rule())
