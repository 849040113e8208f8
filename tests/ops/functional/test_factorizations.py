"""Eigenvalues, Householder reflections and LU factors: MindSpore's numbers, numpy's, and identities."""

import numpy as np
import pytest

from minigraph import Tensor, float32, grad, ops
from tests.ops.functional.checks import in_both_modes
from tests.tables import error_cases

RNG = np.random.default_rng(4)
A = RNG.normal(size=(2, 3, 3))


def test_eigenvalues_and_vectors():
    values, vectors = ops.eig(Tensor(A))
    np.testing.assert_allclose(
        (Tensor(A + 0j) @ vectors).asnumpy(), (vectors * values.expand_dims(-2)).asnumpy(), atol=1e-12
    )
    np.testing.assert_allclose(in_both_modes(ops.eigvals, Tensor(A)), np.linalg.eigvals(A), rtol=1e-12)


def test_the_gradient_of_eigenvalues():
    def loss(x):
        values = ops.eigvals(x)
        return (ops.real(values) ** 3 + ops.imag(values) ** 2).sum()

    direction = RNG.normal(size=A.shape)
    slope = (loss(Tensor(A + 1e-6 * direction)) - loss(Tensor(A - 1e-6 * direction))).item() / 2e-6
    assert (grad(loss)(Tensor(A)) * Tensor(direction)).sum().item() == pytest.approx(slope, rel=1e-6)
    with pytest.raises(ValueError, match="it has no gradient"):
        grad(lambda x: ops.real(ops.eig(x)[1]).sum())(Tensor(A))


def test_householder_reflections():
    factors, tau = ops.geqrf(Tensor(A))
    q = ops.orgqr(factors, tau)
    np.testing.assert_allclose((q @ ops.triu(factors)).asnumpy(), A, atol=1e-12)
    z = Tensor(np.arange(9, dtype=np.float32).reshape(3, 3))
    expected = [[0, 87, -1248], [-3, 260, -3716], [-6, 508, -7294]]  # MindSpore 2.10
    np.testing.assert_array_equal(in_both_modes(ops.orgqr, z, Tensor([1.0, 2.0, 3.0])), expected)


def test_lu_factors():
    z = Tensor(np.arange(9, dtype=np.float32).reshape(3, 3)) + ops.eye(3, 3, float32)
    x = Tensor([[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]])
    expected = [[0.35555559, 1.55555582], [0.75555557, -3.44444442], [-0.55555558, 2.44444442]]  # MindSpore 2.10
    np.testing.assert_allclose(ops.lu_solve(x, z, Tensor([1, 2, 3])).asnumpy(), expected, rtol=1e-5)
    p, low, up = ops.lu_unpack(z, Tensor([2, 3, 3]))
    np.testing.assert_allclose((p @ low @ up @ ops.lu_solve(x, z, Tensor([2, 3, 3]))).asnumpy(), x.asnumpy(), atol=1e-5)
    assert ops.lu_unpack(z, Tensor([2, 3, 3]), unpack_pivots=False)[0].tolist() == low.tolist()
    assert ops.lu_unpack(z, Tensor([2, 3, 3]), unpack_data=False).tolist() == p.tolist()
    assert ops.lu_solve(x[:, 0], z, Tensor([1, 2, 3])).shape == (3,)


test_errors = error_cases(
    (lambda: ops.eigvals(Tensor([1.0])), ValueError, "needs square matrices"),
    (lambda: ops.geqrf([1.0]), TypeError, "expected a tensor"),
    (lambda: ops.orgqr(Tensor([[1.0, 2.0]]), Tensor([1.0])), ValueError, "rows >= columns"),
)
