"""The parts of a tile of a matrix product: its loads, its store, and their demand on shared memory."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.plan import CubePlan


class Load(NamedTuple):
    """One load into L1: bytes and data path."""

    bytes_moved: int
    path: costs.Path


class TileStore(NamedTuple):
    """The store of one tile: cycles in which the vector unit empties L0C (coupled chips), bytes and path to memory.

    ``path`` is ``None`` if the results stay in the core.
    """

    emptied: int
    bytes_moved: int
    path: costs.Path | None


def loads_of(plan: CubePlan, chip: Chip, blocks: int, operands: str) -> list[Load]:
    """The loads of ``blocks`` k blocks, in order, for the ``operands`` "ab", "a" or "b"."""
    bytes_moved, paths = operand_bytes(plan, blocks), load_paths(plan, chip, blocks)
    return [Load(n, path) for name, n, path in zip("ab", bytes_moved, paths, strict=True) if name in operands]


def operand_bytes(plan: CubePlan, blocks: int) -> tuple[int, int]:
    """Bytes of both operands in one load of ``blocks`` k blocks, the left one before img2col."""
    k = blocks * plan.k
    return ceil(plan.m * k * plan.dtype.itemsize * plan.image_ratio), k * plan.n * plan.dtype.itemsize


def cube_traffic(plan: CubePlan) -> tuple[float, float]:
    """Bytes of all cores through device memory and through L2."""
    a, b = operand_bytes(plan, plan.blocks)
    share_a, share_b = (1 / plan.reuse if plan.resident == name else 1.0 for name in "ab")
    stored = plan.m * plan.n * plan.store_item * plan.stores
    device = a * plan.miss_a * share_a + b * plan.miss_b * share_b + stored * (1 - plan.absorbed)
    return plan.tiles * device, plan.tiles * (a * share_a + b * share_b + stored)


def load_paths(plan: CubePlan, chip: Chip, blocks: int) -> tuple[costs.Path, costs.Path]:
    """The load paths of the left and the right operand into L1, for a load of ``blocks`` k blocks."""
    rows_a, rows_b = plan.nd2nz_a * plan.m, plan.nd2nz_b * plan.k * blocks
    streams = plan.cores // plan.sharers_b if plan.sharers_b > 1 else 1 if plan.shared_loads else 0
    return (
        costs.load_path(chip, plan.wait_a, "l1", rows_a, plan.penalty_a, int(plan.shared_loads), plan.miss_a),
        costs.load_path(chip, plan.wait_b, "l1", rows_b, plan.penalty_b, streams, plan.miss_b),
    )


def mte1_cycles(plan: CubePlan, chip: Chip) -> tuple[int, int]:
    """Cycles of MTE1 for one k block of each operand."""
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    return costs.mte1_a(chip, a, plan.window, plan.stride, plan.output_rows), costs.mte1_b(chip, b)


def tile_store(plan: CubePlan, chip: Chip) -> TileStore:
    """The store of one tile: by FixPipe on split chips; by the vector unit, UB and MTE3 on coupled ones."""
    bytes_moved = plan.m * plan.n * plan.store_item
    if chip.family == "split":
        return TileStore(0, bytes_moved, costs.fixp_path(chip, plan.store_item, plan.absorbed, plan.read_ratio))
    path = costs.store_path(chip, plan.absorbed, plan.read_ratio) if plan.stores else None
    return TileStore(costs.l0c_to_ub(chip, plan.bm * plan.bn), bytes_moved, path)
