"""The cost of a node with bodies: its jobs one after another, each as often as its body runs.

The first round is told instruction by instruction, the others are a stretch that repeats it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minigraph.npu.chips.chip import Chip
from minigraph.npu.cost import Cost, Part
from minigraph.npu.engine.record import Skip
from minigraph.npu.engine.resource_use import LEVELS
from minigraph.npu.tiling.plan import Layout


def repeated(costs: Sequence[Cost], times: Sequence[int], chip: Chip, notes: tuple[str, ...]) -> Cost:
    """The costs of a node's bodies as one, ``times`` each; the heads of all tasks but the first are cycles of it."""
    ran = [(cost, often) for cost, often in zip(costs, times, strict=True) if cost.parts and often]
    told = dict.fromkeys(note for cost in costs for note in cost.layout.notes)
    layout = Layout(notes=(*notes, *told), inside=tuple(cost.layout for cost, _ in ran))
    if not ran:
        return replace(NOTHING, layout=layout)
    heads = [round(cost.head_us * chip.cores.freq_mhz) for cost, _ in ran]
    total = sum(often * (head + cost.cycles) for (cost, often), head in zip(ran, heads, strict=True)) - heads[0]
    levels = {level: sum(often * cost.bytes[level] for cost, often in ran) for level in LEVELS}
    used = sum(often * cost.cycles * cost.use for cost, often in ran)
    longest = max(ran, key=lambda item: item[0].cycles * item[1])[0]
    bound = sum(often * cost.bound for cost, often in ran)
    return Cost(
        layout, total, ran[0][0].head_us, tuple(_placed(ran, heads, total)), levels, bound, used / max(total, 1),
        longest.verdict, _summed(ran, "ops"), _summed(ran, "peak"), _summed(ran, "loaded"), _summed(ran, "missed"),
        sum(often * cost.tasks for cost, often in ran),
    )  # fmt: skip


NOTHING = Cost(Layout(), 0, 0.0, (), dict.fromkeys(LEVELS, 0.0), 0, 0.0, "")


def _summed(ran: Sequence[tuple[Cost, int]], name: str) -> float:
    return float(sum(often * getattr(cost, name) for cost, often in ran))


def _placed(ran: Sequence[tuple[Cost, int]], heads: Sequence[int], total: int) -> list[Part]:
    """The parts of the first round where they are, their accounts as long as all rounds."""
    found: list[Part] = []
    at = -heads[0]
    for (cost, often), head in zip(ran, heads, strict=True):
        at += head
        found += [_times(replace(part, offset=at + part.offset), often) for part in cost.parts]
        at += cost.cycles
    rounds = max(often for _, often in ran)
    if rounds > 1:
        start = at - found[0].offset
        found[0] = replace(found[0], skips=(*found[0].skips, Skip(start, total - found[0].offset, rounds - 1)))
    return found


def _times(part: Part, often: int) -> Part:
    critical = part.critical and {cause: often * taken for cause, taken in part.critical.items()}
    busy, wait, idle = (
        {queue: often * cycles for queue, cycles in account.items()} for account in (part.busy, part.wait, part.idle)
    )
    edges = part.edges and {edge: often * taken for edge, taken in part.edges.items()}
    return replace(part, cycles=often * part.cycles, busy=busy, wait=wait, idle=idle, critical=critical, edges=edges)
