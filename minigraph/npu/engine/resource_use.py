"""Resource use of a program, computed without simulation: cycles of each queue, bytes through each memory level."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from minigraph.npu.engine.program import QUEUES, Instr, Items, Loop, Program

LEVELS = ("GM", "L2", "L1", "L0C", "UB")
# Levels that a transfer's bytes pass through, by core and queue; device memory is added from the L2 misses.
TRANSFER_LEVELS = {
    ("aic", "MTE2"): ("L2", "L1"), ("aic", "MTE1"): ("L1",), ("aic", "FIXP"): ("L0C", "L2"),
    ("aic", "MTE3"): ("UB", "L2"),
    ("aiv", "MTE2"): ("L2", "UB"), ("aiv", "MTE3"): ("UB", "L2"),
}  # fmt: skip


def busy_cycles(program: Program) -> dict[str, int]:
    """Lower bound on the busy cycles of each queue: unit times, and transfers at the core's own rate.

    The latency of a store counts; a load may overlap with other loads, so its latency does not count.
    """
    cycles = dict.fromkeys(QUEUES, 0)
    for instr, times in flatten(program.items):
        latency = 0 if instr.queue == "MTE2" else instr.cycles
        cycles[instr.queue] += times * (latency + (ceil(instr.bytes_moved / instr.rate) if instr.rate else 0))
    return cycles


def moved_bytes(items: Items) -> dict[str, int]:
    """Bytes that each queue of one core moves."""
    bytes_moved = dict.fromkeys(QUEUES, 0)
    for instr, times in flatten(items):
        bytes_moved[instr.queue] += times * instr.bytes_moved
    return bytes_moved


def level_bytes(program: Program) -> dict[str, float]:
    """Bytes through each memory level, summed over all cores."""
    bytes_moved = dict.fromkeys(LEVELS, 0.0)
    weight = program.cores * program.balance
    for instr, times in flatten(program.items):
        for level in TRANSFER_LEVELS.get((program.core, instr.queue), ()):
            bytes_moved[level] += weight * times * instr.bytes_moved
        bytes_moved["GM"] += weight * times * instr.device
    return bytes_moved


def loaded_bytes(program: Program) -> tuple[float, float]:
    """Bytes that all cores load, and how many of them come from device memory."""
    weight = program.cores * program.balance
    loads = [(instr, weight * times) for instr, times in flatten(program.items) if instr.queue == "MTE2"]
    return sum(count * load.bytes_moved for load, count in loads), sum(count * load.device for load, count in loads)


def flatten(items: Items, times: int = 1) -> Iterable[tuple[Instr, int]]:
    """Each instruction with its execution count, loops flattened."""
    for item in items:
        if isinstance(item, Loop):
            yield from flatten(item.body, times * item.times)
        else:
            yield item, times
