"""Tracing of loop bodies: a body is one graph for all iterations, so its results have the types of its operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minigraph.capture.body import Body, is_leaf
from minigraph.capture.joined_containers import refuse_joined_containers
from minigraph.capture.joined_values import examples_in_eager_mode, mark_numbers, refuse_changes_of_type
from minigraph.capture.joins import CANNOT_JOIN, ITERATIONS, as_tensor, join
from minigraph.capture.value_details import detail_of
from minigraph.core.aliases import Function, PyTree, TensorLike
from minigraph.core.errors import ArgTypeError
from minigraph.core.location import with_location
from minigraph.core.op import current_interpreter
from minigraph.core.pytree import Spec, flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType


class LoopBody(NamedTuple):
    """A traced loop body whose results have the types of its start values."""

    body: Body
    start: list[Tensor]
    spec: Spec
    outs: list[PyTree]
    ys: PyTree
    originals: list[PyTree]  # for each carried value, an example of its value in eager mode


def trace_loop_body(fn: Function, init: PyTree, rows: Sequence[Tensor] = (), extra: bool = False) -> LoopBody:
    """Trace a body until the dtypes of Python numbers among the carried values are stable: at most twice.

    ``fn(value, *rows)`` returns the next value, with ``extra`` a pair of it and another result, such as a scan's row.
    """
    refuse_joined_containers([[init]])
    leaves, spec = flatten(init, is_leaf, detail_of)
    start = [as_tensor(leaf, constant_dtype(leaf)) for leaf in leaves]
    are_numbers = [not isinstance(leaf, Tensor) for leaf in leaves]
    while True:
        count = len(start)
        body = Body(lambda *xs, n=count: fn(loop_state(spec, xs[:n], leaves), *xs[n:]), [*start, *rows], "body")
        out, ys = body.out if extra else (body.out, None)
        outs, out_spec = flatten(out, is_leaf, detail_of)
        if out_spec != spec:
            raise with_location(ArgTypeError(f"{CANNOT_JOIN}\na loop's value changes its structure between iterations"))
        pairs = zip(_start_values(start, are_numbers), outs, strict=True)
        joins = [join(pair, "a loop's value", ITERATIONS) for pair in pairs]
        dtypes = [
            joined.types[0].dtype if joined.types[0] else value.dtype
            for joined, value in zip(joins, start, strict=True)
        ]
        if all(dtype is value.dtype for dtype, value in zip(dtypes, start, strict=True)):
            results = [body.inner_value(as_tensor(out, dtype)) for out, dtype in zip(outs, dtypes, strict=True)]
            tracing: Any = current_interpreter()
            operands = [tracing.value_of(value) for value in start]
            refuse_changes_of_type(leaves, outs)
            return LoopBody(body, operands, spec, results, ys, examples_in_eager_mode(leaves, outs))
        start = [as_tensor(leaf, dtype) for leaf, dtype in zip(leaves, dtypes, strict=True)]
        are_numbers = [False] * count


def loop_state(spec: Spec, values: Sequence[TensorLike], leaves: Sequence[TensorLike]) -> TensorLike:
    """The state of a loop; tracers of values that are Python numbers before the loop are marked as numbers."""
    mark_numbers(values, zip(leaves))
    return unflatten(spec, values)


def _start_values(start: Sequence[Tensor], are_numbers: Sequence[bool]) -> list[TensorLike]:
    """The start values, numbers as Python numbers, because they take the dtype of the loop's result."""
    return [value.item() if is_number else value for value, is_number in zip(start, are_numbers, strict=True)]


def constant_dtype(leaf: TensorLike) -> DType:
    """The dtype of a tensor, or the default dtype of a number."""
    return Tensor(leaf).dtype if not isinstance(leaf, Tensor) else leaf.dtype
