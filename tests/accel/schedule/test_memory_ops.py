"""Operators that allocate memory, and views of it."""

import numpy as np

from minigraph.accel.schedule.memory_ops import VIEW, empty_op, zeros_op
from minigraph.core.types import TensorType, float32

TYPE = TensorType((2, 3), float32)


def test_memory_is_a_new_array_of_its_type_or_the_given_array():
    out = np.ones((2, 3), np.float32)
    for op in (empty_op(TYPE), zeros_op(TYPE)):
        array = op.forward()
        assert (array.shape, array.dtype) == ((2, 3), np.float32)
        assert op.forward(out=out) is out
    assert not out.any() and not zeros_op(TYPE).forward().any()


def test_there_is_one_operator_of_a_type():
    assert empty_op(TYPE) is empty_op(TensorType((2, 3), float32)) and empty_op(TYPE) is not zeros_op(TYPE)


def test_a_view_shares_memory():
    base = np.zeros((4, 3))
    assert VIEW.view and np.shares_memory(VIEW.forward(base, key=(slice(None), slice(0, 2))), base)
    assert VIEW.forward(base, key=1).shape == (3,)
