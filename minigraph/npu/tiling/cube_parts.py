"""The parts of a tile of a matrix product: its loads, its store, and their demand on shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.plan import CubePlan


class Load(NamedTuple):
    """One load into L1: bytes and data path."""

    moved: int
    path: costs.Path

    @property
    def data(self) -> int:
        """Cycles from the first byte to the last: no latency."""
        return ceil(self.moved / self.path.rate)

    @property
    def whole(self) -> int:
        """Cycles from the start to the last byte: latency included."""
        return self.path.latency + self.data


class Store(NamedTuple):
    """The store of one tile: cycles it holds its L0C slot, cycles from then to its end, cycles of shared memory."""

    held: int
    after: int
    gm: float
    l2: float

    @property
    def pace(self) -> int:
        """Least cycles from one tile's store to the next: UB holds one tile."""
        return self.held + self.after


class Chunk(NamedTuple):
    """The loads of one L1 slot: cycles MTE2 is busy, arrival, round trip of the slot, cycles of shared memory."""

    held: int
    arrival: int
    trip: int
    gm: float
    l2: float


def pool_cycles(chunks: Sequence[Chunk], cores: int, store: Store | None = None) -> tuple[float, float]:
    """Cycles in which device memory and L2 serve these loads, and a store, of all ``cores``."""
    gm, l2 = (store.gm, store.l2) if store else (0.0, 0.0)
    return cores * (gm + sum(chunk.gm for chunk in chunks)), cores * (l2 + sum(chunk.l2 for chunk in chunks))


def add_times(times: tuple[float, float], by: tuple[float, float]) -> tuple[float, float]:
    """Two times, each later by its own amount."""
    return times[0] + by[0], times[1] + by[1]


def loads_of(plan: CubePlan, chip: Chip, blocks: int, operands: str) -> list[Load]:
    """The loads of ``blocks`` k blocks, in order, for the ``operands`` "ab", "a" or "b"."""
    moved, paths = operand_bytes(plan, blocks), load_paths(plan, chip, blocks)
    return [Load(n, path) for name, n, path in zip("ab", moved, paths, strict=True) if name in operands]


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
    streams = plan.cores // plan.sharers_b if plan.sharers_b > 1 else 1 if plan.together else 0
    return (
        costs.load_path(chip, plan.wait_a, "l1", rows_a, plan.penalty_a, int(plan.together), plan.miss_a),
        costs.load_path(chip, plan.wait_b, "l1", rows_b, plan.penalty_b, streams, plan.miss_b),
    )


def mte2_busy_cycles(loads: Sequence[Load], chip: Chip) -> int:
    """Cycles MTE2 is busy per repetition of these loads, in a steady state.

    Data arrive in order. A latency overlaps with the data of the load before, unless the load is serialised.
    """
    depth = chip.mte2.outstanding
    if depth == 1:
        return sum(load.whole for load in loads)
    if not any(load.path.serialized for load in loads):
        return max(sum(load.data for load in loads), ceil(len(loads) * max(load.whole for load in loads) / depth))
    busy = 0
    for before, load in zip((loads[-1], *loads), loads, strict=False):
        hidden = 0 if load.path.serialized else before.whole if before.path.serialized else before.data
        busy += load.data + max(0, load.path.latency - hidden)
    return busy


def first_arrival(loads: Sequence[Load], chip: Chip, cores: int = 0) -> int:
    """Cycles to the arrival of the last of these loads, from an idle MTE2; ``cores`` load at once."""
    ends, gm, l2 = [0] * chip.mte2.outstanding, loads[0].path.latency, loads[0].path.latency
    for number, load in enumerate(loads):
        start = ends[-1] if load.path.serialized else max(ends[-chip.mte2.outstanding], number * chip.sync.issue)
        gm += ceil(cores * load.moved * load.path.gm)
        l2 += ceil(cores * load.moved * load.path.l2)
        ends.append(max(max(start + load.path.latency, ends[-1]) + load.data, gm, l2))
    return ends[-1]


def mte1_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of MTE1 for one k block of both operands."""
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    return costs.mte1_a(chip, a, plan.window, plan.stride, plan.output_rows) + costs.mte1_b(chip, b)


def tile_store(plan: CubePlan, chip: Chip) -> Store:
    """The store of one tile: FixPipe on split chips; the vector unit, UB and MTE3 on coupled ones."""
    size = plan.m * plan.n * plan.store_item
    if chip.family == "split":
        path = costs.fixp_path(chip, plan.store_item, plan.absorbed, plan.read_ratio)
        return Store(path.latency + ceil(size / path.rate), 0, path.gm * size, path.l2 * size)
    held = costs.l0c_to_ub(chip, plan.bm * plan.bn)
    if not plan.stores:
        return Store(held, 0, 0.0, 0.0)
    path = costs.store_path(chip, plan.absorbed, plan.read_ratio)
    return Store(held, chip.sync.flag + path.latency + ceil(size / path.rate), path.gm * size, path.l2 * size)
