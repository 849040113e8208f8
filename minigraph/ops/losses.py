"""One-hot vectors and the cross entropy of integer labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.errors import DTypeError, RangeError, ShapeError, UsageError
from minigraph.ground.work import Work
from minigraph.op import Op, Sample, apply, define
from minigraph.ops.families import axis_of, check_dtype, check_kinds, check_operand
from minigraph.ops.nn import LOG_SOFTMAX
from minigraph.ops.pricing import lane_work, traffic
from minigraph.types import DType, Shape, TensorType, float32, float64

REDUCTIONS = ("none", "mean", "sum")


# ---- one hot ---------------------------------------------------------------------------------------


def _one_hot(indices: np.ndarray, *, depth: int, axis: int, dtype: DType) -> np.ndarray:
    shape = indices.shape
    column = indices.reshape((*shape[:axis], 1, *shape[axis:]))  # np.expand_dims is Python, and slower than the rest
    rows = np.arange(depth).reshape((depth,) + (1,) * (len(shape) - axis))
    return np.equal(column, rows, order="C").astype(dtype.numpy)


def _one_hot_types(indices: TensorType, *, depth: int, axis: int, dtype: DType) -> TensorType:
    return TensorType((*indices.shape[:axis], depth, *indices.shape[axis:]), dtype)


def _one_hot_attrs(indices: Any, *, depth: int, axis: Any = -1, dtype: Any = float32) -> dict[str, Any]:
    check_kinds("one_hot", "i", TensorType(indices.shape, indices.dtype))
    if depth < 0:
        raise UsageError(f"one_hot: depth {depth}; give how many classes there are, at least 0")
    return {
        "depth": depth,
        "axis": axis_of("one_hot", axis, len(indices.shape) + 1),
        "dtype": check_dtype("one_hot", dtype),
    }


ONE_HOT = define(Op(
    "one_hot", _one_hot, _one_hot_types, vjp=(None,), work=lane_work("simple"), canonical=_one_hot_attrs,
    label=lambda attrs: f"one_hot {attrs['depth']}",
    doc="1 where the position along a new axis of size `depth` is the index, else 0; indices outside give all 0.",
    samples=lambda rng: [
        Sample((np.array([[0, 2], [-1, 3]]),), {"depth": 3}, smooth=False),
        Sample((np.array([1, 0]),), {"depth": 2, "axis": 0, "dtype": float64}, smooth=False),
    ],
))  # fmt: skip


# ---- cross entropy ---------------------------------------------------------------------------------


def _cross_entropy_attrs(
    logits: Any,
    labels: Any,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> dict[str, Any]:
    check_operand("cross_entropy", "f", logits)
    if reduction not in REDUCTIONS:
        raise UsageError(f"cross_entropy: reduction is one of {', '.join(REDUCTIONS)}, got {reduction!r}")
    if labels.dtype.kind != "i":
        raise DTypeError(f"cross_entropy: labels are integers, got {labels.dtype}; cast them to Int32")
    if len(logits.shape) < 2 or labels.shape != _without_classes(logits.shape):
        raise ShapeError(
            f"cross_entropy: labels of shape {list(labels.shape)} for logits {list(logits.shape)}; "
            f"give one label per row: {list(_without_classes(logits.shape))}"
        )
    return {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}


def _without_classes(shape: Shape) -> Shape:
    return (*shape[:1], *shape[2:])


def _cross_entropy(
    logits: np.ndarray, labels: np.ndarray, *, ignore_index: int, reduction: str, label_smoothing: float
) -> Any:
    counted = labels != ignore_index
    count = np.count_nonzero(counted)
    safe = labels if count == labels.size else np.where(counted, labels, 0)
    _check_labels(safe, logits.shape[1])
    kind = logits.dtype.type
    logs = LOG_SOFTMAX.forward(logits, axis=1)
    losses = -_at_labels(logs, safe)
    if label_smoothing:
        even = -np.add.reduce(logs, 1) / kind(logits.shape[1])
        losses = kind(1 - label_smoothing) * losses + kind(label_smoothing) * even
    losses = losses if safe is labels else np.where(counted, losses, kind(0))
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, None)
    return total / kind(count) if reduction == "mean" else total


def _at_labels(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The element of each row that its label names; classes are along axis 1."""
    if labels.ndim == 1:
        found: np.ndarray = rows[np.arange(len(labels)), labels]  # a quarter of the time of the general way
        return found
    return np.take_along_axis(rows, np.expand_dims(labels, 1), 1).squeeze(1)


def _check_labels(labels: np.ndarray, classes: int) -> None:
    if labels.size and not (labels.min() >= 0 and labels.max() < classes):
        wrong = labels[(labels < 0) | (labels >= classes)].flat[0]
        raise RangeError(f"cross_entropy: label {wrong} for {classes} classes; labels are 0 to {classes - 1}")


def _cross_entropy_types(logits: TensorType, labels: TensorType, *, reduction: str, **attrs: Any) -> TensorType:
    check_kinds("cross_entropy", "f", logits)
    return TensorType(labels.shape if reduction == "none" else (), logits.dtype)


def _cross_entropy_grad(
    g: Any, out: Any, logits: Any, labels: Any, ignore_index: int, reduction: str, label_smoothing: float
) -> Any:
    """(softmax - target) times the cotangent of each row's loss; ignored rows get 0."""
    classes = logits.shape[1]
    counted = apply("not_equal", labels, ignore_index)
    if reduction == "mean":
        g = g / apply("sum", apply("cast", counted, dtype=logits.dtype))
    rows = apply("where", counted, g, 0)
    target = apply("one_hot", labels, depth=classes, axis=1, dtype=logits.dtype)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    return apply("expand_dims", rows, axis=1) * (apply("softmax", logits, axis=1) - target)


def _cross_entropy_work(out: TensorType, logits: TensorType, labels: TensorType, **attrs: Any) -> Work:
    lanes = (("gather", labels.size), ("reduce", 2 * logits.size), ("simple", logits.size), ("special", logits.size))
    classes = logits.shape[1]
    return Work(lanes=lanes, rows=(logits.size // max(classes, 1), classes)) + traffic(out, (logits, labels))


def _cross_entropy_samples(rng: np.random.Generator) -> list[Sample]:
    logits, labels = rng.normal(size=(4, 3)), np.array([0, 2, -100, 1])
    return [
        Sample((logits, labels)),
        Sample((logits, labels), {"reduction": "sum", "label_smoothing": 0.1}),
        Sample((logits, np.array([0, 2, 2, 1], np.int32)), {"reduction": "none", "ignore_index": 1}),
        Sample((rng.normal(size=(2, 3, 2)), np.array([[0, 1], [2, 2]]))),
    ]


CROSS_ENTROPY = define(Op(
    "cross_entropy", _cross_entropy, _cross_entropy_types, vjp=(_cross_entropy_grad, None), work=_cross_entropy_work,
    canonical=_cross_entropy_attrs, label=lambda attrs: f"cross_entropy {attrs['reduction']}",
    samples=_cross_entropy_samples,
    doc="-log(softmax(logits)) at each row's label, classes along axis 1, reduced over rows that are not ignored.",
))  # fmt: skip
