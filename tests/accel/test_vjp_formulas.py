"""VJP rules as formulas: which rules have one, and its equality to the rule, bit for bit."""

import numpy as np
import pytest

from minigraph.accel.vjp_formulas import formula, formulas, is_arithmetic
from minigraph.core.op import TABLE, Op, Promotion, apply
from tests.tables import cases, results

SCALE = 2.0
RNG = np.random.default_rng(0)
ARITHMETIC = [op for op in TABLE.values() if formulas(op)]


test_only_arithmetic_is_recognised = results(
    is_arithmetic,
    (lambda g, out, x: g, True),
    (lambda g, out, x: -g, True),
    (lambda g, out, x, y: g * y / x - out + 1, True),
    (lambda g, out, x: g * 0.5 / out, True),
    (lambda g, out, x: 7 * g, True),
    (lambda g, out, x: g**x, False),
    (lambda g, out, x: g @ x, False),
    (lambda g, out, x: g // x, False),
    (lambda g, out, x: g * x[0], False),
    (lambda g, out, x: g * x.shape[0], False),
    (lambda g, out, x: g * SCALE, False),
    (lambda g, out, x: apply("where", x, g, 0), False),
    (lambda g, out, x: g if g else x, False),
    (lambda g, out, x: g > x, False),
    (lambda g, out, x: g * 2j, False),
    (lambda g, out, x: g * True, False),
    (lambda g, out, x: (g, x), False),
    (lambda g, out, x: None, False),
    (lambda g, out, x: abs(g), False),
    (np.multiply, False),
)


def test_arithmetic_operators_have_formulas_and_others_have_none():
    assert {"add", "sub", "mul", "div", "neg", "exp", "tanh", "sigmoid"} <= {op.name for op in ARITHMETIC}
    assert formulas(TABLE["add"]) == ("g", "g")
    for name in ("matmul", "relu", "concat", "reshape", "pow", "where"):
        assert formulas(TABLE[name]) is None


def test_operators_whose_operands_may_differ_in_dtype_have_no_formulas():
    rules = (lambda g, out, x, y: g, lambda g, out, x, y: g)
    fields = {"forward": np.add, "infer": lambda x, y: x, "vjp": rules, "family": "elementwise"}
    assert formulas(Op("loose", **fields)) is None
    assert formulas(Op("strict", promotes=Promotion((0, 1)), **fields)) == ("g", "g")


@cases(
    (lambda g, out, x: g, "g"),
    (lambda g, out, x: -g, "negative(g)"),
    (lambda g, out, x: x * x / out * g, "multiply(divide(multiply(x0, x0), out), g)"),
    (lambda g, out, x: 2 - x / g, "subtract(2, divide(x0, g))"),
    (lambda g, out, x: 0.5 / (g + 1 - x) * 3, "multiply(divide(0.5, subtract(add(g, 1), x0)), 3)"),
    (lambda g, out, x: 1 + (2 * g - -x), "add(1, subtract(multiply(2, g), negative(x0)))"),
    (lambda g, out, x: x * 2 - out, None),
    (lambda g, out, x: 1.0, None),
    (lambda g, out, x: g * 1e400, None),
    (lambda g, out, x: g**x, None),
)
def test_formulas_are_what_rules_compute_of_the_cotangent(rule, text):
    assert formula(rule, 1) == text
    op = Op("one", forward=np.exp, infer=lambda x: x, vjp=(rule,), family="elementwise")
    assert formulas(op) == (text and (text,))


@pytest.mark.parametrize("op", ARITHMETIC, ids=str)
def test_formulas_have_the_bits_of_the_rules(op):
    arrays = RNG.normal(size=(op.arity + 2, 5)).astype(np.float32)
    names = dict(zip(["g", "out", *(f"x{i}" for i in range(op.arity))], arrays, strict=True))
    for rule, text in zip(op.vjp, formulas(op), strict=True):
        assert (rule is None) == (text is None)
        if rule is not None:
            assert np.asarray(eval(text, vars(np) | names)).tobytes() == np.asarray(rule(*arrays)).tobytes()


def test_operands_without_a_gradient_have_no_formula():
    rules = (None, lambda g, out, x, y: g * x)
    op = Op("half", np.multiply, lambda x, y: x, vjp=rules, family="elementwise", promotes=Promotion((0, 1)))
    assert formulas(op) == (None, "multiply(g, x0)")
