"""Dtypes, promotion, broadcasting and how types print."""

import copy
import itertools
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigraph as ms
from minigraph.core.errors import ShapeError, UnknownNameError, UsageError
from minigraph.core.types import as_results, broadcast, dtype_named, dtype_of, infer_cached, scalar_dtype, type_of
from minigraph.types import DTYPES, TensorType, load_numpy_dtype, promote
from tests.tables import cases, in_one_test

each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=repr)


# ---- dtypes ------------------------------------------------------------------------------------------


@each_dtype
def test_a_dtype_is_one_object_and_promotes_with_itself_and_bool_to_itself(dtype):
    assert dtype_named(dtype.name) is dtype_named(dtype.short) is dtype_named(str(dtype)) is dtype
    assert dtype_of(np.zeros(1, dtype.numpy)) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is copy.deepcopy(dtype) is dtype
    assert dtype.itemsize == dtype.numpy.itemsize
    assert dtype.is_float is (dtype.numpy.kind in "fcV"), "what gradients flow through"
    assert promote(dtype, dtype) is promote(dtype, ms.bool_) is dtype


@cases(
    (ms.float32, "Float32", "mindspore.float32"),
    (ms.bool_, "Bool", "mindspore.bool"),
    (ms.uint8, "UInt8", "mindspore.uint8"),
    (ms.int64, "Int64", "mindspore.int64"),
    (ms.complex128, "Complex128", "mindspore.complex128"),
)
def test_dtypes_print_as_mindspores(dtype, text, shown):
    assert (str(dtype), repr(dtype)) == (text, shown)


def test_an_unknown_dtype_gets_the_nearest():
    with pytest.raises(UnknownNameError, match="no dtype 'float23'; did you mean 'float32'?"):
        dtype_named("float23")
    with pytest.raises(UnknownNameError, match="no dtype for numpy '<U1'; use one of bool, "):
        dtype_of(np.array("a"))


# ---- promotion ---------------------------------------------------------------------------------------


@in_one_test(itertools.product(DTYPES, repeat=2))
def test_promotion_is_commutative_and_never_leaves_the_higher_kind(a, b):
    assert promote(a, b) is promote(b, a)
    assert promote(a, b).kind == max(a.kind, b.kind, key="bifc".index)


@in_one_test(itertools.combinations(DTYPES[:9], 3))
def test_promotion_of_integers_is_associative_except_for_uint64(a, b, c):
    if ms.uint64 not in (a, b, c):
        assert promote(promote(a, b), c) is promote(a, promote(b, c))


@cases(
    (ms.int64, ms.float16, ms.float16),
    (ms.int64, ms.float32, ms.float32),
    (ms.float16, ms.float32, ms.float32),
    (ms.int8, ms.uint8, ms.int16),
    (ms.int32, ms.int64, ms.int64),
    (ms.int64, ms.uint64, ms.int64),
    (ms.bool_, ms.int8, ms.int8),
    (ms.float64, ms.complex64, ms.complex128),
    (ms.float32, ms.complex64, ms.complex64),
)
def test_promotion_table(a, b, expected):
    assert promote(a, b) is expected


@cases(
    (1, None, ms.int64), (1.0, None, ms.float32), (True, None, ms.bool_), (1j, None, ms.complex128),
    (1.5, ms.int64, ms.float32), (1.5, ms.float16, ms.float16), (1.5, ms.float64, ms.float64),
    (2, ms.float16, ms.float16), (2, ms.int8, ms.int8), (1, ms.bool_, ms.int64), (1.5, ms.bool_, ms.float32),
    (True, ms.int8, ms.int8), (True, ms.bool_, ms.bool_), (1j, ms.float32, ms.complex128),
)  # fmt: skip
def test_numbers_in_operations_with_tensors(value, dtype, expected):
    assert scalar_dtype(value, dtype) is expected


# ---- types -------------------------------------------------------------------------------------------


def test_a_type_knows_its_sizes_prints_short_and_is_equal_by_value():
    kind = TensorType((2, 3), ms.float16)
    assert (kind.ndim, kind.size, kind.nbytes) == (2, 6, 12)
    assert (str(kind), repr(kind), str(TensorType((), ms.bool_))) == ("f16[2,3]", "f16[2,3]", "bool[]")
    assert {TensorType((2,), ms.int8), type_of(np.zeros(2, np.int8))} == {TensorType((2,), ms.int8)}
    assert repr(TensorType((np.int64(17), np.int32(19)), ms.int8).shape) == "(17, 19)"
    assert TensorType((2**40, 2**40), ms.float32).nbytes == 4 * 2**80, "sizes do not overflow"


@each_dtype
def test_a_type_is_one_object(dtype):
    known = TensorType((2, 3), dtype)
    assert TensorType([2, 3], dtype) is TensorType((np.int64(2), 3), dtype) is known
    assert type_of(np.zeros((2, 3), dtype.numpy)) is known
    assert pickle.loads(pickle.dumps(known)) is copy.deepcopy(known) is copy.copy(known) is known
    assert replace(known, shape=(4,)) is TensorType((4,), dtype)


def test_threads_get_one_object_for_a_type():
    start = threading.Barrier(8)

    def create_types(_):
        start.wait()
        return [TensorType((size, 41), ms.int16) for size in range(200)]

    with ThreadPoolExecutor(8) as pool:
        type_lists = list(pool.map(create_types, range(8)))
    assert all(type is first for types in type_lists for type, first in zip(types, type_lists[0], strict=True))


# ---- broadcasting ------------------------------------------------------------------------------------

shapes = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(st.lists(shapes, min_size=1, max_size=3))
def test_broadcasting_is_numpys(some):
    try:
        expected = np.broadcast_shapes(*some)
    except ValueError:
        with pytest.raises(ShapeError, match="do not broadcast: one axis has the sizes .*"):
            broadcast(*some)
    else:
        assert broadcast(*some) == expected


def test_equal_calls_of_an_operator_share_the_tuple_of_their_results_and_errors_are_raised_each_time():
    calls = []

    def infer(x, y):
        calls.append((x, y))
        if x.shape != y.shape:
            raise ShapeError("no")
        return x

    types = [TensorType((2, 3), DTYPES[0]) for _ in range(4)]
    assert infer_cached(infer, (types[0], types[1])) is infer_cached(infer, (types[2], types[3])) == (types[0],)
    assert len(calls) == 1
    for _ in range(2):
        with pytest.raises(ShapeError):
            infer_cached(infer, (types[0], TensorType((3,), DTYPES[0])))
    assert as_results((types[0], types[1])) == (types[0], types[1])


def test_without_ml_dtypes_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(UsageError, match="pip install 'minigraph"):
        load_numpy_dtype(ms.bfloat16)
