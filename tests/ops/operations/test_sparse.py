"""Primitives of sparse tensors, against their dense forms."""

import numpy as np

import minigraph as ms
from minigraph import Tensor, ops

INDICES, VALUES, SHAPE = Tensor([[0, 1], [1, 2], [2, 0]]), Tensor([1.0, 2.0, 3.0]), (3, 4)
DENSE = np.array([[0, 1, 0, 0], [0, 0, 2, 0], [3, 0, 0, 0]], np.float32)
OTHER = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_sums_and_products():
    assert (
        ops.SparseTensorDenseAdd()(INDICES, VALUES, Tensor(SHAPE), Tensor(OTHER)).tolist() == (DENSE + OTHER).tolist()
    )
    product = ops.SparseTensorDenseMatmul(adjoint_st=True)
    assert product(INDICES, VALUES, SHAPE, Tensor(OTHER)).tolist() == (DENSE.T @ OTHER).tolist()
    slope = ms.grad(lambda values: product(INDICES, values, SHAPE, Tensor(OTHER)).sum())(VALUES)
    assert slope.tolist() == OTHER.sum(1).tolist()
    transposed = ops.SparseTensorDenseMatmul(adjoint_dt=True)(INDICES, VALUES, SHAPE, Tensor(OTHER))
    assert transposed.tolist() == (DENSE @ OTHER.T).tolist()


def test_parts_and_coalescing():
    indices, values, shape = ops.SparseSlice()(INDICES, VALUES, Tensor(SHAPE), Tensor([1, 0]), Tensor([5, 3]))
    assert (indices.tolist(), values.tolist(), shape.tolist()) == ([[0, 2], [1, 0]], [2, 3], [2, 3])
    indices, values, _ = ops.Coalesce()(Tensor([[1, 0, 1], [1, 0, 1]]), VALUES, Tensor([2, 2]))
    assert (indices.tolist(), values.tolist()) == ([[0, 1], [0, 1]], [2, 4])
