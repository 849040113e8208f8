"""The analytic model: the cycles of a plan in closed form, without stepping instructions.

Problem: estimate a plan fast enough for the tiling search, for passes that compare graphs and for long programs, and
accurately enough to replace the event engine.

Method: bottleneck analysis of a software pipeline. In the steady state, a loop over tiles takes its initiation interval
per tile: the larger of the resource bound (cycles that the busiest queue, the issuing scalar unit or a shared memory
needs for one tile) and the recurrence bound (the round trip of a buffer ring over its number of slots). These are
ResMII and RecMII of modulo scheduling (B. R. Rau, "Iterative Modulo Scheduling", MICRO 1994). The total is the latency
of the first tile, the pipeline fill, and one interval for each further tile, phase by phase.

Invariants: the model depends on the plan and the chip alone. It stays within 5 % of the event engine:
``tests/npu/tiling/test_analytic.py`` checks every class of operators on every shipped chip, without head overheads, and
``tests/npu/test_properties.py`` random jobs on random chips, with them; ``benchmarks/ascend_validation.md`` lists the
largest difference of each class.

Not handled: transients other than the fill; a timeline, a critical path and waiting times, which need the event engine.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_analytic import cube_cycles, pipelined_cycles
from minigraph.npu.tiling.cube_parts import cube_traffic
from minigraph.npu.tiling.plan import CubePlan, Layout, ScalarPlan, VectorPlan


def layout_cycles(layout: Layout, chip: Chip) -> int:
    """Cycles of a node from its first instruction to its last, without the task's head overhead."""
    cube = sum(cube_cycles(plan, chip) for plan in layout.cube)
    vector = vector_cycles(layout.vector, chip) if layout.vector else 0
    scalar = scalar_cycles(layout.scalar, chip) if layout.scalar else 0
    before = sum(vector_cycles(plan, chip) for plan in layout.before)
    return before + overlapped_cycles(layout, cube, vector, chip) + scalar


def overlapped_cycles(layout: Layout, cube: int, vector: int, chip: Chip) -> int:
    """Cycles of cube and vector work of a node; in a MIX kernel they overlap, but for the first pipeline step.

    Both halves share device memory and L2, which serve the traffic of both.
    """
    if not layout.is_mix or layout.vector is None:
        return cube + vector
    steps = layout.steps or min(layout.cube[-1].per_core, layout.vector.per_core)
    traffic_by_plan = [traffic(layout.vector), *map(traffic, layout.cube)]
    device, through_l2 = map(sum, zip(*traffic_by_plan, strict=True))
    return pipelined_cycles(cube, vector, steps, (device, through_l2), chip)


def traffic(plan: CubePlan | VectorPlan) -> tuple[float, float]:
    """Bytes of all cores through device memory and through L2."""
    if isinstance(plan, CubePlan):
        return cube_traffic(plan)
    loads = [plan.streams * plan.load_bytes * plan.tiles * miss for miss in (plan.miss, plan.later_miss)]
    stores = plan.store_bytes * plan.tiles
    device = loads[0] + (plan.passes - 1) * loads[1] + stores * (1 - plan.absorbed)
    return device, plan.passes * plan.streams * plan.load_bytes * plan.tiles + stores


def scalar_cycles(plan: ScalarPlan, chip: Chip) -> int:
    """Cycles of a loop over the elements on one scalar unit."""
    return ceil(plan.elements * chip.scalar.elem)


# ---- vector ----------------------------------------------------------------------------------------


class Transfer(NamedTuple):
    """The loads or the store of one tile: latency, cycles its queue is busy, cycles of each shared memory."""

    latency: int
    busy: int
    gm: float
    l2: float


NO_TRANSFER = Transfer(0, 0, 0.0, 0.0)


