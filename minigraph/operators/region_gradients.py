"""VJPs of operators with regions, composed of operators with regions, so that gradients nest to any order.

The gradient of a body is a body that runs it on a tape. No intermediate result of the forward run is stored: a branch
is recomputed, and so are a loop's iterations, whose carried values are stacked. Only the gradient of a while loop in a
captured graph is one operator, ``while_grad``, because its number of iterations is known only at run time.

Integer operands have gradients, as in eager mode, if one of them depends on a differentiated value; otherwise counters
and indices are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import CallResult, Function
from minigraph.core.autodiff.differentiability import DiagnosticTape
from minigraph.core.autodiff.tape import full_like
from minigraph.core.errors import CaptureError
from minigraph.core.location import expression_text, user_loc
from minigraph.core.op import apply, is_eager, record_on
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.types import TensorType, bool_
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.ir.outline import set_regions
from minigraph.operators.iteration_limit import count_iteration

Bodies = tuple[Graph, ...]
Sums = Sequence[Tensor | None]
MAX_CACHED_BODIES = 256


def cond_vjp(
    positions: tuple[int, ...],
    sums: Sums,
    g: CallResult,
    out: CallResult,
    pred: Tensor,
    *operands: Tensor,
    bodies: Bodies,
) -> list[Tensor | None]:
    """The cotangents of the operands of a ``cond``: a ``cond`` of both branches' gradients."""
    integers = _has_integers([(pred, *operands)[p] for p in positions])
    wrt = tuple(p - 1 for p in positions if p and _is_differentiable(operands[p - 1], integers))
    seeded = tuple(k for k in _differentiable_positions(_tuple(out), integers) if _tuple(g)[k] is not None)
    seeds = [_cast_cotangent(_tuple(g)[k], _tuple(out)[k]) for k in seeded]
    if not wrt or not seeded:
        return [None] * len(positions)
    before = {p - 1: s for p, s in zip(positions, sums, strict=True) if s is not None and p - 1 in wrt}
    gradients = tuple(gradient_body(body, wrt, seeded, tuple(before)) for body in bodies)
    cotangents = _tuple(apply("cond", pred, *operands, *seeds, *before.values(), bodies=gradients))
    by_position = {p + 1: cotangent for p, cotangent in zip(wrt, cotangents, strict=True)}
    return [by_position.get(p) for p in positions]


def while_vjp(
    positions: tuple[int, ...],
    sums: Sums,
    g: CallResult,
    out: CallResult,
    *operands: Tensor,
    carries: int,
    bodies: Bodies,
) -> list[Tensor | None]:
    """The cotangents of the operands of a ``while_loop``: its iterations in reverse order."""
    integers = _has_integers([operands[p] for p in positions])
    wrt = _differentiable_positions(operands, integers)
    gs = _fill_zeros(g, out)
    seeds = [_cast_cotangent(gs[k], _tuple(out)[k]) for k in _differentiable_positions(_tuple(out), integers)]
    if not seeds:
        return [None] * len(positions)
    before = {p: s for p, s in zip(positions, sums, strict=True) if s is not None and p in wrt}
    attrs: dict[str, Any] = {"carries": carries, "bodies": bodies}
    attrs |= {"integers": True} if integers else {}
    attrs |= {"continued": tuple(before)} if before else {}
    cotangents = _tuple(apply("while_grad", *operands, *seeds, *before.values(), **attrs))
    by_position = dict(zip(wrt, cotangents, strict=True))
    return [by_position.get(p) for p in positions]


def while_gradients(
    *values: CallResult, carries: int, bodies: Bodies, integers: bool = False, continued: tuple[int, ...] = ()
) -> CallResult:
    """The cotangents of a while loop's float operands; ``values`` are its operands and a cotangent per float result.

    With ``integers`` also those of integers. The last values are the cotangents accumulated so far for the operands
    ``continued``.

    The iterations are counted first, so it needs values: raises ``CaptureError`` during tracing.
    """
    if not is_eager():
        raise CaptureError(
            f"while_loop: its second gradient cannot be captured, because the number of iterations is unknown"
            f"{expression_text(user_loc())}; use fori_loop or scan, or differentiate in PyNative mode"
        )
    test, body = bodies
    operands, seeds = values[: len(body.inputs)], list(values[len(body.inputs) :])
    length = record_on(alone=True).call(_count_iterations, test, strip_effects(body), operands, carries)
    g = tuple(seeds.pop(0) if _is_differentiable(x, integers) else None for x in operands[:carries])
    positions = _differentiable_positions(operands, integers)
    sums = dict(zip(continued, seeds, strict=True))
    attrs: dict[str, Any] = {"carries": carries, "rows": 0, "length": length, "bodies": (body,)}
    cotangents = tuple(scan_vjp(positions, [*map(sums.get, positions)], g, operands[:carries], *operands, **attrs))
    return cotangents[0] if len(cotangents) == 1 else cotangents


