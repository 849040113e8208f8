"""Efficiency bands: what published kernels of a class took, as a share of what the simulator predicts.

``efficiency.toml`` has a band per class, written by ``python -m benchmarks.ascend`` from the published rows; its page
shows how many rows lie in bands that were fitted without them. All rows are of chips with split cores.

>>> from minigraph.core.op_fields import Work
>>> from minigraph.core.types import float32
>>> efficiency_of((Job(Work(lanes=(("simple", 8),), read=32, written=16), float32, 8, "vector"),)).kernel
'elementwise'
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from minigraph.npu.tiling.plan import Job

FILE = Path(__file__).with_suffix(".toml")


class Efficiency(NamedTuple):
    """The band of a class of kernels: ``lo`` and ``hi`` times the predicted time, from ``rows`` published rows."""

    kernel: str
    lo: float
    hi: float
    rows: int


BUILT_IN: Mapping[str, Efficiency] = MappingProxyType(
    {name: Efficiency(name, **table) for name, table in tomllib.loads(FILE.read_text("utf-8")).items()}
)
EFFICIENCIES: dict[str, Efficiency] = dict(BUILT_IN)


def band_legend() -> str:
    """The bands of all classes, as reports explain them."""
    bands = ", ".join(f"{band.lo:g} to {band.hi:g} ({name})" for name, band in EFFICIENCIES.items())
    return f"band us: published kernels took {bands} times the prediction; no band: no published kernels"


def band_changes() -> str:
    """The bands that differ from the shipped ones, as "efficiency.product 0.8..1.4 -> 1..1"; empty if none does."""
    names = {name: None for name in (*BUILT_IN, *EFFICIENCIES) if BUILT_IN.get(name) != EFFICIENCIES.get(name)}
    return ", ".join(
        f"efficiency.{name} {_band_text(BUILT_IN.get(name))} -> {_band_text(EFFICIENCIES.get(name))}" for name in names
    )


def _band_text(band: Efficiency | None) -> str:
    return f"{band.lo:g}..{band.hi:g} of {band.rows} rows" if band else "none"


def kernel_class(job: Job) -> str:
    """The class of a job's kernel, a key of ``EFFICIENCIES``; "" for none. Softmax and norms are reductions.

    Estimates without a model of the operator, data movement and scalar loops have none.
    """
    macs, work = job.work.macs, job.work
    if not work.exact or job.unit not in ("cube", "vector"):
        return ""
    if macs:
        is_convolution = any(product.window > 1 or product.height for product in macs)
        return "attention" if len(macs) > 1 else "convolution" if is_convolution else "product"
    return "reduction" if work.rows else "elementwise"


def efficiency_of(jobs: Sequence[Job]) -> Efficiency | None:
    """The band that covers the bands of all jobs; ``None`` if one of them has no class."""
    classes = {kernel_class(job) for job in _tasks(jobs)}
    if not classes or "" in classes:
        return None
    bands = [EFFICIENCIES[name] for name in sorted(classes)]
    names, rows = " and ".join(band.kernel for band in bands), sum(band.rows for band in bands)
    return Efficiency(names, min(band.lo for band in bands), max(band.hi for band in bands), rows)


def _tasks(jobs: Sequence[Job]) -> Iterator[Job]:
    """The jobs, with the jobs of its body in place of a loop."""
    for job in jobs:
        if job.inside:
            yield from _tasks([inner for inner, _ in job.inside])
        else:
            yield job
