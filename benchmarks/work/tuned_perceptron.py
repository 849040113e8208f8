"""The perceptron of ``networks`` and its training step, hand-tuned with numpy alone.

All results are computed in buffers allocated once, and the update is tiled: it processes gradients, velocities and
weights together, one tile at a time, while the tile is in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.work.networks import LEARNING_RATE, MOMENTUM

Arrays = Sequence[np.ndarray]
ZERO, INFINITY = np.zeros((), np.float32), np.full((), np.inf, np.float32)
MOMENTUM_ARRAY, RATE_ARRAY = np.full((), MOMENTUM, np.float32), np.full((), LEARNING_RATE, np.float32)
TILE_ELEMENTS = 1 << 15  # 128 KiB of float32


class Perceptron:
    """The network on these images, with buffers for all intermediate results."""

    def __init__(self, images: np.ndarray, weights: Arrays) -> None:
        self.flat = images.reshape(len(images), -1)
        self.outs = [np.empty((len(images), len(bias)), images.dtype) for bias in weights[1::2]]
        self.deltas = [np.empty_like(out) for out in self.outs]
        self.masks = [np.empty(out.shape, bool) for out in self.outs]
        self.gradients = [np.empty_like(weight) for weight in weights]
        self.tile = np.empty(TILE_ELEMENTS, images.dtype)

    def scores(self, weights: Arrays) -> np.ndarray:
        """The scores of each class."""
        activation = self.flat
        for layer, out in enumerate(self.outs):
            weight, bias = weights[2 * layer : 2 * layer + 2]
            activation.dot(weight.T, out)
            np.add(out, bias, out)
            activation = out.clip(ZERO, INFINITY, out) if layer < len(self.outs) - 1 else out
        return activation

    def step(self, labels: np.ndarray, weights: Arrays, velocities: Arrays) -> float:
        """One training step by Momentum; returns the loss before the update."""
        loss = self._loss(self.scores(weights), labels)
        for layer in reversed(range(len(self.outs))):
            delta, before = self.deltas[layer], self.outs[layer - 1] if layer else self.flat
            delta.T.dot(before, self.gradients[2 * layer])
            np.add.reduce(delta, 0, out=self.gradients[2 * layer + 1])
            if layer:
                propagated = delta.dot(weights[2 * layer], self.deltas[layer - 1])
                np.multiply(propagated, np.greater(before, ZERO, self.masks[layer - 1]), propagated)
        self._update(weights, velocities)
        return loss

    def _loss(self, scores: np.ndarray, labels: np.ndarray) -> float:
        rows, probabilities = np.arange(len(labels)), self.deltas[-1]
        shifted = np.subtract(scores, scores.max(1, keepdims=True), scores)
        sums = np.exp(shifted, probabilities).sum(1, keepdims=True)
        loss = float(np.mean(np.log(sums[:, 0]) - shifted[rows, labels]))
        np.divide(probabilities, sums, probabilities)
        probabilities[rows, labels] -= 1
        np.divide(probabilities, np.float32(len(labels)), probabilities)
        return loss

    def _update(self, weights: Arrays, velocities: Arrays) -> None:
        for weight, velocity, gradient in _tiles(weights, velocities, self.gradients):
            np.multiply(velocity, MOMENTUM_ARRAY, velocity)
            np.add(velocity, gradient, velocity)
            np.subtract(weight, np.multiply(velocity, RATE_ARRAY, self.tile[: len(velocity)]), weight)


def _tiles(*groups: Arrays) -> Iterator[list[np.ndarray]]:
    """The tiles of the arrays, of one array of each group at a time."""
    for arrays in zip(*groups, strict=True):
        flat = [array.reshape(-1) for array in arrays]
        for start in range(0, len(flat[0]), TILE_ELEMENTS):
            yield [array[start : start + TILE_ELEMENTS] for array in flat]
