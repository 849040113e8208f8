"""Primitives of factorisations, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, ops

A = Tensor(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]))
B = Tensor(np.arange(6.0).reshape(3, 2))


def test_householder_reflections_and_lu_factors():
    factors = ops.Geqrf()(A)
    np.testing.assert_allclose((ops.Orgqr()(*factors) @ ops.triu(factors[0])).asnumpy(), A.asnumpy(), atol=1e-12)
    pivots = Tensor([1, 2, 3])
    np.testing.assert_array_equal(ops.LuSolve()(B, A, pivots).asnumpy(), ops.lu_solve(B, A, pivots).asnumpy())
    np.testing.assert_array_equal(ops.LuUnpack()(A, pivots)[2].asnumpy(), ops.triu(A).asnumpy())


def test_eigenvalues_are_the_singular_values_of_a_positive_matrix():
    values, vectors = ops.Eig(compute_v=True)(A)
    assert ops.Eig()(A)[1].shape == (0,) and vectors.shape == (3, 3)
    singular = ops.Svd(compute_uv=False)(A)[0].asnumpy()
    np.testing.assert_allclose(np.sort(singular), np.sort(values.asnumpy().real), rtol=1e-12)
