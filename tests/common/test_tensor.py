"""Functions that create and recognise tensors."""

import numpy as np
import pytest

import minigraph as ms


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
