"""Finding the first bad step of a run by halving."""

from __future__ import annotations

from collections.abc import Callable


def first_bad(count: int, bad: Callable[[int], bool]) -> int:
    """The least k for which ``bad(k)``, given that ``bad(0)`` is false and ``bad(count)`` is true; neither is asked.

    At most log2(count) questions, rounded up. Where more than one step makes a change from good to bad, it is one
    of them.

    >>> asked = []
    >>> first_bad(1000, lambda k: asked.append(k) or k >= 349), len(asked)
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
