"""A graph compiled once to a straight-line Python function over planned buffers.

Graph -> steps (``inlining``) -> buffers (``memory``) -> text (``source``) -> function. Here are its calls, with memory,
Parameters and errors.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from minigraph.capture.guards import Types, types_of
from minigraph.core.errors import MinigraphError, ShapeError, UsageError
from minigraph.core.location import located
from minigraph.core.seams import switched
from minigraph.core.tensor import Parameter
from minigraph.core.tensor.eager import REFUSALS
from minigraph.execute.codegen import STEP_AT, SourceText
from minigraph.execute.commit import changing, keep
from minigraph.execute.memory import Lifetime, arrays_of, assign_buffers, lifetimes
from minigraph.execute.steps import Inlining, Plan
from minigraph.ir.graph import Graph

Arrays = Sequence[np.ndarray]


class Program:
    """An executable graph: call it with the input arrays, get the output arrays.

    Parameters are read when the call starts and written when everything has been computed: all of them, or none when
    anything raises. Several threads may call at once; each call has its own buffers, and sees Parameters before or
    after another's step. ``graph`` is what it was made of, ``plan`` its steps and buffers, ``source`` its text;
    ``guards`` say whether it still fits the Parameters, ``keys`` and ``stored_keys`` which it reads and stores.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.plan = graph, self.planned(graph)
        self._text = self.written()
        self.source = self._text.text
        self.functions = self._text.functions()
        self.keys = [source.payload for source in self.plan.sources if source.role == "parameter"]
        self.stored_keys = [*self.plan.stored]
        self._arity = len(graph.inputs)
        self._idle: list[list[np.ndarray]] = []  # buffers that no call uses at the moment

    @cached_property
    def _parameters(self) -> list[Parameter]:
        """The Parameters it reads; late, because the program of a graph from a text has none, and may still be read."""
        return [self.graph.params[key] for key in self.keys]

    @cached_property
    def _stored(self) -> list[Parameter]:
        """The Parameters that get new values."""
        return [self.graph.params[key] for key in self.stored_keys]

    @cached_property
    def guards(self) -> list[Types]:
        """What the program takes for granted of its Parameters."""
        return [Types(tuple(self._parameters), types_of(self._parameters))] if self._parameters else []

    def planned(self, graph: Graph) -> Plan:
        """The steps of a graph, with buffers."""
        plan = Plan()
        Inlining(plan).append_whole(graph)
        assign_buffers(plan)
        return plan

    def written(self) -> SourceText:
        """The text of the plan."""
        return SourceText(self.plan)

    def lifetimes(self) -> dict[int, Lifetime]:
        """From when to when each value that a step makes is alive, and how large it is."""
        return lifetimes(self.plan)

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """The output arrays for these input arrays; Parameters are written at the end.

        Raises ``UsageError`` for another number of arrays, and what an operator raises, naming the user's line.
        """
        if len(arrays) != self._arity:
            raise UsageError(f"the program takes {self._arity} arrays, got {len(arrays)}")
        try:
            buffers = self._idle.pop()
        except IndexError:
            buffers = self.fresh_buffers()
        try:
            outs, stored = self.run(arrays, self._read() if self._parameters else [], buffers)
        except (*REFUSALS, MinigraphError) as error:
            raise self._explained(error) from None
        if self._stored:
            with changing:
                self.commit(stored)
        self._idle.append(buffers)
        return outs

    def fresh_buffers(self) -> list[np.ndarray]:
        """Buffers for one more call at the same time."""
        return arrays_of(self.plan.buffers, self._text.slots)

    def _read(self) -> list[np.ndarray]:
        """The values of the Parameters."""
        with changing:
            return [parameter.array for parameter in self._parameters]

    def run(self, inputs: Arrays, parameters: list[np.ndarray], buffers: list[np.ndarray]) -> Any:
        """What the caller gets, and what Parameters are to become; inf and nan are values here."""
        with np.errstate(all="ignore"):
            return self.functions["run"](inputs, parameters, buffers)

    def commit(self, stored: Any) -> None:
        """Give Parameters their new values."""
        keep(self._stored, stored)

    def _explained(self, error: Exception) -> MinigraphError:
        """The error, naming the step it happened in and the user's line."""
        frames = [found for found in traceback.walk_tb(error.__traceback__) if STEP_AT in found[0].f_globals]
        frame, line = frames[-1]  # the first is this program, the last may be a branch of it
        step = frame.f_globals[STEP_AT](line)
        told = error if isinstance(error, MinigraphError) else ShapeError(f"{step and step.op}: {error}")
        return located(told, step.loc[-1] if step and step.loc else None)


def compile_graph(graph: Graph) -> Program:
    """The program of a graph.

    >>> from minigraph import Tensor
    >>> from minigraph.capture.trace import trace
    >>> program = compile_graph(trace(lambda x: x * x + x, Tensor([1.0, 2.0])))
    >>> program(np.array([3.0, 4.0], np.float32))
    [array([12., 20.], dtype=float32)]
    """
    return switched("program", Program)(graph)
