"""Binary search for the first bad step of a run."""

from __future__ import annotations

from collections.abc import Callable


def first_bad(count: int, bad: Callable[[int], bool]) -> int:
    """The least k with ``bad(k)``; ``bad(0)`` must be false and ``bad(count)`` true, neither is called.

    At most log2(count) calls, rounded up. If several steps change good to bad, the result is one of them.

    >>> calls = []
    >>> first_bad(1000, lambda k: calls.append(k) or k >= 349), len(calls)
    (349, 10)
    """
    good = 0
    while count - good > 1:
        middle = (good + count) // 2
        if bad(middle):
            count = middle
        else:
            good = middle
    return count
