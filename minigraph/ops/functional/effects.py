"""Functions with effects on execution: ordering, printing, stopping gradients."""

from __future__ import annotations

from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import is_tracing
from minigraph.core.aliases import PyTree, TensorLike
from minigraph.core.op import apply
from minigraph.core.pytree import flatten, leaves_of, unflatten
from minigraph.core.tensor import Tensor
from minigraph.operators import effects, views
from minigraph.ops.functional.forms import export

FORMS = """
function: depend identity:Identity print_ stop_gradient:StopGradient
"""
export(globals())


TENSOR_MARK = "\0"  # represents a tensor; printed text does not contain it


def depend(value: PyTree, expr: PyTree) -> PyTree:
    """``value``, computed after everything in ``expr`` (a tensor or a pytree of tensors).

    Eager code runs in order, so ``value`` is returned unchanged. While a graph is captured, order edges from
    ``expr`` to the tensors in ``value`` (a number becomes a tensor) keep passes from removing or reordering them.
    """
    dependencies = list(leaves_of(expr, is_tensor))
    if not dependencies or not is_tracing():
        return value
    if isinstance(value, bool | int | float):
        return apply(effects.DEPEND, Tensor(value), *dependencies)
    leaves, spec = flatten(value, is_tensor)
    return unflatten(spec, [apply(effects.DEPEND, leaf, *dependencies) for leaf in leaves])


def print_(*values: object) -> None:
    """Prints one argument per line, tensors as their repr; under ``@jit`` when the graph runs."""
    tensors = leaves_of(values, is_tensor)
    apply(effects.PRINT, *tensors, texts=tuple(map(_printed_text, values)))


def _printed_text(value: object) -> str | tuple[str, ...] | None:
    """The text of a value: ``None`` for a tensor; for a structure with tensors the parts between them."""
    if isinstance(value, Tensor):
        return None
    tensors, spec = flatten(value, is_tensor)
    return tuple(str(unflatten(spec, [_TensorMark()] * len(tensors))).split(TENSOR_MARK)) if tensors else str(value)


class _TensorMark:
    """Prints as ``TENSOR_MARK`` in place of a tensor."""

    def __repr__(self) -> str:
        return TENSOR_MARK


def stop_gradient(value: TensorLike) -> Tensor:
    """The same value, without a gradient."""
    return apply(views.STOP_GRADIENT, value)


def identity(x: Tensor) -> Tensor:
    """The same value."""
    return apply(views.IDENTITY, x)
