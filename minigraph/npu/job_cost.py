"""The cost of one job on a chip, by either engine: cycles of each queue, memory traffic, roofline bound, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from math import ceil

from minigraph.core.errors import MinigraphError, UnknownNameError, did_you_mean
from minigraph.npu.chips.chip import Chip
from minigraph.npu.cost import Cost, Part
from minigraph.npu.engine import queues, resource_use
from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import QUEUES, Program
from minigraph.npu.loop_cost import loop_cost
from minigraph.npu.tiling import analytic, costs, cube_analytic
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import CubePlan, Job, Layout, Plan, VectorPlan
from minigraph.npu.tiling.schedule import DEFAULT, Schedule

ENGINES = ("event", "analytic")
BOUND_THRESHOLD = 0.8  # utilisation of a roof or a queue above which the vendor's profiler calls it the bottleneck
VERDICT_LEGEND = (
    f"verdicts: memory or compute bound: above {BOUND_THRESHOLD:.0%} of that roof; latency bound: below both roofs, "
    "caused by memory or compute if a queue of that kind is busy for that share of the time, else by the pipeline"
)


@lru_cache(maxsize=8192)
def cost_of(job: Job, chip: Chip, engine: str = "event", schedule: Schedule = DEFAULT) -> Cost:
    """The cost of a job, cached; raises ``UnknownNameError`` for an unknown engine."""
    if engine not in ENGINES:
        raise UnknownNameError(f"no engine '{engine}'{did_you_mean(engine, ENGINES)}")
    if job.inside:
        inner, times = zip(*job.inside, strict=True)
        return loop_cost([cost_of(inner_job, chip, engine, schedule) for inner_job in inner], times, chip, job.notes)
    layout = layout_of(job, chip, schedule)
    programs = [program_of(plan, chip) for plan in layout.plans]
    for program in programs:
        _check_footprint(program, chip)
    run_engine = _run_event_engine if engine == "event" else _run_analytic
    parts = [run_engine(plan, program, chip) for plan, program in zip(layout.plans, programs, strict=True)]
    cycles, scheduled = _schedule_parts(layout, parts, chip)
    levels = dict.fromkeys(resource_use.LEVELS, 0.0)
    for program in programs:
        for level, bytes_moved in resource_use.level_bytes(program).items():
            levels[level] += bytes_moved
    bound = bound_cycles(job, layout, chip)
    head = chip.task.head_us + (chip.task.mix_extra_us if all(layout.units) else 0.0)
    compute = compute_bound(layout, chip)
    verdict = verdict_of(levels, compute, cycles, scheduled, chip)
    loaded, missed = map(sum, zip(*map(resource_use.loaded_bytes, programs), strict=True)) if programs else (0.0, 0.0)
    return Cost(layout, cycles, head, scheduled, levels, bound, _cube_utilization(layout, chip, cycles), verdict,
                ops_of(layout), compute, loaded, missed)  # fmt: skip


def _check_footprint(program: Program, chip: Chip) -> None:
    """Raise ``MinigraphError`` if the allocated slots do not fit a buffer."""
    for buffer, need in program.footprint.items():
        capacity = getattr(chip.buf, buffer.lower())
        if need > capacity:
            raise MinigraphError(
                f"simulator: tiles need {need} bytes of {buffer}, which has {capacity}; this is a bug in "
                "minigraph.npu, please report it"
            )


def analytic_cycles(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> int:
    """Cycles of a job by the analytic model, head overhead included; 0 for a job without work."""
    if job.inside:
        return sum(times * analytic_cycles(inner, chip, schedule) for inner, times in job.inside)
    layout = layout_of(job, chip, schedule)
    if not layout.plans:
        return 0
    head = chip.task.head_us + (chip.task.mix_extra_us if all(layout.units) else 0.0)
    return ceil(head * chip.cores.freq_mhz) + analytic.layout_cycles(layout, chip)


# ---- the two engines -------------------------------------------------------------------------------


def _run_event_engine(plan: Plan, program: Program, chip: Chip) -> Part:
    run = queues.run(program, chip)
    bytes_moved = resource_use.moved_bytes(program.items)
    for name, state in run.queues.items():
        if state.bytes_moved != bytes_moved[name]:
            raise MinigraphError(
                f"simulator: {name} moved {state.bytes_moved} bytes of {bytes_moved[name]}; this is a bug in "
                "minigraph.npu.engine.queues, please report it"
            )
    parts = ("busy", "wait", "idle")
    busy, wait, idle = ({q: getattr(state, part) for q, state in run.queues.items()} for part in parts)
    return Part(program.core, 0, run.cycles, program.cores, program.balance, busy, wait, idle, run.spans, run.skips,
                run.critical, run.edges, program)  # fmt: skip


def _run_analytic(plan: Plan, program: Program, chip: Chip) -> Part:
    cycles = _analytic_cycles(plan, chip)
    busy = {name: min(occupied, cycles) for name, occupied in resource_use.busy_cycles(program).items()}
    idle = {name: cycles - occupied for name, occupied in busy.items()}
    return Part(program.core, 0, cycles, program.cores, program.balance, busy, dict.fromkeys(QUEUES, 0), idle,
                program=program)  # fmt: skip


def _analytic_cycles(plan: Plan, chip: Chip) -> int:
    if isinstance(plan, CubePlan):
        return cube_analytic.cube_cycles(plan, chip)
    return analytic.vector_cycles(plan, chip) if isinstance(plan, VectorPlan) else analytic.scalar_cycles(plan, chip)


def _schedule_parts(layout: Layout, parts: list[Part], chip: Chip) -> tuple[int, tuple[Part, ...]]:
    """The node's cycles and its parts with offsets: one after another, in a MIX kernel the vector part overlapped."""
    *starts, total = accumulate((part.cycles for part in parts), initial=0)
    if layout.is_mix:
        first = starts[len(layout.before)]
        total = first + analytic.overlapped_cycles(layout, starts[-1] - first, parts[-1].cycles, chip)
        starts[-1] = total - parts[-1].cycles
    return total, tuple(replace(part, offset=start) for part, start in zip(parts, starts, strict=True))


