"""``for i in range(n)`` with tensor bounds: such a loop is translated to a ``while`` with a counter.

Most loops have Python ints as bounds and are unrolled, so that ``layers[i]`` is a layer. That a bound is a tensor
shows only during tracing; then the position of the ``range`` is registered, and tracing starts again.
"""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import DTypeError, TraceError, UsageError
from minigraph.core.location import Loc, user_loc, with_location
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor

Place = tuple[int, int]  # line and column

_tensor_ranges: dict[str, set[Place]] = {}  # file -> the positions of ranges that had tensor bounds


class TensorRangeError(TraceError):
    """A ``range`` at ``loc`` was called with a tensor whose value is unknown."""

    loc: Loc | None = None
    is_retried = True  # with other code for the ``range``


def tensor_ranges_in(file: str) -> frozenset[Place]:
    """The positions of a file's ranges with tensor bounds."""
    return frozenset(_tensor_ranges.get(file, ()))


def register_tensor_range(error: TensorRangeError) -> bool:
    """Register the position of an error; returns whether it is new, so that translating again may help."""
    loc = error.loc
    if loc is None or (loc.line, loc.start) in _tensor_ranges.setdefault(loc.file, set()):
        return False
    _tensor_ranges[loc.file].add((loc.line, loc.start))
    return True


def checked_range(*bounds: Any) -> range:
    """``range`` in translated code; raises ``TensorRangeError`` for a tensor whose value is unknown."""
    try:
        return range(*bounds)
    except TraceError as error:
        tensor_range = TensorRangeError(str(error))
        tensor_range.loc = user_loc()
        raise tensor_range from None


# ---- runtime of translated loops -----------------------------------------------------------------------


def range_bounds(*args: object) -> tuple[Any, Any, Any]:
    """The start, end and step of a loop from the arguments of ``range``; all tensors if one is a tensor.

    Raises ``TypeError`` for a bound that is not an integer, ``ValueError`` for a step of 0.
    """
    start, end, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    dtypes = [bound.dtype for bound in (start, end, step) if isinstance(bound, Tensor)]
    for bound in (start, end, step):
        if isinstance(bound, Tensor) and (bound.dtype.kind != "i" or bound.shape):
            text = f"range: its bounds are integers, got {bound.type}; cast them with x.astype(ms.int32)"
            raise with_location(DTypeError(text))
    if isinstance(step, int) and step == 0:
        raise with_location(UsageError("range: the step is 0; give another one"))
    if not dtypes:
        return start, end, step
    start, end = (_cast(dtypes[0], bound) for bound in (start, end))
    return start, end, step if isinstance(step, int) else _cast(dtypes[0], step)


def _cast(dtype: Any, bound: Any) -> Any:
    return apply("cast", bound, dtype=dtype) if isinstance(bound, Tensor) else Tensor(bound, dtype)


def in_range(counter: object, end: Any, step: Any) -> Any:
    """Whether a loop continues with this counter.

    >>> in_range(2, 3, 1), in_range(3, 3, 1), in_range(2, 3, -1)
    (True, False, False)
    """
    if not isinstance(step, Tensor):
        return counter < end if step > 0 else counter > end
    return apply("where", step > 0, counter < end, counter > end)
