"""One-hot vectors and the cross entropy of integer labels."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue
from minigraph.core.errors import DTypeError, RangeError, ShapeError, UsageError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import DTYPE_BY_NUMPY, DType, Shape, TensorType, float32, float64
from minigraph.operators.activation import SOFTMAX, subtract_max
from minigraph.operators.composite import composite
from minigraph.operators.families import check_dtype, check_kinds, check_operand, normalize_axis
from minigraph.operators.work import lane_work, traffic

REDUCTIONS = ("none", "mean", "sum")


# ---- one hot ---------------------------------------------------------------------------------------


def _one_hot(indices: Array, *, depth: int, axis: int, dtype: DType) -> Array:
    shape = indices.shape
    column = indices.reshape((*shape[:axis], 1, *shape[axis:]))  # np.expand_dims is Python, and slower than the rest
    rows = np.arange(depth).reshape((depth,) + (1,) * (len(shape) - axis))
    return np.equal(column, rows, order="C").astype(dtype.numpy)


def _one_hot_types(indices: TensorType, *, depth: int, axis: int, dtype: DType) -> TensorType:
    return TensorType((*indices.shape[:axis], depth, *indices.shape[axis:]), dtype)


def _one_hot_attrs(indices: Tensor, *, depth: int, axis: int = -1, dtype: DType = float32) -> Attrs:
    check_kinds("one_hot", "i", TensorType(indices.shape, indices.dtype))
    if depth < 0:
        raise UsageError(f"one_hot: depth {depth}; give the number of classes, at least 0")
    return {
        "depth": depth,
        "axis": normalize_axis("one_hot", axis, len(indices.shape) + 1),
        "dtype": check_dtype("one_hot", dtype),
    }


ONE_HOT = define(Op(
    "one_hot", _one_hot, _one_hot_types, vjp=(None,), work=lane_work("simple"), canonical=_one_hot_attrs,
    label=lambda attrs: f"one_hot {attrs['depth']}",
    doc="1 where the position along a new axis of size `depth` is the index, else 0; all 0 for indices out of range.",
    samples=lambda rng: [
        Sample((np.array([[0, 2], [-1, 3]]),), {"depth": 3}, smooth=False),
        Sample((np.array([1, 0]),), {"depth": 2, "axis": 0, "dtype": float64}, smooth=False),
    ],
))  # fmt: skip


# ---- cross entropy ---------------------------------------------------------------------------------


def _cross_entropy_attrs(
    logits: Tensor,
    labels: Tensor,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Attrs:
    check_operand("cross_entropy", "f", logits)
    if reduction not in REDUCTIONS:
        raise UsageError(f"cross_entropy: reduction is one of {', '.join(REDUCTIONS)}, got {reduction!r}")
    if labels.dtype.kind != "i":
        raise DTypeError(f"cross_entropy: labels are integers, got {labels.dtype}; cast them to Int32")
    if len(logits.shape) < 2 or labels.shape != _drop_class_axis(logits.shape):
        raise ShapeError(
            f"cross_entropy: labels of shape {list(labels.shape)} for logits {list(logits.shape)}; "
            f"give one label per row: {list(_drop_class_axis(logits.shape))}"
        )
    return {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}


def _drop_class_axis(shape: Shape) -> Shape:
    return (*shape[:1], *shape[2:])


def _cross_entropy(logits: Array, labels: Array, *, ignore_index: int, reduction: str, label_smoothing: float) -> Array:
    kind, classes, counted = logits.dtype.type, logits.shape[1], labels != ignore_index
    centered = subtract_max(logits, 1)
    logs = np.log(np.add.reduce(np.exp(centered), axis=1, keepdims=True))
    targets = np.expand_dims(_classes_of(labels, counted, classes), 1)
    losses = (logs - np.take_along_axis(centered, targets, 1))[:, 0]
    if label_smoothing:
        uniform = -np.add.reduce(centered - logs, 1) / kind(classes)
        losses = kind(1 - label_smoothing) * losses + kind(label_smoothing) * uniform
    losses = np.where(counted, losses, kind(0))
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, None)
    return total / kind(np.count_nonzero(counted)) if reduction == "mean" else total


def _classes_of(labels: Array, counted: Array, classes: int) -> Array:
    """The labels, 0 where they are not counted; raises ``RangeError`` for a counted label that is not a class."""
    labels = np.where(counted, labels, 0)
    wrong = labels[(labels < 0) | (labels >= classes)]
    if wrong.size:
        raise RangeError(f"cross_entropy: label {wrong[0]} for {classes} classes; labels are 0 to {classes - 1}")
    return labels


def _cross_entropy_types(logits: TensorType, labels: TensorType, *, reduction: str, **attrs: AttrValue) -> TensorType:
    check_kinds("cross_entropy", "f", logits)
    return TensorType(labels.shape if reduction == "none" else (), logits.dtype)


def _cross_entropy_grad_of_primitives(
    g: Tensor, logits: Tensor, labels: Tensor, *, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
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


def _cross_entropy_grad(
    g: Array, logits: Array, labels: Array, *, reduction: str, label_smoothing: float,
    ignore_index: int, out: Array | None = None,
) -> Array:  # fmt: skip
    """The same on arrays; it checks the labels, too, because the loss need not be computed."""
    kind, classes, counted = logits.dtype.type, logits.shape[1], labels != ignore_index
    _classes_of(labels, counted, classes)
    target = _one_hot(labels, depth=classes, axis=1, dtype=DTYPE_BY_NUMPY[logits.dtype])
    if label_smoothing:
        target = target * kind(1 - label_smoothing) + kind(label_smoothing / classes)
    scaled = g / kind(np.count_nonzero(counted)) if reduction == "mean" else g
    rows = np.where(counted, scaled, kind(0))
    return np.multiply(np.expand_dims(rows, 1), SOFTMAX.forward(logits, axis=1) - target, out=out, order="C")


def _cross_entropy_work(out: TensorType, logits: TensorType, labels: TensorType, **attrs: AttrValue) -> Work:
    lanes = (("gather", labels.size), ("reduce", 2 * logits.size), ("simple", logits.size), ("special", logits.size))
    classes = logits.shape[1]
    return Work(lanes=lanes, rows=(logits.size // max(classes, 1), classes)) + traffic(out, (logits, labels))


def _cross_entropy_grad_attrs(g: Tensor, logits: Tensor, labels: Tensor, **attrs: AttrValue) -> Attrs:
    canonical = _cross_entropy_attrs(logits, labels, **attrs)
    if g.shape != (labels.shape if canonical["reduction"] == "none" else ()):
        raise ShapeError(
            f"cross_entropy_grad: the cotangent has shape {list(g.shape)}; pass one of the shape of the loss"
        )
    return canonical


CROSS_ENTROPY_GRAD = composite(
    "cross_entropy_grad", _cross_entropy_grad_of_primitives, forward=_cross_entropy_grad, into=True,
    canonical=_cross_entropy_grad_attrs, label=lambda attrs: f"cross_entropy_grad {attrs['reduction']}",
    doc="The gradient of cross_entropy by logits: (softmax(logits) - target) times g, 0 in ignored rows.",
    samples=lambda rng: [
        Sample((np.asarray(rng.normal()), rng.normal(size=(4, 3)), np.array([0, 2, 1, 1]))),
        Sample((np.asarray(rng.normal()), rng.normal(size=(3, 3)), np.array([0, -100, 1]))),
        Sample((rng.normal(size=3), rng.normal(size=(3, 2)), np.array([0, 0, 1])), {"reduction": "none"}),
        Sample((np.asarray(1.0), rng.normal(size=(2, 3, 2)), np.array([[0, 1], [2, 2]])), {"reduction": "sum"}),
    ],
)  # fmt: skip


def _cross_entropy_samples(rng: np.random.Generator) -> list[Sample]:
    logits, labels = rng.normal(size=(4, 3)), np.array([0, 2, -100, 1])
    return [
        Sample((logits, labels)),
        Sample((logits, labels), {"reduction": "sum", "label_smoothing": 0.1}),
        Sample((logits, np.array([0, 2, 2, 1], np.int32)), {"reduction": "none", "ignore_index": 1}),
        Sample((rng.normal(size=(2, 3, 2)), np.array([[0, 1], [2, 2]]))),
    ]


CROSS_ENTROPY = define(Op(
    "cross_entropy", _cross_entropy, _cross_entropy_types, work=_cross_entropy_work, canonical=_cross_entropy_attrs,
    vjp=(lambda g, out, logits, labels, **attrs: apply("cross_entropy_grad", g, logits, labels, **attrs), None),
    label=lambda attrs: f"cross_entropy {attrs['reduction']}", samples=_cross_entropy_samples,
    doc="-log(softmax(logits)) at each row's label, classes along axis 1, reduced over the rows that are not ignored.",
))  # fmt: skip
