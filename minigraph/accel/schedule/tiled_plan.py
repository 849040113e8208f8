"""Plans of accelerated programs: steps with tiled groups, preallocated views, and kernels specialised on layouts.

A plan is data only. Its fields are filled in by the modules of this folder, in the order of ``plan.make_plan``, and
read by the code generator (``tiled_source``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from minigraph.core.aliases import Function
from minigraph.core.types import Shape, TensorType
from minigraph.execute.plan import Plan

Key = slice | tuple[int | slice, ...]  # numpy's


class TiledGroup(NamedTuple):
    """Steps ``first`` to ``last - 1``, all with results of one shape, computed in tiles of ``rows`` rows.

    ``threads`` share the tiles: each takes the next one when it has finished another. Where one row of the first axis
    is larger than a tile, the rows are those of axis ``depth``, and the loop goes over all indices of the axes before.
    """

    first: int
    last: int
    shape: Shape
    rows: int
    threads: int = 1
    depth: int = 0

    @property
    def tiles(self) -> list[tuple[Key, slice]]:
        """For each tile, its index in a whole tensor, and in a buffer of ``rows`` rows."""
        count, rows = self.shape[self.depth], self.rows
        cuts = [(slice(at, min(at + rows, count)), slice(0, min(rows, count - at))) for at in range(0, count, rows)]
        if not self.depth:
            return list(cuts)
        outer = product(*map(range, self.shape[: self.depth]))
        return [((*index, cut), part) for index in outer for cut, part in cuts]

    def operand_index(self, type: TensorType) -> str:
        """The text of the index, in terms of ``rows``, of a tile of an operand of this type; "" for all of it."""
        missing = len(self.shape) - len(type.shape)
        if not missing and type.shape[: self.depth + 1] == self.shape[: self.depth + 1]:
            return "[rows]"
        keys = [self._key(axis, type.shape[axis - missing]) for axis in range(missing, self.depth + 1)]
        return f"[{', '.join(keys)}]" if {*keys} - {":"} else ""

    def _key(self, axis: int, size: int) -> str:
        """The index on one axis of an operand, which may be broadcast along it."""
        if size != self.shape[axis]:
            return "0" if axis < self.depth else ":"
        return f"rows[{axis}]" if self.depth else "rows"

    def tile_type(self, type: TensorType) -> TensorType:
        """The type of a tile of a result."""
        return TensorType((self.rows, *type.shape[self.depth + 1 :]), type.dtype)


@dataclass
class TiledPlan(Plan):
    """A plan with tiled groups and values in preallocated memory.

    tiled_groups       the groups of steps that are tiled, in order
    tile_values        values of which only a tile exists at a time
    thread_buffers     by buffer and thread, the buffer that another thread of a group uses in its place
    preallocated       by value, the view that it is written into
    constant_views     values that are the same array at every call: views of buffers and of constants
    contiguous_inputs  inputs and Parameters that kernels assume to be in C order
    kernels            by results of a step, a kernel equivalent to its forward for the known layouts of its operands
    """

    tiled_groups: list[TiledGroup] = field(default_factory=list)
    tile_values: set[int] = field(default_factory=set)
    thread_buffers: dict[tuple[int, int], int] = field(default_factory=dict)
    preallocated: dict[int, int] = field(default_factory=dict)
    constant_views: set[int] = field(default_factory=set)
    contiguous_inputs: set[int] = field(default_factory=set)
    kernels: dict[tuple[int, ...], Function] = field(default_factory=dict)
