"""Products of vectors and matrices against numpy, in both modes, with gradients."""

import numpy as np
import pytest

from minigraph import Tensor, errors, ops
from minigraph.core.errors import ShapeError
from tests.ops.functional.checks import constants_test, gradient_test, in_both_modes, value_test
from tests.tables import error_cases

SIGNED = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
SIGNED_ARRAY = SIGNED.array


test_values = constants_test(
    (ops.outer(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])), np.outer([1, 2], [3, 4])),
    (
        ops.bmm(SIGNED.reshape(1, 2, 3), SIGNED.reshape(1, 3, 2)),
        SIGNED_ARRAY.reshape(1, 2, 3) @ SIGNED_ARRAY.reshape(1, 3, 2),
    ),
    rtol=1e-14,
)


test_errors = error_cases(
    (lambda: ops.bmm(SIGNED, SIGNED), errors.ShapeError, "bmm: needs two tensors of rank 3"),
)


GENERATOR = np.random.default_rng(0)


def test_dense_is_the_weight_transposed():
    x, w, b = GENERATOR.normal(size=(2, 4, 3)), GENERATOR.normal(size=(5, 3)), GENERATOR.normal(size=5)
    np.testing.assert_allclose(ops.dense(Tensor(x), Tensor(w), Tensor(b)).array, x @ w.T + b, rtol=1e-13)


RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(3, 3)).astype(np.float32), RNG.normal(size=(3, 3)).astype(np.float32)
T, S, V, W = (RNG.normal(size=shape).astype(np.float32) for shape in ((2, 3, 3), (2, 3, 3), (3,), (3,)))
CASES = [
    (ops.mm, (A, B), A @ B),
    (ops.mv, (A, V), A @ V),
    (ops.dot, (V, W), V @ W),
    (ops.dot, (A, T), np.dot(A, T)),
    (ops.inner, (A, B), np.inner(A, B)),
    (ops.vecdot, (A, B), (A * B).sum(-1)),
    (ops.ger, (V, W), np.outer(V, W)),
    (ops.addmm, (A, B, A), A + B @ A),
    (ops.addmv, (V, A, W), V + A @ W),
    (ops.addbmm, (A, T, S), A + (T @ S).sum(0)),
    (ops.baddbmm, (T, T, S), T + T @ S),
    (ops.addr, (A, V, W), A + np.outer(V, W)),
    (ops.batch_dot, (T, S), T @ S),
    (ops.kron, (A, V), np.kron(A, V)),
    (ops.kron, (A, B[:2]), np.kron(A, B[:2])),
    (ops.cross, (A, B), np.cross(A.T, B.T).T),
]
WITH_OPTIONS = [
    (lambda a, b: ops.addmm(a, a, b, beta=0.5, alpha=2), 0.5 * A + 2 * A @ B),
    (lambda a, b: ops.tensor_dot(a, b, 1), A @ B),
    (lambda a, b: ops.tensor_dot(a, b, ((0, 1), (1, 0))), np.tensordot(A, B, ((0, 1), (1, 0)))),
    (lambda a, b: ops.tensor_dot(a, b, (0, 1)), np.tensordot(A, B, (0, 1))),
    (lambda a, b: ops.tensor_dot(a, b, 0), np.tensordot(A, B, 0)),
    (lambda a, b: ops.einsum("ij,kj->ik", a, b), A @ B.T),
    (lambda a, b: ops.einsum("ij,kj", [a, b]), A @ B.T),
    (lambda a, b: ops.batch_dot(a, b, 1), (A * B).sum(1, keepdims=True)),
    (lambda a, b: ops.batch_dot(a, b, (1, 1)), (A * B).sum(1, keepdims=True)),
    (lambda a, b: ops.cross(a, b, 1), np.cross(A, B)),
]


test_values_of_products = value_test(CASES, ids=lambda part: getattr(part, "__name__", ""), rtol=2e-4, atol=1e-5)


test_values_with_options = value_test(WITH_OPTIONS, A, B, rtol=2e-4, atol=1e-5)


test_gradients = gradient_test([(fn, args) for fn, args, _ in CASES], tolerance=1e-4)


test_refusals_of_products = error_cases(
    (lambda: ops.mm(Tensor(V), Tensor(A)), ShapeError, r"mm: expected a tensor of rank 2, got f32\[3\]; reshape"),
    (lambda: ops.cross(Tensor(A[:2, :2]), Tensor(A)), ShapeError, r"cross: no axis of f32\[2,2\] has size 3"),
    (lambda: ops.cross(Tensor(A[:2]), Tensor(A[:2]), 0), ShapeError, "cross: axis 0 of f32.* has size 2, not 3"),
    (lambda: ops.tensor_dot(Tensor(A), Tensor(B[:2]), 1), ShapeError, r"tensor_dot: axes of sizes \[3\] and \[2\]"),
)


def test_bidense_is_a_bilinear_form_per_output():
    x, y, weight = (np.random.default_rng(1).normal(size=shape) for shape in ((2, 5, 3), (2, 5, 4), (6, 3, 4)))
    expected = np.einsum("...a,kab,...b->...k", x, weight, y) + 1
    result = in_both_modes(ops.bidense, Tensor(x), Tensor(y), Tensor(weight), Tensor(np.ones(6)))
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    ones = ops.bidense(*[Tensor(np.arange(6.0).reshape(2, 3))] * 2, Tensor(np.ones((2, 3, 3))))
    assert ones.tolist() == [[9.0, 9.0], [144.0, 144.0]]  # MindSpore 2.10
    with pytest.raises(ValueError, match="needs rows"):
        ops.bidense(Tensor([1.0]), Tensor([1.0]), Tensor([1.0]))
