"""A limit for the iterations of loops, for programs that are run on generated inputs; by default there is none."""

from __future__ import annotations

from contextvars import ContextVar

from minigraph.core.errors import EndlessLoop
from minigraph.core.scope_guard import VariableBlock


class _Budget:
    """The remaining iterations of all loops together."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most


_budget: ContextVar[_Budget | None] = ContextVar("iterations", default=None)  # None: no limit


def limit_iterations(most: int) -> VariableBlock:
    """Inside the block, more than ``most`` iterations of all loops together raise ``EndlessLoop``."""
    return VariableBlock(_budget, _Budget(most))


def count_iteration() -> None:
    """Count one iteration of a loop; raises ``EndlessLoop`` beyond the limit.

    >>> with limit_iterations(1):
    ...     count_iteration()
    """
    budget = _budget.get()
    if budget is None:
        return
    budget.left -= 1
    if budget.left < 0:
        text = f"while_loop: still running after {budget.most:,} iterations"
        raise EndlessLoop(f"{text}; give inputs on which it terminates")
