"""``for i in range(n)`` with tensors for bounds: such a loop is translated again, as a ``while`` that counts.

Most loops have Python numbers for bounds and are unrolled, so that ``layers[i]`` is a layer. That a bound is a
tensor shows when it is asked: then the place is remembered, and capturing starts again.
"""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import DTypeError, TraceError, UsageError
from minigraph.core.location import Loc, located, user_loc
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor

Place = tuple[int, int]  # line and column

_counting: dict[str, set[Place]] = {}  # by file, the ranges that had tensors for bounds


class CountsByTensor(TraceError):
    """A ``range`` was asked for with a tensor that has no value yet, at ``place``."""

    place: Loc | None = None


def counting_in(file: str) -> frozenset[Place]:
    """The places of a file where a loop counts by tensors."""
    return frozenset(_counting.get(file, ()))


def counts_from_now_on(error: CountsByTensor) -> bool:
    """Remember the place of an error; whether that is news, so that trying again may help."""
    place = error.place
    if place is None or (place.line, place.start) in _counting.setdefault(place.file, set()):
        return False
    _counting[place.file].add((place.line, place.start))
    return True


def users_range(*bounds: Any) -> range:
    """What ``range`` is in translated code; raises ``CountsByTensor`` for a tensor whose value is not known."""
    try:
        return range(*bounds)
    except TraceError as error:
        told = CountsByTensor(str(error))
        told.place = user_loc()
        raise told from None


# ---- what the loop calls -------------------------------------------------------------------------------


def bounds(*given: Any) -> tuple[Any, Any, Any]:
    """Where a loop starts, ends, and its step, from the arguments of ``range``; tensors if one of them is.

    Raises ``TypeError`` for what is no integer, ``ValueError`` for a step of 0.
    """
    start, end, step = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
    kinds = [bound.dtype for bound in (start, end, step) if isinstance(bound, Tensor)]
    for bound in (start, end, step):
        if isinstance(bound, Tensor) and (bound.dtype.kind != "i" or bound.shape):
            text = f"range: its bounds are integers, got {bound.type}; cast them with x.astype(ms.int32)"
            raise located(DTypeError(text))
    if isinstance(step, int) and step == 0:
        raise located(UsageError("range: the step is 0; give another one"))
    if not kinds:
        return start, end, step
    start, end = (_as(kinds[0], bound) for bound in (start, end))
    return start, end, step if isinstance(step, int) else _as(kinds[0], step)


def _as(dtype: Any, bound: Any) -> Any:
    return apply("cast", bound, dtype=dtype) if isinstance(bound, Tensor) else Tensor(bound, dtype)


def more(at: Any, end: Any, step: Any) -> Any:
    """Whether a loop goes on at ``at``.

    >>> more(2, 3, 1), more(3, 3, 1), more(2, 3, -1)
    (True, False, False)
    """
    if not isinstance(step, Tensor):
        return at < end if step > 0 else at > end
    return apply("where", step > 0, at < end, at > end)
