"""Counting rewrites as they are about to happen, and letting only the first so many through.

A run with the limit k does exactly what the first k steps of the full run do, because nothing else in a
pipeline depends on chance. So the first bad rewrite of a run is found by halving (``passes.bisection``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from minigraph.ir.graph import Graph

LIMIT_REACHED = "limit"  # why a rewrite did not happen when the gate was shut


class Step(NamedTuple):
    """One step of a run: a pass that begins (``rule`` is empty), or a rewrite, with the node and its user lines.

    ``start`` is how long the graph's journal was then.
    """

    by: str
    rule: str = ""
    loc: str = ""
    node: int = -1
    lines: tuple[str, ...] = ()
    start: int = 0

    def __str__(self) -> str:
        if not self.rule:
            return f"pass '{self.by}'"
        where = f" ({', '.join(self.lines)})" if self.lines else ""
        rule = f"rule '{self.rule}'" + (f" ({self.loc})" if self.loc else "")
        return f"{rule} at %{self.node}{where} in pass '{self.by}'"


class RewriteLimit:
    """Lets the first ``limit`` steps through (``None``: all) and remembers those that passed."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.steps: list[Step] = []

    @property
    def passed(self) -> int:
        """How many steps passed."""
        return len(self.steps)

    @property
    def last(self) -> Step | None:
        """The last step that passed."""
        return self.steps[-1] if self.steps else None

    @property
    def shut(self) -> bool:
        """Whether no further step may pass."""
        return self.limit is not None and self.passed >= self.limit

    def opens(self, step: Step) -> bool:
        """Whether this step may happen; it is then counted."""
        if self.shut:
            return False
        self.steps.append(step)
        return True

    def retract(self) -> None:
        """The last step was not taken after all."""
        self.steps.pop()


_active_limit: ContextVar[RewriteLimit | None] = ContextVar("gate", default=None)


@contextmanager
def limit_rewrites(gate: RewriteLimit) -> Iterator[RewriteLimit]:
    """Ask this gate before every step inside the block."""
    token = _active_limit.set(gate)
    try:
        yield gate
    finally:
        _active_limit.reset(token)


def should_rewrite(graph: Graph, rule: str, node: int, loc: str = "") -> bool:
    """Whether a rewrite at a node may happen; always outside of ``gated``."""
    gate = _active_limit.get()
    if gate is None:
        return True
    lines = tuple(dict.fromkeys(map(str, graph.loc(node))))
    return gate.opens(Step(graph.by, rule, loc, node, lines, len(graph.journal or ())))


def retract_rewrite() -> None:
    """The rewrite just permitted was refused, with nothing changed."""
    gate = _active_limit.get()
    if gate is not None:
        gate.retract()


def steps_taken() -> list[Step]:
    """The steps that passed the gate so far; none outside of ``gated``."""
    gate = _active_limit.get()
    return gate.steps if gate is not None else []


def should_run_pass(name: str) -> bool:
    """Whether a pass may begin; always outside of ``gated``."""
    gate = _active_limit.get()
    return gate is None or gate.opens(Step(name))
