"""Families of operators: the fields they fill in, and their errors."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, bool_, complex64, errors, float32, int64
from minigraph.core.op import apply, op_named
from minigraph.core.op_fields import Work
from minigraph.core.types import TensorType
from minigraph.operators import families
from minigraph.operators.families import broadcast_types, check_dtype, normalize_axes, normalize_axis, sizes_of
from tests.tables import error_cases

SQUARE = TensorType((4, 4), float32)


def test_an_elementwise_operator_needs_a_ufunc_and_a_gradient():
    rule, root = lambda g, out, x: g / (3 * out * out), families.ufunc(np.cbrt)
    cube_root = families.elementwise("cube_root", root, kinds="f", vjp=(rule,), doc="x^1/3.")
    assert apply(cube_root, Tensor([8.0, 27.0])).tolist() == pytest.approx([2.0, 3.0])
    assert cube_root.infer(SQUARE) == SQUARE
    assert cube_root.work(SQUARE, SQUARE) == Work(lanes=(("simple", 16),), read=64, written=64)
    assert (cube_root.family, cube_root.into, cube_root.promotes) == ("elementwise", True, None)
    assert cube_root.samples(np.random.default_rng(0))


def test_a_ufunc_never_casts_and_gives_c_order():
    with pytest.raises(TypeError):
        families.ufunc(np.exp)(np.array([1]))
    assert families.ufunc(np.exp)(np.zeros((2, 3), order="F")).flags.c_contiguous


def test_dtypes_that_only_numpy_accepts_are_refused_in_eager_mode():
    for name, dtype in (("maximum", complex64), ("neg", bool_), ("sub", bool_), ("less", complex64)):
        operands = [Tensor([1, 0], dtype)] * op_named(name).arity
        for _ in range(2):
            with pytest.raises(errors.DTypeError, match=f"{name}: needs"):
                apply(name, *operands)


def test_axes_sizes_and_dtypes():
    # axes and sizes
    assert [normalize_axis("f", axis, 3) for axis in (0, -1, np.int64(1))] == [0, 2, 1]
    assert normalize_axes("f", None, 2) == normalize_axes("f", (), 2) == (0, 1)
    assert normalize_axes("f", [-1, 0], 3) == (0, 2)
    assert normalize_axes("f", 0, 0) == normalize_axes("f", -1, 0) == ()
    assert sizes_of("f", [2, np.int32(3)]) == (2, 3)
    # facts derived from shapes and dtypes
    assert check_dtype("f", int64) is int64
    assert families.reduced_shape((2, 3, 4), (1,), keepdims=True) == (2, 1, 4)
    assert families.reduced_shape((2, 3, 4), (0, 1, 2), keepdims=False) == ()


X2, X3 = TensorType((2,), float32), TensorType((3,), float32)


test_errors = error_cases(
    *((partial(normalize_axis, "f", axis, 3), errors.RangeError, "f: axis") for axis in (3, -4)),
    *((partial(normalize_axis, "f", axis, 3), errors.UsageError, "f: axis") for axis in (1.0, True)),
    (
        lambda: normalize_axes("f", 1, 0),
        errors.AxisError,
        "^f: axis 1 does not exist in a tensor of rank 0; it has no axes$",
    ),
    (lambda: normalize_axes("f", (0, -3), 3), errors.UsageError, "twice"),
    *((partial(sizes_of, "f", size), errors.UsageError, "made of ints") for size in (2.0, "ab", (1, True))),
    (lambda: check_dtype("f", np.float32), TypeError, "f: dtype must be a minigraph dtype"),
    (lambda: broadcast_types("add", X2, X3), errors.ShapeError, r"add: f32\[2\] and f32\[3\] do not broadcast: one"),
    (lambda: Tensor([True]) - Tensor([True]), errors.DTypeError, r"sub: needs integer or float .*, got bool\[1\]"),
)


def test_the_error_names_accepted_dtypes():
    floats = r"\{BFloat16, Float16, Float32, Float64\}"
    message = rf"^For primitive\[Softmax\], the input argument\[x\] must be a type of {floats}, but got Int64\."
    with pytest.raises(TypeError, match=message) as refused:
        apply("softmax", Tensor([3]))
    assert type(refused.value).__name__ == "TypeError"


def test_unknown_dtype_kinds_are_refused_at_the_definition():
    with pytest.raises(errors.UsageError, match="operator 'shift': no dtype kind 'z'; use letters of 'bifc'"):
        families.elementwise("shift", np.negative, vjp=(None,), doc="Shift.", kinds="fz")
