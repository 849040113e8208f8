"""What several operators compute first of the same operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Common(NamedTuple):
    """The first part of a forward that others share: a program that has several of them computes it once.

    ``make`` is called with the operands at the positions ``of`` and the attributes ``attrs``;
    ``rest(made, *operands, **attrs)`` does what remains of the forward.
    """

    make: Callable[..., Any]
    of: tuple[int, ...]
    attrs: tuple[str, ...]
    rest: Callable[..., Any]
