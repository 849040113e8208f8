"""Leave-one-group-out cross-validation: the rows of each source page, predicted by parameters fitted without it.

A parameter that was fitted to a row of the source page is fitted again to its rows of other pages, by
the least sum of absolute logarithms of predicted over published within its band. If no row is left, the documented
value is used, which does not come from the rows; if there is none, rows that need the parameter are not predicted.
"""

from dataclasses import replace
from functools import cache
from itertools import chain
from math import log
from typing import NamedTuple

from benchmarks.ascend.compare import comparisons
from benchmarks.ascend.jobs import published_values
from benchmarks.ascend.other_rows import OTHER_ROWS
from benchmarks.ascend.published import PUBLISHED, predict
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named

REFIT_STEPS = 8  # values of a parameter that a refit tries on each side of the middle of its band


class Fit(NamedTuple):
    """A fitted parameter of a chip, its rows, and the documented value (0: none) with its source."""

    parameter: str
    chip: str
    rows: tuple[str, ...]
    documented: float = 0.0
    source: str = ""


B1, B4, C950 = "ascend910b1", "ascend910b4", "ascend950"
FITS = (
    Fit("scalar.elem", B1, ("add0",)),
    Fit("pool.gm", B1, ("add4", "cp3"), 1.42, "platform_config: 32 B per cycle and core"),
    Fit("pool.gm", B4, ("mo2", "kb5"), 0.64, "0.8 of the profiler's roof"),
    Fit("pool.gm", C950, ("n950_1", "n950_cp3", "n950_cp8"), 1.28, "0.8 of the profiler's roof"),
    Fit("pool.gm_write", B4, ("kb9",), 0.64, "0.8 of the profiler's roof"),
    Fit("pool.gm_request", B1, ("add2", "add2_mte2"), 0.001, "no published value: none"),
    Fit("pool.l2", B1, ("cp9",), 4.9, "platform_config: 110 B per cycle and core"),
    Fit("pool.l2_same", B1, ("cp12",)),
    Fit("pool.l2_same", C950, ("n950_cp12",)),
    Fit("pool.l2_same_l1", B1, ("pf7",), 0.74, "row n950_cp14 of another page, on a 950"),
    Fit("mte2.lat_miss", B1, ("mo1", "mo2"), 241, "read latency in the configuration of the vendor's CAModel"),
    Fit("mte2.lat_nz", B1, ("mm1_mte2", "mm3_mte2", "tn20"), 767, "msKPP fit of ND2NZ loads"),
    Fit("mte2.lat_nz", C950, ("n950_mm1", "n950_3", "n950_mm5", "n950_mmb1"), 767, "msKPP fit of ND2NZ loads"),
    Fit("mte2.row_nz", B1, ("mm1_mte2", "mm3_mte2", "tn20"), 0.001, "no published value: none"),
    Fit("mte2.cap_l1_miss", B1, ("ct3",), 85, "msKPP: a miss costs more than half of the rate"),
    Fit("mte2.row_odd", B1, ("tn13",), 10, "lower end of its band"),
    Fit("mte1.ovh", B1, ("mm8_mte1",), 28, "latency in the asc-devkit tables"),
    Fit("cube.head", B1, ("mm8_mac",), 6, "pto-isa cost model"),
    Fit("cube.turn", B1, ("mm1_mac",), 20, "lower end of its band"),
    Fit("vector.head", B1, ("mo3_vec", "mo3"), 25, "pto-isa linear fits"),
    Fit("sync.flag", B1, ("mo2",), 10, "lower end of its band"),
    Fit("task.head_us", B1, ("add2", "add3", "add5", "kb19", "mo6"), 5.9, "launch in pto-isa's attention model"),
)


def source_page(name: str) -> str:
    """The file name of a row's source page, with the folder of a README."""
    page = next(row.row["source"] for row in comparisons() if row.id == name).split(" (")[0]
    folder, _, file = page.split()[-1].rpartition("/")
    return f"{folder.split('/')[-1]}/{file}" if file.lower() == "readme.md" else file


@cache
def cross_validation_errors() -> dict[str, float]:
    """The error of every modelled time, predicted without its source page."""
    members: dict[str, list[str]] = {}
    for row in comparisons():
        if row.error is not None and row.row["unit"] in ("us", "ms") and row.id not in OTHER_ROWS:
            members.setdefault(source_page(row.id), []).append(row.id)
    return dict(chain.from_iterable(_errors_without(names) for names in members.values()))


def rows_without_fit() -> list[str]:
    """Times that are not predicted without their source page: no other row and no document has a value to refit to."""
    times = (row for row in comparisons() if row.error is not None and row.row["unit"] in ("us", "ms"))
    return [row.id for row in times if row.id not in OTHER_ROWS and row.id not in cross_validation_errors()]


def _errors_without(names: list[str]) -> list[tuple[str, float]]:
    changed: dict[tuple[str, str], float] = {}
    unknown = [fit for fit in FITS if set(fit.rows) <= set(names) and not fit.documented]
    for fit in FITS:
        unlisted = [name for name in fit.rows if name not in names]
        if len(unlisted) < len(fit.rows) and fit not in unknown:
            changed[fit.chip, fit.parameter] = _refit(fit, unlisted, changed) if unlisted else fit.documented
    lost = set(chain.from_iterable(fit.rows for fit in unknown))
    return [(name, _error(name, changed)) for name in names if name not in lost]


def _refit(fit: Fit, rows: list[str], changed: dict[tuple[str, str], float]) -> float:
    """The value within the parameter's band that predicts ``rows`` best."""
    band = chip_named(fit.chip).parameters[fit.parameter]
    values = [band.lo + (band.hi - band.lo) * step / (2 * REFIT_STEPS) for step in range(2 * REFIT_STEPS + 1)]
    is_integer = isinstance(band.v, int)

    def loss(value: float) -> float:
        return sum(abs(log(1 + _error(name, changed | {(fit.chip, fit.parameter): value}))) for name in rows)

    return min((round(value) if is_integer else value for value in values if value > 0), key=loss)


def _error(name: str, changed: dict[tuple[str, str], float]) -> float:
    row = PUBLISHED[name]
    engine = "analytic" if row.metric in ("task", "core") else "event"
    us = predict(replace(row, chip=with_parameters(row.chip, changed)), engine)
    return us / published_values()[name] - 1


def with_parameters(chip: Chip, changed: dict[tuple[str, str], float]) -> Chip:
    """The chip with parameters that were refitted for it, or for the 910B1 if it inherits them from there."""
    values: dict[str, float] = {}
    for (name, parameter), value in changed.items():
        is_inherited = chip.parameters[parameter].v == chip_named(name).parameters[parameter].v
        if name == chip.name or (name == B1 and is_inherited):
            is_integer = isinstance(chip.parameters[parameter].v, int)
            values[parameter.replace(".", "_", 1)] = round(value) if is_integer else value
    return chip.replace(**values)
