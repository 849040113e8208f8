"""A graph compiled once to a straight-line Python function over planned buffers.

``minigraph.run.source`` writes the text; here are memory, Parameters and errors.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.capture.guards import Types, types_of
from minigraph.eager import LOUD, REFUSALS
from minigraph.errors import MinigraphError, ShapeError, UsageError
from minigraph.ground.loc import located
from minigraph.ir.graph import Graph
from minigraph.run.arrays import arrays_of
from minigraph.run.plan import planned
from minigraph.run.source import STEP_AT, Source
from minigraph.run.steps import Step, ops_of
from minigraph.run.updating import changing, keep, keep_behind, places_for

Arrays = Sequence[np.ndarray]


class Program:
    """An executable graph: call it with the input arrays, get the output arrays.

    Parameters are read when the call starts and written when everything has been computed: all of them, or
    none when anything raises; large ones are written over where nobody else holds their arrays. Several threads may
    call at once; each call has its own buffers, and sees Parameters before or after another's step. ``graph`` is what
    it was made of, ``source`` its text; ``guards`` tell whether it still fits the Parameters.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.plan = graph, planned(graph)
        self._written = Source(self.plan)
        self.source = self._written.text
        keys = [source.payload for source in self.plan.sources if source.role == "parameter"]
        self._parameters = [graph.params[key] for key in keys]
        self.guards = [Types(tuple(self._parameters), types_of(self._parameters))] if self._parameters else []
        self._stored = [graph.params[key] for key in (*self.plan.given, *self.plan.updated)]
        self._over = [keys.index(key) for key in self.plan.updated]
        self._arity = len(graph.inputs)
        self._function, self._views, self._updates = self._written.functions()
        self._run = self._function
        self._loud: tuple[type[Exception], ...] = LOUD
        if not are_repeatable(self.plan.steps):
            self._run, self._loud = self._quietly, ()
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
            buffers = self._views(arrays_of(self.plan.buffers, self._written.slots))
        try:
            parameters = self._read() if self._parameters else []
            try:
                outs, stored, *made = self._run(arrays, parameters, buffers)
            except self._loud:  # inf and nan are values here, whatever numpy is told to say of them
                outs, stored, *made = self._quietly(arrays, parameters, buffers)
        except (*REFUSALS, MinigraphError) as error:
            raise self._explained(error) from None
        if self._stored:
            self._keep(parameters, buffers, stored, made)
        self._idle.append(buffers)
        return outs

    def _read(self) -> list[np.ndarray]:
        """The values of the Parameters."""
        with changing:
            return [parameter.array for parameter in self._parameters]

    def _keep(self, parameters: list[np.ndarray], buffers: Arrays, stored: Arrays, made: list[Arrays]) -> None:
        """Give Parameters what is stored, and write over others."""
        with changing:
            if not self._over:
                keep(self._stored, stored)
                return
            new = places_for(self._parameters, parameters, self._over)
            keep_behind(self._updates(parameters, buffers, *made, new), self._stored, [*stored, *new])

    def _quietly(self, inputs: Arrays, parameters: Arrays, buffers: Arrays) -> Any:
        """What the program returns, numpy told to be silent: that takes as long as operators."""
        with np.errstate(all="ignore"):
            return self._function(inputs, parameters, buffers)

    def _explained(self, error: Exception) -> MinigraphError:
        """The error, naming the step it happened in and the user's line."""
        frames = [found for found in traceback.walk_tb(error.__traceback__) if STEP_AT in found[0].f_globals]
        frame, line = frames[-1]  # the first is this program, the last may be a branch of it
        step = frame.f_globals[STEP_AT](line)
        told = error if isinstance(error, MinigraphError) else ShapeError(f"{step and step.op}: {error}")
        return located(told, step.loc[-1] if step and step.loc else None)


def are_repeatable(steps: Sequence[Step]) -> bool:
    """Whether steps may run twice without anybody noticing: they have no effects, and no bodies that might have some.

    What is stored is stored when everything was computed.
    """
    if any(op.family == "region" or (op.effects and not op.stores) for op in ops_of(steps)):
        return False
    return not any("bodies" in step.attrs for step in steps if step.attrs)


def compile_graph(graph: Graph) -> Program:
    """The program of a graph.

    >>> from minigraph import Tensor
    >>> from minigraph.capture.trace import trace
    >>> program = compile_graph(trace(lambda x: x * x + x, Tensor([1.0, 2.0])))
    >>> program(np.array([3.0, 4.0], np.float32))
    [array([12., 20.], dtype=float32)]
    """
    return Program(graph)
