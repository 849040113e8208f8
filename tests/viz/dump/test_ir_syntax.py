"""Identifiers, types and values in ``.ir`` files."""

import numpy as np
import pytest

from minigraph.core.types import TensorType, bool_, float32, int64
from minigraph.ir.structural_ops import Literal
from tests.tables import cases, results
from tests.viz.graphs import HOSTILE, f32
from viz.dump.ir_syntax import (
    attrs_text,
    identifier,
    one_line,
    parameter_type,
    tensor_text,
    type_text,
    types_text,
    value_text,
)

test_identifiers = results(
    identifier,
    ("fc.weight", "fc.weight"),
    ("w#1", "w#1"),
    ("a b", "a_b"),
    ("é", "é"),
    ("", "_"),
    ("(){}", "_"),
    ("x" * 500, "x" * 120),
)


@pytest.mark.parametrize("text", [HOSTILE, "two\nlines\r\u2028\x0b\x1b[31m", "\ud800"])
def test_any_text_is_one_printable_line(text):
    assert one_line(text).isprintable()
    assert identifier(text).isprintable()
    assert " " not in identifier(text)


@cases(
    ([], "<None, NoShape>"),
    ([f32()], "<Tensor[Float32], ()>"),
    ([f32(2)], "<Tensor[Float32], (2)>"),
    ([f32(2, 3)], "<Tensor[Float32], (2, 3)>"),
    ([f32(1), f32(2, 3)], "<Tuple[Tensor[Float32]*2], TupleShape((1), (2, 3))>"),
    ([f32(), TensorType((), bool_)], "<Tuple[Tensor[Float32],Tensor[Bool]], TupleShape((), ())>"),
)
def test_types(types, expected):
    assert types_text(types) == expected
    assert len(types) != 1 or type_text(types[0]) == expected


def test_the_type_of_a_parameter_marks_writes():
    assert parameter_type(f32(2), "fc.bias", False) == "<Ref[Tensor[Float32]], (2), ref_key=fc.bias, is_parameter>"
    assert parameter_type(f32(2), "fc.bias", True).endswith("is_parameter, is_inplace>")


test_constants_show_their_values_when_they_are_few = results(
    lambda array: tensor_text(np.asarray(array)),
    (np.float32(1.0), "Tensor(shape=[], dtype=Float32, value=1)"),
    (np.array([True]), "Tensor(shape=[1], dtype=Bool, value=[ True])"),
    (np.array([[1, 2], [3, 4]]), "Tensor(shape=[2, 2], dtype=Int64, value=[[1, 2], [3, 4]])"),
    (np.zeros((0, 3), np.float32), "Tensor(shape=[0, 3], dtype=Float32, value=)"),
    (np.zeros(8, np.int64), "Tensor(shape=[8], dtype=Int64, value=[0, 0, 0, 0, 0, 0, 0, 0])"),
    (np.zeros(9, np.int64), "Tensor(shape=[9], dtype=Int64, value=...)"),
)


test_values = results(
    value_text,
    (3, "I64(3)"),
    (True, "Bool(1)"),
    (-0.0, "F64(-0.0)"),
    (None, "None"),
    ((), "()"),
    ((1, (2.0, "a")), '(I64(1), (F64(2.0), "a"))'),
    ('say "é"\n', '"say \\"\\u00e9\\"\\n"'),
    (float32, "Float32"),
    (Literal(np.int64(7)), "Tensor(shape=[], dtype=Int64, value=7)"),
    (slice(0, None), "slice(0, None, None)"),
)


def test_values_of_unknown_kind_stay_on_one_short_line():
    class Odd:
        def __repr__(self):
            return "two\nlines " * 99

    assert value_text(Odd()).isprintable()
    assert len(value_text(Odd())) <= 120


def test_attributes_and_effects_follow_the_operands():
    assert attrs_text({}) == ""
    assert attrs_text({"axis": 1}, ["side_effect_mem"]) == " primitive_attrs: {axis: I64(1), side_effect_mem: Bool(1)}"
    assert attrs_text({"dtype": int64}) == " primitive_attrs: {dtype: Int64}"
