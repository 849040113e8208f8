"""What a node asks of a chip (a job), and how its work is laid out over cores and tiles (a plan)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from minigraph.types import DType
from minigraph.work import Work


@dataclass(frozen=True)
class Job:
    """One node as the chip sees it: its work, dtype, largest tensor and unit; jobs that are equal cost the same.

    ``cold`` is the part of the bytes read that L2 does not hold when the node starts, 0 to 1.
    """

    work: Work
    dtype: DType
    elements: int
    unit: str
    cold: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """Choices a kernel's author may take away from the tiling: published kernels are described with it.

    ``cores`` and ``tile`` (elements) for vector work; ``base`` (m, n, k of a block), ``step_k`` (blocks per
    load), ``grid`` (cores along m and n), ``split_k``, ``unit_flag`` (stores start before the tile is done)
    and ``ready_format`` (no ND to NZ on the way) for the cube; ``buffers`` (1 single, 2 double) for both;
    ``conflict`` (bank conflicts) and ``bypass`` (stores stay in L2).
    """

    cores: int | None = None
    tile: int | None = None
    buffers: int = 2
    base: tuple[int, int, int] | None = None
    step_k: int | None = None
    grid: tuple[int, int] | None = None
    split_k: int | None = None
    unit_flag: bool = False
    ready_format: bool = False
    conflict: bool = False
    bypass: bool = False


DEFAULT = Schedule()


class Turn(NamedTuple):
    """A stretch of a core's tiles during which ``cores`` cores are at work."""

    tiles: int
    cores: int


def turns(total: int, cores: int, per_core: int) -> tuple[Turn, ...]:
    """The stretches of the busiest core: first all cores work, at last only those with a tile more.

    >>> turns(total=50, cores=24, per_core=3)
    (Turn(tiles=2, cores=24), Turn(tiles=1, cores=2))
    """
    early = min(total // cores, per_core)
    late, rest = per_core - early, total - early * cores
    last = Turn(late, max(1, -(-rest // max(late, 1))))
    return tuple(turn for turn in (Turn(early, cores), last) if turn.tiles)


@dataclass(frozen=True)
class VectorPlan:
    """Vector work in tiles: per tile, ``streams`` loads, the instructions ``ops``, one store.

    ``miss`` is the part of the loads that comes from device memory. A row that does not fit UB is swept
    ``sweeps`` times, after the first with ``miss_again``; only the last sweep stores. Rows split over
    cores make these meet ``meetings`` times.
    """

    cores: int
    tiles: int
    per_core: int
    sweeps: int
    streams: int
    load_bytes: int
    store_bytes: int
    ops: tuple[tuple[str, int], ...]
    width: int
    buffers: int
    miss: float
    miss_again: float
    absorbed: float
    conflict: bool = False
    meetings: int = 0

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The stretches of the busiest core."""
        return turns(self.tiles, self.cores, self.per_core)


@dataclass(frozen=True)
class CubePlan:
    """A matrix product in tiles of ``bm`` x ``bn``, k in blocks of ``bk``, ``step_k`` blocks per load from L2.

    ``blocks`` is the number of k blocks of one tile; ``miss_a`` and ``miss_b`` the part of each operand's
    loads that comes from device memory; ``row_a`` and ``row_b`` the bytes of one of their rows in a load (0:
    already in the cube's format); ``spans`` the output rows a tile of a convolution covers. Without ``stores``
    the results stay in the core, for its vector unit (coupled chips).
    """

    dtype: DType
    bm: int
    bn: int
    bk: int
    blocks: int
    step_k: int
    split_k: int
    cores: int
    tiles: int
    per_core: int
    window: int
    spans: int
    miss_a: float
    miss_b: float
    row_a: int
    row_b: int
    store_item: int
    absorbed: float
    buffers: int
    l0c_slots: int
    macs: int
    stores: bool = True

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The stretches of the busiest core."""
        return turns(self.tiles, self.cores, self.per_core)

    @property
    def chunks(self) -> tuple[int, ...]:
        """Blocks per load, for the loads of one tile: as few loads as fit, as equal as can be."""
        loads = -(-self.blocks // self.step_k)
        each, more = divmod(self.blocks, loads)
        return (each + 1,) * more + (each,) * (loads - more)


@dataclass(frozen=True)
class ScalarPlan:
    """Work on one core's scalar unit, element by element."""

    elements: int
    read: int
    written: int


Plan = VectorPlan | CubePlan | ScalarPlan


@dataclass(frozen=True)
class Layout:
    """All plans of one node.

    Cube plans run one after another; with ``mixed``, the vector plan works on each tile as it comes out.
    ``notes`` say what the figures leave out or what stays idle.
    """

    cube: tuple[CubePlan, ...] = ()
    vector: VectorPlan | None = None
    scalar: ScalarPlan | None = None
    notes: tuple[str, ...] = ()

    @property
    def mixed(self) -> bool:
        """Whether cube and vector cores work on one node together."""
        return bool(self.cube) and self.vector is not None

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Every plan, in the order of work."""
        return (*self.cube, *([self.vector] if self.vector else []), *([self.scalar] if self.scalar else []))

    @property
    def cores(self) -> int:
        """Cores at work in the widest plan."""
        return max((plan.cores for plan in self.plans if not isinstance(plan, ScalarPlan)), default=1)
