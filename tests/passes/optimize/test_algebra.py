"""Exact algebra: every special value, every supported dtype."""

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.core.types import DTYPES
from passes import as_pipeline
from passes.optimize.algebra import RULES
from tests.passes.comparison import changes, changes_no_bits, keep_bits
from tests.passes.fixtures import bits
from tests.passes.optimize.test_canonicalize import values_of
from tests.passes.small_graphs import names

EXPRESSIONS = {
    "add_neg": lambda x, y: x + -y,
    "sub_neg": lambda x, y: x - -y,
    "mul_negs": lambda x, y: -x * -y,
    "div_negs": lambda x, y: -x / -y,
    "square_of_neg": lambda x, y: ops.square(-x),
    "square_of_abs": lambda x, y: ops.square(abs(x)),
    "one_over_root": lambda x, y: 1 / ops.sqrt(x),
    "div_power_of_two": lambda x, y: x / 4,
}


def test_every_rule_has_a_case_here():
    assert list(EXPRESSIONS) == [rule.name for rule in RULES]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_bits_stay_for_every_dtype(name):
    algebra = as_pipeline("algebra").run
    pairs = [[Tensor(values_of(dtype).reshape(shape)) for shape in ((16, 1), (1, 16))] for dtype in DTYPES]
    assert sum(changes_no_bits(algebra, EXPRESSIONS[name], *pair, bits=bits) for pair in pairs)


@pytest.mark.parametrize("by", [2.0**k for k in (-120, -3, 1, 5, 126)] + [-0.25])
def test_powers_of_two(by):
    x = Tensor(np.random.default_rng(0).normal(size=1000).astype(np.float32))
    graph = trace(lambda x: x / by, x)
    keep_bits("algebra", graph, x)
    assert "div" not in names(graph)


NOT_THE_SAME = [
    lambda x: x / 3.0, lambda x: x / 2.0**127, lambda x: x / 2.0**-140, lambda x: x / 0.0, lambda x: x / np.inf,
    lambda x: 8.0 / x, lambda x: x - x, lambda x: x / x, lambda x: x * 0.0, lambda x: -(x - 1.0),
]  # fmt: skip


@pytest.mark.parametrize("expression", NOT_THE_SAME)
def test_expressions_that_differ_in_a_bit_stay(expression):
    assert not changes("algebra", expression, Tensor(np.ones(2, np.float32)))
