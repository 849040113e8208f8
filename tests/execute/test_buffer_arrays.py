"""The arrays of buffers, and how they share memory."""

import numpy as np

from minigraph.core.types import TensorType, float32, int8
from minigraph.execute.memory import arrays_of, as_writeable


def test_a_buffer_is_viewed_as_several_types_and_returned_arrays_are_writeable():
    floats, bytes_ = arrays_of([8], [(0, TensorType((2,), float32)), (0, TensorType((8,), int8))])
    floats[...] = 1.0
    assert bytes_.tobytes() == floats.tobytes() and np.shares_memory(floats, bytes_)
    assert arrays_of([], []) == []
    array = np.arange(3.0)
    repeated = as_writeable(np.broadcast_to(array, (2, 3)))
    repeated[0] = 7.0
    assert as_writeable(array) is array and as_writeable(np.float32(1.0)).shape == ()
    assert repeated[1].tolist() == array.tolist() == [0.0, 1.0, 2.0]
