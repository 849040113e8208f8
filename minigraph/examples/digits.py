"""A classifier for handwritten digits: the default program of ``minigraph explain``.

An ordinary MindSpore program (import line changed) on the UCI optical digits: 64 pixels, two dense layers,
Momentum, one jitted training step whose update is tied to the loss by ``ops.depend``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import minigraph as ms
from minigraph import Tensor, nn, ops
from minigraph.dataset import load_digits

BATCH = 64
EPOCHS = 20


class Classifier(nn.Cell):
    """Maps 64 pixels in 0..1 to 10 class scores."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Dense(64, 128)
        self.relu = nn.ReLU()
        self.scores = nn.Dense(128, 10)

    def construct(self, images: Tensor) -> Tensor:
        """Class scores f32[n,10] of images f32[n,64]."""
        return self.scores(self.relu(self.hidden(images)))


training, held_out = load_digits().split()
ms.set_seed(0)
net = Classifier()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)


def forward(images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The loss, with the class scores as auxiliary output."""
    scores = net(images)
    return loss_fn(scores, labels), scores


gradient = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


@ms.jit
def train_step(images: Tensor, labels: Tensor) -> Tensor:
    """One update; returns the loss before it."""
    (loss, _), grads = gradient(images, labels)
    return ops.depend(loss, optimizer(grads))


def example_inputs() -> tuple[Tensor, Tensor]:
    """One batch, for ``minigraph explain`` and ``train_step.graph(*example_inputs())``."""
    images, labels = next(batches(0))
    return images, labels


def batches(epoch: int) -> Iterator[tuple[Tensor, Tensor]]:
    """The training set, reshuffled each epoch; whole batches only."""
    order = np.random.default_rng(epoch).permutation(len(training.labels))
    for start in range(0, len(order) - BATCH + 1, BATCH):
        rows = order[start : start + BATCH]
        yield Tensor(training.images[rows]), Tensor(training.labels[rows])


def train(epochs: int = EPOCHS) -> Iterator[tuple[int, float]]:
    """Train, yielding (epoch, mean loss of the epoch) as it goes."""
    for epoch in range(epochs):
        losses = [float(train_step(images, labels)) for images, labels in batches(epoch)]
        yield epoch, float(np.mean(losses))


def accuracy() -> float:
    """The accuracy on the held-out digits."""
    scores = net(Tensor(held_out.images))
    return float(np.mean(scores.asnumpy().argmax(axis=1) == held_out.labels))
