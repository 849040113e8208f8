"""Convolutions and pools in CHWN: which ones, and every bit stays."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, interpret, jit, nn, ops, trace, value_and_grad
from minigraph.core import op
from minigraph.core.machine import MIN_CHWN_BYTES
from minigraph.core.op import apply
from minigraph.ir.verify import verify
from passes.numpy.chwn import chwn

RNG = np.random.default_rng(0)


def tensor_of(*shape):
    return Tensor(RNG.normal(size=shape).astype(np.float32))


IMAGES, KERNELS, BIAS = tensor_of(32, 3, 12, 12), tensor_of(8, 3, 5, 5), tensor_of(1, 8, 1, 1)


def layout_conversions(fn, *args):
    """The layout conversions of a graph after the pass."""
    graph = trace(fn, *args)
    chwn(graph)
    return [graph.op(node).name for node in graph.topological() if graph.op(node).name in ("to_chwn", "to_nchw")]


def check_bits(fn, *args):
    """Check that a graph after the pass, and a program, give the bits of eager mode."""
    graph = trace(fn, *args)
    chwn(graph)
    verify(graph)
    for results in (interpret(graph, *args), jit(fn)(*args), jit(fn)(*args)):
        for result, reference in zip(leaves(results), leaves(fn(*args)), strict=True):
            assert result.asnumpy().tobytes() == reference.asnumpy().tobytes()


def leaves(results):
    return [leaf for item in results for leaf in leaves(item)] if isinstance(results, tuple | list) else [results]


def layers(x, w, b):
    return apply("max_pool2d", ops.relu(apply("conv2d", x, w) + b), kernel=2)


def test_consumers_of_a_convolution_are_in_chwn_until_another_layout_is_needed():
    assert layout_conversions(layers, IMAGES, KERNELS, BIAS) == [
        "to_chwn",
        "to_chwn",
        "to_nchw",
    ]  # images, bias, result
    check_bits(layers, IMAGES, KERNELS, BIAS)


def test_longer_rows_are_in_chwn_in_both_directions():
    x, w, b = tensor_of(32, 1, 24, 24), tensor_of(6, 1, 5, 5), tensor_of(1, 6, 1, 1)
    loss = value_and_grad(lambda x, w, b: (layers(x, w, b) ** 2).mean(), (1, 2))
    assert layout_conversions(layers, x, w, b) == ["to_chwn", "to_chwn", "to_nchw"]
    assert layout_conversions(loss, x, w, b)[:2] == ["to_chwn", "to_chwn"]
    check_bits(layers, x, w, b)
    check_bits(loss, x, w, b)


def test_a_pool_alone_is_not_converted():
    assert layout_conversions(lambda x: apply("max_pool2d", ops.relu(x), kernel=2), IMAGES) == []
    assert layout_conversions(lambda x, w: apply("conv2d", x, w), IMAGES, KERNELS) == []


def test_few_or_small_images_stay_in_nchw():
    assert layout_conversions(layers, tensor_of(4, 3, 12, 12), KERNELS, BIAS) == []
    assert np.prod((32, 1, 4, 4)) * 4 < MIN_CHWN_BYTES
    assert layout_conversions(layers, tensor_of(32, 1, 4, 4), tensor_of(1, 1, 2, 2), tensor_of(1, 1, 1, 1)) == []


def test_gradients_use_the_layout_of_the_images():
    both = value_and_grad(lambda x, w, b: (layers(x, w, b) * layers(x, w, b)).sum(), (0, 1, 2))
    assert "to_chwn" in layout_conversions(both, IMAGES, KERNELS, BIAS)
    check_bits(both, IMAGES, KERNELS, BIAS)


@pytest.mark.parametrize("bias", [(8, 1, 1), (8, 8), (8,), (), (1,), (32, 8, 8, 8), (32, 1, 1, 8)], ids=str)
def test_operands_of_any_rank_are_converted(bias):
    check_bits(layers, IMAGES, KERNELS, tensor_of(*bias))


def test_values_read_in_both_layouts_exist_in_both():
    def fn(x, w, b):
        y = ops.relu(apply("conv2d", x, w) + b)
        return y, apply("max_pool2d", y, kernel=2), y.sum(axis=(2, 3)), y.reshape((32, -1)).max(axis=1)

    check_bits(fn, IMAGES, KERNELS, BIAS)


@pytest.mark.parametrize("kernels", ["tuned", "plain"])
def test_random_convolutions_and_their_gradients_keep_their_bits(kernels, monkeypatch):
    if kernels == "plain":
        monkeypatch.setattr(op, "_tuned_kernels", dict)
    rng, converted = np.random.default_rng(1), 0
    for _ in range(25):
        n, c, filters, k = (int(size) for size in rng.integers((16, 1, 1, 1), (80, 8, 20, 6)))
        x, w = tensor_of(n, c, *[k + int(rng.integers(4, 20))] * 2), tensor_of(filters, c, k, k)
        border, stride = (int(rng.integers(3)),) * 2, (int(rng.integers(1, 3)),) * 2

        def layers(x, w, border=border, stride=stride):
            images = apply("conv2d", x, w, stride=stride, padding=(border, border))
            return apply("max_pool2d", ops.relu(images), kernel=2)

        for fn in (layers, grad(lambda x, w, layers=layers: (layers(x, w) ** 2).sum(), (0, 1))):
            before, after = trace(fn, x, w), trace(fn, x, w)
            chwn(after)
            converted += len(after) != len(before)
            for one, other in zip(interpret(before, x, w), interpret(after, x, w), strict=True):
                assert one.asnumpy().tobytes() == other.asnumpy().tobytes()
    assert converted >= 20


def test_special_values_are_kept():
    x = IMAGES.asnumpy().copy()
    x[3, 1, 4, 4], x[5, 0, 0, 0], x[7] = np.nan, np.inf, -0.0

    def loss(x, w, b):
        y = layers(x, w, b)
        return ops.where(ops.isnan(y), 0.0, y).sum()

    check_bits(layers, Tensor(x), KERNELS, BIAS)
    check_bits(value_and_grad(loss, (0, 1, 2)), Tensor(x), KERNELS, BIAS)


def test_images_may_be_parameters():
    kept = Parameter(np.zeros((32, 8, 4, 4), np.float32), name="kept")

    def fn(x, w, b):
        ops.assign(kept, layers(x, w, b) * 2.0)
        return kept.sum()

    jit(fn)(IMAGES, KERNELS, BIAS)
    assert kept.asnumpy().tobytes() == (layers(IMAGES, KERNELS, BIAS) * 2.0).asnumpy().tobytes()


class Small(nn.Cell):
    """Two convolutions, batch norm in between."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True), nn.BatchNorm2d(8)
        self.second, self.pool = nn.Conv2d(8, 4, 3, stride=2, pad_mode="valid"), nn.MaxPool2d(3, 2)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.second(self.pool(self.relu(self.norm(self.first(x)))))


@pytest.mark.parametrize("count", [3, 16, 33])
def test_a_network_trains_to_the_same_bits(count):
    x = tensor_of(count, 3, 12, 11)
    all_losses = []
    for wrap in (lambda fn: fn, jit):
        net = Small()
        rng = np.random.default_rng(7)
        for p in net.trainable_params():
            p.set_data(Tensor(rng.normal(size=p.shape).astype(np.float32)))
        optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
        gradient = value_and_grad(lambda x, net=net: ops.square(net(x)).mean(), None, optimizer.parameters)

        def step(x, gradient=gradient, optimizer=optimizer):
            loss, grads = gradient(x)
            optimizer(grads)
            return loss

        run = wrap(step)
        losses = [run(x).asnumpy() for _ in range(3)]
        all_losses.append([*losses, *(p.asnumpy() for p in net.get_parameters())])
    assert [a.tobytes() for a in all_losses[0]] == [a.tobytes() for a in all_losses[1]]
