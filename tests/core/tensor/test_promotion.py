"""Conversion of operands: numbers, numpy scalars, lists, promotions, errors; equal in eager and graph mode."""

import itertools
from contextlib import suppress

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, interpret, op_named, trace
from minigraph.core.errors import DTypeError, MinigraphError
from minigraph.core.op import apply
from minigraph.core.tensor.eager import EAGER
from minigraph.core.tensor.promotion import constant, promote_operands
from minigraph.core.types import DTYPES, promote, scalar_dtype
from tests.tables import error_cases, every, in_one_test

I, F, H, B = Tensor([3]), Tensor([1.5]), Tensor([1.0], ms.float16), Tensor([True])  # noqa: E741 - short in the table
ONE, HALVES = [1], [1.5]  # lists are operands, too

TABLE = {  # output of MindSpore 2.10: dtype and value; test_eager.py has more
    "i+1": (lambda: I + 1, "Int64 [4]"),
    "-i%2": (lambda: -I % 2, "Int64 [1]"),
    "i**-1": (lambda: I**-1, "Int64 [0]"),
    "[1]+i": (lambda: ONE + I, "Int64 [4]"),
    "i+[1.5]": (lambda: I + HALVES, "Float32 [4.5]"),
    "i+(1,)": (lambda: I + tuple(ONE), "Int64 [4]"),
    "b.sum()": (lambda: B.sum(), "Int64 1"),
    "i32.sum()": (lambda: Tensor([3], ms.int32).sum(), "Int64 3"),
    "i8+1": (lambda: Tensor([1], ms.int8) + 1, "Int8 [2]"),
    "i8+True": (lambda: Tensor([1], ms.int8) + True, "Int8 [2]"),
}


@pytest.mark.parametrize(("compute", "expected"), TABLE.values(), ids=TABLE)
def test_dtypes_and_values_are_mindspores(compute, expected):
    result = compute()
    assert f"{result.dtype} {result}" == expected
    captured = interpret(trace(compute))[0]
    assert f"{captured.dtype} {captured}" == expected


@in_one_test(itertools.product(DTYPES, repeat=2))
def test_every_pair_of_dtypes_adds_in_the_promoted_one(a, b):
    x, y = Tensor(np.ones(2), a), Tensor(np.ones(2), b)
    assert (x + y).dtype is promote(a, b)
    graph = trace(lambda x, y: x + y, x, y)
    assert graph.type(graph.outs[0]).dtype is promote(a, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
@pytest.mark.parametrize("number", [True, 1, 1.5, 1j, np.float32(1.5), np.float64(1.5), np.int8(1), np.bool_(True)])
def test_numbers_take_the_tensors_dtype_where_it_can_represent_their_kind(dtype, number):
    python_number = number.item() if isinstance(number, np.generic) else number
    expected = scalar_dtype(python_number, dtype)
    for result in (Tensor(np.ones(2), dtype) + number, number + Tensor(np.ones(2), dtype)):
        assert result.dtype is expected
        assert result.tolist() == (np.ones(2, expected.numpy) + expected.numpy.type(python_number)).tolist()


# ---- constants ---------------------------------------------------------------------------------------


def test_a_number_is_one_read_only_tensor():
    assert constant(2.0, ms.float32) is constant(2.0, ms.float32)
    assert constant(2, ms.float32) is not constant(2, ms.float64)
    with pytest.raises(ValueError, match="read-only"):
        constant(2.0, ms.float32).array[...] = 3.0


@every(order=[1, -1], pair=[(0.0, -0.0), (0j, -0j), (complex(1, 0.0), complex(1, -0.0))])
def test_zeros_keep_their_sign_whichever_came_first(pair, order):
    for number in pair[::order]:
        dtype = ms.complex128 if isinstance(number, complex) else ms.float32
        assert constant(number, dtype).array.tobytes() == np.array(number, dtype.numpy).tobytes()


def test_negative_zero_times_one_and_a_float_beyond_the_range():
    assert (str(Tensor([1.0]) * 0.0), str(Tensor([1.0]) * -0.0)) == ("[0.]", "[-0.]")
    assert (H * 1e10).tolist() == [float("inf")]


test_a_number_that_does_not_fit_is_refused = error_cases(
    (lambda: Tensor([1], ms.int8) + 1000, r"1000 does not fit into Int8 in `.*` \(test_promotion.py:\d+\); cast the"),
    (lambda: Tensor([1], ms.uint8) + -1, "-1 does not fit into UInt8"),
    (lambda: I + 2**70, f"{2**70} does not fit into Int64"),
    error=DTypeError,
    by=lambda compute: compute(),
)


# ---- errors ---------------------------------------------------------------------------------------------

NO_ARRAY = "Failed calling Add with \"Add()(input=Tensor, other=<class 'numpy.ndarray'>)\"."
REFUSALS = {
    "f+np.ones(1)": (lambda: F + np.ones(1), NO_ARRAY),
    "np.ones(1)+f": (lambda: np.ones(1) + F, NO_ARRAY),
    "f+None": (lambda: F + None, 'Failed calling add with "add(None)".'),
    "f+'a'": (lambda: F + "a", 'Failed calling Add with "Add()(input=Tensor, other=string)".'),
    "f*{}": (lambda: F * {}, "Failed calling Mul with \"Mul()(input=Tensor, other=<class 'dict'>)\"."),
}


@pytest.mark.parametrize(("compute", "message"), REFUSALS.values(), ids=REFUSALS)
def test_operands_that_are_not_tensors_are_refused_with_mindspores_message_and_ours(compute, message):
    with pytest.raises(TypeError) as caught:
        compute()
    first, second = str(caught.value).splitlines()
    assert (type(caught.value).__name__, first) == ("TypeError", message)
    assert "(test_promotion.py:" in second
    assert caught.value.__suppress_context__


# ---- operands of known dtypes --------------------------------------------------------------------------

NUMBERS = [0, 1, -3, 300, 0.0, -0.0, 1.5, float("inf"), float("nan"), True, 2j, np.float32(1.5), np.int64(2)]


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize("dtype", [ms.bool_, ms.int8, ms.int64, ms.float16, ms.float32, ms.complex64])
@pytest.mark.parametrize("name", ["add", "div", "pow", "where"])
def test_eager_mode_promotes_operands_of_known_dtypes_as_any_others(name, dtype, number):
    op, tensor = op_named(name), Tensor([1, 0], dtype)
    condition = (Tensor([True, False]),) if name == "where" else ()

    def operands_of(lift, *operands):
        try:
            return [(t.type, t.array.tobytes()) for t in lift(op, (*condition, *operands))]
        except MinigraphError as error:
            return str(error)

    for operands in ((tensor, number), (number, tensor), (tensor, tensor)):
        with suppress(MinigraphError):
            apply(op, *condition, *operands)  # from now on the dtypes are known
        assert operands_of(EAGER.lift, *operands) == operands_of(promote_operands, *operands)
