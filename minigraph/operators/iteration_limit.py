"""A limit for the iterations of loops, for programs that are run on generated inputs; by default there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from minigraph.core.errors import EndlessLoop


class _Budget:
    """The remaining iterations of all loops together."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most


_budget: ContextVar[_Budget | None] = ContextVar("iterations", default=None)  # None: no limit


@contextmanager
def limit_iterations(most: int) -> Iterator[None]:
    """Inside the block, more than ``most`` iterations of all loops together raise ``EndlessLoop``."""
    token = _budget.set(_Budget(most))
    try:
        yield
    finally:
        _budget.reset(token)


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
