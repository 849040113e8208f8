"""Literals and the leaf records."""

import numpy as np
import pytest

from minigraph.core.op import TABLE, Effect
from minigraph.ir.structural_ops import CONST, FUSED, INPUT, PARAMETER, Literal
from tests.tables import cases

NAN = np.array([0x7FC00001], np.uint32).view(np.float32)


@cases(
    (np.float32(1), np.float32(1), True), (np.float32(np.nan), np.float32(np.nan), True),
    (np.array([np.nan], np.float32), NAN, False), (np.float32(0), np.float32(-0.0), False),
    (np.float32(1), np.float64(1), False), (np.zeros(2), np.zeros((2, 1)), False),
    (np.arange(6).reshape(2, 3).T, np.arange(6).reshape(2, 3).T.copy(), True), (1, True, False),
    (np.zeros((0, 2)), np.zeros((0, 3)), False),
)  # fmt: skip
def test_literals_are_equal_by_their_bits(first: object, second: object, same: bool) -> None:
    a, b = Literal(first), Literal(second)
    assert (a == b) is same
    assert (len({a, b}) == 1) is same


def test_a_literal_is_a_read_only_copy_and_no_array() -> None:
    source = np.ones(3)
    literal = Literal(source)
    source[0] = 5
    assert literal.array.tolist() == [1, 1, 1] and str(literal.type) == "f64[3]"
    with pytest.raises(ValueError, match="read-only"):
        literal.array[0] = 2
    assert Literal(np.ones((2, 3)).T).array.flags.c_contiguous
    assert Literal(1.0) != 1.0 and "f64[]" in repr(Literal(1.0))


@pytest.mark.parametrize("op", [INPUT, CONST, PARAMETER])
def test_leaves_are_free_and_come_from_outside(op) -> None:
    assert TABLE[op.name] is op and op.is_leaf and op.unit == "none" and not op.writes and op.doc


@pytest.mark.parametrize("op", [INPUT, PARAMETER, FUSED])
def test_records_without_a_kernel_raise(op) -> None:
    with pytest.raises(AssertionError, match="executors read their role"):
        op.forward()
    with pytest.raises(AssertionError, match="emitted with their types"):
        op.infer()


def test_constants_know_their_type_parameters_read_their_own_resource_and_labels_are_short() -> None:
    value = Literal(np.float32([1, 2]))
    assert str(CONST.types([], {"value": value})[0]) == "f32[2]"
    assert PARAMETER.effects_of({"name": "fc.w"}) == (Effect("read", "fc.w"),)
    assert CONST.label_of({"value": value}) == "[1. 2.]"
    assert CONST.label_of({"value": Literal(np.zeros(100))}) == "f64[100]"
    assert (INPUT.label_of({"name": "x"}), INPUT.label_of({})) == ("input x", "input")
    assert (PARAMETER.label_of({"name": "w"}), FUSED.label_of({"name": "t"})) == ("w", "t")


def test_a_fused_node_without_a_name_has_a_label():
    assert FUSED.label({}) == "fused" and FUSED.label({"name": 3}) == "3"
