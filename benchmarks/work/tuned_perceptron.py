"""The perceptron of ``networks`` and its training step as fast as numpy alone lets one write them.

All is computed in memory that was made once, and the update goes through gradients, moments and weights together, a
piece at a time, while it is in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.work.networks import MOMENTUM, RATE

Arrays = Sequence[np.ndarray]
ZERO, INFINITY = np.zeros((), np.float32), np.full((), np.inf, np.float32)
KEEP, STEP = np.full((), MOMENTUM, np.float32), np.full((), RATE, np.float32)
PIECE = 1 << 15  # numbers of a piece


class Perceptron:
    """The network on these images, with memory for all that comes up."""

    def __init__(self, images: np.ndarray, weights: Arrays) -> None:
        self.flat = images.reshape(len(images), -1)
        self.outs = [np.empty((len(images), len(bias)), images.dtype) for bias in weights[1::2]]
        self.slopes = [np.empty_like(out) for out in self.outs]
        self.masks = [np.empty(out.shape, bool) for out in self.outs]
        self.found = [np.empty_like(weight) for weight in weights]
        self.piece = np.empty(PIECE, images.dtype)

    def scores(self, weights: Arrays) -> np.ndarray:
        """The scores of each class."""
        seen = self.flat
        for layer, out in enumerate(self.outs):
            weight, bias = weights[2 * layer : 2 * layer + 2]
            seen.dot(weight.T, out)
            np.add(out, bias, out)
            seen = out.clip(ZERO, INFINITY, out) if layer < len(self.outs) - 1 else out
        return seen

    def step(self, labels: np.ndarray, weights: Arrays, speeds: Arrays) -> float:
        """One step of training by Momentum; the loss before it."""
        loss = self._loss(self.scores(weights), labels)
        for layer in reversed(range(len(self.outs))):
            slope, before = self.slopes[layer], self.outs[layer - 1] if layer else self.flat
            slope.T.dot(before, self.found[2 * layer])
            np.add.reduce(slope, 0, out=self.found[2 * layer + 1])
            if layer:
                back = slope.dot(weights[2 * layer], self.slopes[layer - 1])
                np.multiply(back, np.greater(before, ZERO, self.masks[layer - 1]), back)
        self._update(weights, speeds)
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

    def _update(self, weights: Arrays, speeds: Arrays) -> None:
        for weight, speed, gradient in _pieces(weights, speeds, self.found):
            np.multiply(speed, KEEP, speed)
            np.add(speed, gradient, speed)
            np.subtract(weight, np.multiply(speed, STEP, self.piece[: len(speed)]), weight)


def _pieces(*groups: Arrays) -> Iterator[list[np.ndarray]]:
    """The same stretch of one array of each group, stretch after stretch."""
    for arrays in zip(*groups, strict=True):
        flat = [array.reshape(-1) for array in arrays]
        for start in range(0, len(flat[0]), PIECE):
            yield [array[start : start + PIECE] for array in flat]
