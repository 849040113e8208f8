"""Operands on their way into an operator: promotion, numbers beside tensors, constants made once, refusals."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit, trace
from minigraph.errors import DTypeError
from minigraph.lift import constant, lifted
from minigraph.op import TABLE, apply, op_named
from minigraph.types import DTYPES, promote, scalar_dtype

ADD, DIV, MATMUL, WHERE = map(op_named, ("add", "div", "matmul", "where"))
PROMOTING = [op for op in TABLE.values() if op.promotes is not None]
NUMBERS = (True, 3, 2.5, 1j)


def dtypes(tensors):
    return [tensor.dtype for tensor in tensors]


# ---- dtypes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", DTYPES, ids=str)
def test_two_tensors_meet_in_the_promoted_dtype(a):
    for b in DTYPES:
        together = promote(a, b)
        assert dtypes(lifted(ADD, (Tensor(1, a), Tensor(1, b)))) == [together, together]
        assert promote(b, a) is together


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_a_number_takes_the_dtype_beside_it_where_that_holds_its_kind(dtype, number):
    together = scalar_dtype(number, dtype)
    for args in ((Tensor(1, dtype), number), (number, Tensor(1, dtype))):
        assert dtypes(lifted(ADD, args)) == [together, together]
    holds = "bifc".index(dtype.kind) >= "bifc".index(Tensor(number).dtype.kind)
    assert holds == (together is dtype)


def test_numbers_alone_have_their_own_dtype():
    assert dtypes(lifted(ADD, (1, 2))) == [ms.int64, ms.int64]
    assert dtypes(lifted(ADD, (1, 2.0))) == [ms.float32, ms.float32]
    assert dtypes(lifted(ADD, (True, False))) == [ms.bool_, ms.bool_]


@pytest.mark.parametrize("number", [np.float64(2.5), np.float32(2.5), np.int8(3), np.bool_(True)])
def test_a_numpy_number_counts_as_the_python_number(number):
    x = Tensor([1.0], ms.float16)
    assert dtypes(lifted(ADD, (x, number))) == dtypes(lifted(ADD, (x, number.item())))
    assert (x + number).dtype is ms.float16
    assert (number + x).tolist() == (x + number.item()).tolist()


def test_integers_are_divided_as_floats():
    assert dtypes(lifted(DIV, (Tensor([3]), 2))) == [ms.float32, ms.float32]
    assert dtypes(lifted(DIV, (True, False))) == [ms.float32, ms.float32]
    assert dtypes(lifted(DIV, (Tensor([1.0], ms.float16), 2))) == [ms.float16, ms.float16]


def test_operands_that_are_not_promoted_keep_their_dtype():
    x, y = Tensor([[1.0]]), Tensor([[1]])
    assert all(a is b for a, b in zip(lifted(MATMUL, (x, y)), (x, y), strict=True))
    condition, *branches = lifted(WHERE, (Tensor([True]), Tensor([1]), 2.5))
    assert condition.dtype is ms.bool_
    assert dtypes(branches) == [ms.float32, ms.float32]


@pytest.mark.parametrize("op", PROMOTING, ids=str)
def test_every_promoting_operator_brings_its_operands_together(op):
    flags = [Tensor([True]) for _ in range(op.arity)]
    args = [Tensor([1], ms.int8) if i in op.promotes else flags[i] for i in range(op.arity)]
    args[op.promotes[-1]] = Tensor([1.0], ms.float16)
    for i, tensor in enumerate(lifted(op, tuple(args))):
        assert tensor.dtype is (ms.float16 if i in op.promotes else ms.bool_)


def test_tensors_that_fit_pass_untouched():
    x, y = Tensor([1.0]), Tensor([2.0])
    assert lifted(ADD, (x, y))[0] is x
    assert lifted(ADD, (x, y))[1] is y


def test_a_promotion_is_a_cast_in_the_graph():
    graph = trace(lambda x, y: x + y, Tensor([1]), Tensor([1.0]))
    assert [str(graph.op(node)) for node in graph.topological()] == ["input", "input", "cast", "add"]


# ---- constants ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_constant_is_made_once_for_each_dtype(dtype):
    one = constant(1, dtype)
    assert one is constant(1, dtype)
    assert (one.shape, one.dtype, one.item()) == ((), dtype, 1)
    assert [other for other in DTYPES if constant(1, other) is one] == [dtype]


def test_equal_numbers_of_different_kinds_are_told_apart_by_the_dtype():
    for number in (1, 1.0, True, 1, 1.0, True):  # in any order, and again from the cache
        made = lifted(ADD, (number, number))[0].item()
        assert (made, type(made)) == (number, type(number))


def test_the_sign_of_a_zero_is_kept():
    zero, minus = constant(0.0, ms.float32), constant(-0.0, ms.float32)
    assert zero is not minus
    assert np.signbit([zero.array, minus.array]).tolist() == [False, True]
    assert (1.0 / (Tensor([1.0]) * -0.0)).tolist() == [-np.inf]
    assert (1.0 / (Tensor([1.0]) * 0.0)).tolist() == [np.inf]
    minus_i = constant(complex(0.0, -0.0), ms.complex64).array
    assert np.signbit([constant(0j, ms.complex64).array.imag, minus_i.imag]).tolist() == [False, True]


def test_nan_and_inf_are_constants():
    assert np.isnan(constant(float("nan"), ms.float16).array)
    assert constant(float("-inf"), ms.float32).item() == -np.inf


def test_a_constant_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        constant(1.0, ms.float32).asnumpy()[...] = 2.0
    assert (Tensor([1.0]) + 1.0).tolist() == [2.0]


def test_constants_do_not_pile_up():
    oldest = weakref.ref(constant(0.123456789, ms.float64))
    assert oldest() is constant(0.123456789, ms.float64)
    for number in range(5000):
        constant(number + 0.25, ms.float64)
    gc.collect()
    assert oldest() is None


# ---- what is no tensor -------------------------------------------------------------------------------


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
@pytest.mark.parametrize("items", [[1.0, 2.0], (1, 2), [[1], [2]]])
def test_lists_and_tuples_are_tensors(wrapped, items):
    x = Tensor([[1.0, 2.0]])
    expected = x.array + np.array(items, np.float32)
    assert np.array_equal(wrapped(lambda x: x + items)(x).array, expected)
    assert np.array_equal(wrapped(lambda x: items + x)(x).array, expected)
    assert wrapped(lambda x: x + items)(x).dtype is ms.float32


REFUSED = {
    "ndarray": (np.ones(1), "Failed calling Add with \"Add()(input=Tensor, other=<class 'numpy.ndarray'>)\"."),
    "None": (None, 'Failed calling add with "add(None)".'),
    "text": ("a", 'Failed calling Add with "Add()(input=Tensor, other=string)".'),
    "dict": ({}, "Failed calling Add with \"Add()(input=Tensor, other=<class 'dict'>)\"."),
    "object": (print, "Failed calling Add with"),
}


@pytest.mark.parametrize(("value", "told"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
@pytest.mark.parametrize("fn", [lambda x, v: x + v, lambda x, v: v + x], ids=["right", "left"])
def test_anything_else_is_refused_at_the_users_line(value, told, wrapped, fn):
    with pytest.raises(TypeError) as caught:
        wrapped(lambda x: fn(x, value))(Tensor([1.0]))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(told)
    assert f"(test_lift.py:{fn.__code__.co_firstlineno})" in lines[1]
    assert len(lines) <= 3


def test_an_array_is_told_what_to_do():
    with pytest.raises(TypeError, match=r"operand is ndarray, not a tensor .*; wrap it in Tensor\(\.\.\.\)"):
        Tensor([1.0]) * np.ones(1)
    with pytest.raises(TypeError, match="unsupported element"):
        Tensor([1.0]) * ["a"]


OVERFLOWS = {
    "300 beside Int8": (lambda: Tensor([1], ms.int8) + 300, "300 does not fit into Int8 in"),
    "-1 beside UInt8": (lambda: -1 + Tensor([1], ms.uint8), "-1 does not fit into UInt8 in"),
    "a numpy number": (lambda: Tensor([1], ms.int8) + np.int64(300), "300 does not fit into Int8 in"),
    "alone": (lambda: apply("add", 2**63, 1), "9223372036854775808 does not fit into Int64 in"),
    "an int beside a float": (lambda: Tensor([1.0]) + 10**400, "1000000"),
    "thousands of digits": (lambda: Tensor([1]) * 10**5000, "a number of thousands of digits does not fit into Int64"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "told"), OVERFLOWS.values(), ids=OVERFLOWS)
def test_a_number_that_does_not_fit_is_refused(call, told):
    with pytest.raises(DTypeError) as caught:
        call()
    text = str(caught.value)
    assert text.startswith(told)
    assert text.endswith(f"(test_lift.py:{call.__code__.co_firstlineno}); cast the tensor to a wider dtype")
    assert len(text) < 250


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_a_float_too_large_for_the_dtype_is_inf_without_a_warning(wrapped):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wrapped(lambda x: x + 70_001.0)(Tensor([1.0], ms.float16)).tolist() == [np.inf]
        assert wrapped(lambda x: x + 1.01e40)(Tensor([1.0])).tolist() == [np.inf]
