"""Every rule keeps every bit, for every dtype it matches, on every special value."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.op import apply
from minigraph.core.types import DTYPES, float16
from passes import apply_rules, as_pipeline
from passes.optimize.canonicalize import RULES
from tests.passes.comparison import changes_no_bits
from tests.passes.small_graphs import chain_graph, names

VALUES = [0, 1, -1, 2, 127, -128, 0.5, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, 5e-324, 65504.0]

# By rule: functions of x (and a Bool) in which it applies to some dtype.
EXPRESSIONS = {
    "mul_one": [lambda x, c: x * one_like(x), lambda x, c: one_like(x) * x],
    "div_one": [lambda x, c: x / 1],
    "sub_zero": [lambda x, c: x - 0, lambda x, c: x - Tensor(np.zeros((1,), x.dtype.numpy))],
    "add_minus_zero": [lambda x, c: x + -0.0, lambda x, c: x + 0],
    "neg_neg": [lambda x, c: apply("neg", -x)],
    "abs_abs": [lambda x, c: abs(abs(x))],
    "abs_neg": [lambda x, c: abs(-x)],
    "not_not": [lambda x, c: apply("logical_not", apply("logical_not", c))],
    "max_same": [lambda x, c: apply("maximum", x, x)],
    "min_same": [lambda x, c: apply("minimum", x, x)],
    "where_same": [lambda x, c: apply("where", c, x, x)],
    "drop_redundant_cast": [
        *(lambda x, c, d=d: apply("cast", apply("cast", x, dtype=d), dtype=x.dtype) for d in DTYPES),
        *(lambda x, c, d=d: apply("cast", apply("cast", c, dtype=d), dtype=c.dtype) for d in DTYPES),
    ],
    "drop_identity": [lambda x, c: apply("identity", x)],
    "compose_transposes": [lambda x, c: transpose(transpose(reshape(x, 4, 4)))],
    "compose_reshapes": [lambda x, c: reshape(reshape(x, 2, 8), 4, 4), lambda x, c: reshape(x, 16)],
    "compose_broadcasts": [lambda x, c: broadcast(broadcast(x, 2, 16), 3, 2, 16)],
    "mask_before_pool": [lambda x, c: pool_and_back(x, kernel=2), lambda x, c: pool_and_back(x, kernel=3, stride=1)],
}


def one_like(x):
    """The number 1 in the dtype of x."""
    return Tensor(np.ones((), x.dtype.numpy))


def broadcast(x, *shape):
    return apply("broadcast_to", x, shape=shape)


def transpose(x):
    return apply("transpose", x, axes=(1, 0))


def pool_and_back(x, **window):
    """The gradient of a pool after ReLU, and the pool."""
    image = reshape(x, 1, 1, 4, 4)
    maximum, g = apply("max_pool2d", image, **window), reshape(x[2:6], 1, 1, 2, 2)
    masked = apply("where", image > 0, apply("max_pool2d_grad", g, image, maximum, **window), 0)
    return apply("concat", reshape(maximum, 4), reshape(masked, 16), axis=0)


def reshape(x, *shape):
    return apply("reshape", x, shape=shape)


def values_of(dtype):
    """Sixteen values, wrapped into the dtype."""
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            parts = np.stack([VALUES, VALUES[::-1]], axis=1)
            return parts.view(np.complex128).reshape(-1).astype(dtype.numpy)
        if dtype.kind == "f":
            return np.array(VALUES).astype(dtype.numpy)
        return np.nan_to_num(np.array(VALUES), posinf=3, neginf=-3).clip(-128, 127).astype(np.int64).astype(dtype.numpy)


def test_every_rule_has_a_case_here():
    assert list(EXPRESSIONS) == [rule.name for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_rule_applies_and_keeps_every_bit(rule):
    c = Tensor(np.arange(16) % 2 == 0)
    cases = [(expression, Tensor(values_of(dtype)), c) for dtype in DTYPES for expression in EXPRESSIONS[rule.name]]
    assert sum(changes_no_bits(rule, partial(hide_layout, rule, expression), *inputs) for expression, *inputs in cases)


def hide_layout(rule, expression, x, c):
    """The expression between a cast, which makes C order, and a choice, which reads any order.

    So memory order is no reason for a rule to refuse. The rule that removes casts gets none.
    """
    source = x if rule.name == "drop_redundant_cast" else apply("cast", x, dtype=x.dtype)
    return apply("where", Tensor(np.array(True)), expression(source, c), Tensor(np.zeros((), x.dtype.numpy)))


LOOKING_EQUAL = [
    lambda x: x + 0.0, lambda x: x - -0.0, lambda x: 0 - x, lambda x: 1 / x, lambda x: x * -1, lambda x: x * 0,
    lambda x: x - x, lambda x: x / x, lambda x: -(x - 1), lambda x: apply("relu", apply("relu", x)),
    lambda x: apply("exp", apply("log", x)),
    lambda x: apply("cast", apply("cast", x, dtype=float16), dtype=x.dtype),
]  # fmt: skip


@pytest.mark.parametrize("expression", LOOKING_EQUAL)
def test_expressions_that_differ_in_a_bit_are_left_alone(expression):
    graph = trace(expression, Tensor(np.ones(3, np.float32)))
    graph.journal = []
    apply_rules(graph, RULES)
    assert graph.journal == []


@pytest.mark.parametrize(("times", "left"), [(0, ["neg", "neg", "exp"]), (1, ["exp"]), (8, ["exp"])])
def test_it_repeats_up_to_the_limit_or_a_fixed_point(times, left):
    graph = chain_graph("neg", "neg", "exp")
    as_pipeline(f"canonicalize{{max_sweeps={times}}}").run(graph)
    assert names(graph) == left
