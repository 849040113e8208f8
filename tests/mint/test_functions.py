"""Functions of ``mint``; the differential tests compare their values with MindSpore's."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import mint

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
Y = X[::-1].copy()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x, y: mint.std(x, dim=1), X.std(1, ddof=1)),
        (lambda x, y: mint.var(x, 0, correction=0, keepdim=True), X.var(0, keepdims=True)),
        (lambda x, y: mint.std_mean(x)[1], X.mean()),
        (lambda x, y: mint.var_mean(x)[0], X.var(ddof=1)),
        (lambda x, y: mint.add(x, y, alpha=2), X + 2 * Y),
        (lambda x, y: mint.sub(x, y, alpha=2), X - 2 * Y),
        (lambda x, y: mint.max(x, 1)[1], X.argmax(1)),
        (lambda x, y: mint.max(x, other=y), np.maximum(X, Y)),
        (lambda x, y: mint.min(x, dim=0, keepdim=True)[0], X.min(0, keepdims=True)),
        (lambda x, y: mint.transpose(x, 0, 1), X.T),
        (lambda x, y: mint.diag(x, 1), np.diag(X, 1)),
        (lambda x, y: mint.diag(x[0], diagonal=1), np.diag(X[0], 1)),
        (lambda x, y: mint.argsort(x, dim=1, descending=True), np.argsort(-X, 1)),
        (lambda x, y: mint.norm(x), np.linalg.norm(X)),
        (lambda x, y: mint.norm(x, 1, dim=0), np.abs(X).sum(0)),
        (lambda x, y: mint.squeeze(mint.unsqueeze(x, 1), (0, 1)), X),
        (lambda x, y: mint.vdot(x[0], y[0]), X[0] @ Y[0]),
        (lambda x, y: mint.meshgrid(x[0], y[0])[0], np.meshgrid(X[0], Y[0], indexing="ij")[0]),
        (lambda x, y: mint.gather(x, 1, mint.argmin(x, dim=1, keepdim=True)), X[:, :1]),
        (lambda x, y: mint.index_add(x, 0, ms.Tensor([1, 0]), y, alpha=2), X + 2 * X),
        (lambda x, y: mint.sum(x, 1, True), X.sum(1, keepdims=True)),
        (lambda x, y: mint.median(x), np.sort(X.ravel())[2]),
        (lambda x, y: mint.median(x, dim=1)[0], np.median(X, 1)),
        (lambda x, y: mint.bernoulli(ms.ops.ones_like(x)), np.ones_like(X)),
        (lambda x, y: mint.clone(x), X),
        (lambda x, y: mint.bitwise_not(x > 0), X <= 0),
        (lambda x, y: mint.linalg.vector_norm(x, dim=1, keepdim=True), np.linalg.norm(X, axis=1, keepdims=True)),
        (lambda x, y: mint.special.exp2(x), 2**X),
        (lambda x, y: mint.softmax(x, 1).sum(1), np.ones(2)),
        (lambda x, y: mint.fix(x), np.trunc(X)),
        (lambda x, y: mint.linspace(0, 1, 3), np.linspace(0, 1, 3)),
        (lambda x, y: mint.addcmul(x, x, y, value=2), X + 2 * X * Y),
    ],
)
def test_values_equal_numpy_in_both_modes(call, expected) -> None:
    for run in (call, ms.jit(call)):
        np.testing.assert_allclose(run(ms.Tensor(X), ms.Tensor(Y)).asnumpy(), expected, rtol=1e-6)


def test_random_functions_have_the_requested_shape_and_range() -> None:
    assert mint.normal(0.0, 1.0, (2, 3)).shape == mint.normal(ms.Tensor(X), 1.0).shape == (2, 3)
    for numbers in (mint.randint(2, 5, (2, 3)), mint.randint(5, (2, 3)), mint.randint_like(ms.Tensor(X), 1, 5)):
        assert numbers.shape == (2, 3) and 0 <= numbers.min().item() <= numbers.max().item() < 5
    assert mint.empty(2, 3).shape == mint.empty((2, 3)).shape == mint.empty_like(ms.Tensor(X)).shape == (2, 3)


def test_unique_gives_positions_and_counts() -> None:
    elements, positions, counts = mint.unique(ms.Tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    assert (elements.tolist(), positions.tolist(), counts.tolist()) == ([1, 3], [1, 0, 1], [1, 2])


def test_a_missing_name_is_reported() -> None:
    with pytest.raises(AttributeError, match="mint"):
        mint.no_such_function  # noqa: B018 - the look-up raises
