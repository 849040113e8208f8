"""Timelines of the host and the device, which show why a graph is faster than eager mode.

``report`` is the result of ``minigraph.simulate``: ``host(mode)`` has one row per task, in microseconds (``issued``,
``start``, ``end``), ``mhz`` is the device's clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from viz.common.elements import svg_or_error
from viz.machine.timeline import TIMELINE_WIDTH, timeline

if TYPE_CHECKING:
    from minigraph.npu.report import Report

MODES = ("eager", "graph")


def launches(report: Report, width: float = TIMELINE_WIDTH) -> str:
    """Host and device of a warm run in both modes on one time axis, as SVG text; never raises.

    In eager mode the host issues each operator, and the device may wait for it; a graph is issued once.
    """
    return svg_or_error(lambda: timeline(_combined_report(report), width=width))


def _combined_report(report: Report) -> Any:
    """Both modes as one report for ``timeline``: a core stands for a mode, its queues for host and device."""
    spans = [span for mode in MODES for span in _spans(report, mode)]
    title = f"{getattr(report, 'title', '')}: one launch per operator (eager), one launch (graph)"
    return SimpleNamespace(spans=spans, title=title, label=getattr(report, "label", ""), mhz=report.mhz)


def _spans(report: Report, mode: str) -> Iterator[SimpleNamespace]:
    """The spans of one mode: the host from one issue to the next, the device from start to end of a task."""
    issued = 0.0
    for row in report.host(mode):
        if row.issued > issued:
            yield _span(report, mode, "host", f"issue %{row.node}", issued, row.issued)
        yield _span(report, mode, "device", f"%{row.node}", row.start, row.end)
        issued = row.issued


def _span(report: Report, mode: str, queue: str, name: str, start: float, end: float) -> SimpleNamespace:
    """A span in device cycles, from times in microseconds."""
    return SimpleNamespace(core=mode, queue=queue, name=name, start=start * report.mhz, end=end * report.mhz)
