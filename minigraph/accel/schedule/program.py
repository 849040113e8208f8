"""Compiled programs as fast as numpy allows: scheduled, cut into pieces, on threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.accel.schedule.buffers import arrays_of
from minigraph.accel.schedule.plan import planned
from minigraph.accel.schedule.tiled_memory import lifetimes
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.accel.schedule.tiled_source import TiledSource
from minigraph.core.tensor.eager import LOUD
from minigraph.execute import compile as plain
from minigraph.execute.memory import Lifetime
from minigraph.execute.steps import Step, ops_of
from minigraph.ir.graph import Graph

Arrays = Sequence[np.ndarray]


class Program(plain.Program):
    """An executable graph, accelerated."""

    plan: TiledPlan

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._function, self._views = self.functions["run"], self.functions.get("views", list)
        self._loud: tuple[type[Exception], ...] = LOUD if are_repeatable(self.plan.steps) else ()

    def planned(self, graph: Graph) -> TiledPlan:
        """The steps of a graph in the order and the memory that suit the processor."""
        return planned(graph)

    def written(self) -> TiledSource:
        """The text of the plan."""
        return TiledSource(self.plan)

    def lifetimes(self) -> dict[int, Lifetime]:
        """From when to when each value that a step makes is alive, and how large it, or a piece of it, is."""
        return lifetimes(self.plan)

    def fresh_buffers(self) -> list[np.ndarray]:
        """Buffers for one more call at the same time, and what is the same at every call: views of them."""
        found: list[np.ndarray] = self._views(arrays_of(self.plan.buffers, self._text.slots))
        return found

    def run(self, inputs: Arrays, parameters: list[np.ndarray], buffers: list[np.ndarray]) -> Any:
        """What the caller gets, and what is needed to give Parameters their new values.

        To tell numpy to be silent takes as long as operators, so it is told when it said something of inf and nan.
        """
        if self._loud:
            try:
                return self._function(inputs, parameters, buffers)
            except self._loud:
                pass
        return super().run(inputs, parameters, buffers)


def are_repeatable(steps: Sequence[Step]) -> bool:
    """Whether steps may run twice without anybody noticing: they have no effects, and no bodies that might have some.

    What is stored is stored when everything was computed.
    """
    if any(op.family == "region" or (op.effects and not op.stores) for op in ops_of(steps)):
        return False
    return not any("bodies" in step.attrs for step in steps if step.attrs)
