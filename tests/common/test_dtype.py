"""Dtypes and their aliases, conversions to numpy and Python and back."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.common import dtype
from minigraph.core.types import DTYPES
from tests.tables import error_cases, in_one_test

ALIASES = {
    "byte": ms.int8, "short": ms.int16, "intc": ms.int32, "long": ms.int64, "intp": ms.int64, "int_": ms.int64,
    "ubyte": ms.uint8, "ushort": ms.uint16, "uintc": ms.uint32, "uintp": ms.uint64, "half": ms.float16,
    "single": ms.float32, "float_": ms.float32, "double": ms.float64, "cfloat": ms.complex64, "cdouble": ms.complex128,
}  # fmt: skip


@in_one_test(dtype.__all__)
def test_every_name_is_at_the_top_too(name):
    assert getattr(ms, name) is getattr(dtype, name)


@in_one_test(ALIASES)
def test_an_alias_is_the_dtype_itself(name):
    assert getattr(dtype, name) is ALIASES[name]


@pytest.mark.parametrize("type_", DTYPES, ids=str)
def test_to_numpy_and_back(type_):
    assert dtype.pytype_to_dtype(dtype.dtype_to_nptype(type_)) is type_
    assert isinstance(type_.numpy.type(1).item(), dtype.dtype_to_pytype(type_))
    assert ms.Tensor(np.ones(2), type_).asnumpy().dtype.type is dtype.dtype_to_nptype(type_)


def test_python_numbers_have_an_exact_dtype():
    result = [dtype.get_py_obj_dtype(value) for value in (True, 3, 2.5, 1j)]
    assert result == [ms.bool_, ms.int64, ms.float64, ms.complex128]


test_other_types_raise_by_name = error_cases(
    (lambda: dtype.pytype_to_dtype(set), LookupError, "no dtype for set; use a number's type"),
    (
        lambda: dtype.qint4x2,
        AttributeError,
        r"mindspore\.common\.dtype\.qint4x2 exists in MindSpore 2\.10 but is not",
    ),
)
