"""Mathematical methods: every form of call, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, float64
from tests.ops.functional.checks import gradient_test, value_test

X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
MASK = X > 0

CASES = [
    (lambda x: x.sum(0, dtype=float64), X.sum(0, dtype=np.float64)),
    (lambda x: x.sum(0, True), X.sum(0, keepdims=True)),
    (lambda x: x.mean(1, dtype=float64), X.mean(1, dtype=np.float64)),
    (lambda x: x.max(), X.max()),
    (lambda x: x.max(axis=1), X.max(1)),
    (lambda x: x.max(1)[0], X.max(1)),
    (lambda x: x.max(1, True)[1], X.argmax(1)[:, None]),
    (lambda x: x.max(dim=0)[1], X.argmax(0)),
    (lambda x: x.max(dim=0, keepdim=True)[0], X.max(0, keepdims=True)),
    (lambda x: x.max(axis=0, return_indices=True)[1], X.argmax(0)),
    (lambda x: x.max(axis=0, keepdims=True, initial=0.0), X.max(0, keepdims=True, initial=0)),
    (lambda x: x.max(initial=-9.0, where=Tensor(~MASK)), X.max(initial=-9, where=~MASK)),
    (lambda x: x.min(), X.min()),
    (lambda x: x.min(0)[0], X.min(0)),
    (lambda x: x.min(axis=1), X.min(1)),
    (lambda x: x.argmax_with_value(1)[0], X.max(1)),
    (lambda x: x.argmin_with_value(0)[1], X.argmin(0)),
    (lambda x: x.ptp(), np.ptp(X)),
    (lambda x: x.ptp(1, True), np.ptp(X, 1, keepdims=True)),
    (lambda x: x.logsumexp(1), np.log(np.exp(X).sum(1))),
    (lambda x: x.trace(1), np.trace(X, 1)),
    (lambda x: x.norm(), np.linalg.norm(X)),
    (lambda x: x.norm(dim=1, keepdim=True), np.linalg.norm(X, axis=1, keepdims=True)),
    (lambda x: x.clip(max=0.5), X.clip(max=0.5)),
    (lambda x: x.softmax(0), np.exp(X) / np.exp(X).sum(0)),
]


test_values = value_test(CASES, X, rtol=2e-5, atol=1e-6)


test_gradients = gradient_test([fn for fn, expected in CASES if np.asarray(expected).dtype.kind == "f"], X)


def test_rounding_and_closeness():
    # rounding
    x = np.array([123.456, -0.55, 2.5], np.float64)
    for decimals in (-2, -1, 0, 1, 2):
        np.testing.assert_allclose(Tensor(x).round(decimals=decimals).asnumpy(), np.round(x, decimals))
    # closeness is one bool
    assert Tensor(X).allclose(Tensor(X + 1e-7)) is True
    assert Tensor(X).allclose(Tensor(X + 1)) is False
