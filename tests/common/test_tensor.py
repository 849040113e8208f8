"""Functions that create and recognise tensors."""

import numpy as np
import pytest

import minigraph as ms
from tests.tables import error_cases


def test_tensors_are_created_and_recognised():
    created = ms.tensor([1.0, 2.0], ms.float16)
    assert (created.tolist(), created.dtype) == ([1.0, 2.0], ms.float16)
    assert ms.is_tensor(created)
    assert ms.is_tensor(ms.Parameter(created))
    assert not ms.is_tensor([1.0])


def test_memory_is_shared_with_an_array():
    array = np.ones(2)
    shared = ms.from_numpy(array)
    array[0] = 5
    assert shared.tolist() == [5.0, 1.0]
    with pytest.raises(TypeError, match="Expected a NumPy array."):
        ms.from_numpy([1.0])


def test_a_vector_from_bytes():
    array = np.arange(3, dtype=np.float32)
    assert ms.frombuffer(array.tobytes(), ms.float32).tolist() == [0.0, 1.0, 2.0]
    copied = ms.frombuffer(bytearray(b"abcde"), ms.int16, 2, 1)
    assert copied.tolist() == np.frombuffer(b"bcde", np.int16).tolist()
    assert ms.frombuffer(array, ms.float32, offset=4, count=1).tolist() == [1.0]


test_errors = error_cases(
    (lambda: ms.frombuffer(b"abc", ms.int16), RuntimeError, "3 bytes after the offset are not whole elements of 2"),
    (lambda: ms.frombuffer(b"abcd", ms.int16, 5), RuntimeError, "are not 5 elements"),
    (lambda: ms.frombuffer(b"", ms.int16), RuntimeError, "no element in 0 bytes"),
    (lambda: ms.frombuffer(b"ab", ms.int8, offset=2), RuntimeError, "no element in 2 bytes"),
    (lambda: ms.frombuffer("ab", ms.int8), TypeError, "bytes-like"),
)
