"""The work of one graph node (a job), and its mapping onto cores and tiles (a plan)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from minigraph.core.op_fields import Work
from minigraph.core.types import DType
from minigraph.npu.tiling.costs import VectorOp


@dataclass(frozen=True)
class Job:
    """One node as the chip sees it: work, dtype, elements and unit; equal jobs have equal cost.

    ``cold``: share (0 to 1) of the operand bytes that L2 does not hold when the node starts. ``largest``: bytes of
    the largest operand. ``inside``: the jobs in the bodies of a region node, each with its trip count.
    ``reads_pairs``: every vector instruction reads two tensors. ``shared``: bytes of the operands that all contiguous
    rows have in common (a norm's scale), which each core loads. ``workspace``: bytes in which the results are exchanged
    with the cube tile by tile; 0: they are stored whole.
    """

    work: Work
    dtype: DType
    elements: int
    unit: str
    cold: float = 0.0
    notes: tuple[str, ...] = ()
    largest: int = 0
    inside: tuple[tuple[Job, int], ...] = ()
    reads_pairs: bool = False
    shared: int = 0
    workspace: int = 0


class Phase(NamedTuple):
    """A number of tiles per core during which ``cores`` cores are active."""

    tiles: int
    cores: int


def phases(total: int, cores: int, per_core: int) -> tuple[Phase, ...]:
    """The phases of the busiest core: full waves of all cores, then the tail of the cores with one more tile.

    >>> phases(total=50, cores=24, per_core=3)
    (Phase(tiles=2, cores=24), Phase(tiles=1, cores=2))
    """
    early = min(total // cores, per_core)
    late, rest = per_core - early, total - early * cores
    last = Phase(late, max(1, -(-rest // max(late, 1))))
    return tuple(phase for phase in (Phase(early, cores), last) if phase.tiles)


@dataclass(frozen=True)
class VectorPlan:
    """Tiled vector work: per tile, ``streams`` loads, the instructions ``ops``, one store.

    ``miss``: L2 miss rate of the loads. A row that does not fit UB is loaded in ``passes`` passes, the later ones with
    the miss rate ``later_miss``; only the last pass stores. ``syncs``: synchronisations of all cores, for rows split
    over cores. ``contiguous_bytes``: contiguous bytes per row of a strided load (0: contiguous throughout).
    ``loads_per_stream``: load instructions of each stream in a tile. ``absorbed``: share of the stores that L2 absorbs.
    ``read_ratio``: bytes read from device memory per byte written there. ``conflict``: UB bank conflicts.
    ``shared_loads``: all cores load the same addresses. ``alternate``: a slot of the loads is free after the store.
    """

    cores: int
    tiles: int
    per_core: int
    passes: int
    streams: int
    load_bytes: int
    store_bytes: int
    ops: tuple[VectorOp, ...]
    width: int
    buffers: int
    miss: float
    later_miss: float
    absorbed: float
    conflict: bool = False
    syncs: int = 0
    contiguous_bytes: float = 0.0
    loads_per_stream: int = 1
    read_ratio: float = 1.0
    shared_loads: bool = False
    alternate: bool = False

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the busiest core."""
        return phases(self.tiles, self.cores, self.per_core)


@dataclass(frozen=True)
class CubePlan:
    """A matrix product in output tiles of ``bm`` x ``bn``, with k in blocks of ``bk``, ``step_k`` blocks per load.

    These sizes are padded to whole 16 x 16 x k0 cubes; ``m``, ``n`` and ``k`` are the sizes loaded and stored.
    ``blocks``: k blocks of one tile; ``tile_counts``: tiles along m and n of one product of the batch. Per operand:
    ``miss_a``, ``miss_b``: L2 miss rate of its bytes; ``wait_a``, ``wait_b``: share of its loads that wait for device
    memory, larger if cores load a block together; ``nd2nz_a``, ``nd2nz_b``: whether MTE2 converts it from ND to NZ;
    ``penalty_a``, ``penalty_b``: cycles per byte lost to unaligned rows. A convolution (``window`` > 1, ``stride``
    along a row) loads ``image_ratio`` bytes of its left operand for each byte that img2col writes to L0A; a tile covers
    ``output_rows`` rows of the output image. A ``resident`` operand ("a" or "b") is loaded once for ``reuse``
    consecutive tiles. ``order``: the tiles of a core advance along "m" or "n" first, on a ``grid`` of cores along m and
    n. ``stores`` False: results stay in the core for its vector unit (coupled chips). ``absorbed``: share of the stores
    that L2 absorbs. ``read_ratio``: bytes read from device memory per byte written there. ``shared_loads``: all cores
    load the same addresses. ``sharers_b``: cores that load the same blocks of the right operand in step.
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
    tile_counts: tuple[int, int]
    tiles: int
    per_core: int
    window: int
    stride: int
    image_ratio: float
    output_rows: int
    miss_a: float
    miss_b: float
    wait_a: float
    wait_b: float
    nd2nz_a: bool
    nd2nz_b: bool
    penalty_a: float
    penalty_b: float
    resident: str
    reuse: int
    order: str
    grid: tuple[int, int]
    store_item: int
    absorbed: float
    read_ratio: float
    buffers: int
    l0_slots: int
    l0c_slots: int
    macs: int
    shared_loads: bool = False
    sharers_b: int = 1
    stores: bool = True

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the busiest core."""
        return phases(self.tiles, self.cores, self.per_core)

    @property
    def chunks(self) -> tuple[int, ...]:
        """K blocks of each load of one tile: the fewest loads that ``step_k`` allows, of nearly equal size."""
        loads = -(-self.blocks // self.step_k)
        size, remainder = divmod(self.blocks, loads)
        return (size + 1,) * remainder + (size,) * (loads - remainder)

    @property
    def streamed_operands(self) -> str:
        """The operands loaded for every tile: all but the resident one ("a", "b" or "ab")."""
        return {"a": "b", "b": "a"}.get(self.resident, "ab")


@dataclass(frozen=True)
class ScalarPlan:
    """A loop over the elements on one core's scalar unit."""

    elements: int
    read: int
    written: int


Plan = VectorPlan | CubePlan | ScalarPlan


@dataclass(frozen=True)
class Layout:
    """The mapping of one node onto the chip: all of its plans.

    Cube plans run one after another. In a MIX kernel (``is_mix``), cube and vector cores form a pipeline of ``steps``
    steps (0: one step per tile). ``before``: vector plans that run first. ``notes``: idle units and costs that are not
    modelled. ``inside``: the layouts of a region node's bodies, which run one after another.
    """

    cube: tuple[CubePlan, ...] = ()
    vector: VectorPlan | None = None
    scalar: ScalarPlan | None = None
    notes: tuple[str, ...] = ()
    inside: tuple[Layout, ...] = ()
    steps: int = 0
    before: tuple[VectorPlan, ...] = ()

    @property
    def is_mix(self) -> bool:
        """Whether the node is a MIX kernel, which uses cube and vector cores together."""
        return bool(self.cube) and self.vector is not None

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Every plan, in execution order."""
        last = ([self.vector] if self.vector else []) + ([self.scalar] if self.scalar else [])
        plans = (*self.before, *self.cube, *last)
        return plans + tuple(plan for layout in self.inside for plan in layout.plans)

    @property
    def tiled_plans(self) -> tuple[CubePlan | VectorPlan, ...]:
        """The tiled plans: all but scalar ones."""
        return tuple(plan for plan in self.plans if not isinstance(plan, ScalarPlan))

    @property
    def units(self) -> tuple[bool, bool]:
        """Whether the node uses cube cores, and whether it uses vector cores."""
        plans = self.plans
        return any(isinstance(p, CubePlan) for p in plans), any(isinstance(p, VectorPlan) for p in plans)

    @property
    def cores(self) -> int:
        """Active cores of the plan that uses the most."""
        return max((plan.cores for plan in self.tiled_plans), default=1)
