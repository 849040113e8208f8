"""Views: reshape, flatten, expand_dims, squeeze, transpose, broadcast_to, identity, stop_gradient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue, Function, IntOrTuple
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType
from minigraph.operators.families import axis_label, normalize_axes, normalize_axis, shape_label, sizes_of
from minigraph.operators.work import no_work, transpose_work


def view(name: str, forward: Function, infer: Function, **fields: object) -> Op:
    """Define an operator whose result is a view of its one operand and costs nothing."""
    defaults: dict[str, Any] = {"unit": "none", "work": no_work, "family": "view", "view": True}
    return define(Op(name, forward, infer, **(defaults | fields)))


def _reshape_grad(g: Tensor, out: Tensor, x: Tensor, **attrs: AttrValue) -> Tensor:
    """The gradient in the operand's shape."""
    return apply("reshape", g, shape=x.shape)


IDENTITY = view(
    "identity", lambda x: x, lambda x: x, vjp=(lambda g, out, x: g,), doc="The operand itself.",
    samples=lambda rng: [Sample((rng.normal(size=(2, 3)),))],
)  # fmt: skip


STOP_GRADIENT = view(
    "stop_gradient", lambda x: x, lambda x: x, vjp=(None,), doc="The operand itself, with no gradient.",
    samples=lambda rng: [Sample((rng.normal(size=(2, 3)),), smooth=False)],
)  # fmt: skip


# ---- reshape ---------------------------------------------------------------------------------------


def resolve_shape(shape: Sequence[int], old: Shape) -> Shape:
    """A new shape with -1 replaced by the inferred size; raises ``ShapeError`` if the numbers of elements differ.

    >>> resolve_shape((3, -1), (2, 6))
    (3, 4)
    """
    sizes, count = sizes_of("reshape", shape), math.prod(old)
    if sizes.count(-1) == 1:
        known_size = math.prod(n for n in sizes if n != -1)
        sizes = tuple(count // known_size if n == -1 and known_size else n for n in sizes)
    if math.prod(sizes) != count or min(sizes, default=0) < 0:
        raise ShapeError(f"reshape: {count} elements of shape {list(old)} do not fit shape {shape}; change one size")
    return sizes


def _reshape(x: Array, *, shape: Shape, out: Array | None = None) -> Array:
    if out is None:
        return x.reshape(shape)
    np.copyto(out.reshape(x.shape), x)
    return out


RESHAPE = view(
    "reshape", _reshape, lambda x, *, shape: TensorType(resolve_shape(shape, x.shape), x.dtype),
    vjp=(_reshape_grad,), label=shape_label("reshape"), doc="The same elements, in C order, in another shape.",
    canonical=lambda x, *, shape: {"shape": resolve_shape(shape, x.shape)},
    into=True,
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 6)),), {"shape": (3, -1)}),
        Sample((rng.normal(size=(2, 3)).T,), {"shape": (6,)}),
        Sample((rng.normal(size=(1, 1)),), {"shape": ()}),
    ],
)  # fmt: skip


def flat_shape(shape: Shape, start: int, end: int) -> Shape:
    """A shape with the axes from ``start`` to ``end`` merged into one.

    >>> flat_shape((2, 3, 4), 1, 2), flat_shape((), 0, 0)
    ((2, 12), (1,))
    """
    return (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])


def _flatten_attrs(x: Tensor, *, start: int = 0, end: int = -1) -> Attrs:
    rank = max(len(x.shape), 1)
    first, last = normalize_axis("flatten", start, rank), normalize_axis("flatten", end, rank)
    if first > last:
        raise UsageError(f"flatten: axis {start} (start) comes after axis {end} (end); swap them")
    return {"start": first, "end": last}


FLATTEN = view(
    "flatten", lambda x, *, start, end, out=None: _reshape(x, shape=flat_shape(x.shape, start, end), out=out),
    lambda x, *, start, end: TensorType(flat_shape(x.shape, start, end), x.dtype),
    vjp=(_reshape_grad,), canonical=_flatten_attrs,
    into=True,
    doc="Adjacent axes merged into one.",
    label=lambda attrs: f"flatten {attrs['start']}..{attrs['end']}",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 3, 2)),), {"start": 1}),
        Sample((rng.normal(size=(2, 3, 2)),)),
        Sample((np.array(2.5),)),
    ],
)  # fmt: skip


def _expand_attrs(x: Tensor, *, axis: int) -> Attrs:
    return {"axis": normalize_axis("expand_dims", axis, len(x.shape) + 1)}


