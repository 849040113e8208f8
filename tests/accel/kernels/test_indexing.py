"""Short numpy keys of ints and slices."""

import numpy as np

from minigraph.accel.kernels.indexing import index_kernel, short_key
from tests.tables import cases

PERMUTATION = (0, 3, 1)


@cases(
    ((1, PERMUTATION), 1),
    (((0, 1, 1), 2), (slice(0, 1, 1), 2)),
    ((1, 2), (1, 2, ...)),
    ((None, 1, PERMUTATION), (None, 1)),
)
def test_full_slices_at_the_end_are_dropped(key, short):
    x = np.arange(6).reshape(2, 3)
    assert short_key(x.shape, key) == short
    assert isinstance(index_kernel(x, key=key)(x), np.ndarray)


def test_a_number_gets_axes():
    assert index_kernel(np.array(3.0), key=(None, None))(np.array(3.0)).tolist() == [[3.0]]


def test_tensor_indices_have_no_kernel():
    assert index_kernel(np.ones(3), np.zeros(2, int), key=((1,),)) is None