def _count_iterations(test: Graph, body: Graph, operands: Sequence[Any], carries: int) -> int:
    length, carried = 0, list(operands[:carries])
    while bool(interpret(test, *carried, *operands[carries:])[0]):
        count_iteration()
        carried, length = list(interpret(body, *carried, *operands[carries:])), length + 1
    return length


def scan_vjp(
    positions: tuple[int, ...], sums: Sums, g: CallResult, out: CallResult, *operands: Tensor,
    carries: int, rows: int, length: int, bodies: Bodies, reverse: bool = False,
) -> list[Tensor | None]:  # fmt: skip
    """The cotangents of the operands of a ``scan``: a ``scan`` in reverse order over its carried values."""
    body, gs, outs = bodies[0], _fill_zeros(g, out), _tuple(out)
    xs, rest = operands[carries : carries + rows], operands[carries + rows :]
    saved = _carried_values(body, operands, carries, rows, length, reverse)
    inputs = [carries, carries + rows, len(operands)]
    integers = _has_integers([operands[p] for p in positions])
    wrt = _differentiable_positions(operands, integers)
    carry_positions = [p for p in wrt if p < inputs[0]]
    captured = [p for p in wrt if p >= inputs[1]]
    gs = tuple(g if g is None else _cast_cotangent(g, out) for g, out in zip(gs, outs, strict=True))
    seeds = [gs[k] for k in _differentiable_positions(outs, integers) if k >= carries]
    before = dict(zip(positions, sums, strict=True))
    zeros = {p: full_like(operands[p], 0.0) for p in captured if before.get(p) is None}
    start = [*(gs[p] for p in carry_positions), *(zeros.get(p, before.get(p)) for p in captured)]
    back = _backward_body(body, carries, rows, integers)
    cotangents = _tuple(apply(
        "scan", *start, *saved, *xs, *seeds, *rest, carries=len(start), rows=carries + rows + len(seeds),
        length=length, reverse=not reverse, bodies=(back,),
    ))  # fmt: skip
    order = [*carry_positions, *captured, *(p for p in wrt if inputs[0] <= p < inputs[1])]
    by_position = dict(zip(order, cotangents, strict=True))
    return [_add_cotangent(before[p], by_position.get(p), p in captured) for p in positions]


def _fill_zeros(g: CallResult, out: CallResult) -> tuple[Any, ...]:
    """The cotangents, with zeros for floats without one: an iteration may pass cotangents between carried values."""
    pairs = zip(_tuple(g), _tuple(out), strict=True)
    return tuple(full_like(o, 0.0) if part is None and isinstance(o, Tensor) else part for part, o in pairs)


def _add_cotangent(before: Tensor | None, cotangent: Tensor | None, is_sum: bool) -> Tensor | None:
    """The sum of an operand's cotangents; the cotangent of a captured value already is this sum."""
    return cotangent if is_sum or before is None or cotangent is None else before + cotangent


# ---- bodies ----------------------------------------------------------------------------------------


@lru_cache(maxsize=MAX_CACHED_BODIES)
def gradient_body(body: Graph, wrt: tuple[int, ...], seeded: tuple[int, ...], continued: tuple[int, ...] = ()) -> Graph:
    """The body from ``body``'s inputs and the cotangents of its ``seeded`` results to the gradients of inputs ``wrt``.

    The last inputs are the cotangents accumulated so far for the inputs ``continued``, to which their gradients are
    added.
    """
    pure, count = strip_effects(body), len(body.inputs)

    def vjp(*values: Tensor) -> tuple[Tensor, ...]:
        """The cotangents of the inputs ``wrt``, from the inputs, the cotangents of results, and accumulated sums."""
        ins, tape = list(values[:count]), DiagnosticTape()
        for p in wrt:
            ins[p] = apply("identity", ins[p])
            tape.watch(ins[p])
        outs = record_on(tape).call(interpret, pure, *ins)
        seeds = zip([*(outs[k] for k in seeded)], values[count : count + len(seeded)], strict=True)
        sums = zip([ins[p] for p in continued], values[count + len(seeded) :], strict=True)
        grads = tape.gradient([*sums, *seeds], [ins[p] for p in wrt])
        pairs = zip([ins[p] for p in wrt], grads, strict=True)
        return tuple(full_like(x, 0.0) if g is None else _cast_cotangent(g, x) for x, g in pairs)

    types = [body.type(node) for node in body.inputs] + [body.type(body.outs[k]) for k in seeded]
    types += [body.type(body.inputs[p]) for p in continued]
    return trace_types(f"{body.title}.gradient", vjp, types)


