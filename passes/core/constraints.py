"""What passes ask of the passes before them, checked when a pipeline is built.

``requires`` are facts that a pass before has to provide, ``after`` are passes that must not come later when
they are in the pipeline at all. Every error names both sides; no pipeline is reordered silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minigraph.core.errors import UsageError
from passes.core.registry import PASSES, Pass


class Constraint(NamedTuple):
    """``late`` has to run after ``early``, for the reason given."""

    late: Pass
    early: Pass
    why: str

    def __str__(self) -> str:
        return f"'{self.late.name}' {self.why} ({self.late.loc})"


def check_order(passes: Sequence[Pass]) -> None:
    """Raise ``UsageError`` for passes that stand before what they need, showing every constraint involved.

    A circle of constraints, which no order satisfies, is told as such.
    """
    circle = _find_cycle(list(constraints(passes)))
    if circle:
        shown = ", and ".join(map(str, circle))
        raise UsageError(f"pipeline: no order suits all of its passes: {shown}; drop one of these constraints")
    provided: set[str] = set()
    seen: set[str] = set()
    for step in passes:
        _check_pass(step, passes, provided, seen)
        provided.update(step.provides)
        seen.add(step.name)


def _check_pass(step: Pass, passes: Sequence[Pass], provided: set[str], seen: set[str]) -> None:
    for fact in step.requires:
        if fact not in provided:
            givers = [other for other in PASSES.values() if fact in other.provides]
            told = ", ".join(f"'{giver.name}' provides it ({giver.loc})" for giver in givers) or "no pass provides it"
            what = f"'{step.name}' requires '{fact}' ({step.loc}), which nothing before it provides"
            raise UsageError(f"pipeline: {what}; {told}{', put it before' if givers else ''}")
    for name in step.after:
        early = next((other for other in passes if other.name == name), None)
        if early is not None and name not in seen:
            what = f"'{step.name}' runs after '{name}' ({step.loc}), but stands before '{name}' ({early.loc})"
            raise UsageError(f"pipeline: {what}; write ...,{name},...,{step.name}")


def constraints(passes: Sequence[Pass]) -> Iterator[Constraint]:
    """Every constraint between two passes of a pipeline, each once."""
    known = {step.name: step for step in passes}
    givers: dict[str, list[Pass]] = {}
    for step in known.values():
        for fact in step.provides:
            givers.setdefault(fact, []).append(step)
    for step in known.values():
        yield from (Constraint(step, known[name], f"runs after '{name}'") for name in step.after if name in known)
        for fact in step.requires:
            if len(givers.get(fact, ())) == 1:  # with a choice of givers, another one may come first
                (giver,) = givers[fact]
                yield Constraint(step, giver, f"requires '{fact}', which '{giver.name}' provides")


def _find_cycle(edges: Sequence[Constraint]) -> list[Constraint]:
    """Constraints that lead from a pass back to itself; none when there are no such."""
    waits: dict[str, list[Constraint]] = {}
    for edge in edges:
        waits.setdefault(edge.late.name, []).append(edge)
    while True:  # take away who waits for nobody that waits
        idle = [name for name, own in waits.items() if not any(edge.early.name in waits for edge in own)]
        if not idle:
            break
        for name in idle:
            del waits[name]
    walk: dict[str, Constraint] = {}
    name = min(waits, default="")
    while name and name not in walk:
        walk[name] = next(edge for edge in waits[name] if edge.early.name in waits)
        name = walk[name].early.name
    names = list(walk)
    return [walk[n] for n in names[names.index(name) :]] if name else []
