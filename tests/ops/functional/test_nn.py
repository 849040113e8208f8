"""Layers' functions under MindSpore's signatures."""

import numpy as np
import pytest

from minigraph import Tensor, errors, grad, ops, uint8
from tests.tables import every, refusals

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 5, 5))


@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(2, 1, 1), (3, 2, 1), (3, 3, 2), (1, 1, 1)])
def test_same_padding_gives_the_size_over_the_stride_rounded_up(kernel, stride, dilation):
    w = Tensor(np.ones((1, 3, kernel, kernel)))
    found = ops.conv2d(Tensor(X), w, stride=stride, pad_mode="same", dilation=dilation)
    assert found.shape == (2, 1, -(-5 // stride), -(-5 // stride))


def test_where_the_odd_pixel_and_the_bias_of_conv2d_go():
    # the odd pixel of same padding comes after
    w = np.zeros((1, 1, 2, 2))
    w[0, 0, 1, 1] = 1
    found = ops.conv2d(Tensor(X[:, :1]), Tensor(w), pad_mode="same").array
    assert np.array_equal(found[0, 0, :-1, :-1], X[0, 0, 1:, 1:])
    assert not found[0, 0, -1].any()
    # conv2d adds its bias per channel
    w, b = Tensor(np.zeros((4, 3, 1, 1))), Tensor(np.arange(4.0))
    assert ops.conv2d(Tensor(X), w, b).array[1, :, 2, 3].tolist() == [0.0, 1.0, 2.0, 3.0]


@every(
    call=[
        lambda: ops.conv2d(Tensor(X), Tensor(X), pad_mode="full"),
        lambda: ops.conv2d(Tensor(X), Tensor(X), padding=1),
        lambda: ops.mse_loss(Tensor(X), Tensor(X), "max"),
    ]
)
def test_refusals(call):
    with pytest.raises(errors.UsageError):
        call()


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_class_weights_count_rows_as_their_labels(reduction):
    logits, labels, weight = Tensor(X[0, 0]), Tensor([0, 2, 1, 1, 4]), Tensor(np.arange(1.0, X.shape[3] + 1))
    rows = ops.cross_entropy(logits, labels, reduction="none") * weight[labels]
    wanted = {"none": rows, "sum": rows.sum(), "mean": rows.sum() / weight[labels].sum()}[reduction]
    found = ops.cross_entropy(logits, labels, weight, reduction=reduction)
    assert np.allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5)


def test_normalising_with_and_without_weights_and_statistics():
    # layer norm without weight is normalize
    x = Tensor(X)
    plain = ops.layer_norm(x, (5, 5)).array
    one = Tensor(np.ones((5, 5)))
    np.testing.assert_allclose(ops.layer_norm(x, (5, 5), one).array, plain, rtol=1e-14)
    np.testing.assert_allclose(ops.layer_norm(x, (5, 5), None, one).array, plain + 1, rtol=1e-13)
    assert ops.layer_norm(x, 5).array.mean(-1) == pytest.approx(0, abs=1e-14)
    # batch norm takes running statistics or the batchs
    mean, variance, one, zero = (Tensor(np.full(3, v)) for v in (0.5, 4.0, 1.0, 0.0))
    found = ops.batch_norm(Tensor(X), mean, variance, one, zero, eps=0.0).array
    np.testing.assert_allclose(found, (X - 0.5) / 2, rtol=1e-14)
    trained = ops.batch_norm(Tensor(X), mean, variance, one, zero, training=True).array
    np.testing.assert_allclose(trained.mean((0, 2, 3)), 0, atol=1e-14)


def test_cross_entropy_and_pooling():
    # cross entropy of probabilities is that of labels
    logits, labels = Tensor(RNG.normal(size=(4, 3))), Tensor([0, 1, 2, 1])
    hard = ops.one_hot(labels, 3, 1.0, 0.0).astype(logits.dtype)
    for smoothing in (0.0, 0.2):
        one = ops.cross_entropy(logits, labels, label_smoothing=smoothing).item()
        assert ops.cross_entropy(logits, hard, label_smoothing=smoothing).item() == pytest.approx(one)
    # pooling
    assert ops.max_pool2d(Tensor(X), 2).shape == ops.avg_pool2d(Tensor(X), 2, 2).shape == (2, 3, 2, 2)
    assert ops.avg_pool2d(Tensor(X), 2).shape == (2, 3, 4, 4)  # another default than that of max_pool2d


def test_mse_loss_and_dense():
    # mse loss reductions
    a, b = Tensor([1.0, 3.0]), Tensor([0.0, 1.0])
    assert [ops.mse_loss(a, b, r).tolist() for r in ("none", "mean", "sum")] == [[1.0, 4.0], 2.5, 5.0]
    # the mean of squared whole numbers is a float
    assert ops.mse_loss(Tensor([1, 2], uint8), Tensor([1, 4], uint8)).item() == 2.0
    # dense is the weight transposed
    x, w, b = RNG.normal(size=(2, 4, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=5)
    np.testing.assert_allclose(ops.dense(Tensor(x), Tensor(w), Tensor(b)).array, x @ w.T + b, rtol=1e-13)


def test_activations_at_their_corners():
    # softmax casts first when asked
    assert ops.softmax(Tensor([1, 2]), dtype=Tensor(1.0).dtype).array.sum() == pytest.approx(1)
    np.testing.assert_allclose(ops.leaky_relu(Tensor([-1.0, 2.0]), 0.1).array, [-0.1, 2.0], rtol=1e-6)
    # softplus is a line above its threshold
    x = Tensor([-1.0, 0.5, 3.0])
    wanted = [np.log1p(np.exp(-2)) / 2, np.log1p(np.e) / 2, 3]
    np.testing.assert_allclose(ops.softplus(x, 2, 4).array, wanted, rtol=1e-6)
    # leaky relu shares the gradient at zero
    assert grad(lambda x: ops.leaky_relu(x, 0.5))(Tensor([-2.0, 0.0, 2.0])).tolist() == [0.5, 0.75, 1.0]


test_shapes_that_do_not_fit = refusals(
    (lambda: ops.layer_norm(Tensor(X), (3,)), "layer_norm: the last axes"),
    (lambda: ops.bias_add(Tensor(X), Tensor([1.0])), "bias_add"),
    (lambda: ops.bias_add(Tensor([1.0]), Tensor([1.0])), "bias_add"),
    error=errors.ShapeError,
)