# ---- bounds and verdict ----------------------------------------------------------------------------


def compute_bound(layout: Layout, chip: Chip) -> float:
    """Lower bound on the cycles with all units of all cores at their peak."""
    cube = sum(plan.macs / (chip.cores.aic * costs.macs_per_cycle(chip, plan.dtype)) for plan in layout.cube)
    vector = _vector_bound(layout.vector, chip) if layout.vector else 0.0
    return max(cube, vector)


def _vector_bound(plan: VectorPlan, chip: Chip) -> float:
    tile = sum(
        op.times * op.elements * plan.width / chip.vector.bytes * chip.repeat.cycles(op.kind, plan.width)
        for op in plan.ops
    )
    return tile * plan.tiles * plan.passes / chip.vector_cores


def ops_of(layout: Layout) -> float:
    """Operations of all plans: two per multiply-add of the cube, one per lane of a vector instruction."""
    vector = layout.vector
    lanes = sum(op.times * op.elements for op in vector.ops) * vector.tiles * vector.passes if vector else 0
    return float(2 * sum(plan.macs for plan in layout.cube) + lanes)


def bound_cycles(job: Job, layout: Layout, chip: Chip) -> int:
    """Roofline lower bound on the cycles of any schedule: the maximum over compute, device memory and L2.

    In the best order, what L2 holds when the node starts is read before it is evicted.
    """
    written = job.work.written * (1 - (layout.vector.absorbed if layout.vector else 1.0))
    device = max(0.0, job.work.read * job.cold + written - chip.buf.l2)
    memory = device / chip.per_cycle(chip.pool.gm_roof)
    cache = (job.work.read + job.work.written) / chip.per_cycle(chip.pool.l2_roof)
    return int(max(compute_bound(layout, chip), memory, cache)) if layout.plans else 0


def verdict_of(levels: Mapping[str, float], compute: float, cycles: int, parts: tuple[Part, ...], chip: Chip) -> str:
    """The bottleneck as the vendor's profiler names it: a roof or a queue above the threshold, else latency."""
    if not cycles:
        return ""
    memory = max(levels["GM"] / chip.per_cycle(chip.pool.gm_roof), levels["L2"] / chip.per_cycle(chip.pool.l2_roof))
    if max(memory, compute) > BOUND_THRESHOLD * cycles:
        return "memory bound" if memory > compute else "compute bound"
    pipes = [(busy / cycles, name) for part in parts for name, busy in part.busy.items() if name != "S"]
    ratio, name = max(pipes, default=(0.0, ""))
    if ratio < BOUND_THRESHOLD:
        return "latency bound:pipeline caused"
    return f"latency bound:{'memory' if name.startswith('MTE') else 'compute'} caused"


def _cube_utilization(layout: Layout, chip: Chip, cycles: int) -> float:
    peak = sum(plan.macs / costs.macs_per_cycle(chip, plan.dtype) for plan in layout.cube)
    return peak / (chip.cores.aic * cycles) if cycles else 0.0