@lru_cache(maxsize=MAX_CACHED_BODIES)
def _backward_body(body: Graph, carries: int, rows: int, integers: bool) -> Graph:
    """One backward step; it returns carried cotangents, sums for the captured values, and gradients of the rows."""
    ins = [body.type(node) for node in body.inputs]
    outs = [body.type(ref) for ref in body.outs]
    wrt = _differentiable_positions(ins, integers)
    carry_positions = [p for p in wrt if p < carries]
    sliced = [p for p in wrt if carries <= p < carries + rows]
    captured = [p for p in wrt if p >= carries + rows]
    seeded = _differentiable_positions(outs, integers)
    stacked = sum(k >= carries for k in seeded)
    gradients = gradient_body(body, (*carry_positions, *captured, *sliced), seeded, tuple(captured))

    def back(*values: Tensor) -> tuple[Tensor, ...]:
        carried, sums = (
            list(values[: len(carry_positions)]),
            values[len(carry_positions) : len(carry_positions) + len(captured)],
        )
        at = len(carry_positions) + len(captured)
        before, after = values[at : at + carries + rows], values[at + carries + rows :]
        seeds, rest = after[:stacked], after[stacked:]
        return interpret(gradients, *before, *rest, *carried, *seeds, *sums)

    seeds = [outs[k] for k in seeded if k >= carries]
    types = [*(ins[p] for p in (*carry_positions, *captured)), *ins[: carries + rows], *seeds, *ins[carries + rows :]]
    return trace_types(f"{body.title}.backwards", back, types)


def _carried_values(
    body: Graph, operands: Sequence[Tensor], carries: int, rows: int, length: int, reverse: bool
) -> tuple[Tensor, ...]:
    """The carried values at the start of each iteration, stacked."""
    attrs = {"carries": carries, "rows": rows, "length": length, "reverse": reverse}
    return _tuple(apply("scan", *operands, **attrs, bodies=(_recording_body(body, carries),)))[carries:]


@lru_cache(maxsize=MAX_CACHED_BODIES)
def _recording_body(body: Graph, carries: int) -> Graph:
    """The body whose results are its carried values and the values that it starts with."""
    copy = strip_effects(body).clone()
    copy.set_outs([*copy.outs[:carries], *copy.inputs[:carries]])
    return copy


@lru_cache(maxsize=MAX_CACHED_BODIES)
def strip_effects(body: Graph) -> Graph:
    """The body without nodes that only have effects, because the forward run already performed them."""
    copy = body.clone()
    copy.keep_effects = False
    copy.erase([node for node in body if not body.types(node)])
    for node in copy:
        if copy.regions(node):
            set_regions(copy, node, tuple(strip_effects(inner) for inner in body.regions(node)))
    return copy


def trace_types(title: str, fn: Function, types: Sequence[TensorType]) -> Graph:
    """The graph of a function of tensors of these types."""
    graph = trace(fn, *[wrap(np.broadcast_to(np.zeros((), t.dtype.numpy), t.shape)) for t in types])
    graph.title = title
    return graph


def _cast_cotangent(cotangent: CallResult, value: CallResult) -> CallResult:
    """A cotangent in the dtype of its value: the sum of 32-bit integers, and so its cotangent, has 64 bits."""
    return cotangent if cotangent.dtype is value.dtype else apply("cast", cotangent, dtype=value.dtype)


def _has_integers(values: Sequence[CallResult]) -> bool:
    """Whether any of the values, tensors or types, holds integers, bools left out."""
    return any(_is_differentiable(value, True) and not value.dtype.is_float for value in values)


def _is_differentiable(value: CallResult, integers: bool) -> bool:
    """Whether a tensor, or a tensor of a type, has a gradient: floats, and with ``integers`` all but bools."""
    return bool(value.dtype.is_float or (integers and value.dtype is not bool_))


def _differentiable_positions(values: Sequence[CallResult], integers: bool) -> tuple[int, ...]:
    """The positions of the tensors or types that have gradients."""
    return tuple(p for p, value in enumerate(values) if _is_differentiable(value, integers))


def _tuple(out: CallResult) -> tuple[Any, ...]:
    return out if isinstance(out, tuple) else (out,)
