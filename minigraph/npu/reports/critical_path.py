"""The critical path of a run: what bound it, and which instructions waited for which.

Going back from the last instruction, each one starts when what it waited for ended: its queue, a flag, a slot of a
buffer, the scalar unit that issues it. Memory that other cores use too makes it end later ("bandwidth").
"""

from __future__ import annotations

from collections import Counter

from minigraph.npu.engine.record import Edge
from minigraph.npu.report import Report
from minigraph.npu.reports.sheet import Sheet

MOST = 5
COLUMNS = ("cause", "means", "cycles", "us", "%")
MEANINGS = {
    "head": "start of every task", "bandwidth": "memory shared with other cores", "queue": "the queue was not free",
    "flag": "what it reads was not there", "buffer": "no slot of a buffer was free", "issue": "the scalar unit issues",
    "other cores": "cube and vector cores wait for each other", "S": "scalar unit at work", "V": "vector unit at work",
    "M": "cube at work", "MTE1": "L1 to L0", "MTE2": "memory to L1 or UB", "MTE3": "UB to memory",
    "FIXP": "L0C to memory",
}  # fmt: skip


def critical_sheet(report: Report, most: int = MOST) -> Sheet:
    """Shares of the critical path by binding cause, longest first; the ``most`` longest edges as notes.

    The analytic engine has no critical path: only heads are told then.
    """
    rows = tuple(
        (cause, MEANINGS.get(cause, ""), cycles, report.chip.us(cycles), 100 * cycles / max(report.cycles, 1))
        for cause, cycles in report.critical.items()
        if cycles
    )
    edges = sorted(edges_of(report).items(), key=lambda item: (-item[1], item[0]))[:most]
    told = tuple(
        f"{edge.before} -> {edge.after} ({edge.cause}): {report.chip.us(cycles):,.2f} us" for edge, cycles in edges
    )
    return Sheet(f"critical path of {report.title}, {report.us:,.2f} us", COLUMNS, rows, (*told, report.standing))


def edges_of(report: Report) -> dict[Edge, float]:
    """Cycles of the critical path by edge between two kinds of instructions, heads of tasks left out."""
    found: Counter[Edge] = Counter()
    for row in report.rows:
        found.update(row.cost.edges)
    return dict(found)
