"""Ordering constraints between passes, checked when a pipeline is built.

``requires`` names facts that an earlier pass must provide. ``after`` names passes that must run earlier if they are
in the pipeline at all. Every error names both passes. A pipeline is never reordered silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minigraph.core.errors import UsageError
from passes.core.registry import PASSES, Pass


class Constraint(NamedTuple):
    """``late`` must run after ``early``, for a ``reason``."""

    late: Pass
    early: Pass
    reason: str

    def __str__(self) -> str:
        return f"'{self.late.name}' {self.reason} ({self.late.loc})"


def check_order(passes: Sequence[Pass]) -> None:
    """Raise ``UsageError`` if a pass comes before a pass that it needs.

    A cycle of constraints, which no order satisfies, is reported with all of its constraints.
    """
    cycle = _find_cycle(list(constraints(passes)))
    if cycle:
        cycle_text = ", and ".join(map(str, cycle))
        raise UsageError(f"pipeline: no order of its passes satisfies: {cycle_text}; remove one of these constraints")
    provided: set[str] = set()
    seen: set[str] = set()
    for step in passes:
        _check_pass(step, passes, provided, seen)
        provided.update(step.provides)
        seen.add(step.name)


def _check_pass(step: Pass, passes: Sequence[Pass], provided: set[str], seen: set[str]) -> None:
    for fact in step.requires:
        if fact not in provided:
            providers = [other for other in PASSES.values() if fact in other.provides]
            names = ", ".join(f"'{item.name}' provides it ({item.loc})" for item in providers) or "no pass provides it"
            problem = f"'{step.name}' requires '{fact}' ({step.loc}), which no earlier pass provides"
            raise UsageError(f"pipeline: {problem}; {names}{', put it before' if providers else ''}")
    for name in step.after:
        early = next((other for other in passes if other.name == name), None)
        if early is not None and name not in seen:
            problem = f"'{step.name}' runs after '{name}' ({step.loc}), but comes before '{name}' ({early.loc})"
            raise UsageError(f"pipeline: {problem}; write ...,{name},...,{step.name}")


def constraints(passes: Sequence[Pass]) -> Iterator[Constraint]:
    """Every constraint between two passes of a pipeline, each once."""
    by_name = {step.name: step for step in passes}
    providers: dict[str, list[Pass]] = {}
    for step in by_name.values():
        for fact in step.provides:
            providers.setdefault(fact, []).append(step)
    for step in by_name.values():
        yield from (Constraint(step, by_name[name], f"runs after '{name}'") for name in step.after if name in by_name)
        for fact in step.requires:
            if len(providers.get(fact, ())) == 1:  # with several providers, any of them may come first
                (provider,) = providers[fact]
                yield Constraint(step, provider, f"requires '{fact}', which '{provider.name}' provides")


def _find_cycle(edges: Sequence[Constraint]) -> list[Constraint]:
    """The constraints of one cycle; empty if there is no cycle."""
    blocked: dict[str, list[Constraint]] = {}
    for edge in edges:
        blocked.setdefault(edge.late.name, []).append(edge)
    while True:  # remove passes that wait for no blocked pass (Kahn's algorithm)
        ready = [
            name
            for name, predecessors in blocked.items()
            if not any(edge.early.name in blocked for edge in predecessors)
        ]
        if not ready:
            break
        for name in ready:
            del blocked[name]
    path: dict[str, Constraint] = {}
    name = min(blocked, default="")
    while name and name not in path:
        path[name] = next(edge for edge in blocked[name] if edge.early.name in blocked)
        name = path[name].early.name
    names = list(path)
    return [path[n] for n in names[names.index(name) :]] if name else []
