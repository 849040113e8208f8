"""Keys of ints and slices as numpy takes them soonest."""

import numpy as np

from minigraph.accel.kernels.indexing import getter, short_key
from tests.tables import cases

EVERY = (0, 3, 1)


@cases(((1, EVERY), 1), (((0, 1, 1), 2), (slice(0, 1, 1), 2)), ((1, 2), (1, 2, ...)), ((None, 1, EVERY), (None, 1)))
def test_whole_axes_at_the_end_are_left_out(key, short):
    x = np.arange(6).reshape(2, 3)
    assert short_key(x.shape, key) == short
    assert isinstance(getter(x, key=key)(x), np.ndarray)


def test_tensor_operands_have_to_be_looked_at():
    assert getter(np.ones(3), np.zeros(2, int), key=((1,),)) is None
