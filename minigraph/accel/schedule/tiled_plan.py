"""Plans with what the reference has not: runs that go piece by piece, and views made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from minigraph.core.types import Shape, TensorType
from minigraph.execute.steps import Plan

Key = slice | tuple[int | slice, ...]  # numpy's


class Block(NamedTuple):
    """Steps ``first`` to ``last - 1``, all with results of one shape, to be computed ``rows`` at a time.

    ``threads`` share the pieces: each takes the next one as soon as it is done with another. Where the rows of the
    first axis are too large for a piece, its rows are those of axis ``depth``, one index at a time of those before.
    """

    first: int
    last: int
    shape: Shape
    rows: int
    threads: int = 1
    depth: int = 0

    @property
    def pieces(self) -> list[tuple[Key, slice]]:
        """For each piece, where it is in a whole tensor and where in one of ``rows``."""
        count, rows = self.shape[self.depth], self.rows
        cuts = [(slice(at, min(at + rows, count)), slice(0, min(rows, count - at))) for at in range(0, count, rows)]
        if not self.depth:
            return list(cuts)
        outer = product(*map(range, self.shape[: self.depth]))
        return [((*place, cut), some) for place in outer for cut, some in cuts]

    def part_of(self, type: TensorType) -> str:
        """What a piece takes of an operand of this type, as the text of an index on ``rows``; "" for all of it."""
        lacks = len(self.shape) - len(type.shape)
        if not lacks and type.shape[: self.depth + 1] == self.shape[: self.depth + 1]:
            return "[rows]"
        keys = [self._key(axis, type.shape[axis - lacks]) for axis in range(lacks, self.depth + 1)]
        return f"[{', '.join(keys)}]" if {*keys} - {":"} else ""

    def _key(self, axis: int, size: int) -> str:
        """The index on one axis of an operand that may be repeated along it."""
        if size != self.shape[axis]:
            return "0" if axis < self.depth else ":"
        return f"rows[{axis}]" if self.depth else "rows"

    def piece_of(self, type: TensorType) -> TensorType:
        """The type of a piece of a result."""
        return TensorType((self.rows, *type.shape[self.depth + 1 :]), type.dtype)


@dataclass
class TiledPlan(Plan):
    """A plan of which runs are computed piece by piece, and values may lie in each other's memory.

    ``blocks`` are the runs of steps that are computed piece by piece, ``inner`` the values of which there is never more
    than a piece, ``copies`` by buffer and thread what the other threads of a run use instead of a buffer. ``places``
    are by value the view that it is written into; ``still`` are results that are the same arrays at every call, views
    of buffers and of constants; ``kernels`` are, by results of a step, what does the same as its forward without
    looking at its operands; ``outer`` the inputs and Parameters that they take to be in C order.
    """

    blocks: list[Block] = field(default_factory=list)
    inner: set[int] = field(default_factory=set)
    copies: dict[tuple[int, int], int] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)
    still: set[int] = field(default_factory=set)
    outer: set[int] = field(default_factory=set)
    kernels: dict[tuple[int, ...], Callable[..., Any]] = field(default_factory=dict)
