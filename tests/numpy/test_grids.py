"""Diagonals, triangles and grids against numpy's."""

import numpy as np

from minigraph import Tensor, errors, float16, float32, int32
from minigraph import numpy as mnp
from tests.numpy.agree import CUBE, WHOLE, V, W, X, arrays, check, same
from tests.ops.functional.checks import check_slope
from tests.tables import every, refusals

SQUARE = CUBE[0, :, :3]
CASES = [
    ("diag", V), ("diag", V, 1), ("diag", SQUARE), ("diag", SQUARE, -1), ("diagflat", SQUARE), ("diagflat", V, -1),
    ("diagonal", X, 1), ("diagonal", CUBE), ("diagonal", CUBE, 0, 1, 2), ("trace", SQUARE), ("trace", SQUARE, 1),
    ("trace", CUBE), ("trace", CUBE, 0, 1, 2), ("trace", WHOLE), ("tri", 3), ("tri", 3, 4, 1), ("tri", 3, 4, -1),
    ("tril", X), ("tril", WHOLE, 1), ("tril", CUBE, -1), ("triu", X), ("triu", WHOLE, 1), ("triu", CUBE, -1),
    ("tril_indices", 3), ("tril_indices", 3, 1), ("tril_indices", 3, -1, 4), ("triu_indices", 3),
    ("triu_indices", 3, 1, 4), ("tril_indices_from", X), ("triu_indices_from", SQUARE, 1), ("diag_indices", 3),
    ("diag_indices", 2, 3), ("vander", V), ("vander", V, 3), ("vander", V, 3, True), ("vander", WHOLE[0], 4),
    ("meshgrid", V, W), ("meshgrid", V, W[:2], V[:3]), ("meshgrid", V), ("ix_", np.array([0, 1]), np.array([2, 4])),
]  # fmt: skip


@every(case=CASES, ids=lambda case: case[0])
def test_as_in_numpy(case):
    name, *args = case
    check(name, *args)


@every(indexing=["xy", "ij"], sparse=[False, True])
def test_grids(sparse, indexing):
    check("meshgrid", V, W[:2], V[:3], sparse=sparse, indexing=indexing)


def test_places_and_dtypes():
    # places
    same(mnp.indices((2, 3)), list(np.indices((2, 3))))
    same(mnp.indices((2, 3), sparse=True), np.indices((2, 3), sparse=True))
    assert mnp.indices((2, 3), float32)[0].dtype is float32
    # dtypes
    assert mnp.tri(3, dtype=int32).dtype is mnp.tril_indices(3)[0].dtype is int32
    assert mnp.trace(Tensor(SQUARE), dtype=float16).dtype is float16
    assert all(array.dtype == np.int32 for array in arrays(mnp.ix_([0, 1], [2])))


def test_grids_by_slices():
    for places in ((slice(0, 5, 2), slice(1, 3)), (slice(0, 2), slice(0, 1, 3j))):
        np.testing.assert_allclose(mnp.mgrid[places].asnumpy(), np.mgrid[places])
        same(mnp.ogrid[places], list(np.ogrid[places]))
    same(mnp.mgrid[0:5], np.mgrid[0:5])
    same(mnp.ogrid[0:1:5j], np.ogrid[0:1:5j])
    assert mnp.mgrid[0:3].dtype is int32
    assert mnp.mgrid[0:1:3j].dtype is float32


@every(name=["diag", "diagflat", "tril", "triu", "diagonal", "trace", "vander"])
def test_slopes(name):
    check_slope(getattr(mnp, name), V if name == "vander" else SQUARE, tolerance=1e-4)


test_refusals = refusals(
    (lambda: mnp.diag(Tensor(CUBE)), r"diag takes a vector or a matrix, got shape \[2, 3, 4\]"),
    (lambda: mnp.tril_indices_from(Tensor(V)), r"the triangle of a matrix, got shape \[4\]"),
    error=errors.ShapeError,
)
