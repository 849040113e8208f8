"""Primitives of shapes, joining, picking and creating."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.ways import holds

X, Y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
A, B = X.array, Y.array


test_values = holds(
    (ops.Reshape()(X, (4,)), A.reshape(4)),
    (ops.Transpose()(X, (1, 0)), A.T),
    (ops.ExpandDims()(X, 0), A[None]),
    (ops.Squeeze()(ops.ExpandDims()(X, 0)), A),
    (ops.Concat(axis=1)((X, Y)), np.concatenate([A, B], 1)),
    (ops.Stack()([X, Y]), np.stack([A, B])),
    (ops.Tile()(X, (1, 2)), np.tile(A, (1, 2))),
    (ops.BroadcastTo((2, 2, 2))(X), np.broadcast_to(A, (2, 2, 2))),
    (ops.Gather()(X, Tensor([1, 0]), 0), A[[1, 0]]),
    (ops.OneHot()(Tensor([1]), 2, Tensor(1.0), Tensor(0.0)), [[0.0, 1.0]]),
    (ops.ZerosLike()(X), np.zeros((2, 2))),
    (ops.OnesLike()(X), np.ones((2, 2))),
)
