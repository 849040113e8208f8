"""Certainty of gradients while a graph is captured: whether a cotangent reaches a tensor in every branch."""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.aliases import CallResult
from minigraph.core.autodiff.differentiability import Blocker, DiagnosticTape
from minigraph.core.autodiff.entry import Entry
from minigraph.core.tensor import Tensor


class GradientFlow(NamedTuple):
    """The flow from a captured branch or loop to an operand: a cotangent in some or all runs, or a blocker."""

    is_reached: bool
    is_certain: bool
    blocker: Blocker | None


NO_FLOW = GradientFlow(False, False, None)


class EntryFlows:
    """The flows into the operands of one call; for calls other than branches and loops, the flows of its results."""

    def __init__(self, tape: DiagnosticTape, entry: Entry, g: CallResult) -> None:
        self._entry, self._diagnostics = entry, tape.diagnostics
        self._unreached = {source for source in entry.sources if tape.sum_of(source) is None}
        parts = g if isinstance(entry.out, tuple) and g is not None else (g,) * len(entry.outs)
        reached = {k: out for k, (out, part) in enumerate(zip(entry.outs, parts, strict=True)) if part is not None}
        uncertain = tape.diagnostics.uncertain
        self._is_certain = not uncertain or not uncertain.issuperset(reached.values())
        flows = getattr(entry.op.vjp, "flows", None) if entry.read is None else None
        self._flows = None if flows is None else flows(tuple(reached), **entry.attrs)

    def record_flow(self, position: int, cotangent: Tensor | None) -> bool:
        """Note how cotangents flow into an operand; returns whether a branch or loop passes one."""
        source = self._entry.sources[position]
        is_first = source in self._unreached
        flow = GradientFlow(cotangent is not None, True, None) if self._flows is None else self._flows[position]
        if flow.blocker is not None:
            self._diagnostics.blockers.setdefault(source, flow.blocker._replace(is_certain=False))
        if flow.is_reached and self._is_certain and flow.is_certain:
            self._diagnostics.uncertain.discard(source)
        elif flow.is_reached and is_first:
            self._diagnostics.uncertain.add(source)
        if self._flows is None or not is_first:
            return True
        same = (other for other, tensor in zip(self._flows, self._entry.sources, strict=True) if tensor is source)
        return any(other.is_reached for other in same)
