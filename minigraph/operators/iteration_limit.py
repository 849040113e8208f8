"""How often loops may go round: for ever, unless somebody who runs programs on made-up inputs says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from minigraph.core.errors import EndlessLoop


class _Budget:
    """The rounds that are left, of all loops together."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most


_budget: ContextVar[_Budget | None] = ContextVar("rounds", default=None)  # None: nobody counts


@contextmanager
def bounded_rounds(most: int) -> Iterator[None]:
    """Loops inside that go round more often than ``most`` times together raise ``EndlessLoop``."""
    token = _budget.set(_Budget(most))
    try:
        yield
    finally:
        _budget.reset(token)


def count_round() -> None:
    """One more round of a loop; raises ``EndlessLoop`` when it is one too many.

    >>> with bounded_rounds(1):
    ...     count_round()
    """
    budget = _budget.get()
    if budget is None:
        return
    budget.left -= 1
    if budget.left < 0:
        raise EndlessLoop(f"while_loop: still running after {budget.most:,} rounds; give inputs on which it ends")
