"""The messages between a sweep and its workers: a work item per point, and the metrics that come back.

A worker never gets a graph, a weight or a user's file. It gets the jobs of the optimised graph and the chip's values,
about 20 kB for a training step of 600 nodes, and needs nothing but minigraph.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from minigraph._version import __version__
from minigraph.core.errors import UsageError
from minigraph.core.scope_guard import raise_external_error
from minigraph.npu.basis import memory_note
from minigraph.npu.chips.chip import SECTIONS, Chip
from minigraph.npu.host import Host
from minigraph.npu.job_cost import cost_of
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.tiling.plan import Job

MAX_ERROR_CHARACTERS = 2000  # of the text of an error in a table; readers of CSV have limits
Jobs = tuple[tuple[int, Job], ...]  # the nodes that become tasks, in execution order; equal jobs are one object


class WorkItem(NamedTuple):
    """Everything a worker needs for one point.

    ``eager_jobs``: those of eager mode, an operator each. ``program``: digest of the jobs.
    ``standing``: "calibrated", "nominal", or "what-if" with the changed parameters. ``needed``: bytes of device memory
    that the graph needs at least. ``version``: the sender's.
    """

    jobs: Jobs
    eager_jobs: Jobs
    program: str
    chip: Chip
    host: Host
    engine: str
    standing: str
    needed: int = 0
    version: str = __version__

    @property
    def digest(self) -> str:
        """16 hexadecimal digits of a hash of the whole item, with minigraph's version."""
        chip = self.chip.family, *(getattr(self.chip, section) for section in SECTIONS)
        return digest_of((self.version, self.program, chip, self.host, self.engine, self.standing, self.needed))


def digest_of(numbers: object) -> str:
    """16 hexadecimal digits of a hash of the ``repr``.

    >>> digest_of((1, 2))
    'cf4dabed2ce0f4fc'
    """
    return sha256(repr(numbers).encode()).hexdigest()[:16]


class Metrics(NamedTuple):
    """The result at one point; with an ``error``, all others are ``None``.

    Device ``cycles`` and ``us`` of all tasks, head overheads included; ``bound_us``: roofline lower bound;
    ``graph_us``, ``eager_us``: a warm run, host included; bytes through device memory and L2; the chip's float16 peak
    in TFLOP/s; ``notes``: number of tasks with notes (estimates, assumed trip counts, idle units), which ``simulate``
    shows; ``standing``: whether the chip is "calibrated", "nominal", or a "what-if", with its changed parameters;
    ``memory``: why the model does not fit the chip's device memory, empty if it does.
    """

    tasks: int | None = None
    cycles: int | None = None
    us: float | None = None
    bound_us: float | None = None
    graph_us: float | None = None
    eager_us: float | None = None
    gm_bytes: float | None = None
    l2_bytes: float | None = None
    peak_tflops: float | None = None
    notes: int | None = None
    standing: str = ""
    memory: str = ""
    error: str = ""


def evaluate(work_item: WorkItem) -> Metrics:
    """The metrics of one point, equal to the metrics of ``simulate``; an error of the point becomes its row.

    Errors that say nothing about the point are raised, so that it is tried again: ``MemoryError``, a signal handler's
    deadline, and ``UsageError`` if the worker's version of minigraph is not the sender's.
    """
    if work_item.version != __version__:
        raise UsageError(f"a worker has minigraph {__version__}, not {work_item.version}; install the same everywhere")
    try:
        return _metrics(work_item)
    except Exception as error:
        raise_external_error(error)
        return Metrics(error=error_text(error))
    finally:
        cost_of.cache_clear()  # the chip is not used again, and costs of the event engine are large


def error_text(error: BaseException) -> str:
    """An error as one line that every file can hold: its class, and its message or the beginning of it.

    >>> error_text(ValueError("too\\nlarge"))
    'ValueError: too large'
    """
    try:
        message = str(error)
    except Exception as failure:  # of a user's class
        raise_external_error(failure)
        message = "its text cannot be made"
    text = " ".join(f"{type(error).__name__.lstrip('_')}: {message}".split())
    return text[:MAX_ERROR_CHARACTERS].encode(errors="backslashreplace").decode()


def _report(work_item: WorkItem, jobs: Jobs, eager_run: Callable[[], Report] | None = None) -> Report:
    rows: list[NodeRow] = []
    for node, job in jobs:
        cost = cost_of(job, work_item.chip, work_item.engine)
        if cost.parts:
            start = rows[-1].end if rows else 0.0
            rows.append(NodeRow(node, "", "", "", (), (), start, cost, work_item.chip))
    return Report("", work_item.chip, work_item.host, work_item.engine, tuple(rows), eager_run)


def _metrics(work_item: WorkItem) -> Metrics:
    report = _report(work_item, work_item.jobs, lambda: _report(work_item, work_item.eager_jobs))
    rows = report.rows
    return Metrics(
        len(rows), report.cycles, report.us, report.bound_us, report.graph_us, report.eager_us,
        report.bytes["GM"], report.bytes["L2"], peak_tflops(work_item.chip),
        sum(bool(row.cost.layout.notes) for row in rows), work_item.standing,
        memory_note(work_item.chip, work_item.needed),
    )  # fmt: skip


def peak_tflops(chip: Chip) -> float:
    """The float16 peak of all cube cores in TFLOP/s, two per multiply-accumulate.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> round(peak_tflops(chip_named("ascend910b1")))
    364
    """
    return 2 * chip.cores.aic * chip.cube.m * chip.cube.n * chip.cube.k_f16 * chip.hz / 1e12
