"""Memory that others write into."""

import numpy as np

from minigraph.accel.schedule.memories import CUT, memory, zeros
from minigraph.core.types import TensorType, float32

TYPE = TensorType((2, 3), float32)


def test_memory_is_an_array_of_its_type_or_the_one_that_is_there():
    out = np.ones((2, 3), np.float32)
    for op in (memory(TYPE), zeros(TYPE)):
        made = op.forward()
        assert (made.shape, made.dtype) == ((2, 3), np.float32)
        assert op.forward(out=out) is out
    assert not out.any() and not zeros(TYPE).forward().any()


def test_there_is_one_operator_of_a_type():
    assert memory(TYPE) is memory(TensorType((2, 3), float32)) and memory(TYPE) is not zeros(TYPE)


def test_a_cut_shows_memory():
    whole = np.zeros((4, 3))
    assert CUT.view and np.shares_memory(CUT.forward(whole, key=(slice(None), slice(0, 2))), whole)
    assert CUT.forward(whole, key=1).shape == (3,)
