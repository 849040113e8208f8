"""Plans with what the reference has not: runs that go piece by piece, updates in place, views made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from minigraph.core.types import Shape, TensorType
from minigraph.execute.steps import Plan, Step

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
    than a piece, ``copies`` by buffer and thread what the other threads of a run use instead of a buffer. ``updates``
    are the last of the blocks, which write over Parameters when everything else has been computed; what they make lies
    in a Parameter's memory. ``over`` says of values inside of blocks in which result's memory they lie before it,
    ``instead`` of results what dies where they lie. ``places`` are by value the view that it is written into; ``still``
    are results that are the same arrays at every call, views of buffers and of constants; ``kernels`` are, by results
    of a step, what does the same as its forward without looking at its operands; ``outer`` the inputs and Parameters
    that they take to be in C order.
    """

    blocks: list[Block] = field(default_factory=list)
    updates: list[Block] = field(default_factory=list)
    over: dict[int, int] = field(default_factory=dict)
    instead: dict[int, int] = field(default_factory=dict)
    inner: set[int] = field(default_factory=set)
    copies: dict[tuple[int, int], int] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)
    still: set[int] = field(default_factory=set)
    outer: set[int] = field(default_factory=set)
    kernels: dict[tuple[int, ...], Callable[..., Any]] = field(default_factory=dict)

    @property
    def late(self) -> list[Step]:
        """The steps of ``updates``."""
        return self.steps[self.updates[0].first :] if self.updates else []

    @property
    def updated(self) -> dict[str, int]:
        """What is stored by ``updates``."""
        made = {out for step in self.late for out in step.outs}
        return {key: value for key, value in self.stored.items() if value in made}

    @property
    def olds(self) -> dict[int, int]:
        """By value that a Parameter has before, what ``updates`` make of it."""
        updated = self.updated
        pairs = ((source.value, updated.get(source.payload)) for source in self.sources if source.role == "parameter")
        return {old: new for old, new in pairs if new is not None}

    @property
    def given(self) -> dict[str, int]:
        """What is stored otherwise: by giving Parameters other arrays."""
        updated = self.updated
        return {key: value for key, value in self.stored.items() if key not in updated}
