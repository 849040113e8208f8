"""Python data as arrays: the dtypes that MindSpore infers, conversions, and errors."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.core.errors import DTypeError, MinigraphError
from minigraph.core.types import DTYPES
from tests.tables import cases

F = Tensor([1.5])


@cases(
    (1, "Int64 ()"), (1.0, "Float32 ()"), (True, "Bool ()"), (1j, "Complex128 ()"), ([], "Float32 (0,)"),
    ([1, 2], "Int64 (2,)"), ([1, 2.0], "Float32 (2,)"), ([True], "Bool (1,)"), ([[1.0], [2.0]], "Float32 (2, 1)"),
    ((1, 2), "Int64 (2,)"), (np.ones(2), "Float64 (2,)"), (np.float64(1), "Float64 ()"), (np.int8(1), "Int8 ()"),
    (np.ones((0, 3), np.float16), "Float16 (0, 3)"), (np.arange(2, dtype=np.longlong), "Int64 (2,)"),
    ([F, F], "Float32 (2, 1)"), ([np.float32(1.0), 2], "Float32 (2,)"),
    ([np.int32(1)], "Int64 (1,)"), ([np.int8(1)], "Int8 (1,)"), ([np.ones(1, np.int32)], "Int64 (1, 1)"),
    (np.int32(1), "Int32 ()"), (F, "Float32 (1,)"),
)  # fmt: skip
def test_dtypes_are_inferred(data, expected):
    tensor = Tensor(data)
    assert f"{tensor.dtype} {tensor.shape}" == expected


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
def test_data_is_converted(dtype):
    for data in (1, 1.0, [1, 0], np.ones(2), Tensor([1, 0])):
        assert Tensor(data, dtype).dtype is dtype


UNSUPPORTED = "For Tensor, the input_data is {} that contain unsupported element."
KINDS = (
    "For 'Tensor', the type of 'input_data' should be one of '['TensorPy', 'Tensor', 'ndarray', 'str_', 'list', "
    "'tuple', 'float', 'int', 'bool', 'complex', "
)


@cases(
    (lambda: Tensor("a"), KINDS),
    (lambda: Tensor(None), KINDS),
    (lambda: Tensor({}), KINDS),
    (lambda: Tensor([[1, 2], [3]]), UNSUPPORTED.format("[[1, 2], [3]]")),
    (lambda: Tensor(["a"]), UNSUPPORTED.format("['a']")),
    (lambda: Tensor([None]), UNSUPPORTED.format("[None]")),
    (lambda: Tensor({1, 2}), UNSUPPORTED.format("{1, 2}")),
    (lambda: Tensor(2**64), UNSUPPORTED.format(2**64)),
    (lambda: Tensor(np.array(["a"])), UNSUPPORTED.format("array(['a'], dtype='<U1')")),
    (lambda: Tensor.from_numpy(np.array([None])), UNSUPPORTED.format("array([None], dtype=object)")),
    (lambda: Tensor(1, np.float32), "Tensor: dtype must be a minigraph dtype such as ms.float32"),
    (lambda: Tensor(1, "float32"), "Tensor: dtype must be a minigraph dtype such as ms.float32, got 'float32'"),
)
def test_data_that_is_not_numeric_is_refused(make, message):
    with pytest.raises(MinigraphError) as caught:
        make()
    assert type(caught.value).__name__ == "TypeError"
    assert str(caught.value).startswith(message)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_number_too_large_for_its_dtype_is_refused():
    with pytest.raises(DTypeError, match="300 does not fit into Int8"):
        Tensor(300, ms.int8)
