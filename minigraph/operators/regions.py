"""Operators with graphs inside: ``cond``, ``while_loop`` and ``scan``.

Bodies are closed: all they use comes in through operands. They are given to the operator as ``bodies``, a
tuple of graphs, which a captured graph keeps as the node's regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minigraph.core.autodiff.tape import Together
from minigraph.core.context import chosen
from minigraph.core.errors import ShapeError
from minigraph.core.op import Attrs, Op, define
from minigraph.core.types import TensorType
from minigraph.execute.compile import Program, compile_graph
from minigraph.ir.graph import Graph
from minigraph.operators import region_gradients
from minigraph.operators.derived import forward_of
from minigraph.operators.rounds import count_round

Bodies = tuple[Graph, ...]
_programs: WeakKeyDictionary[Graph, dict[tuple[Any, ...], Program]] = WeakKeyDictionary()


def program_of(body: Graph) -> Program:
    """The compiled program of a body, made at its first run in this context."""
    programs, way = _programs.setdefault(body, {}), chosen("compiled_for")
    if way not in programs:
        programs[way] = compile_graph(body)
    return programs[way]


def _results(outs: Sequence[np.ndarray], operands: Sequence[np.ndarray]) -> Any:
    """One array, or a tuple, none sharing memory with an operand: operands may live in reused buffers."""
    own = tuple(np.array(out) if any(np.may_share_memory(out, x) for x in operands) else out for out in outs)
    return own[0] if len(own) == 1 else own


def _types_in(body: Graph) -> list[TensorType]:
    return [body.type(node) for node in body.inputs]


def _types_out(body: Graph) -> tuple[TensorType, ...]:
    return tuple(body.type(ref) for ref in body.outs)


def _check(what: str, found: Sequence[TensorType], wanted: Sequence[TensorType]) -> None:
    if list(found) != list(wanted):
        shown = [", ".join(map(str, types)) or "nothing" for types in (found, wanted)]
        raise ShapeError(f"{what} is {shown[0]}, not {shown[1]}")


# ---- cond ------------------------------------------------------------------------------------------


def _cond(pred: np.ndarray, *operands: np.ndarray, bodies: Bodies) -> Any:
    body = bodies[0] if np.asarray(pred).item() else bodies[1]
    return _results(program_of(body)(*operands), operands)


def _cond_types(pred: TensorType, *operands: TensorType, bodies: Bodies) -> Any:
    for body in bodies:
        _check(f"cond: what '{body.title}' takes", _types_in(body), operands)
    _check("cond: the result of the second branch", _types_out(bodies[1]), _types_out(bodies[0]))
    return _types_out(bodies[0])


COND = define(Op(
    "cond", _cond, _cond_types, vjp=Together(region_gradients.of_cond), unit="scalar",
    family="region", label=lambda attrs: "cond",
    doc="The first of two bodies when operand 0 is true, else the second; both take the other operands.",
))  # fmt: skip


# ---- while_loop ------------------------------------------------------------------------------------


def _while(*operands: np.ndarray, carries: int, bodies: Bodies) -> Any:
    test, step = map(program_of, bodies)
    values, rest = list(operands[:carries]), operands[carries:]
    while test(*values, *rest)[0].item():
        count_round()
        values = step(*values, *rest)
    return _results(values, operands)


def _while_types(*operands: TensorType, carries: int, bodies: Bodies) -> Any:
    for body in bodies:
        _check(f"while_loop: what '{body.title}' takes", _types_in(body), operands)
    _check("while_loop: what the body returns", _types_out(bodies[1]), operands[:carries])
    return operands[:carries]


WHILE = define(Op(
    "while_loop", _while, _while_types, vjp=Together(region_gradients.of_while), unit="scalar",
    family="region", label=lambda attrs: "while",
    doc="The second body on the first `carries` operands as long as the first body is true.",
))  # fmt: skip


def _pull_types(*operands: TensorType, carries: int, bodies: Bodies) -> Any:
    inputs = operands[: len(bodies[1].inputs)]
    found = tuple(type for type in inputs if type.dtype.is_float)
    return found


WHILE_PULL = define(Op(
    "while_pull", forward_of(region_gradients.pull_while), _pull_types, expand=region_gradients.pull_while,
    unit="scalar", family="region", label=lambda attrs: "while, backwards",
    doc="Gradients of a while loop: its iterations are counted and kept, then played backwards.",
))  # fmt: skip


# ---- scan ------------------------------------------------------------------------------------------


def _scan(*operands: np.ndarray, carries: int, rows: int, length: int, reverse: bool = False, bodies: Bodies) -> Any:
    step = program_of(bodies[0])
    values, stacked, rest = operands[:carries], operands[carries : carries + rows], operands[carries + rows :]
    stacks = [np.empty((length, *t.shape), t.dtype.numpy) for t in _types_out(bodies[0])[carries:]]
    for i in reversed(range(length)) if reverse else range(length):
        outs = step(*values, *[np.asarray(x[i]) for x in stacked], *rest)
        values = tuple(outs[:carries])
        for stack, row in zip(stacks, outs[carries:], strict=True):
            stack[i] = row
    return _results([*values, *stacks], operands)


def _scan_types(
    *operands: TensorType, carries: int, rows: int, length: int, reverse: bool = False, bodies: Bodies
) -> Any:
    stacked = operands[carries : carries + rows]
    for type in stacked:
        if not type.shape or type.shape[0] != length:
            raise ShapeError(f"scan: {type} has not {length} rows along its first axis; give xs of one length")
    slices = [TensorType(type.shape[1:], type.dtype) for type in stacked]
    taken = [*operands[:carries], *slices, *operands[carries + rows :]]
    _check(f"scan: what '{bodies[0].title}' takes", _types_in(bodies[0]), taken)
    outs = _types_out(bodies[0])
    _check("scan: what the body hands on", outs[:carries], operands[:carries])
    return (*outs[:carries], *(TensorType((length, *t.shape), t.dtype) for t in outs[carries:]))


def _scan_label(attrs: Attrs) -> str:
    return f"scan, {attrs['length']} times"


SCAN = define(Op(
    "scan", _scan, _scan_types, vjp=Together(region_gradients.of_scan), unit="scalar",
    family="region", label=_scan_label,
    doc="The body `length` times: `carries` operands handed on, one row of each of the next `rows` operands, the rest.",
))  # fmt: skip
