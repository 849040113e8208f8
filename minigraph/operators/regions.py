"""Operators with regions: ``cond``, ``while_loop`` and ``scan``.

Bodies are closed: all values that they use are operands of the operator. They are its attribute ``bodies``, a tuple of
graphs, which a captured graph stores as the node's regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minigraph.core.aliases import Array, CallResult
from minigraph.core.autodiff.tape import full_like
from minigraph.core.context import STORED_SETTINGS
from minigraph.core.errors import CaptureError, ShapeError
from minigraph.core.location import expression_text, user_loc
from minigraph.core.op import Attrs, Op, apply, define, is_eager
from minigraph.core.op_fields import JointVJP
from minigraph.core.tensor import Tensor
from minigraph.core.types import Results, TensorType, bool_
from minigraph.execute.compile import Program, compile_graph
from minigraph.execute.interpret import CONTROL_FLOW, interpret
from minigraph.ir.graph import Graph
from minigraph.operators import region_flows, region_gradients, scan_gradients
from minigraph.operators.composite import as_forward
from minigraph.operators.iteration_limit import count_iteration

Bodies = tuple[Graph, ...]
MAX_PROGRAMS_PER_BODY = 8  # one for each of the settings that programs depend on
_programs: WeakKeyDictionary[Graph, dict[tuple[Any, ...], Program]] = WeakKeyDictionary()


def program_of(body: Graph) -> Program:
    """The program of a body, compiled at the first run in this context, from a copy so that the body can be freed."""
    programs, context = _programs.setdefault(body, {}), STORED_SETTINGS["compiled_for"]
    program = programs.get(context)
    if program is None:
        program = programs[context] = compile_graph(body.clone())
        for oldest in list(programs)[:-MAX_PROGRAMS_PER_BODY]:
            programs.pop(oldest, None)
    return program


def _results(outs: Sequence[Array], operands: Sequence[Array]) -> Array | tuple[Array, ...]:
    """One array, or a tuple, copied where they alias an operand: operands may be in buffers that are reused."""
    copies = tuple(np.array(out) if any(np.may_share_memory(out, x) for x in operands) else out for out in outs)
    return copies[0] if len(copies) == 1 else copies


def _input_types(body: Graph) -> list[TensorType]:
    return [body.type(node) for node in body.inputs]


def _output_types(body: Graph) -> tuple[TensorType, ...]:
    return tuple(body.type(ref) for ref in body.outs)


def _check_types(place: str, types: Sequence[TensorType], expected: Sequence[TensorType]) -> None:
    if list(types) != list(expected):
        texts = [", ".join(map(str, group)) or "nothing" for group in (types, expected)]
        raise ShapeError(f"{place}: expected {texts[1]}, got {texts[0]}; change one of them")


# ---- cond ------------------------------------------------------------------------------------------


def _cond(pred: Array, *operands: Array, bodies: Bodies) -> Array | tuple[Array, ...]:
    body = bodies[0] if np.asarray(pred).item() else bodies[1]
    return _results(program_of(body)(*operands), operands)


def _cond_types(pred: TensorType, *operands: TensorType, bodies: Bodies) -> TensorType | Results:
    for body in bodies:
        _check_types(f"cond: inputs of '{body.title}'", _input_types(body), operands)
    _check_types("cond: results of the second branch", _output_types(bodies[1]), _output_types(bodies[0]))
    return _output_types(bodies[0])


def run_cond(pred: Tensor, *operands: Tensor, bodies: Bodies) -> tuple[Tensor, ...]:
    """Interpret the body that ``pred`` selects."""
    return interpret(bodies[0] if pred.asnumpy().item() else bodies[1], *operands)


COND = define(Op(
    "cond", _cond, _cond_types, vjp=JointVJP(region_gradients.cond_vjp, region_flows.cond_flows), unit="scalar",
    family="region", label=lambda attrs: "cond",
    doc="The first of two bodies if operand 0 is true, else the second; both take the other operands.",
))  # fmt: skip


# ---- while_loop ------------------------------------------------------------------------------------


def _while(*operands: Array, carries: int, bodies: Bodies) -> Array | tuple[Array, ...]:
    test, step = map(program_of, bodies)
    values, invariants = list(operands[:carries]), operands[carries:]
    while test(*values, *invariants)[0].item():
        count_iteration()
        values = step(*values, *invariants)
    return _results(values, operands)


def _while_types(*operands: TensorType, carries: int, bodies: Bodies) -> TensorType | Results:
    for body in bodies:
        _check_types(f"while_loop: inputs of '{body.title}'", _input_types(body), operands)
    _check_types("while_loop: results of the body", _output_types(bodies[1]), operands[:carries])
    return operands[:carries]


def run_while(*operands: Tensor, carries: int, bodies: Bodies) -> tuple[Tensor, ...]:
    """Interpret the iterations of a while loop; returns the carried values."""
    test, body = bodies
    values, invariants = operands[:carries], operands[carries:]
    while interpret(test, *values, *invariants)[0].asnumpy().item():
        count_iteration()
        values = interpret(body, *values, *invariants)
    return tuple(values)


WHILE = define(Op(
    "while_loop", _while, _while_types, vjp=JointVJP(region_gradients.while_vjp, region_flows.while_flows),
    unit="scalar", family="region", label=lambda attrs: "while",
    doc="Apply the second body to the first `carries` operands while the first body is true.",
))  # fmt: skip


def while_gradients(
    *values: CallResult, carries: int, bodies: Bodies, seeded: tuple[int, ...], first: tuple[int, ...],
    integers: bool = False, continued: tuple[int, ...] = (),
) -> CallResult:  # fmt: skip
    """The cotangents of a while loop's float operands, with ``integers`` also of integers.

    ``values`` are its operands, the cotangents of its results ``seeded``, and those accumulated so far for the operands
    ``continued``. ``first``: for each operand the first position of the same tensor, which has their cotangent.

    The loop runs on a tape as in eager mode, so it needs values: raises ``CaptureError`` during tracing.
    """
    if not is_eager():
        raise CaptureError(
            f"while_loop: its second gradient cannot be captured, because the number of iterations is unknown"
            f"{expression_text(user_loc())}; use fori_loop or scan, or differentiate in PyNative mode"
        )
    test, body = bodies
    operands, seeds = values[: len(first)], values[len(first) :]
    wrt = [p for p in region_gradients.differentiable_positions(operands, integers) if first[p] == p]
    grads = region_gradients.differentiate(
        partial(run_while, carries=carries, bodies=(test, region_gradients.strip_effects(body))), operands, wrt,
        dict(zip(seeded, seeds, strict=False)), dict(zip(continued, seeds[len(seeded) :], strict=True)), first,
    )  # fmt: skip
    cotangents = tuple(full_like(operands[p], 0.0) if g is None else g for p, g in zip(wrt, grads, strict=True))
    return cotangents[0] if len(cotangents) == 1 else cotangents


def _while_grad_types(
    *operands: TensorType, carries: int, bodies: Bodies, seeded: tuple[int, ...], first: tuple[int, ...],
    integers: bool = False, continued: tuple[int, ...] = (),
) -> TensorType | Results:  # fmt: skip
    inputs = [operands[p] for p in dict.fromkeys(first)]
    return tuple(type for type in inputs if type.dtype.is_float or (integers and type.dtype is not bool_))


def _while_grad(*operands: Array, **attrs: Any) -> Array | tuple[Array, ...]:
    out = as_forward(while_gradients)(*operands, **attrs)
    return _results(out if isinstance(out, tuple) else (out,), operands)


WHILE_GRAD = define(Op(
    "while_grad", _while_grad, _while_grad_types,
    expand=while_gradients, unit="scalar", family="region", label=lambda attrs: "while, backwards",
    doc="Gradients of a while loop: it runs again on a tape, which is then replayed in reverse order.",
))  # fmt: skip


# ---- scan ------------------------------------------------------------------------------------------


def _scan(
    *operands: Array, carries: int, rows: int, length: int, reverse: bool = False, bodies: Bodies
) -> Array | tuple[Array, ...]:
    step = program_of(bodies[0])
    values, xs, invariants = operands[:carries], operands[carries : carries + rows], operands[carries + rows :]
    ys = [np.empty((length, *t.shape), t.dtype.numpy) for t in _output_types(bodies[0])[carries:]]
    for i in reversed(range(length)) if reverse else range(length):
        outs = step(*values, *[np.asarray(x[i]) for x in xs], *invariants)
        values = tuple(outs[:carries])
        for y, row in zip(ys, outs[carries:], strict=True):
            y[i] = row
    return _results([*values, *ys], operands)


def _scan_types(
    *operands: TensorType, carries: int, rows: int, length: int, reverse: bool = False, bodies: Bodies
) -> TensorType | Results:
    xs = operands[carries : carries + rows]
    for type in xs:
        if not type.shape or type.shape[0] != length:
            raise ShapeError(f"scan: {type} does not have {length} rows along its first axis; give xs of one length")
    slices = [TensorType(type.shape[1:], type.dtype) for type in xs]
    expected = [*operands[:carries], *slices, *operands[carries + rows :]]
    _check_types(f"scan: inputs of '{bodies[0].title}'", _input_types(bodies[0]), expected)
    outs = _output_types(bodies[0])
    _check_types("scan: carried results of the body", outs[:carries], operands[:carries])
    return (*outs[:carries], *(TensorType((length, *t.shape), t.dtype) for t in outs[carries:]))


def _scan_label(attrs: Attrs) -> str:
    return f"scan, {attrs['length']} times"


def run_scan(
    *operands: Tensor, carries: int, rows: int, length: int, bodies: Bodies, reverse: bool = False
) -> tuple[Tensor, ...]:
    """Interpret the iterations of a scan; results that are not carried are stacked in the order of the rows."""
    values, xs, invariants = operands[:carries], operands[carries : carries + rows], operands[carries + rows :]
    stacked = list[tuple[Tensor, ...]]()
    for i in reversed(range(length)) if reverse else range(length):
        outs = interpret(bodies[0], *values, *[x[i] for x in xs], *invariants)
        values = outs[:carries]
        stacked.append(outs[carries:])
    return (*values, *(apply("stack", *ys, axis=0) for ys in zip(*stacked[:: -1 if reverse else 1], strict=True)))


SCAN = define(Op(
    "scan", _scan, _scan_types, vjp=JointVJP(scan_gradients.scan_vjp, region_flows.scan_flows), unit="scalar",
    family="region", label=_scan_label,
    doc="Run the body `length` times: on `carries` carried values, a row of each of `rows` operands, and the others.",
))  # fmt: skip

CONTROL_FLOW.update({COND: run_cond, WHILE: run_while, SCAN: run_scan})
