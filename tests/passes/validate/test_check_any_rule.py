"""Random rules: two negations before a random program cancel; one is a wrong rule."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from minigraph.core.op import apply
from passes import rule
from passes.validate.check import examine

LEAVES = st.sampled_from([lambda x, y: x, lambda x, y: y, lambda x, y: x * y, lambda x, y: x + 1])
UNARY = ("neg", "abs", "relu", "tanh", "square", "exp", "sigmoid")
BINARY = ("add", "sub", "mul", "maximum", "minimum")


def add_operator(inner):
    """Adds an operator."""
    unary = st.builds(lambda op, f: lambda x, y: apply(op, f(x, y)), st.sampled_from(UNARY), inner)
    binary = st.builds(lambda op, f, g: lambda x, y: apply(op, f(x, y), g(x, y)), st.sampled_from(BINARY), inner, inner)
    return unary | binary


PROGRAMS = st.recursive(LEAVES, add_operator, max_leaves=4)


def signs(program, sign):
    """The rule that keeps ``sign`` of two negations before a program."""

    def two_signs(x, y):
        value = program(x, y) + x * y
        left = value
        for _ in range(sign):
            left = apply("neg", left)
        return apply("neg", apply("neg", value)), left

    return rule(where=lambda m: m.x.dtype.is_float and m.y.dtype.is_float)(two_signs)


@settings(max_examples=20)
@given(PROGRAMS)
def test_a_correct_rule_always_passes(program):
    report = examine(signs(program, 0))
    assert report, str(report)


@settings(max_examples=20)
@given(PROGRAMS)
def test_a_wrong_rule_is_always_caught_and_shrunk(program):
    counterexample = examine(signs(program, 1)).counterexample
    assert counterexample is not None and counterexample.kind in ("value", "sign of zero")
    assert all(np.asarray(value).size <= 4 for value in counterexample.inputs.values() if isinstance(value, np.ndarray))
