"""Values joined by branches and loops, for which a graph's tensor may behave unlike eager mode's value.

Two branches may set a variable to 1 and 2, and the graph has a tensor for it. Eager mode has a number, which is
promoted differently, computes in double precision, and is returned as a number. Such tracers are marked; where the
difference would show, the graph is refused. Likewise, after an ``if`` on a tensor a variable may be an alias of another
tensor, which a write to either of the two would show.

Method: may-alias and type facts of a data-flow analysis (Aho et al., *Compilers*, chapter 12), recorded during tracing
at each join. Invariant: a graph that is not refused has eager mode's dtypes, precision, results and aliases. Not
handled more precisely: aliases by element; a write to any part of a tensor that may be another one is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from minigraph.capture.tracer import NUMBER_FROM_TENSOR, Tracer, is_number_tracer, outermost_trace
from minigraph.core import bytecode
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.inplace import is_view
from minigraph.core.types import float64, promote, scalar_dtype

if TYPE_CHECKING:
    from minigraph.capture.trace import Tracing

WRITTEN_JOIN = "a tensor is written to that may be the same as another one, after a branch or loop"

UNKNOWN_CODE = "this version of Python is not known, so that "

COMPARED_JOIN = "'is' or 'in' may compare a tensor that may be the same as another one, after a branch or loop"


def refuse_text(leaves: Iterable[Any]) -> None:
    """Refuse a graph that prints a tracer differently than eager mode does: a Parameter, or a number."""
    for leaf in leaves:
        if isinstance(leaf, Tracer) and leaf.class_in_eager_mode() is not Tensor:
            leaf.tracing.mark_not_executable("the text of a Parameter argument is unavailable during tracing")


def mark_numbers(values: Iterable[object], originals: Iterable[object]) -> None:
    """Mark tracers that take the place of Python numbers."""
    for value, original in zip(values, originals, strict=True):
        if isinstance(value, Tracer) and (not isinstance(original, Tensor) or is_number_tracer(original)):
            value.is_number = True


def mark_alternatives(value: object, alternatives: Iterable[object]) -> None:
    """Record the tensors that a variable may be identical to after a branch or a loop."""
    if not isinstance(value, Tracer):
        return
    tensors = [item for item in alternatives if isinstance(item, Tensor)]
    classes = {_class_of(item) for item in tensors}
    if any(type(item) is not Tensor and hasattr(item, "eager_class") for item in tensors) or classes - {Tensor}:
        value.eager_class = classes.pop() if len(classes) == 1 else None
    roots = [item.view_of[0] if is_view(item) else item for item in tensors]
    existing = [root for root in roots if _existed_before(value.tracing, root)]
    scope = value.tracing if existing else None
    if scope is not None and outermost_trace(scope).compares_objects:
        scope.mark_not_executable(COMPARED_JOIN if bytecode.IS_SUPPORTED else UNKNOWN_CODE + COMPARED_JOIN)
    while scope is not None:
        scope.joined.update({id(item): (item, existing) for item in (value, *existing)})
        scope = getattr(scope, "parent", None)


def _class_of(tensor: Tensor) -> type | None:
    """The class in eager mode; ``None`` if it depends on which branch runs."""
    return getattr(tensor, "eager_class", Tensor) if isinstance(tensor, Tracer) else type(tensor)


def _existed_before(tracing: Tracing, tensor: Tensor) -> bool:
    """Whether a result of a branch or loop may have been created outside of it."""
    if id(tensor) in tracing.joined:
        return True
    return not any(tensor.tracing is body if tensor.is_traced else id(tensor) in body.created for body in tracing.inner)


def refuse_write_to_joined(tracing: Tracing, target: Tensor) -> None:
    """Refuse a graph that writes to a tensor which may be the same as another one."""
    scope: Tracing | None = tracing
    while scope is not None:
        if id(target) in scope.joined:
            tracing.mark_not_executable(WRITTEN_JOIN)
        scope = getattr(scope, "parent", None)


def check_numbers(tracing: Tracing, args: tuple[Any, ...]) -> bool:
    """Whether all operands represent Python numbers; refuses a graph in which one would be promoted differently."""
    numbers = [arg for arg in args if is_number_tracer(arg)]
    if not numbers:
        return False
    dtypes = {arg.dtype for arg in args if isinstance(arg, Tensor) and not is_number_tracer(arg)}
    for dtype in dtypes:
        for number in numbers:
            example = number.dtype.numpy.type(1).item()
            weak = scalar_dtype(example, dtype)
            if weak is not promote(dtype, number.dtype) or (weak is float64 and number.dtype.is_float):
                tracing.mark_not_executable(NUMBER_FROM_TENSOR)
    return not dtypes


def mark_result(tracing: Tracing, out: object) -> None:
    """Mark the result of an operation on numbers; refuses floats, which Python computes in double precision."""
    for value in out if isinstance(out, tuple) else (out,):
        if isinstance(value, Tracer):
            value.is_number = True
            if value.dtype.is_float:
                tracing.mark_not_executable(NUMBER_FROM_TENSOR)


def examples_in_eager_mode(leaves: Sequence[object], outs: Sequence[object]) -> list[object]:
    """For each carried value, its value after the last iteration or before the loop: a tensor if either is one."""
    return [
        leaf if isinstance(leaf, Tensor) and not is_number_tracer(leaf) else out
        for leaf, out in zip(leaves, outs, strict=True)
    ]
