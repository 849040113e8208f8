"""Keys of indices, slices and tensors, written as ONNX nodes, read and write the elements that numpy selects."""

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.core.errors import ModelError
from minigraph.importers.onnx.writer import to_onnx
from tests.importers.onnx.test_writer import evaluate, set_items

X = Tensor(np.arange(60, dtype=np.float32).reshape(3, 4, 5))
ROWS, COLUMNS = Tensor(np.int32([2, 0, -1])), Tensor(np.int64([1, 3, 1]))
KEYS = {
    "slices": lambda: (slice(None, None, -1), slice(1, 4, 2), 3),
    "none of an axis": lambda: (slice(2, 2), ...),
    "new axes": lambda: (None, 1, ..., None),
    "one tensor": lambda: (slice(None), COLUMNS),
    "two tensors": lambda: (ROWS, COLUMNS),
    "tensors around a slice": lambda: (ROWS, slice(1, 3), COLUMNS),
    "a tensor next to an index": lambda: (1, slice(None), COLUMNS),
    "a tensor of two axes": lambda: (slice(0, 2), ROWS.reshape(3, 1), COLUMNS),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_key_reads_what_numpy_selects(key):
    selected = X[key()]
    assert np.array_equal(evaluate(trace(lambda x: x[key()], X), X)[0], selected.asnumpy())


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_key_writes_what_numpy_selects(key):
    def replace(x):
        return set_items(x, key(), -1.0)

    assert np.array_equal(evaluate(trace(replace, X), X)[0], replace(X).asnumpy())


@pytest.mark.parametrize("mask", [lambda x: x > 20, lambda x: x[:, :, 0] > 20, lambda x: x[:, 0, 0] > 20])
def test_one_number_is_written_where_a_mask_is_true(mask):
    def replace(x):
        return set_items(x, mask(x), 0.5)

    assert np.array_equal(evaluate(trace(replace, X), X)[0], replace(X).asnumpy())


def test_repeated_positions_are_summed():
    def gradient(x, rows):
        return ops.grad(lambda x: (x[rows, 1:3] * x[rows, 1:3]).sum())(x)

    rows = Tensor(np.int32([1, 1, 2]))
    assert np.array_equal(evaluate(trace(gradient, X, rows), X, rows)[0], gradient(X, rows).asnumpy())


def test_a_mask_that_selects_an_unknown_number_is_refused(tmp_path):
    with pytest.raises(ModelError, match="mask"):
        to_onnx(trace(lambda x: set_items(x, x[:, 0] > 0, x[0, 0]), X), tmp_path / "model.onnx")
    assert not any(tmp_path.iterdir())
