"""Tracing of functions into patterns, and its errors."""

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core.errors import RuleError
from minigraph.core.op import apply
from passes import S
from passes.rewrite.definition_checks import check_pattern
from passes.rewrite.pattern import Call, terms
from passes.rewrite.tracing import Symbol, trace_pattern
from tests.tables import error_cases, results


def root_of(function):
    """The only result."""
    (root,) = trace_pattern(function).results
    return root


test_a_function_becomes_the_tree_of_what_it_calls = results(
    lambda function: str(root_of(function)),
    (lambda x, w, b: x @ w + b, "add(matmul(x, w), b)"),
    (lambda x: 2 * x, "mul(2, x)"),
    (lambda x: apply("relu", -x), "relu(neg(x))"),
    (lambda x: apply("transpose", x, axes=S.p), "transpose(x, axes=?p)"),
    (lambda x: apply("sum", x, axis=0, keepdims=True), "sum(x, axis=0, keepdims=True)"),
    (lambda x: x.tanh() if hasattr(x, "tanh") else apply("tanh", x), "tanh(x)"),
)


def test_a_value_used_twice_is_one_term():
    root = root_of(lambda x: (lambda t: t * t)(-x))
    assert isinstance(root, Call)
    assert root.args[0] is root.args[1]
    assert len(terms(root)) == 3


test_what_is_no_pattern_is_refused = error_cases(
    (lambda x: x, "the result is 'x', which matches everything"),
    (lambda x, y: -x, "'y' does not occur in neg\\(x\\)"),
    (lambda x: 3, "the result is '3'"),
    (lambda x: None, "takes variables and numbers, got NoneType"),
    (lambda x: x + Tensor([1.0]), "add takes variables and numbers, got Tensor .*; make it a variable"),
    (lambda x: x + np.ones(3), "got ndarray"),
    (lambda x: -x if x.shape == (1,) else x, "'x' has no value, shape or dtype"),
    (lambda x: -x if x > 0 else x, "'greater\\(x, 0\\)' has no value"),
    (lambda x, **rest: -x, "name every variable"),
    by=lambda function: check_pattern(trace_pattern(function), strict=True),
    error=RuleError,
)


def test_symbols_show_their_term():
    shown = Symbol(root_of(lambda x: -x))
    assert repr(shown) == str(shown) == "<pattern neg(x)>"


def test_nothing_is_left_open_after_a_failure():
    with pytest.raises(RuleError):
        trace_pattern(lambda x: -x if x > 0 else x)
    assert (Tensor([1.0]) + 1).asnumpy().tolist() == [2.0]
