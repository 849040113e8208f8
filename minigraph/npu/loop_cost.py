"""The cost of a region node: the jobs of its bodies one after another, each multiplied by its trip count.

The timeline shows the first iteration instruction by instruction, and the others as one extrapolated stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minigraph.npu.chips.chip import Chip
from minigraph.npu.cost import Cost, Part
from minigraph.npu.engine.record import Skip
from minigraph.npu.engine.resource_use import LEVELS
from minigraph.npu.tiling.plan import Layout


def loop_cost(costs: Sequence[Cost], times: Sequence[int], chip: Chip, notes: tuple[str, ...]) -> Cost:
    """The ``costs`` of a node's bodies as one, ``times`` each; it includes the heads of all tasks but the first."""
    executed = [(cost, count) for cost, count in zip(costs, times, strict=True) if cost.parts and count]
    inner_notes = dict.fromkeys(note for cost in costs for note in cost.layout.notes)
    layout = Layout(notes=(*notes, *inner_notes), inside=tuple(cost.layout for cost, _ in executed))
    if not executed:
        return replace(NO_COST, layout=layout)
    heads = [round(cost.head_us * chip.cores.freq_mhz) for cost, _ in executed]
    total = sum(count * (head + cost.cycles) for (cost, count), head in zip(executed, heads, strict=True)) - heads[0]
    levels = {level: sum(count * cost.bytes[level] for cost, count in executed) for level in LEVELS}
    cube_cycles = sum(count * cost.cycles * cost.cube_utilization for cost, count in executed)
    longest = max(executed, key=lambda item: item[0].cycles * item[1])[0]
    bound = sum(count * cost.bound for cost, count in executed)
    ops, peak, loaded, missed = (_weighted_sum(executed, name) for name in ("ops", "peak", "loaded", "missed"))
    return Cost(
        layout, total, executed[0][0].head_us, tuple(_loop_parts(executed, heads, total)), levels, bound,
        cube_cycles / max(total, 1), longest.verdict, ops, peak, loaded, missed,
        sum(count * cost.tasks for cost, count in executed),
    )  # fmt: skip


NO_COST = Cost(Layout(), 0, 0.0, (), dict.fromkeys(LEVELS, 0.0), 0, 0.0, "")


def _weighted_sum(executed: Sequence[tuple[Cost, int]], name: str) -> float:
    return float(sum(count * getattr(cost, name) for cost, count in executed))


def _loop_parts(executed: Sequence[tuple[Cost, int]], heads: Sequence[int], total: int) -> list[Part]:
    """The parts at their offsets in the first iteration, with the cycles of all iterations."""
    parts: list[Part] = []
    offset = -heads[0]
    for (cost, count), head in zip(executed, heads, strict=True):
        offset += head
        parts += [_scaled_part(replace(part, offset=offset + part.offset), count) for part in cost.parts]
        offset += cost.cycles
    iterations = max(count for _, count in executed)
    if iterations > 1:
        start = offset - parts[0].offset
        parts[0] = replace(parts[0], skips=(*parts[0].skips, Skip(start, total - parts[0].offset, iterations - 1)))
    return parts


def _scaled_part(part: Part, count: int) -> Part:
    critical = part.critical and {cause: count * cycles for cause, cycles in part.critical.items()}
    busy, wait, idle = (
        {queue: count * cycles for queue, cycles in account.items()} for account in (part.busy, part.wait, part.idle)
    )
    edges = part.edges and {edge: count * cycles for edge, cycles in part.edges.items()}
    return replace(part, cycles=count * part.cycles, busy=busy, wait=wait, idle=idle, critical=critical, edges=edges)
