"""Operators as scalar expressions, and reductions as accumulations."""

import ast

from minigraph.accel.loops.polynomials import ULPS
from minigraph.operators.scalar_expressions import REDUCTIONS, SCALARS, Reduction, Scalar
from tests.tables import every

WRITTEN = list(SCALARS)
EXACT = {"abs", "sqrt", "floor", "ceil", "trunc"}


def names_in(text):
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def test_defaults_of_scalars_and_folds():
    # a scalar is exact and for numbers by default
    assert Scalar("x + y").kinds == "if"
    assert Scalar("x + y").exact
    # a reduction is for numbers and exact for integers by default
    assert Reduction("0", "x + y").kinds == "if"
    assert Reduction("0", "x + y").exact == "i"
    # polynomials are for floats
    assert {SCALARS[op].kinds for op in WRITTEN if not SCALARS[op].exact} == {"f"}


@every(op=WRITTEN, ids=str)
def test_expressions_are_of_pure_elementwise_operators_and_contain_operands_and_functions_only(op):
    operands = set("xyz"[: op.arity])
    functions = names_in(SCALARS[op].text) - operands
    assert operands <= names_in(SCALARS[op].text)
    assert functions <= (EXACT if SCALARS[op].exact else set(ULPS))
    assert (op.family, tuple(op.effects)) == ("elementwise", ())
    assert set(SCALARS[op].kinds) <= set("bif")


@every(op=REDUCTIONS, ids=str)
def test_folds_combine_the_accumulator_with_an_element(op):
    assert op.family == "reduction"
    assert {"axis", "keepdims"} <= op.attributes.keys()
    assert names_in(REDUCTIONS[op].text) - {"x", "y"} <= {"add", "maximum", "minimum"}
    assert {"x"} <= names_in(REDUCTIONS[op].end) <= {"x", "n"}
    assert REDUCTIONS[op].start in ("0", "lowest", "highest")
    assert set(REDUCTIONS[op].exact) <= set(REDUCTIONS[op].kinds) <= set("bif")
