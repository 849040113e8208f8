"""Simulation results of a run as JSON: costs per node, timeline, roofline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from minigraph.npu import Report
from minigraph.npu.job_cost import VERDICT_LEGEND
from minigraph.npu.report_rows import NodeRow, spans_of
from minigraph.npu.reports import roofline
from viz.machine.timeline import tracks_of

Json = Any
MAX_BARS = 4000  # of a timeline; only the longest are drawn


def node_costs(reports: Iterable[Report]) -> dict[int, Json]:
    """The cost of each node by id: cycles, bottleneck, busiest queue, bytes of device memory, cores.

    If a node is in several reports, the last one counts.
    """
    return {row.node: _cost(row) for report in reports for row in report.rows}


def _cost(row: NodeRow) -> Json:
    queue, share = row.cost.busiest
    return {
        "cycles": row.cycles, "bound": row.cost.verdict, "queue": f"{queue} {share:.0%}",
        "bytes": round(row.cost.bytes["GM"] + row.cost.bytes["L2"]), "cores": row.cost.layout.cores,
    }  # fmt: skip


def timeline_data(report: Report, rows: Mapping[int, int]) -> Json:
    """Tracks (core, queue) and bars (track, start, end, row, text, whether it is a wait); ``rows`` by node id."""
    queues = [(track.core, track.queue) for track in tracks_of(report.spans) if track.queue != "operators"]
    tracks = {track: k for k, track in enumerate(queues)}
    bars: list[list[Any]] = []
    for task in report.rows:
        row = rows.get(task.node, -1)
        for span in spans_of(task):
            track = tracks[span.core, span.queue]
            if span.wait:
                bars.append([track, span.start - span.wait, span.start, row, f"wait: {span.bound_by}", 1])
            bars.append([track, span.start, span.end, row, f"{span.node} {span.name}"])
    longest = sorted(sorted(bars, key=lambda bar: bar[1] - bar[2])[:MAX_BARS], key=lambda bar: bar[1])
    omission = f"; the longest {MAX_BARS:,} of {len(bars):,} bars" if len(bars) > MAX_BARS else ""
    note = (
        f"{report.cycles:,} cycles = {report.us:,.2f} us, simulated{omission}. {report.calibration}; {VERDICT_LEGEND}."
    )
    return {"tracks": list(tracks), "bars": longest, "cycles": report.cycles, "mhz": report.mhz, "note": note}


def roofline_data(report: Report, rows: Mapping[int, int]) -> Json:
    """Roofs (name, value, unit) and points (row, roof, operations per byte, TOps/s, queue, text)."""
    data = roofline(report)
    points = [
        [rows.get(point.row.node, -1), point.roof, point.intensity, point.tops, point.row.cost.busiest[0],
         f"%{point.row.node} {point.row.name}"]
        for point in data.points
    ]  # fmt: skip
    return {"roofs": [list(roof) for roof in data.roofs], "points": points}
