"""Operators of ours that ONNX lacks, as the same computation with operators that it has, for ``to_onnx``.

Each function takes the operands and attributes of its operator as Tensors; the operators that it calls are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from minigraph import ops
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators.fractal_nz import nz_shape

Pair = tuple[int, int]


def cross_entropy(
    logits: Tensor, labels: Tensor, *, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    """-log(softmax(logits)) at the labels, over the rows that are not ignored."""
    counted, classes = ops.not_equal(labels, ignore_index), logits.shape[1]
    hot = apply("one_hot", ops.where(counted, labels, 0), axis=1, depth=classes, dtype=ops.equal(labels, 0).dtype)
    logs = ops.log_softmax(logits, 1)
    losses = -ops.where(hot, logs, ops.zeros_like(logs)).sum(1)
    if label_smoothing:
        losses = (1 - label_smoothing) * losses - label_smoothing * logs.mean(1)
    losses = ops.where(counted, losses, ops.zeros_like(losses))
    if reduction == "none":
        return losses
    return losses.sum() / counted.astype(logits.dtype).sum() if reduction == "mean" else losses.sum()


def conv2d_weight_grad(
    g: Tensor, x: Tensor, *, shape: Sequence[int], stride: Pair, padding: tuple[Pair, Pair], dilation: Pair, group: int
) -> Tensor:
    """The gradient of a convolution for its weights: a convolution of the images with ``g`` as weights.

    The sum is over the batch, which therefore becomes the channel axis; stride and dilation are exchanged. A stride may
    leave pixels at the edge unused, which would give further taps: these are cut off.
    """
    _, channels, *taps = shape
    images = x.reshape(x.shape[0], group, channels, *x.shape[2:]).transpose(2, 1, 0, 3, 4)
    weights = g.transpose(1, 0, 2, 3)
    sums = apply("conv2d", images.reshape(channels, group * x.shape[0], *x.shape[2:]), weights, stride=dilation,
                 padding=padding, dilation=stride, group=group)  # fmt: skip
    return sums[:, :, : taps[0], : taps[1]].transpose(1, 0, 2, 3)


def to_nz(x: Tensor) -> Tensor:
    """A matrix as padded blocks."""
    column_blocks, row_blocks, rows, columns = nz_shape(x.shape, x.dtype.itemsize)[-4:]
    batch, rank = x.shape[:-2], len(x.shape)
    widths = (0, column_blocks * columns - x.shape[-1], 0, row_blocks * rows - x.shape[-2])
    parts = ops.pad(x, widths).reshape(*batch, row_blocks, rows, column_blocks, columns)
    axes = range(rank - 2)
    return parts.transpose(*axes, rank, rank - 2, rank - 1, rank + 1)


def to_nd(x: Tensor, *, shape: Pair) -> Tensor:
    """The matrix in padded blocks."""
    *batch, column_blocks, row_blocks, rows, columns = x.shape
    first = len(batch)
    parts = x.transpose(*range(first), first + 1, first + 2, first, first + 3)
    return parts.reshape(*batch, row_blocks * rows, column_blocks * columns)[..., : shape[0], : shape[1]]


def expm1(x: Tensor) -> Tensor:
    """exp(x) - 1 without cancellation near 0 (W. Kahan's formula, in Higham, Accuracy and Stability, 1.14.1)."""
    power = ops.exp(x)
    less = power - 1
    corrected = less * (x / ops.log(power))
    return ops.where(power == 1, x, ops.where(ops.logical_or(less == -1, ops.isinf(power)), less, corrected))


def log1p(x: Tensor) -> Tensor:
    """log(1 + x) without cancellation near 0 (W. Kahan's formula, as in D. Goldberg, 1991, theorem 4)."""
    shifted = x + 1
    corrected = ops.log(shifted) * (x / (shifted - 1))
    return ops.where(ops.logical_or(shifted == 1, x == math.inf), x, corrected)


def signbit(x: Tensor) -> Tensor:
    """Whether a number is negative, -0 included."""
    return ops.less(x, 0) if not x.dtype.is_float else ops.logical_or(x < 0, ops.less(1 / x, 0))


def copysign(x: Tensor, other: Tensor) -> Tensor:
    """The size of one number with the sign of another."""
    return ops.where(signbit(other), -ops.abs(x), ops.abs(x))


def atan2(y: Tensor, x: Tensor) -> Tensor:
    """The angle of a point, from the quadrant in which it lies."""
    both = ops.logical_and(ops.isinf(x), ops.isinf(y))
    x, y = (ops.where(both, copysign(ops.ones_like(value), value), value) for value in (x, y))
    angle = ops.where(ops.logical_and(x == 0, y == 0), ops.zeros_like(y / x), ops.atan(y / x))
    return ops.where(signbit(x), angle + copysign(ops.full_like(angle, math.pi), y), angle)


def gcd(a: Tensor, b: Tensor) -> Tensor:
    """The greatest common divisor, by Euclid's algorithm for all elements at once."""

    def step(pair: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        a, b = pair
        divisor = ops.where(b == 0, ops.ones_like(b), b)
        return ops.where(b == 0, a, b), ops.where(b == 0, b, apply("floor_mod", a, divisor))

    zeros = apply("mul", a, b) * 0
    divisor, _ = ops.while_loop(lambda pair: (pair[1] != 0).any(), step, (ops.abs(a) + zeros, ops.abs(b) + zeros))
    return divisor


def lcm(a: Tensor, b: Tensor) -> Tensor:
    """The least common multiple; 0 with a 0."""
    divisor = gcd(a, b)
    return ops.abs(apply("floor_div", a, ops.where(divisor == 0, ops.ones_like(divisor), divisor)) * b)


def cumprod(x: Tensor, *, axis: int) -> Tensor:
    """Products along an axis, one row after the other."""
    rows = apply("transpose", x, axes=_first_axes(axis, len(x.shape)))
    _, products = ops.scan(lambda total, row: (total * row, total * row), ops.ones_like(rows[0]), rows)
    return apply("transpose", products, axes=_inverse_axes(axis, len(x.shape)))


def _first_axes(axis: int, rank: int) -> tuple[int, ...]:
    return (axis, *(other for other in range(rank) if other != axis))


def _inverse_axes(axis: int, rank: int) -> tuple[int, ...]:
    order = _first_axes(axis, rank)
    return tuple(order.index(axis) for axis in range(rank))


EXPANSIONS: Mapping[str, Callable[..., Tensor]] = {
    "cross_entropy": cross_entropy, "conv2d_weight_grad": conv2d_weight_grad, "to_nz": to_nz, "to_nd": to_nd,
    "expm1": expm1, "log1p": log1p, "signbit": signbit, "copysign": copysign, "atan2": atan2, "gcd": gcd, "lcm": lcm,
    "cumprod": cumprod, "imag": ops.zeros_like, "angle": lambda x: ops.where(x < 0, x * 0 + math.pi, x * 0),
}  # fmt: skip
