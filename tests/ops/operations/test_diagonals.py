"""Primitives of diagonals and triangles."""

import numpy as np

from minigraph import Tensor, ops


def test_diagonals_and_triangles():
    x = Tensor(np.arange(6.0).reshape(2, 3))
    assert ops.DiagPart()(Tensor(np.arange(16.0).reshape(2, 2, 2, 2))).tolist() == [[0, 5], [10, 15]]
    assert ops.TrilIndices(2, 2)().tolist() == [[0, 1, 1], [0, 0, 1]] and ops.TriuIndices(2, 2)().shape == (2, 3)
    zero = Tensor(0.0)
    matrices = ops.MatrixDiagV3()(x, Tensor(0), Tensor(3), Tensor(3), zero.astype(x.dtype))
    assert ops.MatrixDiagPartV3()(matrices, Tensor(0), zero.astype(x.dtype)).tolist() == x.tolist()


def test_replaced_diagonals_and_their_alignment():
    x, rows = Tensor(np.zeros((3, 3))), Tensor(np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]))
    k = Tensor([-1, 1])
    assert ops.MatrixSetDiagV3()(x, rows, k).tolist() == [[4, 2, 0], [7, 5, 3], [0, 8, 6]]
    assert ops.MatrixSetDiagV3("LEFT_RIGHT")(x, rows, k).tolist() == [[4, 1, 0], [8, 5, 2], [0, 9, 6]]
    assert ops.MatrixSetDiagV3()(x, Tensor([1.0, 2.0]), Tensor(1)).tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
