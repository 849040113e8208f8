"""What fusing each edge of a graph would save: two kernels as they are, against one that does the work of both.

The value between them is then neither written nor read, one task's head and, eagerly, one launch go. Against that
stand tiles that get smaller, because more tensors share UB, and cores that go without. The closed forms price both
sides; whether a pass may fuse the edge is the pass's affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from minigraph.ir.reading import GraphReader, Ref, producer
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.job_cost import price
from minigraph.npu.reports.sheet import Sheet
from minigraph.npu.simulator import jobs_of
from minigraph.npu.tiling.plan import Job

COLUMNS = (
    "edge", "from", "to", "kB", "level", "apart us", "fused us", "saved us", "head us", "traffic us", "other us",
    "launch us",
)  # fmt: skip


class EdgeGain(NamedTuple):
    """One edge and what one kernel in the place of two saves on the device, microseconds.

    ``saved`` is ``apart`` less ``fused``, and is made of ``head`` (a task's start), ``traffic`` (writing and reading
    the value, at the bandwidth of ``level``, as if nothing else were done meanwhile) and ``other``: what overlapped
    anyway, and what smaller tiles or fewer cores cost (negative). ``launch`` comes on top in eager mode.
    """

    before: int
    after: int
    names: tuple[str, str]
    nbytes: int
    level: str
    apart: float
    fused: float
    head: float
    traffic: float
    launch: float

    @property
    def saved(self) -> float:
        """Microseconds saved on the device; negative when one kernel is slower than two."""
        return self.apart - self.fused

    @property
    def other(self) -> float:
        """What is neither the head nor the traffic."""
        return self.saved - self.head - self.traffic


def fusion_gains(
    graph: GraphReader, chip: str | Chip | None = None, host: str | Host = DEFAULT_HOST
) -> tuple[EdgeGain, ...]:
    """Every edge between two tasks, the one that saves most first.

    Edges between two matrix products, into or out of nodes with bodies that loop, and to values that others read
    too are priced as they would be: the value is still written when somebody else needs it.
    """
    chosen, launch = chip_named(chip), host_named(host).issue_us.v
    jobs = {node: job for node, job in jobs_of(graph, chosen) if not job.inside}
    found = [
        _gain(graph, before, after, jobs, chosen, launch)
        for after in jobs
        for before in dict.fromkeys(_makers(graph, after))
        if before in jobs and not (jobs[before].work.macs and jobs[after].work.macs)
    ]
    return tuple(sorted(found, key=lambda gain: (-gain.saved, gain.before, gain.after)))


def fusion_sheet(graph: GraphReader, chip: str | Chip | None = None, host: str | Host = DEFAULT_HOST) -> Sheet:
    """The gain of every edge as a table, the largest first."""
    rows = tuple(
        (f"%{g.before} -> %{g.after}", *g.names, g.nbytes / 1e3, g.level, g.apart, g.fused, g.saved, g.head, g.traffic,
         g.other, g.launch)
        for g in fusion_gains(graph, chip, host)
    )  # fmt: skip
    note = "a chain of n tasks fused gains at most n times; a whole network only what its chains are of it (Amdahl)"
    chosen = chip_named(chip)
    return Sheet(f"what fusing each edge saves on {chosen.label}", COLUMNS, rows, (note, chosen.standing))


def _makers(graph: GraphReader, node: int) -> Iterator[int]:
    """The nodes whose tasks make a node's operands, views looked through."""
    for ref in graph.ins(node):
        at = producer(ref)
        while graph.op(at).unit == "none" and graph.op(at).family == "view" and graph.ins(at):
            at = producer(graph.ins(at)[0])
        yield at


def _gain(
    graph: GraphReader, before: int, after: int, jobs: Mapping[int, Job], chip: Chip, launch: float
) -> EdgeGain:  # fmt: skip
    first, second = jobs[before], jobs[after]
    size, times = sum(t.nbytes for t in graph.types(before)), list(_makers(graph, after)).count(before)
    fused = fused_job(first, second, times * size, 0 if _is_needed_elsewhere(graph, before, after) else size)
    level = "L2" if first.work.written + second.work.read <= chip.buf.l2 else "GM"
    rate = chip.pool.l2 if level == "L2" else chip.pool.gm
    heads = sum(chip.us(price(job, chip)) for job in (first, second))
    names = tuple(graph.op(node).label_of(graph.attrs(node)) for node in (before, after))
    return EdgeGain(before, after, (names[0], names[1]), size, level, heads, chip.us(price(fused, chip)),
                    chip.task.head_us, (1 + times) * size / rate / 1e6, launch)  # fmt: skip


def fused_job(first: Job, second: Job, read: int, written: int) -> Job:
    """One kernel for two jobs, which saves the second ``read`` bytes of the first one's result, and ``written``."""
    whole = first.work + second.work
    work = replace(whole, read=max(0, whole.read - read), written=max(0, whole.written - written))
    cold = first.cold * first.work.read + second.cold * max(0, second.work.read - read)
    wide = max(first.dtype, second.dtype, key=lambda dtype: dtype.itemsize)
    cube = next((job for job in (first, second) if job.work.macs), None)
    return Job(
        work, cube.dtype if cube else wide, max(first.elements, second.elements), cube.unit if cube else "vector",
        round(min(1.0, cold / max(work.read, 1)), 4), largest=max(first.largest, second.largest),
    )  # fmt: skip


def _is_needed_elsewhere(graph: GraphReader, node: int, reader: int) -> bool:
    """Whether a node's value is a result of the graph or read by another task."""
    outs: set[Ref] = set(graph.outs)
    waiting, seen = [node], {node}
    while waiting:
        at = waiting.pop()
        if any(producer(ref) == at for ref in outs):
            return True
        for user in graph.users(at):
            view = graph.op(user).unit == "none" and graph.op(user).family == "view"
            if user != reader and not view:
                return True
            if view and user not in seen:
                seen.add(user)
                waiting.append(user)
    return False
