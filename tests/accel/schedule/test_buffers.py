"""The memory of buffers: its alignment, and which slots share it."""

import numpy as np

from minigraph.accel.schedule.buffers import allocate_buffers, as_c_order
from minigraph.core.machine import CACHE_LINE_BYTES
from minigraph.core.types import TensorType, float32, int8


def test_every_buffer_starts_at_a_cache_line():
    arrays = allocate_buffers([12, 3], [(0, TensorType((3,), float32)), (1, TensorType((3,), int8))])
    assert [array.ctypes.data % CACHE_LINE_BYTES for array in arrays] == [0, 0]
    assert [(array.shape, str(array.dtype)) for array in arrays] == [((3,), "float32"), ((3,), "int8")]


def test_a_buffer_may_have_slots_of_several_types():
    floats, bytes_ = allocate_buffers([8], [(0, TensorType((2,), float32)), (0, TensorType((8,), int8))])
    floats[...] = 1.0
    assert bytes_.tobytes() == floats.tobytes()
    assert np.shares_memory(floats, bytes_)


def test_no_buffers():
    assert allocate_buffers([], []) == []


def test_an_array_is_converted_to_c_order():
    transposed = np.arange(6.0).reshape(2, 3).T
    assert as_c_order(transposed).flags.c_contiguous and as_c_order(transposed).tolist() == transposed.tolist()
    assert as_c_order(transposed.T) is not transposed
