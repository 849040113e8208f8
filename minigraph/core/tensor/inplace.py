"""In-place writes, ``x[key] = value``, and the views that share memory with a tensor.

A view, such as ``v = x[0:2]`` or ``x.T``, changes when its base changes, and the base changes with it. But arrays are
immutable here, because tapes and graphs hold them. So every tensor keeps its views, every view its root and the
operators that lead to it, and a write is functionalised: the root and all its views are assigned new values, computed
with operators. So writes are differentiated, traced and drawn like everything else.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minigraph.core.aliases import CallResult, Index, TensorLike
from minigraph.core.errors import ArgTypeError
from minigraph.core.location import with_location
from minigraph.core.op import Attrs, Op, apply, forward_of
from minigraph.core.tensor.operator_methods import Operand, index_key

if TYPE_CHECKING:
    from minigraph.core.tensor import Tensor

MIN_PRUNED_VIEWS = 32  # number of views from which dead references are removed


class ViewStep(NamedTuple):
    """How a view was derived: the step before (``None``: the root), the operator, and which of its results it is."""

    previous: ViewStep | None
    op: Op
    attrs: Attrs
    result: int

    def apply_to(self, value: Tensor) -> Tensor:
        """The same view of another value of its base."""
        out = apply(self.op, value, **self.attrs)
        return out[self.result] if isinstance(out, tuple) else out


def register_views(op: Op, base: Tensor, attrs: Attrs, out: CallResult) -> None:
    """Register the results of a view operator as views of ``base``."""
    for result, view in enumerate(out if out.__class__ is tuple else (out,)):
        register_view(base, view, _new_tuple(ViewStep, (None, op, attrs, result)))


def register_view(base: Any, view: Any, step: ViewStep) -> None:
    """Register ``view`` as a view of ``base``, derived by ``step``."""
    seen = getattr(base, "view_of", _UNSEEN)
    root = base
    if seen is _UNSEEN:
        base.view_of, base.views = None, []
    elif seen is not None:
        root, previous = seen
        step = _new_tuple(ViewStep, (previous, *step[1:]))  # twice as fast as ViewStep(...)
    view.view_of = root, step
    views = root.views
    if len(views) >= MIN_PRUNED_VIEWS and len(views) & (len(views) - 1) == 0:  # at powers of two only
        views[:] = [ref for ref in views if ref() is not None]
    views.append(_weak_reference(view))


_new_tuple, _weak_reference = tuple.__new__, weakref.ref
_UNSEEN: Any = object()  # for a tensor without views; filling the slot makes later look-ups fast


def shares_operand_memory(op: Op, args: tuple[Tensor, ...]) -> bool:
    """Whether the result of a view operator shares memory; advanced indexing (by tensors) copies."""
    return len(args) == 1 or op.role == "depend"


def detach_view(tensor: Tensor) -> Tensor:
    """The tensor, no longer a view: writes to its former base do not change it, nor the reverse."""
    if is_view(tensor):
        del tensor.view_of
    return tensor


def is_view(tensor: Tensor) -> bool:
    """Whether a tensor is a view of another."""
    return getattr(tensor, "view_of", None) is not None


def write(target: Tensor, key: Index, value: TensorLike) -> None:
    """``target[key] = value``; the root of ``target`` and all its views get new values.

    Raises the errors of the operator ``set_item`` for an incompatible value, ``TypeError`` for a numpy array.
    """
    if isinstance(value, np.ndarray):
        text = f"only support numbers, Tensor, tuple, list as value, but got {value} with type {type(value)}"
        remedy = "x[...] = value: a numpy array is not a tensor; wrap it in Tensor(...)"
        raise with_location(ArgTypeError(f"{text}\n{remedy}"))
    operands, encoded = index_key(key)
    root, last = getattr(target, "view_of", None) or (target, None)
    if last is None:
        _assign_with_views(root, apply("set_item", root, value, *operands, key=encoded))
        return
    positions = apply("index", root.from_numpy(_positions(root.shape, last)), *operands, key=encoded)
    flat = apply("set_item", apply("reshape", root, shape=(-1,)), value, positions, key=(Operand(1),))
    _assign_with_views(root, apply("reshape", flat, shape=root.shape))


def assign_whole(target: Tensor, value: Tensor) -> None:
    """Assign a whole tensor a new value of its type."""
    if is_view(target):
        write(target, ..., value)
    else:
        _assign_with_views(target, value)


def _assign_with_views(root: Tensor, value: Tensor) -> None:
    """Assign a root its new value, and its views theirs."""
    _assign(root, value)
    for view in _live_views(root):
        new = root
        for step in _steps(view.view_of[1]):
            new = step.apply_to(new)
        _assign(view, new)


def _positions(shape: tuple[int, ...], last: ViewStep) -> np.ndarray:
    """The flat positions (in C order) of the elements of a root of this shape that a view shows."""
    positions: Any = np.arange(math.prod(shape)).reshape(shape)
    for step in _steps(last):
        positions = forward_of(step.op)(positions, **step.attrs)
        positions = positions[step.result] if isinstance(positions, tuple) else positions
    return np.asarray(positions)


def _steps(last: ViewStep | None) -> Iterator[ViewStep]:
    """The steps from the root to a view, in order."""
    steps = []
    while last is not None:
        steps.append(last)
        last = last.previous
    return reversed(steps)


def _live_views(root: Tensor) -> list[Tensor]:
    """The views of a root that are still referenced, without tracers of finished graphs."""
    views = (ref() for ref in getattr(root, "views", ()))
    return [view for view in views if view is not None and is_view(view) and not view.is_closed]


def _assign(target: Tensor, value: Tensor) -> None:
    apply("assign", target, value, name=assignment_name(target))


def assignment_name(target: Tensor) -> str:
    """The ``name`` attribute of an assignment to ``target``: a Parameter's name."""
    return str(getattr(target, "name", "tensor"))


def root_of(tensor: Tensor) -> Tensor:
    """The tensor of which this one is a view; without views, the tensor itself."""
    return tensor.view_of[0] if is_view(tensor) else tensor


def write_back(
    written: Sequence[int | Tensor], leaves: Sequence[Tensor], outs: tuple[Tensor, ...]
) -> tuple[Tensor, ...]:
    """Assign the tensors that a function writes to their new values, the last outputs; returns the other outputs."""
    first = len(outs) - len(written)
    for target, value in zip(written, outs[first:], strict=True):
        assign_whole(leaves[target] if isinstance(target, int) else target, value)
    return outs[:first]
