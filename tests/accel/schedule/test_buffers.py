"""The memory of buffers: where it starts, and what shares it."""

import numpy as np

from minigraph.accel.schedule.buffers import arrays_of, in_order
from minigraph.core.machine import CACHE_LINE_BYTES
from minigraph.core.types import TensorType, float32, int8


def test_every_buffer_starts_at_a_cache_line():
    arrays = arrays_of([12, 3], [(0, TensorType((3,), float32)), (1, TensorType((3,), int8))])
    assert [array.ctypes.data % CACHE_LINE_BYTES for array in arrays] == [0, 0]
    assert [(array.shape, str(array.dtype)) for array in arrays] == [((3,), "float32"), ((3,), "int8")]


def test_a_buffer_may_be_looked_at_in_several_ways():
    floats, bytes_ = arrays_of([8], [(0, TensorType((2,), float32)), (0, TensorType((8,), int8))])
    floats[...] = 1.0
    assert bytes_.tobytes() == floats.tobytes()
    assert np.shares_memory(floats, bytes_)


def test_no_buffers():
    assert arrays_of([], []) == []


def test_an_array_is_brought_to_c_order():
    turned = np.arange(6.0).reshape(2, 3).T
    assert in_order(turned).flags.c_contiguous and in_order(turned).tolist() == turned.tolist()
    assert in_order(turned.T) is not turned
