"""Networks in training, for comparisons with the reference; run as a program, it writes their results to a file."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minigraph as ms
from minigraph import Tensor, nn, ops
from minigraph.examples import digits, vit


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


def main(path: str) -> None:
    """Write the results of all networks, as ``name/mode/position``, to an npz file."""
    arrays = {}
    for name, case in CASES.items():
        for mode in ("eager", "jitted"):
            results = results_of(case, mode == "jitted")
            arrays |= {f"{name}/{mode}/{position}": array for position, array in enumerate(results)}
    np.savez(path, **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
