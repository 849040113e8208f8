"""Limits of Python code in the traced body of a branch or a loop, which may be code that never runs, and never ends.

Loops and calls of translated code are counted here, calls of other code by ``call_monitor``. Iterators of Python's that
have no end are not given to functions in C, which nothing could interrupt.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from minigraph.capture.body import IN_BODY, BodyTracing
from minigraph.capture.object_state import read_iterator
from minigraph.capture.structure import unknown_state
from minigraph.core.op import current_interpreter

MAX_ITERATIONS = 10_000  # of Python's loops in one body
MAX_CALLS = 100_000  # of the program's functions in one body; an iteration has several, and resumes generators
ENDLESS = (itertools.count, itertools.cycle, type(iter(int, 1)))
REMEDY = "bound the loops, or run them outside of @jit"


def count_iteration(interpreter: object) -> None:
    """Raise ``UnknownState`` if Python loops in a body do not seem to end."""
    if isinstance(interpreter, BodyTracing):
        interpreter.iterations += 1
        if interpreter.iterations > MAX_ITERATIONS:
            raise unknown_state(f"Python loops run more than {MAX_ITERATIONS:,} iterations {IN_BODY}", REMEDY)


def calls_too_often(interpreter: object) -> bool:
    """Count a call of the program's; returns whether a body has too many."""
    if not isinstance(interpreter, BodyTracing):
        return False
    interpreter.calls += 1
    return interpreter.calls > MAX_CALLS


def call_with_end(fn: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """The result of a function in C; raises ``UnknownState`` if it takes or gives an iterator without end in a body."""
    _check_ends((*args, *kwargs.values()))
    result = fn(*args, **kwargs)
    _check_ends([result])
    return result


def _check_ends(values: Any) -> None:
    if isinstance(current_interpreter(), BodyTracing) and any(map(is_endless, values)):
        raise unknown_state(f"an iterator without end is used {IN_BODY}", REMEDY)


def is_endless(value: object) -> bool:
    """Whether an iterator of Python's has no end, as far as that is known.

    >>> [is_endless(it) for it in (itertools.count(), zip(itertools.repeat(1)), itertools.repeat(1, 2), [1])]
    [True, True, False, False]
    """
    if not isinstance(value, Iterator):
        return False
    parts = read_iterator(value)
    return isinstance(value, ENDLESS) or (
        len(parts) == 2 if isinstance(value, itertools.repeat) else any(map(is_endless, parts))
    )
