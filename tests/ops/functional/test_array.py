"""Shapes, picking and creating under MindSpore's signatures."""

import numpy as np

from minigraph import Tensor, float16, float32, float64, int64, ops
from minigraph.core.errors import UsageError
from tests.ops.functional.ways import holds
from tests.tables import cases, refusals

X = Tensor(np.arange(24.0).reshape(2, 3, 4))
A = X.array


test_values = holds(
    (ops.reshape(X, (6, -1)), A.reshape(6, 4)),
    (ops.flatten(X), A.reshape(2, 12)),
    (ops.flatten(X, start_dim=0), A.reshape(24)),
    (ops.flatten(Tensor(3.0)), [3.0]),
    (ops.transpose(X, (2, 0, 1)), A.transpose(2, 0, 1)),
    (ops.permute(X, (1, 0, 2)), A.transpose(1, 0, 2)),
    (ops.swapaxes(X, 0, -1), A.swapaxes(0, -1)),
    (ops.unsqueeze(X, 1), A[:, None]),
    (ops.squeeze(ops.expand_dims(X, 0)), A),
    (ops.broadcast_to(X, (5, -1, -1, -1)), np.broadcast_to(A, (5, 2, 3, 4))),
    (ops.tile(X, (2, 1, 1, 3)), np.tile(A, (2, 1, 1, 3))),
    (ops.tile(X, (2,)), np.tile(A, (2,))),
    (ops.cat((X, X), -1), np.concatenate([A, A], -1)),
    (ops.gather(X, Tensor([2, 0]), 1), A[:, [2, 0]]),
    (ops.gather(X, Tensor([[1]]), -1), A[:, :, [[1]]]),
    (ops.flip(X, (0, -1)), A[::-1, :, ::-1]),
    (ops.tril(X), np.tril(A)),
    (ops.triu(X, 1), np.triu(A, 1)),
    (ops.one_hot(Tensor([0, 2]), 3), np.eye(3)[[0, 2]]),
    (ops.one_hot(Tensor([1]), 2, 5.0, -1.0), [[-1.0, 5.0]]),
    (ops.arange(3), [0, 1, 2]),
    (ops.arange(1.0, 2.0, 0.5), [1.0, 1.5]),
    (ops.eye(2, 3), np.eye(2, 3)),
    (ops.full((2,), 1.5), [1.5, 1.5]),
    (ops.zeros_like(X), np.zeros_like(A)),
)


def test_pieces_and_sizes():
    # pieces
    assert [t.tolist() for t in ops.chunk(Tensor([1, 2, 3, 4, 5]), 2)] == [[1, 2, 3], [4, 5]]
    assert [t.shape for t in ops.unstack(X, 1)] == [(2, 4)] * 3
    assert [t.shape for t in ops.split(X, (1, 2), 1)] == [(2, 1, 4), (2, 2, 4)]
    # sizes
    assert (ops.size(X), ops.shape(X), ops.rank(X)) == (24, (2, 3, 4), 3)


@cases(
    (ops.zeros(2), float32), (ops.ones((1,), float16), float16), (ops.full((1,), 1), int64),
    (ops.full((1,), 1.0, dtype=float64), float64), (ops.ones_like(X), float64), (ops.arange(2), int64),
    (ops.arange(2.0), float32), (ops.one_hot(Tensor([0]), 2), int64), (ops.eye(2), float32),
)  # fmt: skip
def test_dtypes(tensor, dtype):
    assert tensor.dtype is dtype


test_refusals = refusals(
    (lambda: ops.flatten(X, "A"), UsageError, "order is 'C' or 'F', got 'A'"),
)
