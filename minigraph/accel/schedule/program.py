"""Accelerated programs: scheduled, tiled, on threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.accel.schedule.buffers import allocate_buffers
from minigraph.accel.schedule.plan import make_plan
from minigraph.accel.schedule.tiled_memory import lifetimes
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.accel.schedule.tiled_source import TiledSource
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor.eager import FLOAT_ERRORS
from minigraph.core.types import bfloat16
from minigraph.execute import compile as reference
from minigraph.execute.live_ranges import LiveRange
from minigraph.execute.plan import Step, ops_of
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import GraphReader

Arrays = Sequence[np.ndarray]


class Program(reference.Program):
    """An executable graph, accelerated."""

    plan: TiledPlan

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._function, self._views = self.functions["run"], self.functions.get("views", list)
        self._loud: tuple[type[Exception], ...] = FLOAT_ERRORS if are_repeatable(self.plan.steps) else ()

    def make_plan(self, graph: Graph) -> TiledPlan:
        """The accelerated schedule of a graph."""
        return make_plan(graph)

    def generate_source(self) -> TiledSource:
        """The text of the plan."""
        return TiledSource(self.plan)

    def live_ranges(self) -> dict[int, LiveRange]:
        """The live range of each value that a step computes, and its size (or the size of its tile) in bytes."""
        return lifetimes(self.plan)

    def fresh_buffers(self) -> list[np.ndarray]:
        """Buffers for one more concurrent call, and the constant views of them."""
        buffers: list[np.ndarray] = self._views(allocate_buffers(self.plan.buffers, self._text.slots))
        return buffers

    def run(self, inputs: Arrays, parameters: list[np.ndarray], buffers: list[np.ndarray]) -> Any:
        """The values that are returned, and the new values of Parameters.

        Setting ``np.errstate`` takes as long as some operators. So a program that may run twice is run without it
        first, and again with it after a warning about inf or nan.
        """
        if self._loud:
            try:
                return self._function(inputs, parameters, buffers)
            except self._loud as error:
                reraise_handler_error(error)
        return super().run(inputs, parameters, buffers)


def make_program(graph: Graph) -> reference.Program:
    """The program of a graph: accelerated unless it computes in a dtype that the accelerated kernels lack."""
    return reference.Program(graph) if has_emulated_values(graph) else Program(graph)


def has_emulated_values(graph: GraphReader) -> bool:
    """Whether a value of a graph or of its fused nodes is bfloat16."""
    for node in graph.node_map():
        for type in graph.types(node):
            if type.dtype is bfloat16:
                return True
        if graph.op(node).role == "fused" and has_emulated_values(graph.regions(node)[0]):
            return True
    return False


def are_repeatable(steps: Sequence[Step]) -> bool:
    """Whether steps may be run twice: none has effects, or bodies that might have effects.

    Stores to Parameters do not count: they happen after the run.
    """
    if any(op.family == "region" or (op.effects and not op.stores) for op in ops_of(steps)):
        return False
    return not any("bodies" in step.attrs for step in steps if step.attrs)
