"""A graph compiled once to a straight-line Python function over planned buffers.

The code has one line per operator: ``f7(v3, v5, b2)``. Identifiers come from counters and values from the
namespace, so no text of the user's reaches the compiler.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph.eager import LOUD, REFUSALS, bare_ufunc
from minigraph.errors import MinigraphError, ShapeError, UsageError
from minigraph.guards import Types, types_of
from minigraph.ir.graph import Graph
from minigraph.loc import located
from minigraph.run.plan import Plan, Step, planned
from minigraph.types import TensorType

Arrays = Sequence[np.ndarray]
FILE = "<minigraph program>"  # what tracebacks call the generated source


class Program:
    """An executable graph: call it with the input arrays, get the output arrays.

    Parameters are read when the call starts and written when everything has been computed: all of them, or
    none when anything raises. Several threads may call at once; each call has its own buffers. ``guards`` tell
    whether it still fits the Parameters.
    """

    def __init__(self, graph: Graph) -> None:
        self.plan = planned(graph)
        self.source = source_of(self.plan)
        self._parameters = [graph.params[s.payload] for s in self.plan.sources if s.role == "parameter"]
        self.guards = [Types(tuple(self._parameters), types_of(self._parameters))] if self._parameters else []
        self._stored = [graph.params[key] for key in self.plan.stored]
        self._arity = len(graph.inputs)
        self._first_line = self.source.count("\n") - len(self.plan.steps)  # the last line is the return
        self._run = _function(self.plan, self.source)
        self._repeatable = all(is_repeatable(step) for step in self.plan.steps)
        self._idle: list[list[np.ndarray]] = []

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """The output arrays for these input arrays; Parameters are written at the end.

        Raises ``UsageError`` for another number of arrays, and what an operator raises, naming the user's line.
        """
        if len(arrays) != self._arity:
            raise UsageError(f"the program takes {self._arity} arrays, got {len(arrays)}")
        try:
            buffers = self._idle.pop()
        except IndexError:
            buffers = _buffers(self.plan)
        try:
            parameters = [p.array for p in self._parameters] if self._parameters else ()
            outs, stored = self._computed(arrays, parameters, buffers)
        except (*REFUSALS, MinigraphError) as error:
            raise self._explained(error) from None
        if stored:
            for parameter, array in zip(self._stored, stored, strict=True):
                parameter.array = np.asarray(array)
        self._idle.append(buffers)
        return [np.asarray(out) if out.flags.writeable else np.array(out) for out in outs]

    def _computed(self, inputs: Arrays, parameters: Arrays, buffers: Arrays) -> tuple[Arrays, Arrays]:
        """The outputs and what Parameters are to become; inf and nan are values here, whatever numpy is told to say."""
        if self._repeatable:  # asking numpy for silence takes as long as five operators
            try:
                return self._run(inputs, parameters, buffers)
            except LOUD:
                pass
        with np.errstate(all="ignore"):
            return self._run(inputs, parameters, buffers)

    def _explained(self, error: Exception) -> MinigraphError:
        """The error, naming the step it happened in and the user's line."""
        frames = traceback.walk_tb(error.__traceback__)
        line = next(line for frame, line in frames if frame.f_code.co_filename == FILE)
        step = self.plan.steps[line - self._first_line]
        told = error if isinstance(error, MinigraphError) else ShapeError(f"{step.op}: {error}")
        return located(told, step.loc[-1] if step.loc else None)


def is_repeatable(step: Step) -> bool:
    """Whether a step may run twice without anybody noticing: it has no effects, no bodies that might have some."""
    return not step.op.effects and "bodies" not in step.attrs and step.op.family != "region"


def compile_graph(graph: Graph) -> Program:
    """The program of a graph.

    >>> from minigraph import Tensor
    >>> from minigraph.capture.trace import trace
    >>> program = compile_graph(trace(lambda x: x * x + x, Tensor([1.0, 2.0])))
    >>> program(np.array([3.0, 4.0], np.float32))
    [array([12., 20.], dtype=float32)]
    """
    return Program(graph)


def source_of(plan: Plan) -> str:
    """The Python source of a program: what ``Program.source`` shows."""
    lines = ["def run(inputs, parameters, buffers):"]
    lines += _unpacked("v", [s.value for s in plan.sources if s.role == "input"], "inputs")
    lines += _unpacked("v", [s.value for s in plan.sources if s.role == "parameter"], "parameters")
    lines += _unpacked("w", _written(plan), "buffers")
    lines += [f"    {_line(plan, i, step)}" for i, step in enumerate(plan.steps)]
    outs = "".join(f"{_name(plan, value)}, " for value in plan.outs)
    stored = "".join(f"{_name(plan, value)}, " for value in plan.stored.values())
    return "\n".join([*lines, f"    return ({outs}), ({stored})"]) + "\n"


def _written(plan: Plan) -> list[int]:
    """The values that live in buffers, in step order."""
    return [step.outs[0] for step in plan.steps if step.outs and step.outs[0] in plan.buffer_of]


def _unpacked(letter: str, values: Sequence[int], container: str) -> list[str]:
    names = "".join(f"{letter}{value}, " for value in values)
    return [f"    {names}= {container}"] if values else []


def _name(plan: Plan, value: int) -> str:
    return f"w{value}" if value in plan.buffer_of else f"v{value}"


def _line(plan: Plan, i: int, step: Step) -> str:
    ins = ", ".join(_name(plan, value) for value in step.ins)
    if step.outs and step.outs[0] in plan.buffer_of:
        separator = ", " if ins else ""
        out = "" if bare_ufunc(step.op) else "out="
        return f"f{i}({ins}{separator}{out}w{step.outs[0]})  # {step.op}"
    results = "".join(f"v{out}, " for out in step.outs) if len(step.outs) != 1 else f"v{step.outs[0]}"
    return f"{results + ' = ' if results else ''}f{i}({ins})  # {step.op}"


def _function(plan: Plan, source: str) -> Callable[..., tuple[Arrays, Arrays]]:
    namespace: dict[str, Any] = {"__name__": __name__}  # whose warnings of inf and nan are not shown
    namespace |= {f"f{i}": _kernel(plan, step) for i, step in enumerate(plan.steps)}
    namespace |= {f"v{s.value}": s.payload for s in plan.sources if s.role == "const"}
    exec(compile(source, FILE, "exec"), namespace)
    return namespace["run"]


def _kernel(plan: Plan, step: Step) -> Callable[..., Any]:
    """What a line calls: the bare ufunc where a buffer already says dtype and order, else the record's forward."""
    bare = bare_ufunc(step.op) if step.outs and step.outs[0] in plan.buffer_of else None
    if bare is not None:
        return bare
    return partial(step.op.forward, **step.attrs) if step.attrs else step.op.forward


def _buffers(plan: Plan) -> list[np.ndarray]:
    """Fresh memory, seen once per value in the value's shape and dtype."""
    blocks = [np.empty(max(nbytes, 1), np.uint8) for nbytes in plan.buffers]
    types = {step.outs[0]: step.types[0] for step in plan.steps if step.outs}
    return [_view(blocks[plan.buffer_of[value]], types[value]) for value in _written(plan)]


def _view(block: np.ndarray, type: TensorType) -> np.ndarray:
    return block[: type.nbytes].view(type.dtype.numpy).reshape(type.shape)
