"""Batches of images mixed with each other, with their one-hot labels."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes
from minigraph.dataset.vision.random_operations import Rng

Pair = tuple[np.ndarray, np.ndarray]


class ImageBatchFormat(IntEnum):
    """The order of the axes of a batch of images."""

    NHWC = 0
    NCHW = 1


def _check(caller: str, images: np.ndarray, labels: np.ndarray) -> None:
    if images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels):
        shapes = f"{list(images.shape)} and {list(labels.shape)}"
        raise ArgRuntimeError(f"{caller}: expected images [N, ...] of rank 4 and one-hot labels [N, ...], got {shapes}")


def mix_up_batch(rng: Rng, images: np.ndarray, labels: np.ndarray, alpha: float) -> Pair:
    """Each image and label as a weighted mean with another one of the batch (Zhang et al. 2018)."""
    _check("MixUpBatch", images, labels)
    weight, order = rng.beta(alpha, alpha), rng.permutation(len(images))
    mixed, shares = (weight * values + (1 - weight) * values[order] for values in (images, labels))
    return mixed.astype(images.dtype), shares.astype(np.float32)


def mix_up(rng: Rng, images: np.ndarray, labels: np.ndarray, batch_size: int, alpha: float, is_single: bool) -> Pair:
    """Each image and label as a weighted mean with the next one of the batch."""
    _check("MixUp", images, labels)
    weights = rng.beta(alpha, alpha, batch_size)

    def mean(values: np.ndarray) -> np.ndarray:
        weight = weights.reshape(-1, *[1] * (values.ndim - 1))
        result: np.ndarray = weight * values + (1 - weight) * np.roll(values, -1, 0)
        return result

    return mean(images), mean(labels)


def cut_mix_batch(
    rng: Rng, images: np.ndarray, labels: np.ndarray, image_batch_format: ImageBatchFormat, alpha: float, prob: float
) -> Pair:
    """A random part of each image from another one of the batch, labels mixed by area (Yun et al. 2019)."""
    _check("CutMixBatch", images, labels)
    result, targets = images.copy(), labels.astype(np.float32)
    rows = 1 if image_batch_format is ImageBatchFormat.NHWC else 2
    height, width = images.shape[rows : rows + 2]
    for i, other in enumerate(rng.permutation(len(images))):
        if rng.random() >= prob:
            continue
        side_ratio = math.sqrt(1 - rng.beta(alpha, alpha))
        y, x = int(rng.integers(height)), int(rng.integers(width))
        (top, bottom), (left, right) = (
            (max(0, at - int(size * side_ratio) // 2), min(size, at + int(size * side_ratio) // 2))
            for at, size in ((y, height), (x, width))
        )
        part = (slice(top, bottom), slice(left, right))
        part = part if rows == 1 else (slice(None), *part)  # type: ignore[assignment]
        result[i][part] = images[other][part]
        share = (bottom - top) * (right - left) / (height * width)
        targets[i] = labels[i] * (1 - share) + labels[other] * share
    return result, targets


OPERATION_TABLE: OperationTable = {
    "CutMixBatch": (cut_mix_batch, lambda image_batch_format, alpha=1.0, prob=1.0: dict(locals())),
    "MixUp": (mix_up, lambda batch_size, alpha, is_single=True: dict(locals())),
    "MixUpBatch": (mix_up_batch, lambda alpha=1.0: dict(locals())),
}  # fmt: skip
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = ["ImageBatchFormat", *OPERATIONS]  # noqa: PLE0604 - strings