EXPAND_DIMS = view(
    "expand_dims", lambda x, *, axis: np.expand_dims(x, axis),
    lambda x, *, axis: TensorType((*x.shape[:axis], 1, *x.shape[axis:]), x.dtype),
    vjp=(_reshape_grad,), canonical=_expand_attrs, label=axis_label("expand_dims"), doc="A new axis of size 1.",
    samples=lambda rng: [Sample((rng.normal(size=(2, 3)),), {"axis": a}) for a in (0, 1, -1)],
)  # fmt: skip


def _squeeze_attrs(x: Tensor, *, axis: IntOrTuple | None = None) -> Attrs:
    if axis is None:
        return {"axis": tuple(i for i, n in enumerate(x.shape) if n == 1)}
    axes = normalize_axes("squeeze", axis, len(x.shape)) if axis != () else ()
    return {"axis": tuple(i for i in axes if x.shape[i] == 1)}


SQUEEZE = view(
    "squeeze", lambda x, *, axis: np.squeeze(x, axis),
    lambda x, *, axis: TensorType(tuple(n for i, n in enumerate(x.shape) if i not in axis), x.dtype),
    vjp=(_reshape_grad,), canonical=_squeeze_attrs, label=axis_label("squeeze"),
    doc="Without axes of size 1 (None: all of them); axes of another size stay.",
    samples=lambda rng: [
        Sample((rng.normal(size=(1, 2, 1)),)),
        Sample((rng.normal(size=(1, 2, 1)),), {"axis": -1}),
        Sample((rng.normal(size=(2, 2)),)),
    ],
)  # fmt: skip


# ---- order of axes ---------------------------------------------------------------------------------


def _transpose_attrs(x: Tensor, *, axes: tuple[int, ...] | None = None) -> Attrs:
    rank = len(x.shape)
    if axes is None:
        return {"axes": tuple(reversed(range(rank)))}
    order = tuple([normalize_axis("transpose", axis, rank) for axis in axes])
    if sorted(order) != list(range(rank)):
        raise UsageError(f"transpose: {tuple(axes)} is not a permutation of the {rank} axes of shape {list(x.shape)}")
    return {"axes": order}


def inverse_permutation(axes: tuple[int, ...]) -> tuple[int, ...]:
    """The inverse of a permutation of axes.

    >>> inverse_permutation((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(axes.index(i) for i in range(len(axes)))


TRANSPOSE = view(
    "transpose", lambda x, *, axes: x.transpose(axes),
    lambda x, *, axes: TensorType(tuple(x.shape[i] for i in axes), x.dtype),
    vjp=(lambda g, out, x, axes: apply("transpose", g, axes=inverse_permutation(axes)),), work=transpose_work,
    canonical=_transpose_attrs, doc="The axes in another order (None: reversed).",
    label=lambda attrs: f"transpose {','.join(map(str, attrs['axes']))}",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 3, 4)),), {"axes": (2, 0, 1)}),
        Sample((rng.normal(size=(2, 3)),)),
        Sample((np.array(1.0),)),
    ],
)  # fmt: skip


# ---- broadcast -------------------------------------------------------------------------------------


def _broadcast_attrs(x: Tensor, *, shape: tuple[int, ...]) -> Attrs:
    sizes = sizes_of("broadcast_to", shape)
    lead = len(sizes) - len(x.shape)
    if lead >= 0:
        sizes = tuple(x.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(sizes))
    if not _can_broadcast(x.shape, sizes):
        raise ShapeError(
            f"broadcast_to: shape {list(x.shape)} does not broadcast to {list(sizes)}; "
            "only axes of size 1 can be expanded"
        )
    return {"shape": sizes}


def _can_broadcast(shape: Shape, target: Shape) -> bool:
    """Whether ``shape`` can be broadcast to ``target``."""
    lead = len(target) - len(shape)
    fits = (n in (1, size) for n, size in zip(shape, target[max(lead, 0) :], strict=False))
    return lead >= 0 and min(target, default=0) >= 0 and all(fits)


BROADCAST_TO = view(
    "broadcast_to", lambda x, *, shape: np.broadcast_to(x, shape), lambda x, *, shape: TensorType(shape, x.dtype),
    vjp=(lambda g, out, x, shape: g if g.shape == x.shape else apply("sum_to", g, shape=x.shape),),
    canonical=_broadcast_attrs, label=shape_label("broadcast_to"), doc="The operand broadcast to a shape.",
    samples=lambda rng: [
        Sample((rng.normal(size=(3, 1)),), {"shape": (2, -1, 4)}),
        Sample((np.array(1.5),), {"shape": (2, 2)}),
        Sample((rng.normal(size=2),), {"shape": (2,)}),
    ],
)  # fmt: skip