def vector_cycles(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the busiest vector core: the first tile with the last store, then a period for each other tile."""
    sections = [
        (phase, miss, number == plan.passes - 1)
        for number, miss in enumerate([plan.miss] + [plan.later_miss] * (plan.passes - 1))
        for phase in plan.phases
    ]
    total = _pipeline_fill(plan, chip)
    for phase, miss, stores in sections:
        total += phase.tiles * _tile_period(plan, chip, phase.cores, miss, stores)
    total += (plan.passes - 1) * _burst(plan, chip)
    (first, miss, stores), (last, later_miss, _) = sections[0], sections[-1]
    total -= _tile_period(plan, chip, first.cores, miss, stores)
    if not stores:
        total -= _tile_period(plan, chip, last.cores, later_miss, True)
        total += _tile_period(plan, chip, last.cores, later_miss, False)
    arrival = _tile_loads(plan, chip, later_miss, plan.per_core * plan.passes).latency
    return max(total, _chain(plan, chip, arrival)) + plan.syncs * chip.sync.xcore


def _burst(plan: VectorPlan, chip: Chip) -> int:
    """Cycles by which a later pass starts late, as all cores load its first tile at once; two slots hide them.

    Phases of one pass need none: its cores wait for each other's first loads, and stay as far apart.
    """
    if plan.buffers > 1 or not plan.streams:
        return 0
    load, path = _tile_loads(plan, chip, plan.later_miss), load_path(plan, chip, plan.later_miss)
    return max(0, path.latency + ceil(plan.phases[0].cores * max(load.gm, load.l2)) - load.latency)


def vector_ops_cycles(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the vector instructions of one tile."""
    return sum(costs.vector_op(chip, op, plan.width, plan.conflict) for op in plan.ops)


def load_path(plan: VectorPlan, chip: Chip, miss: float) -> costs.Path:
    """The path of a tile's loads into UB at the L2 miss rate ``miss``."""
    penalty = costs.stride_penalty(chip, plan.contiguous_bytes)
    line_share = min(1.0, plan.load_bytes / plan.loads_per_stream / costs.L2_LINE_BYTES)
    return costs.load_path(chip, miss, "ub", 0, penalty, int(plan.shared_loads), line_share=line_share)


def _tile_loads(plan: VectorPlan, chip: Chip, miss: float, tiles: int = 1) -> Transfer:
    """The loads of one tile, or of several as if every tile had a slot of its own."""
    if not plan.streams:
        return NO_TRANSFER
    path, count = load_path(plan, chip, miss), tiles * plan.streams * plan.loads_per_stream
    nbytes = ceil(plan.load_bytes / plan.loads_per_stream)  # of one load
    transfer_cycles, depth = ceil(nbytes / path.rate), chip.mte2.outstanding
    spacing, round_trip = max(transfer_cycles, chip.sync.issue), path.latency + transfer_cycles
    batches, remaining = divmod(count - 1, depth)  # a load starts when the one before by ``depth`` has ended
    latency = round_trip + max((count - 1) * spacing, batches * round_trip + remaining * spacing)
    busy = count * max(transfer_cycles, ceil(round_trip / depth))
    return Transfer(latency, busy, count * path.gm_cycles(nbytes), count * path.l2 * nbytes)


def _tile_store(plan: VectorPlan, chip: Chip) -> Transfer:
    if not plan.store_bytes:
        return NO_TRANSFER
    path = costs.store_path(chip, plan.absorbed, plan.read_ratio)
    busy = path.latency + ceil(plan.store_bytes / path.rate)
    return Transfer(busy, busy, path.gm_cycles(plan.store_bytes), path.l2 * plan.store_bytes)


def _tile_period(plan: VectorPlan, chip: Chip, cores: int, miss: float, store: bool) -> int:
    """The initiation interval of the tiles of one pass."""
    load, out = _tile_loads(plan, chip, miss), _tile_store(plan, chip) if store else NO_TRANSFER
    work, flags = vector_ops_cycles(plan, chip), 2 * chip.sync.flag
    pool = cores * max(load.gm + out.gm, load.l2 + out.l2)
    middle = work if plan.ops else out.latency
    is_consumed = bool(plan.ops or plan.store_bytes)
    waits = is_consumed and plan.per_core * plan.passes > plan.buffers  # otherwise every tile has a slot of its own
    rings = (load.latency + middle + flags if waits else 0, work + out.latency + flags if plan.ops and waits else 0)
    if plan.alternate and all(rings) and load.latency and out.latency:
        rings = (load.latency + work + out.latency + flags + chip.sync.flag, 0)
    issue = chip.sync.issue * (plan.streams * plan.loads_per_stream + len(plan.ops) + bool(out.latency))
    return ceil(max(load.busy, work, out.latency, pool, issue, max(rings) / plan.buffers))


def _pipeline_fill(plan: VectorPlan, chip: Chip) -> int:
    """Latency of the first tile, with all cores loading at once."""
    load, out, cores = _tile_loads(plan, chip, plan.miss), _tile_store(plan, chip), plan.phases[0].cores
    latency = load_path(plan, chip, plan.miss).latency if plan.streams else 0
    chain = _chain(plan, chip, max(load.latency, latency + ceil(cores * max(load.gm, load.l2))))
    return max(chain, chip.sync.issue + latency + ceil(cores * max(load.gm + out.gm, load.l2 + out.l2)))


def _chain(plan: VectorPlan, chip: Chip, arrival: int) -> int:
    """The end of a tile whose loads arrive ``arrival`` cycles after the first was issued."""
    out, work = _tile_store(plan, chip), vector_ops_cycles(plan, chip)
    flags = bool(plan.streams and (work or out.latency)) + bool(work and out.latency)
    return chip.sync.issue + arrival + work + out.latency + flags * chip.sync.flag
