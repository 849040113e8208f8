"""VJPs of operators with regions, composed of operators with regions, so that gradients nest to any order.

The gradient of a body is a body that runs it on a tape. No intermediate result of the forward run is stored: a branch
is recomputed, and so are the iterations of a scan, whose carried values are stacked. Only the gradient of a while loop
in a captured graph is one operator, ``while_grad``, because its number of iterations is known only at run time.

Integer operands have gradients, as in eager mode, if one of them depends on a differentiated value; otherwise counters
and indices are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import CallResult, Function
from minigraph.core.autodiff.differentiability import DiagnosticTape
from minigraph.core.autodiff.tape import full_like
from minigraph.core.op import apply, record_on
from minigraph.core.seams import current_implementation
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.types import TensorType, bool_
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.ir.outline import set_regions

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
    integers = has_integers([(pred, *operands)[p] for p in positions])
    wrt = tuple(p - 1 for p in positions if p and _is_differentiable(operands[p - 1], integers))
    seeded = tuple(k for k in differentiable_positions(as_tuple(out), integers) if as_tuple(g)[k] is not None)
    seeds = [cast_cotangent(as_tuple(g)[k], as_tuple(out)[k]) for k in seeded]
    if not wrt or not seeded:
        return [None] * len(positions)
    before = {p - 1: s for p, s in zip(positions, sums, strict=True) if s is not None and p - 1 in wrt}
    gradients = tuple(gradient_body(body, wrt, seeded, tuple(before)) for body in bodies)
    cotangents = as_tuple(apply("cond", pred, *operands, *seeds, *before.values(), bodies=gradients))
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
    integers = has_integers([operands[p] for p in positions])
    wrt, outs = differentiable_positions(operands, integers), as_tuple(out)
    seeded = tuple(k for k in differentiable_positions(outs, integers) if as_tuple(g)[k] is not None)
    if not seeded:
        return [None] * len(positions)
    seeds = [cast_cotangent(as_tuple(g)[k], outs[k]) for k in seeded]
    before = {p: s for p, s in zip(positions, sums, strict=True) if s is not None and p in wrt}
    first = first_positions(operands)
    attrs: dict[str, Any] = {"carries": carries, "bodies": bodies, "seeded": seeded, "first": first}
    attrs |= {"integers": True} if integers else {}
    attrs |= {"continued": tuple(before)} if before else {}
    cotangents = as_tuple(apply("while_grad", *operands, *seeds, *before.values(), **attrs))
    by_position = dict(zip([p for p in wrt if first[p] == p], cotangents, strict=True))
    return [by_position.get(p) for p in positions]


def differentiate(
    fn: Function, values: Sequence[Tensor], wrt: Sequence[int], seeds: Mapping[int, Tensor],
    sums: Mapping[int, Tensor], first: Sequence[int] = (),
) -> list[Tensor | None]:  # fmt: skip
    """The cotangents of the arguments ``wrt`` of a function, added to ``sums``, from ``seeds`` for its results.

    ``first``: for each argument the first position of the same tensor; by default all differ.
    """
    tape = current_implementation("tape", DiagnosticTape)()
    ins = [*values]
    for p in wrt:
        ins[p] = apply("identity", ins[p])
        tape.watch(ins[p])
    ins = [ins[q] for q in first] or ins
    outs = record_on(tape).call(fn, *ins)
    pairs = [*((ins[p], s) for p, s in sums.items()), *((outs[k], s) for k, s in seeds.items())]
    grads = tape.gradient(pairs, [ins[p] for p in wrt])
    return [None if g is None else cast_cotangent(g, ins[p]) for p, g in zip(wrt, grads, strict=True)]


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
        seeds = dict(zip(seeded, values[count:], strict=False))
        sums = dict(zip(continued, values[count + len(seeded) :], strict=True))
        grads = differentiate(partial(interpret, pure), values[:count], wrt, seeds, sums)
        return tuple(full_like(values[p], 0.0) if g is None else g for p, g in zip(wrt, grads, strict=True))

    types = [body.type(node) for node in body.inputs] + [body.type(body.outs[k]) for k in seeded]
    types += [body.type(body.inputs[p]) for p in continued]
    return trace_types(f"{body.title}.gradient", vjp, types)


@lru_cache(maxsize=MAX_CACHED_BODIES)
def reached_inputs(body: Graph, wrt: tuple[int, ...], seeded: tuple[int, ...]) -> tuple[int, ...]:
    """Those of the inputs ``wrt`` to which the body passes cotangents of its ``seeded`` results."""
    reached: list[int] = []
    count = len(body.inputs)

    def note(*values: Tensor) -> tuple[Tensor, ...]:
        """Note which cotangents there are; returns the inputs."""
        seeds = dict(zip(seeded, values[count:], strict=True))
        grads = differentiate(partial(interpret, strip_effects(body)), values[:count], wrt, seeds, {})
        reached[:] = [p for p, g in zip(wrt, grads, strict=True) if g is not None]
        return values

    types = [*(body.type(node) for node in body.inputs), *(body.type(body.outs[k]) for k in seeded)]
    trace_types(f"{body.title}.reached", note, types)
    return tuple(reached)


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


def first_positions(operands: Sequence[object]) -> tuple[int, ...]:
    """For each operand the first position of the same tensor."""
    first: dict[int, int] = {}
    return tuple(first.setdefault(id(operand), p) for p, operand in enumerate(operands))


def cast_cotangent(cotangent: CallResult, value: CallResult) -> CallResult:
    """A cotangent in the dtype of its value: the sum of 32-bit integers, and so its cotangent, has 64 bits."""
    return cotangent if cotangent.dtype is value.dtype else apply("cast", cotangent, dtype=value.dtype)


def has_integers(values: Sequence[CallResult]) -> bool:
    """Whether any of the values, tensors or types, holds integers, bools left out."""
    return any(_is_differentiable(value, True) and not value.dtype.is_float for value in values)


def _is_differentiable(value: CallResult, integers: bool) -> bool:
    """Whether a tensor, or a tensor of a type, has a gradient: floats, and with ``integers`` all but bools."""
    return bool(value.dtype.is_float or (integers and value.dtype is not bool_))


def differentiable_positions(values: Sequence[CallResult], integers: bool) -> tuple[int, ...]:
    """The positions of the tensors or types that have gradients."""
    return tuple(p for p, value in enumerate(values) if _is_differentiable(value, integers))


def as_tuple(out: CallResult) -> tuple[Any, ...]:
    """One result or several, as a tuple."""
    return out if isinstance(out, tuple) else (out,)
