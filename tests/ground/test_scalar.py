"""Operators as expressions of one element, and of one element more."""

import ast

import pytest

from minigraph.ground.scalar import Fold, Scalar
from minigraph.op import TABLE
from minigraph.run.bodies.polynomials import ULPS

WRITTEN = [op for op in TABLE.values() if op.scalar]
FOLDS = [op for op in TABLE.values() if op.fold]
EXACT = {"abs", "sqrt", "floor", "ceil", "trunc"}


def names_in(text):
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def test_a_scalar_is_exact_and_of_numbers_unless_it_says():
    assert Scalar("x + y").kinds == "if"
    assert Scalar("x + y").exact


@pytest.mark.parametrize("op", WRITTEN, ids=str)
def test_an_expression_names_operands_and_functions_only(op):
    operands = set("xyz"[: op.arity])
    functions = names_in(op.scalar.text) - operands
    assert operands <= names_in(op.scalar.text)
    assert functions <= (EXACT if op.scalar.exact else set(ULPS))


@pytest.mark.parametrize("op", WRITTEN, ids=str)
def test_only_pure_elementwise_operators_have_one(op):
    assert op.family == "elementwise"
    assert not op.effects
    assert set(op.scalar.kinds) <= set("bif")


def test_polynomials_take_floats():
    assert {op.scalar.kinds for op in WRITTEN if not op.scalar.exact} == {"f"}


def test_a_fold_is_of_numbers_and_exact_for_integers_unless_it_says():
    assert Fold("0", "x + y").kinds == "if"
    assert Fold("0", "x + y").exact == "i"


@pytest.mark.parametrize("op", FOLDS, ids=str)
def test_a_fold_takes_one_more_element_in_and_ends_with_what_was_found(op):
    assert op.family == "reduction"
    assert {"axis", "keepdims"} <= op.attributes.keys()
    assert names_in(op.fold.text) - {"x", "y"} <= {"plus", "largest", "smallest"}
    assert {"x"} <= names_in(op.fold.end) <= {"x", "n"}
    assert op.fold.start in ("0", "lowest", "highest")
    assert set(op.fold.exact) <= set(op.fold.kinds) <= set("bif")
