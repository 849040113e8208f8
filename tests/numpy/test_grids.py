"""Coordinate grids and open meshes against numpy."""

import numpy as np

from minigraph import float32, int32
from minigraph import numpy as mnp
from tests.numpy.checks import V, W, arrays, assert_same, check
from tests.tables import every

CASES = [
    ("meshgrid", V, W), ("meshgrid", V, W[:2], V[:3]), ("meshgrid", V), ("ix_", np.array([0, 1]), np.array([2, 4])),
]  # fmt: skip


@every(case=CASES, ids=lambda case: case[0])
def test_values(case):
    name, *args = case
    check(name, *args)


@every(indexing=["xy", "ij"], sparse=[False, True])
def test_grids(sparse, indexing):
    check("meshgrid", V, W[:2], V[:3], sparse=sparse, indexing=indexing)


def test_indices_and_dtypes():
    # indices
    assert_same(mnp.indices((2, 3)), list(np.indices((2, 3))))
    assert_same(mnp.indices((2, 3), sparse=True), np.indices((2, 3), sparse=True))
    assert mnp.indices((2, 3), float32)[0].dtype is float32
    # dtypes
    assert all(array.dtype == np.int32 for array in arrays(mnp.ix_([0, 1], [2])))


def test_grids_indexed_by_slices():
    for slices in ((slice(0, 5, 2), slice(1, 3)), (slice(0, 2), slice(0, 1, 3j))):
        np.testing.assert_allclose(mnp.mgrid[slices].asnumpy(), np.mgrid[slices])
        assert_same(mnp.ogrid[slices], list(np.ogrid[slices]))
    assert_same(mnp.mgrid[0:5], np.mgrid[0:5])
    assert_same(mnp.ogrid[0:1:5j], np.ogrid[0:1:5j])
    assert mnp.mgrid[0:3].dtype is int32
    assert mnp.mgrid[0:1:3j].dtype is float32
