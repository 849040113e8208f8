"""Functions of ``mint.nn.functional``; the differential tests compare functions that have a kernel in MindSpore."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import ops
from minigraph.mint.nn import functional as F

IMAGES = np.random.default_rng(0).normal(size=(2, 4, 6, 6)).astype(np.float32)
WEIGHT = np.random.default_rng(1).normal(size=(3, 4, 3, 3)).astype(np.float32)
ROWS = IMAGES[0, 0]


@pytest.mark.parametrize(
    ("call", "same"),
    [
        (lambda q, w, x: F.avg_pool2d(q, 2), lambda q, w, x: ops.avg_pool2d(q, 2, 2)),
        (lambda q, w, x: F.max_pool2d(q, 3, stride=2, padding=1), lambda q, w, x: ops.max_pool2d(q, 3, 2, 1)),
        (lambda q, w, x: F.conv2d(q, w, padding=1), lambda q, w, x: ops.conv2d(q, w, pad_mode="pad", padding=1)),
        (lambda q, w, x: F.conv2d(q, w, padding="same"), lambda q, w, x: ops.conv2d(q, w, pad_mode="same")),
        (lambda q, w, x: F.dropout(x, training=False), lambda q, w, x: x),
        (lambda q, w, x: F.flatten(x), lambda q, w, x: ops.reshape(x, (-1,))),
        (lambda q, w, x: F.leaky_relu(x), lambda q, w, x: ops.leaky_relu(x, 0.01)),
        (lambda q, w, x: F.linear(x, x, x[0]), lambda q, w, x: x @ x.T + x[0]),
        (lambda q, w, x: F.log_softmax(x, dim=0), lambda q, w, x: ops.log_softmax(x, 0)),
        (lambda q, w, x: F.softmax(x), lambda q, w, x: ops.softmax(x, 1)),
        (lambda q, w, x: F.smooth_l1_loss(x, 2 * x), lambda q, w, x: ops.smooth_l1_loss(
            x, 2 * x, reduction="mean")),
        (lambda q, w, x: F.normalize(x), lambda q, w, x: x / ops.sqrt((x * x).sum(1, keepdims=True))),
        (lambda q, w, x: F.embedding(ms.Tensor([0, 2]), x, -1), lambda q, w, x: x[ms.Tensor([0, 2])]),
        (lambda q, w, x: F.batch_norm(q, *ops.ones((2, 4))), lambda q, w, x: (q - 1) / np.sqrt(1 + 1e-5)),
        (lambda q, w, x: F.binary_cross_entropy(ops.sigmoid(x), x),
         lambda q, w, x: ops.binary_cross_entropy_with_logits(x, x)),
    ],
)  # fmt: skip
def test_values_and_gradients_equal_ops_with_other_arguments(call, same) -> None:
    inputs = [ms.Tensor(array) for array in (IMAGES, WEIGHT, ROWS)]
    for result, expected in zip(
        (call(*inputs), *ms.grad(call, (0, 1, 2))(*inputs), ms.jit(call)(*inputs)),
        (same(*inputs), *ms.grad(same, (0, 1, 2))(*inputs), same(*inputs)),
        strict=True,
    ):
        np.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), rtol=2e-4, atol=1e-5)


def test_one_hot_counts_the_classes() -> None:
    assert F.one_hot(ms.Tensor([0, 2])).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_max_norm_of_an_embedding_is_refused() -> None:
    with pytest.raises(ValueError, match=r"max_norm .* is not supported; use ops\.renorm"):
        F.embedding(ms.Tensor([0]), ms.Tensor(ROWS), max_norm=1.0)
