"""Gradient rules that are given arrays: which they are, and that they have the bits of the door's."""


import numpy as np
import pytest

from minigraph.autodiff.arithmetic import array_rules, follows, is_arithmetic, is_same, same
from minigraph.op import TABLE, Op, apply

SCALE = 2.0
RNG = np.random.default_rng(0)
PLAIN = [op for op in TABLE.values() if array_rules(op)]


@pytest.mark.parametrize(
    "rule",
    [
        lambda g, out, x: g,
        lambda g, out, x: -g,
        lambda g, out, x, y: g * y / x - out + 1,
        lambda g, out, x: g * 0.5 / out,
        lambda g, out, x: 7 * g,
    ],
)
def test_arithmetic_is_recognised(rule):
    assert is_arithmetic(rule)


@pytest.mark.parametrize(
    "rule",
    [
        lambda g, out, x: g**x,
        lambda g, out, x: g @ x,
        lambda g, out, x: g // x,
        lambda g, out, x: g * x[0],
        lambda g, out, x: g * x.shape[0],
        lambda g, out, x: g * SCALE,
        lambda g, out, x: apply("where", x, g, 0),
        lambda g, out, x: g if g else x,
        lambda g, out, x: g > x,
        lambda g, out, x: g * 2j,
        lambda g, out, x: g * True,
        lambda g, out, x: (g, x),
        lambda g, out, x: None,
        lambda g, out, x: abs(g),
        np.multiply,
    ],
)
def test_everything_else_is_not(rule):
    assert not is_arithmetic(rule)


def test_who_hands_the_cotangent_on_is_recognised():
    assert is_same(lambda g, out, x: g)
    assert not is_same(lambda g, out, x: out)
    assert not is_same(lambda g, out, x: g + g)
    assert same(1, 2, 3) == 1


def test_operators_of_every_kind_are_sorted():
    assert {"add", "sub", "mul", "div", "neg", "exp", "tanh", "sigmoid"} <= {op.name for op in PLAIN}
    assert array_rules(TABLE["add"]) == (same, same)
    for name in ("matmul", "relu", "concat", "reshape", "pow", "where"):
        assert array_rules(TABLE[name]) is None


def test_operands_that_may_differ_in_dtype_are_left_to_the_door():
    rules = (lambda g, out, x, y: g, lambda g, out, x, y: g)
    fields = {"forward": np.add, "infer": lambda x, y: x, "vjp": rules, "family": "elementwise"}
    assert array_rules(Op("loose", **fields)) is None
    assert array_rules(Op("strict", promotes=(0, 1), **fields)) == (same, same)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (lambda g, out, x: -g, True),
        (lambda g, out, x: x * x / out * g, True),
        (lambda g, out, x: 2 - x / g, True),
        (lambda g, out, x: x * 2 - out, False),
        (lambda g, out, x: 1.0, False),
    ],
)
def test_whether_the_cotangent_is_in_what_a_rule_makes(rule, told):
    assert is_arithmetic(rule) and follows(rule) is told
    op = Op("one", forward=np.exp, infer=lambda x: x, vjp=(rule,), family="elementwise")
    assert (array_rules(op) is not None) is told
