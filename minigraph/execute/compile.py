"""Compilation of a graph to a straight-line Python function over preassigned buffers.

Graph -> steps (``steps``) -> buffers (``memory``) -> source text (``codegen``) -> function. This module runs the
phases and calls the function: it provides buffers, reads and writes Parameters, and explains errors.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigraph.core.errors import MinigraphError, ShapeError, UsageError
from minigraph.core.lazy import cached_property, resolve
from minigraph.core.location import with_location
from minigraph.core.scope_guard import call_ignoring_float_errors, parameter_lock, reraise_handler_error
from minigraph.core.seams import current_implementation
from minigraph.core.tensor import Parameter
from minigraph.core.tensor.eager import OPERAND_ERRORS
from minigraph.execute.codegen import STEP_AT, SourceText
from minigraph.execute.commit import set_arrays
from minigraph.execute.idle_buffers import IDLE_BUFFERS
from minigraph.execute.memory import arrays_of, assign_buffers
from minigraph.execute.plan import Inliner, Plan
from minigraph.ir.graph import Graph

if TYPE_CHECKING:
    from minigraph.capture.parameter_types import ParameterTypesGuard
    from minigraph.execute.live_ranges import LiveRange

Arrays = Sequence[np.ndarray]


class Program:
    """An executable graph: called with the input arrays, it returns the output arrays.

    Parameters are read when the call starts and written after everything has been computed: all of them, or none if
    anything raises. Several threads may call at once; each call has its own buffers and sees Parameters before or
    after another call's update, never between. ``graph`` is the compiled graph, ``plan`` its steps and buffers,
    ``source`` its text; ``guards`` check that it still matches the Parameters; ``keys`` and ``stored_keys`` name those
    that it reads and stores.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.plan = graph, self.make_plan(graph)
        self._text = self.generate_source()
        self.source, self.functions = self._text.text, self._text.functions()
        self.keys = [source.payload for source in self.plan.sources if source.role == "parameter"]
        self.stored_keys = [*self.plan.stored]
        self._arity = len(graph.inputs)
        self.idle_buffers: list[list[np.ndarray]] = []  # sets of buffers that no call is using

    @cached_property
    def _parameters(self) -> list[Parameter]:
        """The Parameters it reads; resolved late, because a graph parsed from text has none, but can be compiled."""
        return [self.graph.params[key] for key in self.keys]

    @cached_property
    def stored_parameters(self) -> list[Parameter]:
        """The Parameters that it stores to."""
        return [self.graph.params[key] for key in self.stored_keys]

    @cached_property
    def guards(self) -> list[ParameterTypesGuard]:
        """The assumptions of the program about its Parameters."""
        return list(resolve("minigraph.capture.parameter_types:guards_of")(self._parameters))

    def make_plan(self, graph: Graph) -> Plan:
        """The plan of a graph: its steps, and their buffers."""
        plan = Plan()
        Inliner(plan).append_whole(graph)
        assign_buffers(plan)
        return plan

    def generate_source(self) -> SourceText:
        """The source text of the plan."""
        return SourceText(self.plan)

    def live_ranges(self) -> dict[int, LiveRange]:
        """The live range and the size of each value that a step computes."""
        return dict(resolve("minigraph.execute.live_ranges:live_ranges")(self.plan))

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """Compute the output arrays for these input arrays; Parameters are written at the end.

        Raises ``UsageError`` for a wrong number of arrays, and the errors of operators with the user's line.
        """
        if len(arrays) != self._arity:
            raise UsageError(f"the program takes {self._arity} arrays, got {len(arrays)}")
        idle, is_new = self.idle_buffers, False
        try:
            buffers = idle.pop()
        except IndexError:
            IDLE_BUFFERS.make_room(self)
            buffers, is_new = self.fresh_buffers(), True
        try:
            outs, stored = self.run(arrays, self._read() if self._parameters else [], buffers)
        except (*OPERAND_ERRORS, MinigraphError) as error:
            reraise_handler_error(error)
            raise self._explain(error) from None
        if self.stored_parameters:
            with parameter_lock:
                self.commit(stored)
        idle.append(buffers)
        if is_new:
            IDLE_BUFFERS.limit(self)
        return outs

    def fresh_buffers(self) -> list[np.ndarray]:
        """A new set of buffers, for one more concurrent call."""
        return arrays_of(self.plan.buffers, self._text.slots)

    def _read(self) -> list[np.ndarray]:
        """The values of the Parameters."""
        with parameter_lock:
            return [parameter.array for parameter in self._parameters]

    def run(self, inputs: Arrays, parameters: list[np.ndarray], buffers: list[np.ndarray]) -> Any:
        """The outputs, and the new values of Parameters; inf and nan are ordinary values."""
        return call_ignoring_float_errors(self.functions["run"], inputs, parameters, buffers)

    def commit(self, stored: Arrays) -> None:
        """Assign the Parameters their new values."""
        set_arrays(self.stored_parameters, stored)

    def _explain(self, error: Exception) -> MinigraphError:
        """The error, with the operator of the failed step and the user's line."""
        frames = [pair for pair in traceback.walk_tb(error.__traceback__) if STEP_AT in pair[0].f_globals]
        frame, line = frames[-1]  # the first is this program, the last may be the program of a branch
        step = frame.f_globals[STEP_AT](line)
        explained = error if isinstance(error, MinigraphError) else ShapeError(f"{step and step.op}: {error}")
        return with_location(explained, step.loc[-1] if step and step.loc else None)


def compile_graph(graph: Graph) -> Program:
    """Compile a graph to a program.

    >>> from minigraph import Tensor
    >>> from minigraph.capture.trace import trace
    >>> program = compile_graph(trace(lambda x: x * x + x, Tensor([1.0, 2.0])))
    >>> program(np.array([3.0, 4.0], np.float32))
    [array([12., 20.], dtype=float32)]
    """
    return current_implementation("program", Program)(graph)
