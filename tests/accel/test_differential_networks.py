"""Networks trained with and without the accelerator: the same bits, but for kernels that change the summation order.

``plain``: the accelerator's tape, schedule and passes with the records' own forwards, which have to give the
reference's bits. ``shipped``: as users run it, with all tuned kernels, within ``TOLERANCE`` of the largest element.
Gradients are of first and second order (a Hessian-vector product); training takes three steps, eager and jitted.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn, ops, set_context
from minigraph.accel.fast_dispatch import clear_fast_paths
from minigraph.core import op
from minigraph.examples import digits, vit

TOLERANCE = 1e-4  # three steps of training amplify differences in the last bits


class Case(NamedTuple):
    """A network, the shape of a batch of its inputs, and the number of classes."""

    network: Callable[[], nn.Cell]
    inputs: tuple[int, ...]
    classes: int = 10


class Attention(nn.Cell):
    """One block of self-attention, averaged over the sequence."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Dense(width, width), nn.Dense(width, width), nn.Dense(width, width)
        self.norm, self.scores, self.heads = nn.LayerNorm((width,)), nn.Dense(width, 10), heads

    def construct(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (layer(x).reshape(shape).transpose((0, 2, 1, 3)) for layer in (self.query, self.key, self.value))
        weights = ops.softmax(q @ k.transpose((0, 1, 3, 2)) * (width // self.heads) ** -0.5)
        mixed = (weights @ v).transpose((0, 2, 1, 3)).reshape((batch, length, width))
        return self.scores(self.norm(x + mixed).mean(1))


def lenet() -> nn.Cell:
    return nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), nn.Dense(256, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10),
    )  # fmt: skip


def perceptron() -> nn.Cell:
    return nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 32), nn.Tanh(), nn.Dense(32, 10))


CASES = {
    "digits": Case(digits.Classifier, (64, 64)),
    "perceptron": Case(perceptron, (64, 64)),
    "lenet": Case(lenet, (16, 1, 28, 28)),
    "attention": Case(lambda: Attention(32, 4), (4, 12, 32)),
    "vit": Case(vit.VisionTransformer, (8, 1, 8, 8)),
}


@pytest.fixture
def plain_forwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The records' own forwards, whatever the accelerator has."""
    monkeypatch.setattr(op, "_tuned_kernels", dict)
    clear_fast_paths()
    yield
    clear_fast_paths()


def results_of(case: Case, jitted: bool) -> list[np.ndarray]:
    """Losses, gradients, a Hessian-vector product, and Parameters after three steps of training."""
    ms.set_seed(1)
    rng = np.random.default_rng(2)
    net, loss_of = case.network(), nn.CrossEntropyLoss()
    images = Tensor(rng.normal(size=case.inputs).astype(np.float32))
    labels = Tensor(rng.integers(0, case.classes, case.inputs[0]).astype(np.int32))
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)

    def loss(images: Tensor) -> Tensor:
        return loss_of(net(images), labels)

    def step(images: Tensor) -> tuple[Any, ...]:
        value, grads = ms.value_and_grad(loss, None, optimizer.parameters)(images)
        return ops.depend(value, optimizer(grads)), *grads

    def curvature(images: Tensor) -> Tensor:
        return ms.grad(lambda x: (ms.grad(loss)(x) * images).sum())(images)

    train, hessian_product = (ms.jit(step), ms.jit(curvature)) if jitted else (step, curvature)
    results = [hessian_product(images), *(r for _ in range(3) for r in train(images)), *optimizer.parameters]
    return [tensor.asnumpy().copy() for tensor in results]


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jitted"])
@pytest.mark.parametrize("name", CASES)
def test_plain_forwards_give_the_bits_of_the_reference(
    name: str, jitted: bool, plain_forwards: None, one_blas_thread: None
) -> None:
    accelerated = results_of(CASES[name], jitted)
    set_context(accel=False)
    reference = results_of(CASES[name], jitted)
    assert [array.tobytes() for array in accelerated] == [array.tobytes() for array in reference]


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jitted"])
@pytest.mark.parametrize("name", CASES)
def test_as_shipped_it_is_close_to_the_reference(name: str, jitted: bool, request: pytest.FixtureRequest) -> None:
    accelerated = results_of(CASES[name], jitted)
    request.getfixturevalue("plain_forwards")
    set_context(accel=False)
    for one, other in zip(accelerated, results_of(CASES[name], jitted), strict=True):
        assert np.abs(one - other).max() <= TOLERANCE * max(1.0, np.abs(other).max())


@pytest.mark.parametrize("accel", [True, False], ids=["accelerated", "reference"])
@pytest.mark.parametrize("name", CASES)
def test_eager_and_jitted_give_the_same_bits_within_one_setting(name: str, accel: bool) -> None:
    set_context(accel=accel)
    eager, jitted = results_of(CASES[name], jitted=False), results_of(CASES[name], jitted=True)
    assert [array.tobytes() for array in eager] == [array.tobytes() for array in jitted]
