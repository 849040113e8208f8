"""The gain of fusing each edge of a graph: two kernels, compared with one kernel for the work of both.

Fusion saves the write and the read of the value between them, one head overhead and, in eager mode, one launch. It may
cost smaller tiles, because more tensors share UB, and idle cores. The analytic model estimates both variants; whether a
pass can fuse the edge is not considered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from minigraph.core.deprecated_names import warn_renamed
from minigraph.ir.graph_reader import GraphReader, Ref, producer
from minigraph.npu.basis import basis_of
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.job_cost import analytic_cycles
from minigraph.npu.reports.sheet import Sheet
from minigraph.npu.simulator import jobs_of
from minigraph.npu.tiling.plan import Job

COLUMNS = (
    "edge", "from", "to", "kB", "level", "unfused us", "fused us", "saved us", "head us", "traffic us", "other us",
    "launch us",
)  # fmt: skip


class EdgeGain(NamedTuple):
    """One edge, and the device time in microseconds that fusing it saves.

    ``saved`` is ``unfused`` (two kernels) minus ``fused`` (one). Its components: ``head``, one head overhead;
    ``traffic``, the write and read of the value at the bandwidth of ``level``, without overlap; ``other``, the overlap
    that hid part of the traffic, and the cost of smaller tiles or fewer cores (negative). ``launch`` is saved too in
    eager mode.
    """

    before: int
    after: int
    names: tuple[str, str]
    nbytes: int
    level: str
    unfused: float
    fused: float
    head: float
    traffic: float
    launch: float

    @property
    def saved_us(self) -> float:
        """Microseconds saved on the device; negative when one kernel is slower than two."""
        return self.unfused - self.fused

    @property
    def saved(self) -> float:
        """The deprecated name of ``saved_us``."""
        warn_renamed("EdgeGain.saved", "EdgeGain.saved_us")
        return self.saved_us

    @property
    def apart(self) -> float:
        """The deprecated name of ``unfused``."""
        warn_renamed("EdgeGain.apart", "EdgeGain.unfused")
        return self.unfused

    @property
    def other(self) -> float:
        """The remainder of ``saved_us``: neither head nor traffic."""
        return self.saved_us - self.head - self.traffic


def fusion_gains(
    graph: GraphReader, chip: str | Chip | None = None, host: str | Host = DEFAULT_HOST
) -> tuple[EdgeGain, ...]:
    """The gain of every edge between two tasks, largest first.

    Edges between two matrix products, and from or to region nodes, are left out. A value that has other readers is
    still written by the fused kernel.
    """
    chip_data, launch = chip_named(chip), host_named(host).issue_us.v
    jobs = {node: job for node, job in jobs_of(graph, chip_data) if not job.inside}
    gains = [
        _gain(graph, before, after, jobs, chip_data, launch)
        for after in jobs
        for before in dict.fromkeys(_producers(graph, after))
        if before in jobs and not (jobs[before].work.macs and jobs[after].work.macs)
    ]
    return tuple(sorted(gains, key=lambda gain: (-gain.saved_us, gain.before, gain.after)))


def fusion_sheet(graph: GraphReader, chip: str | Chip | None = None, host: str | Host = DEFAULT_HOST) -> Sheet:
    """The gain of every edge as a table, the largest first."""
    rows = tuple(
        (f"%{g.before} -> %{g.after}", *g.names, g.nbytes / 1e3, g.level, g.unfused, g.fused, g.saved_us, g.head,
         g.traffic, g.other, g.launch)
        for g in fusion_gains(graph, chip, host)
    )  # fmt: skip
    note = "upper bound: fusing a chain of n tasks gains at most n times; for a whole network, Amdahl's law applies"
    basis = basis_of(graph, chip, host)
    title, notes = f"gain of fusing each edge on {basis.label}", (note, basis.calibration)
    return Sheet(title, COLUMNS, rows, notes, basis.what_if, memory=basis.memory)


def _producers(graph: GraphReader, node: int) -> Iterator[int]:
    """The producers of a node's operands, through views."""
    for ref in graph.ins(node):
        source = producer(ref)
        while graph.op(source).unit == "none" and graph.op(source).family == "view" and graph.ins(source):
            source = producer(graph.ins(source)[0])
        yield source


def _gain(
    graph: GraphReader, before: int, after: int, jobs: Mapping[int, Job], chip: Chip, launch: float
) -> EdgeGain:  # fmt: skip
    first, second = jobs[before], jobs[after]
    size, times = sum(t.nbytes for t in graph.types(before)), list(_producers(graph, after)).count(before)
    fused = fused_job(first, second, times * size, 0 if _is_needed_elsewhere(graph, before, after) else size)
    level = "L2" if first.work.written + second.work.read <= chip.buf.l2 else "GM"
    rate = chip.pool.l2 if level == "L2" else chip.pool.gm
    unfused = sum(chip.us(analytic_cycles(job, chip)) for job in (first, second))
    names = tuple(graph.op(node).label_of(graph.attrs(node)) for node in (before, after))
    return EdgeGain(before, after, (names[0], names[1]), size, level, unfused, chip.us(analytic_cycles(fused, chip)),
                    chip.task.head_us, (1 + times) * size / rate / 1e6, launch)  # fmt: skip


def fused_job(first: Job, second: Job, read: int, written: int) -> Job:
    """The job of a fused kernel, without ``read`` bytes of the second job's loads and ``written`` bytes of stores."""
    total = first.work + second.work
    work = replace(total, read=max(0, total.read - read), written=max(0, total.written - written))
    cold = first.cold * first.work.read + second.cold * max(0, second.work.read - read)
    widest = max(first.dtype, second.dtype, key=lambda dtype: dtype.itemsize)
    cube = next((job for job in (first, second) if job.work.macs), None)
    return Job(
        work, cube.dtype if cube else widest, max(first.elements, second.elements), cube.unit if cube else "vector",
        round(min(1.0, cold / max(work.read, 1)), 4), largest=max(first.largest, second.largest),
    )  # fmt: skip


def _is_needed_elsewhere(graph: GraphReader, node: int, reader: int) -> bool:
    """Whether a node's value is an output of the graph or has another reader."""
    outs: set[Ref] = set(graph.outs)
    worklist, seen = [node], {node}
    while worklist:
        current = worklist.pop()
        if any(producer(ref) == current for ref in outs):
            return True
        for user in graph.users(current):
            view = graph.op(user).unit == "none" and graph.op(user).family == "view"
            if user != reader and not view:
                return True
            if view and user not in seen:
                seen.add(user)
                worklist.append(user)
    return False
