"""Functions with effects on execution: printing, order, and where gradients stop."""

from __future__ import annotations

from typing import Any

from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import tracing_now
from minigraph.core.op import apply
from minigraph.core.pytree import flatten, leaves_of, unflatten
from minigraph.core.tensor import Tensor
from minigraph.operators import effects, views

__all__ = ["depend", "identity", "print_", "stop_gradient"]


HOLE = "\0"  # no printed text has it


def depend(value: Any, expr: Any) -> Any:
    """``value``, not before everything in ``expr`` (a tensor or any structure of them) was computed.

    Eager code runs in order anyway and gets ``value`` back. While a graph is captured, the tensors in
    ``value`` (a number becomes one) are tied to those in ``expr``, so that no pass drops or moves them.
    """
    after = list(leaves_of(expr, is_tensor))
    if not after or not tracing_now():
        return value
    if isinstance(value, bool | int | float):
        return apply(effects.DEPEND, Tensor(value), *after)
    leaves, spec = flatten(value, is_tensor)
    return unflatten(spec, [apply(effects.DEPEND, leaf, *after) for leaf in leaves])


def print_(*values: Any) -> None:
    """Print one argument per line, tensors as their repr; inside ``@jit`` when the graph runs."""
    tensors = leaves_of(values, is_tensor)
    apply(effects.PRINT, *tensors, texts=tuple(map(_text_of, values)))


def _text_of(value: Any) -> str | tuple[str, ...] | None:
    """What is printed of a value: ``None`` for a tensor, the parts around its tensors for what holds some."""
    if isinstance(value, Tensor):
        return None
    inside, spec = flatten(value, is_tensor)
    return tuple(str(unflatten(spec, [_Hole()] * len(inside))).split(HOLE)) if inside else str(value)


class _Hole:
    """Where a tensor will stand in a printed line."""

    def __repr__(self) -> str:
        return HOLE


def stop_gradient(value: Any) -> Any:
    """The same value, through which no gradient flows."""
    return apply(views.STOP_GRADIENT, value)


def identity(x: Any) -> Any:
    """The same value."""
    return apply(views.IDENTITY, x)
