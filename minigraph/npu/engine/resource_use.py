"""Sums over a program without running it: what each queue has to do and what each memory level has to move."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from minigraph.npu.engine.program import QUEUES, Instr, Items, Program, Repeat

LEVELS = ("GM", "L2", "L1", "L0C", "UB")
# Which levels a transfer's bytes pass: device memory is counted apart, from the part that misses L2.
PASSES = {
    ("aic", "MTE2"): ("L2", "L1"), ("aic", "MTE1"): ("L1",), ("aic", "FIXP"): ("L0C", "L2"),
    ("aic", "MTE3"): ("UB", "L2"),
    ("aiv", "MTE2"): ("L2", "UB"), ("aiv", "MTE3"): ("UB", "L2"),
}  # fmt: skip


def busy_cycles(program: Program) -> dict[str, int]:
    """Cycles each queue is held at least: unit times, and bytes at the path's own rate.

    A load's latency is not counted, for it can overlap with other loads; a store's is.
    """
    found = dict.fromkeys(QUEUES, 0)
    for instr, times in flat(program.items):
        latency = 0 if instr.queue == "MTE2" else instr.cycles
        found[instr.queue] += times * (latency + (ceil(instr.moved / instr.rate) if instr.rate else 0))
    return found


def moved_bytes(items: Items) -> dict[str, int]:
    """Bytes each queue of one core moves."""
    found = dict.fromkeys(QUEUES, 0)
    for instr, times in flat(items):
        found[instr.queue] += times * instr.moved
    return found


def level_bytes(program: Program) -> dict[str, float]:
    """Bytes through each memory level, all cores together."""
    found = dict.fromkeys(LEVELS, 0.0)
    each = program.cores * program.share
    for instr, times in flat(program.items):
        for level in PASSES.get((program.core, instr.queue), ()):
            found[level] += each * times * instr.moved
        found["GM"] += each * times * instr.device
    return found


def loaded_bytes(program: Program) -> tuple[float, float]:
    """Bytes all cores load, and those of them that come from device memory."""
    each = program.cores * program.share
    loads = [(instr, each * times) for instr, times in flat(program.items) if instr.queue == "MTE2"]
    return sum(often * load.moved for load, often in loads), sum(often * load.device for load, often in loads)


def flat(items: Items, times: int = 1) -> Iterable[tuple[Instr, int]]:
    """Each instruction once, with how often it runs."""
    for item in items:
        if isinstance(item, Repeat):
            yield from flat(item.body, times * item.times)
        else:
            yield item, times
