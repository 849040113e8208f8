"""Certainty of gradients while a graph is captured: whether a cotangent reaches a tensor whichever branch runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from minigraph.core.autodiff.differentiability import REMEDY, Cut, Cuts
from minigraph.core.autodiff.entry import Entry
from minigraph.core.errors import CaptureError
from minigraph.core.location import expression_text, user_loc
from minigraph.core.tensor import Tensor

if TYPE_CHECKING:
    from minigraph.core.autodiff.tape import Tape


class Flow(NamedTuple):
    """What a captured branch or loop passes to an operand: a cotangent in some runs, in all, and a cut in others."""

    is_reached: bool
    is_certain: bool
    cut: Cut | None


NO_FLOW = Flow(False, False, None)


class EntryFlows:
    """The flows into the operands of one call; of other calls than branches and loops, those of its results."""

    def __init__(self, tape: Tape, entry: Entry) -> None:
        self._tape, self._entry, self._cuts = tape, entry, tape.cuts
        reached = {k: out for k, out in enumerate(entry.outs) if tape.sum_of(out) is not None}
        self._is_certain = not self._cuts.uncertain or not self._cuts.uncertain.issuperset(reached.values())
        flows = getattr(entry.op.vjp, "flows", None) if entry.read is None else None
        self._flows = None if flows is None else flows(tuple(reached), **entry.attrs)

    def record_flow(self, position: int, cotangent: Tensor | None) -> bool:
        """Note how cotangents flow into an operand; returns whether a branch or loop passes one."""
        source = self._entry.sources[position]
        is_first = self._tape.sum_of(source) is None
        flow = Flow(cotangent is not None, True, None) if self._flows is None else self._flows[position]
        if flow.cut is not None:
            self._cuts.marks.setdefault(source, flow.cut._replace(is_certain=False))
        if flow.is_reached and self._is_certain and flow.is_certain:
            self._cuts.uncertain.discard(source)
        elif flow.is_reached and is_first:
            self._cuts.uncertain.add(source)
        return self._flows is None or flow.is_reached or not is_first


def refuse_uncertain(cuts: Cuts, targets: Iterable[tuple[str, Any, Any]]) -> None:
    """Raise ``CaptureError`` for a gradient that only some runs of a graph have, since a graph cannot warn of it.

    ``targets``: the name of each, its tensor, and its gradient or ``None``.
    """
    for name, tensor, gradient in targets:
        is_zero = gradient is None and isinstance(tensor, Tensor)
        cut = cuts.marks.get(tensor) if is_zero or (gradient is not None and tensor in cuts.uncertain) else None
        if cut is not None and not (is_zero and cut.is_certain):
            what = f"grad: whether {name} has a gradient depends on a branch or loop, for the {cut.type} value"
            raise CaptureError(f"{what}{expression_text(cut.loc or user_loc())} is not differentiable; {REMEDY}")
