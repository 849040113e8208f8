"""Cross entropy where every label is a class: one comparison checks the labels, and no matrix of targets is created."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array
from minigraph.operators.activation import subtract_max
from minigraph.operators.losses import CROSS_ENTROPY, CROSS_ENTROPY_GRAD


def cross_entropy(logits: Array, labels: Array, *, ignore_index: int, reduction: str, label_smoothing: float) -> Array:
    """The forward of ``cross_entropy``, with its bits."""
    if label_smoothing or not _are_classes(labels, logits.shape[1], ignore_index):
        attrs = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}
        result: Array = CROSS_ENTROPY.forward(logits, labels, **attrs)
        return result
    centered = subtract_max(logits, 1)
    logs = np.log(np.add.reduce(np.exp(centered), axis=1, keepdims=True))
    losses: Array = logs[:, 0] - _flatten_matrix(centered)[_label_index(labels, logits)]
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, None)
    return total / logits.dtype.type(labels.size) if reduction == "mean" else total


def cross_entropy_grad(
    g: Array, logits: Array, labels: Array, *, ignore_index: int, reduction: str, label_smoothing: float,
    out: Array | None = None,
) -> Array:  # fmt: skip
    """The forward of ``cross_entropy_grad``, with its bits."""
    if label_smoothing or not _are_classes(labels, logits.shape[1], ignore_index):
        attrs = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing, "out": out}
        result: Array = CROSS_ENTROPY_GRAD.forward(g, logits, labels, **attrs)
        return result
    powers = np.exp(subtract_max(logits, 1))
    grad = np.true_divide(powers, np.add.reduce(powers, axis=1, keepdims=True), out=out)
    _flatten_matrix(grad)[_label_index(labels, logits)] -= grad.dtype.type(1)
    scaled = g / grad.dtype.type(labels.size) if reduction == "mean" else g
    return np.multiply(scaled if scaled.ndim == 0 else np.expand_dims(scaled, 1), grad, out=grad)


def _are_classes(labels: Array, classes: int, ignore_index: int) -> bool:
    """Whether every label is a class that is not ignored; one comparison: as unsigned, negative labels are large."""
    ignores_class, unsigned = 0 <= ignore_index < classes, f"u{labels.itemsize}"
    return not ignores_class and bool(np.maximum.reduce(labels.view(unsigned), None, initial=0) < classes)


def _label_index(labels: Array, logits: Array) -> Array | tuple[Array, ...]:
    """The index of the labels' elements in ``_flatten_matrix(logits)``; classes are along axis 1."""
    if labels.ndim == 1:
        return labels + np.arange(0, logits.size, logits.shape[1])
    first, *rest = np.ogrid[tuple(map(slice, labels.shape))]
    return first, labels, *rest


def _flatten_matrix(x: Array) -> Array:
    """A matrix as a vector, which numpy indexes in half of the time; a tensor of higher rank as it is."""
    return x.reshape(-1) if x.ndim == 2 else x
