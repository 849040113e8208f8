"""What a node asks of a chip (a job), and how its work is laid out over cores and tiles (a plan)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from minigraph.core.fields import Work
from minigraph.core.types import DType
from minigraph.npu.tiling.costs import VectorOp


@dataclass(frozen=True)
class Job:
    """One node as the chip sees it: its work, dtype, largest tensor and unit; jobs that are equal cost the same.

    ``cold`` is the part of the bytes read that L2 does not hold when the node starts, 0 to 1; ``largest`` the bytes
    of the largest operand. A node with bodies is the jobs ``inside``, each with how often it runs.
    """

    work: Work
    dtype: DType
    elements: int
    unit: str
    cold: float = 0.0
    notes: tuple[str, ...] = ()
    largest: int = 0
    inside: tuple[tuple[Job, int], ...] = ()


@dataclass(frozen=True)
class Schedule:
    """Choices a kernel's author may take away from the tiling: published kernels are described with it.

    ``cores`` and ``tile`` (elements) for vector work; ``base`` (m, n, k of a block), ``step_k`` (blocks per
    load), ``grid`` (cores along m and n), ``split_k``, ``unit_flag`` (stores start before the tile is done)
    and the operands ``ready`` in the cube's format ("a", "b", "ab") for the cube; ``buffers`` (1 single, 2 double)
    for both; ``conflict`` (bank conflicts), ``bypass`` (stores stay in L2), ``together`` (all cores load the same
    addresses in the same order) and ``prepare`` (vector cores may turn operands into NZ first). With ``keep`` an
    operand may stay in L1 for several tiles. ``after`` is the schedule of the vector work that follows a product.
    """

    cores: int | None = None
    tile: int | None = None
    buffers: int = 2
    base: tuple[int, int, int] | None = None
    step_k: int | None = None
    grid: tuple[int, int] | None = None
    split_k: int | None = None
    unit_flag: bool = False
    ready: str = ""
    conflict: bool = False
    bypass: bool = False
    together: bool = False
    prepare: bool = True
    keep: bool = True
    after: Schedule | None = None


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
    cores make these meet ``meetings`` times. ``piece``: bytes that lie together in what is loaded (0: all of it);
    each stream then takes ``pieces`` loads. ``reads``: bytes from device memory per byte left there. ``together``:
    all cores load the same addresses.
    """

    cores: int
    tiles: int
    per_core: int
    sweeps: int
    streams: int
    load_bytes: int
    store_bytes: int
    ops: tuple[VectorOp, ...]
    width: int
    buffers: int
    miss: float
    miss_again: float
    absorbed: float
    conflict: bool = False
    meetings: int = 0
    piece: float = 0.0
    pieces: int = 1
    reads: float = 1.0
    together: bool = False

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The stretches of the busiest core."""
        return turns(self.tiles, self.cores, self.per_core)


@dataclass(frozen=True)
class CubePlan:
    """A matrix product in tiles of ``bm`` x ``bn``, k in blocks of ``bk``, ``step_k`` blocks per load from L2.

    These are whole cubes; ``m``, ``n`` and ``k`` are what of them is loaded and stored. ``blocks`` is the number of
    k blocks of one tile; ``miss_a`` and ``miss_b`` the part of each operand's loads that comes from device memory;
    ``turned_a`` and ``turned_b`` whether they become NZ on the way, ``drag_a`` and ``drag_b`` the cycles per byte
    their rows lose there. A convolution (``window`` > 1, ``stride`` along a row) loads ``image`` bytes of its left
    operand for each byte the cube gets; its tiles cover ``spans`` rows of results. A ``resident`` operand ("a" or
    "b") is loaded once for ``run`` tiles in a row. Without ``stores`` the results stay in the core, for its vector
    unit (coupled chips). ``reads``: bytes from device memory per byte left there. ``together``: all cores load the
    same addresses.
    """

    dtype: DType
    bm: int
    bn: int
    bk: int
    m: int
    n: int
    k: int
    blocks: int
    step_k: int
    split_k: int
    cores: int
    tiles: int
    per_core: int
    window: int
    stride: int
    image: float
    spans: int
    miss_a: float
    miss_b: float
    turned_a: bool
    turned_b: bool
    drag_a: float
    drag_b: float
    resident: str
    run: int
    store_item: int
    absorbed: float
    reads: float
    buffers: int
    l0c_slots: int
    macs: int
    together: bool = False
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

    @property
    def other(self) -> str:
        """The operands loaded while the resident one is there already: "a", "b" or both."""
        return {"a": "b", "b": "a"}.get(self.resident, "ab")


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

    Cube plans run one after another; with ``mixed``, the vector plan works on each of ``steps`` pieces as it comes out
    (0: on each tile). ``before`` are plans of the vector cores that have to be done first.
    ``notes`` say what the figures leave out or what stays idle. ``inside`` are the layouts of a node's bodies, which
    run one after another.
    """

    cube: tuple[CubePlan, ...] = ()
    vector: VectorPlan | None = None
    scalar: ScalarPlan | None = None
    notes: tuple[str, ...] = ()
    inside: tuple[Layout, ...] = ()
    steps: int = 0
    before: tuple[VectorPlan, ...] = ()

    @property
    def mixed(self) -> bool:
        """Whether cube and vector cores work on one node together."""
        return bool(self.cube) and self.vector is not None

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Every plan, in the order of work."""
        last = ([self.vector] if self.vector else []) + ([self.scalar] if self.scalar else [])
        own = (*self.before, *self.cube, *last)
        return own + tuple(plan for layout in self.inside for plan in layout.plans)

    @property
    def tiled(self) -> tuple[CubePlan | VectorPlan, ...]:
        """The plans that work in tiles."""
        return tuple(plan for plan in self.plans if not isinstance(plan, ScalarPlan))

    @property
    def units(self) -> tuple[bool, bool]:
        """Whether cube cores and whether vector cores have work."""
        plans = self.plans
        return any(isinstance(p, CubePlan) for p in plans), any(isinstance(p, VectorPlan) for p in plans)

    @property
    def cores(self) -> int:
        """Cores at work in the widest plan."""
        return max((plan.cores for plan in self.tiled), default=1)
