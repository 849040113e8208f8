"""A limit for the iterations of loops, for programs that are run on generated inputs; by default there is none."""

from __future__ import annotations

from contextvars import ContextVar

from minigraph.core.errors import IterationLimitError
from minigraph.core.scope_guard import VariableBlock


class _Budget:
    """The remaining iterations of all loops together."""

    def __init__(self, limit: int) -> None:
        self.limit = self.remaining = limit


_budget: ContextVar[_Budget | None] = ContextVar("iterations", default=None)  # None: no limit


def limit_iterations(limit: int) -> VariableBlock:
    """Inside the block, more than ``limit`` iterations of all loops together raise ``IterationLimitError``."""
    return VariableBlock(_budget, _Budget(limit))


def count_iteration() -> None:
    """Count one iteration of a loop; raises ``IterationLimitError`` beyond the limit.

    >>> with limit_iterations(1):
    ...     count_iteration()
    """
    budget = _budget.get()
    if budget is None:
        return
    budget.remaining -= 1
    if budget.remaining < 0:
        text = f"while_loop: still running after {budget.limit:,} iterations"
        raise IterationLimitError(f"{text}; give inputs on which it terminates")
