"""A limit on the number of passes and rewrites of a run, for bisection.

Every pass and every rewrite asks for permission before it happens and is counted, as with LLVM's ``-opt-bisect-limit``
and debug counters. Pipelines are deterministic, so a run with limit k does exactly the first k steps of the full run.
``passes.bisection`` finds the first wrong step by binary search over k.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple

from minigraph.core.location import Loc
from minigraph.core.scope_guard import VariableBlock
from minigraph.ir.graph import Graph

LIMIT_REACHED = "limit"  # the reason in the statistics for rewrites that the limit prevented


class RewriteEvent(NamedTuple):
    """One step of a run: the start of a pass (``rule`` is empty), or a rewrite, with its node and its locations.

    ``first_edit`` is the position of its first edit in the graph's journal.
    """

    by: str
    rule: str = ""
    loc: str = ""
    node: int = -1
    locations: tuple[Loc, ...] = ()
    first_edit: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The user's lines of the node, such as ``net.py:12``, each once."""
        return tuple(dict.fromkeys(map(str, self.locations)))

    def __str__(self) -> str:
        if not self.rule:
            return f"pass '{self.by}'"
        where = f" ({', '.join(self.lines)})" if self.lines else ""
        rule = f"rule '{self.rule}'" + (f" ({self.loc})" if self.loc else "")
        return f"{rule} at %{self.node}{where} in pass '{self.by}'"


class RewriteLimit:
    """Permits the first ``limit`` steps (``None``: all) and records them."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.steps: list[RewriteEvent] = []

    @property
    def count(self) -> int:
        """The number of steps permitted so far."""
        return len(self.steps)

    @property
    def last_step(self) -> RewriteEvent | None:
        """The last permitted step."""
        return self.steps[-1] if self.steps else None

    @property
    def is_reached(self) -> bool:
        """Whether no further step is permitted."""
        return self.limit is not None and self.count >= self.limit

    def admit(self, step: RewriteEvent) -> bool:
        """Whether this step is permitted; if so, it is counted."""
        if self.is_reached:
            return False
        self.steps.append(step)
        return True

    def retract(self) -> None:
        """Uncount the last step, which did not happen after all."""
        self.steps.pop()


_active_limit: ContextVar[RewriteLimit | None] = ContextVar("rewrite limit", default=None)


def limit_rewrites(limit: RewriteLimit) -> VariableBlock:
    """Apply this limit to every step inside the block."""
    return VariableBlock(_active_limit, limit)


def should_rewrite(graph: Graph, rule: str, node: int, loc: str = "") -> bool:
    """Whether a rewrite at a node is permitted, which counts it; always true outside of ``limit_rewrites``."""
    limit = _active_limit.get()
    if limit is None:
        return True
    first_edit = len(graph.journal) if graph.journal is not None else 0
    return limit.admit(RewriteEvent(graph.by, rule, loc, node, graph.loc(node), first_edit))


def retract_rewrite() -> None:
    """Uncount the rewrite just permitted: it was rejected and changed nothing."""
    limit = _active_limit.get()
    if limit is not None:
        limit.retract()


def permitted_steps() -> list[RewriteEvent]:
    """The steps permitted so far; empty outside of ``limit_rewrites``."""
    limit = _active_limit.get()
    return limit.steps if limit is not None else []


def should_run_pass(name: str) -> bool:
    """Whether a pass may run, which counts it; always true outside of ``limit_rewrites``."""
    limit = _active_limit.get()
    return limit is None or limit.admit(RewriteEvent(name))
