"""What one point sends to a worker, and what comes back: numbers both ways.

A worker never sees a graph, a weight or a user's file. It gets what each task of the optimised graph asks of the
chip (its jobs) and the chip's figures, some 20 kB for a training step of 600 nodes, and needs nothing but minigraph.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from minigraph._version import __version__
from minigraph.core.errors import UsageError
from minigraph.npu.chips.chip import SECTIONS, Chip
from minigraph.npu.host import Host
from minigraph.npu.job_cost import cost_of
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.tiling.plan import Job

Jobs = tuple[tuple[int, Job], ...]  # the nodes that become tasks, in order; equal jobs are one object


class Parcel(NamedTuple):
    """All that a worker needs for one point.

    ``program`` is the digest of the jobs, ``standing`` how far the chip's figures can be trusted, ``version`` the
    sender's.
    """

    jobs: Jobs
    program: str
    chip: Chip
    host: Host
    engine: str
    standing: str
    version: str = __version__

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that change with anything sent, and with minigraph's version."""
        chip = self.chip.family, *(getattr(self.chip, section) for section in SECTIONS)
        return digest_of((self.version, self.program, chip, self.host, self.engine, self.standing))


def digest_of(numbers: object) -> str:
    """16 hexadecimal digits of what ``repr`` says.

    >>> digest_of((1, 2))
    'cf4dabed2ce0f4fc'
    """
    return sha256(repr(numbers).encode()).hexdigest()[:16]


class Figures(NamedTuple):
    """What was found at one point; ``error`` says why the rest is ``None``.

    Device cycles and microseconds of all tasks, heads included; the least any schedule needs; a warm run with the
    host, as a graph and eagerly; bytes through device memory and L2; the chip's float16 peak in TFLOP/s; how many
    tasks have notes (estimates, rounds assumed, units idle), which ``simulate`` tells; whether the chip is
    "calibrated", "nominal", or one with other figures, a "what-if".
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
    error: str = ""


def measured(parcel: Parcel) -> Figures:
    """The figures of one point, equal to those of ``simulate``; an error becomes a row and stops nothing.

    Raises what is the machine's fault and not the point's, so that the point is tried again: ``MemoryError``, and
    ``UsageError`` where another version of minigraph is installed than the sender's.
    """
    if parcel.version != __version__:
        raise UsageError(f"a worker has minigraph {__version__}, not {parcel.version}; install the same everywhere")
    try:
        return _figures(parcel)
    except MemoryError:
        raise
    except Exception as error:
        return Figures(error=told(error))
    finally:
        cost_of.cache_clear()  # this chip does not come again, and the event engine's costs are large


def told(error: BaseException) -> str:
    """An error in one line, its class first.

    >>> told(ValueError("too\\nlarge"))
    'ValueError: too large'
    """
    return f"{type(error).__name__.lstrip('_')}: {' '.join(str(error).split())}"


def _figures(parcel: Parcel) -> Figures:
    rows: list[NodeRow] = []
    for node, job in parcel.jobs:
        cost = cost_of(job, parcel.chip, parcel.engine)
        if cost.parts:
            start = rows[-1].end if rows else 0.0
            rows.append(NodeRow(node, "", "", "", (), (), start, cost, parcel.chip))
    report = Report("", parcel.chip, parcel.host, parcel.engine, tuple(rows))
    return Figures(
        len(rows), report.cycles, report.us, report.bound_us, report.graph_us, report.eager_us,
        report.bytes["GM"], report.bytes["L2"], peak_tflops(parcel.chip),
        sum(bool(row.cost.layout.notes) for row in rows), parcel.standing,
    )  # fmt: skip


def peak_tflops(chip: Chip) -> float:
    """The float16 peak of all cube cores in TFLOP/s, two per multiply-accumulate.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> round(peak_tflops(chip_named("ascend910b1")))
    364
    """
    return 2 * chip.cores.aic * chip.cube.m * chip.cube.n * chip.cube.k_f16 * chip.hz / 1e12
