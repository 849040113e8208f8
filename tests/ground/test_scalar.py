"""Operators of one element as expressions."""

import ast

import pytest

from minigraph.ground.scalar import Scalar
from minigraph.op import TABLE

WRITTEN = [op for op in TABLE.values() if op.scalar]


def test_a_scalar_is_of_numbers_unless_it_says():
    assert Scalar("x + y").kinds == "if"


@pytest.mark.parametrize("op", WRITTEN, ids=str)
def test_an_expression_names_operands_and_functions_only(op):
    names = {node.id for node in ast.walk(ast.parse(op.scalar.text, mode="eval")) if isinstance(node, ast.Name)}
    operands = set("xyz"[: op.arity])
    assert operands <= names <= operands | {"abs", "sqrt", "floor", "ceil", "trunc"}


@pytest.mark.parametrize("op", WRITTEN, ids=str)
def test_only_pure_elementwise_operators_have_one(op):
    assert op.family == "elementwise"
    assert not op.effects
    assert set(op.scalar.kinds) <= set("bif")
