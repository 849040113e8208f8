"""The perceptron of ``networks`` and its training step, hand-tuned with numpy alone.

All results are computed in buffers allocated once, and the update is tiled: it processes gradients, velocities and
weights together, one tile at a time, while the tile is in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.work.networks import MOMENTUM, RATE

Arrays = Sequence[np.ndarray]
ZERO, INFINITY = np.zeros((), np.float32), np.full((), np.inf, np.float32)
KEEP, STEP = np.full((), MOMENTUM, np.float32), np.full((), RATE, np.float32)
TILE_ELEMENTS = 1 << 15


class Perceptron:
    """The network on these images, with buffers for all intermediate results."""

    def __init__(self, images: np.ndarray, weights: Arrays) -> None:
        self.flat = images.reshape(len(images), -1)
        self.outs = [np.empty((len(images), len(bias)), images.dtype) for bias in weights[1::2]]
        self.slopes = [np.empty_like(out) for out in self.outs]
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
            slope, before = self.slopes[layer], self.outs[layer - 1] if layer else self.flat
            slope.T.dot(before, self.gradients[2 * layer])
            np.add.reduce(slope, 0, out=self.gradients[2 * layer + 1])
            if layer:
                back = slope.dot(weights[2 * layer], self.slopes[layer - 1])
                np.multiply(back, np.greater(before, ZERO, self.masks[layer - 1]), back)
        self._update(weights, velocities)
        return loss

    def _loss(self, scores: np.ndarray, labels: np.ndarray) -> float:
        rows, powers = np.arange(len(labels)), self.slopes[-1]
        shifted = np.subtract(scores, scores.max(1, keepdims=True), scores)
        sums = np.exp(shifted, powers).sum(1, keepdims=True)
        loss = float(np.mean(np.log(sums[:, 0]) - shifted[rows, labels]))
        np.divide(powers, sums, powers)
        powers[rows, labels] -= 1
        np.divide(powers, np.float32(len(labels)), powers)
        return loss

    def _update(self, weights: Arrays, velocities: Arrays) -> None:
        for weight, velocity, gradient in _tiles(weights, velocities, self.gradients):
            np.multiply(velocity, KEEP, velocity)
            np.add(velocity, gradient, velocity)
            np.subtract(weight, np.multiply(velocity, STEP, self.tile[: len(velocity)]), weight)


def _tiles(*groups: Arrays) -> Iterator[list[np.ndarray]]:
    """The tiles of the arrays, of one array of each group at a time."""
    for arrays in zip(*groups, strict=True):
        flat = [array.reshape(-1) for array in arrays]
        for start in range(0, len(flat[0]), TILE_ELEMENTS):
            yield [array[start : start + TILE_ELEMENTS] for array in flat]
