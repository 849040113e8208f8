"""A chip as data: hardware parameters, each with its value, source, evidence grade and uncertainty band.

One TOML file per chip becomes one frozen ``Chip``. The classes of ``sections.py`` are its schema: unknown keys, missing
keys, parameters without a source and parameters outside of their own band are errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import get_type_hints

from minigraph.core.context import resolve
from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.errors import ChipError
from minigraph.core.html_tables import table_html
from minigraph.npu.chips.hardware_parameter import (
    GRADE_LEGEND,
    MAX_PARAMETER_VALUE,
    HardwareParameter,
    parameter_changes,
    parameter_hint,
)
from minigraph.npu.chips.sections import (
    Buffers,
    Cores,
    Cube,
    Fixp,
    Library,
    Mte1,
    Mte2,
    Mte3,
    Pool,
    Repeat,
    Scalar,
    Sync,
    TaskHead,
    Vector,
)

FAMILIES = ("split", "coupled")
SHIPPED_CHIP = "minigraph.npu.chips.chip_file:shipped_chip"  # bound late: it makes chips of files


@dataclass(frozen=True, eq=False)
class Chip:
    """One chip: values as ``chip.mte2.lat``, their provenance as ``chip.parameters["mte2.lat"]``.

    ``family``: "split" (cube and vector cores exchange data through L2) or "coupled" (each core has both units).
    ``calibrated``: published measurements have been reproduced with the parameters of the shipped chip ``origin``, or
    of the chip's title. A chip with other parameters, or of another family, for any reason, is a what-if, whatever it
    says of itself. ``reference`` and ``kind`` (family and whether calibrated) are those of its file, if no shipped chip
    has its origin or title.
    """

    name: str
    title: str
    family: str
    calibrated: bool
    note: str
    cores: Cores
    cube: Cube
    buf: Buffers
    mte1: Mte1
    mte2: Mte2
    mte3: Mte3
    fixp: Fixp
    vector: Vector
    repeat: Repeat
    scalar: Scalar
    pool: Pool
    task: TaskHead
    library: Library
    sync: Sync
    parameters: Mapping[str, HardwareParameter]
    reference: Mapping[str, HardwareParameter]
    kind: tuple[str, bool]
    origin: str = ""

    def __repr__(self) -> str:
        return f"<chip {self.name}{': what-if ' * bool(self.what_if)}{self.what_if}>"

    def _repr_html_(self) -> str:
        rows = [(k, f"{x.v:g}", f"{x.lo:g} to {x.hi:g}", x.grade, x.src) for k, x in self.parameters.items()]
        return table_html(
            f"{self.calibration}; {GRADE_LEGEND}", rows, ("parameter", "value", "band", "grade", "source")
        )

    @property
    def hz(self) -> float:
        """Cycles per second."""
        return self.cores.freq_mhz * 1e6

    @property
    def what_if(self) -> str:
        """What differs from the reference, as "mte2.lat 190 -> 100"; empty if nothing does."""
        shipped: Chip | None = resolve(SHIPPED_CHIP)(self.origin, self.title)
        reference = self.reference if shipped is None else shipped.parameters
        family, was_calibrated = (self.kind[0], False) if shipped is None else shipped.kind
        rows = ((key, old, self.parameters.get(key, old), attrgetter(key)(self)) for key, old in reference.items())
        changes = [change for row in rows for change in parameter_changes(*row, may_be_weaker=not self.calibrated)]
        changes += [f"chip.family {family} -> {self.family}"] * (self.family != family)
        return ", ".join(changes + ["chip.calibrated false -> true"] * (self.calibrated > was_calibrated))

    @property
    def grade(self) -> str:
        """The basis of predictions: "calibrated", "nominal" or "what-if"."""
        return "what-if" if self.what_if else "calibrated" if self.calibrated else "nominal"

    @property
    def label(self) -> str:
        """The title and the grade: "Ascend 310 (nominal)", "Ascend 910B1 (what-if: mte2.lat 190 -> 100)"."""
        return f"{self.title} ({self.grade}{': ' * bool(self.what_if)}{self.what_if})"

    @property
    def calibration(self) -> str:
        """The grade and its reason: "Ascend 310 is nominal: ..."."""
        if self.what_if:
            return f"{self.title} is a what-if, not checked against any measurement: {self.what_if}"
        return f"{self.title} is {self.grade}{' on published measurements' * self.calibrated}: {self.note}"

    @property
    def vector_cores(self) -> int:
        """Cores with a vector unit."""
        return self.cores.aiv or self.cores.aic

    def us(self, cycles: float) -> float:
        """Cycles in microseconds."""
        return cycles / self.cores.freq_mhz

    def per_cycle(self, terabytes: float) -> float:
        """A bandwidth in TB/s, in bytes per cycle."""
        return terabytes * 1e12 / self.hz

    def replace(self, **values: float) -> Chip:
        """A copy of this chip with other values, for sensitivity analysis: ``chip.replace(mte2_lat=100)``.

        The first underscore separates section and key. Raises ``ChipError`` for an unknown name or an invalid value.
        """
        chip = self
        for key, value in values.items():
            section, _, name = key.partition("_")
            full = f"{section}.{name}"
            if full not in self.parameters:
                raise ChipError(f"chip {self.name}: no parameter '{full}'{parameter_hint(full, self.parameters)}")
            changed = self.parameters[full].with_value(value, self.reference.get(full))
            parameter = checked_parameter(f"chip {self.name}", full, changed)
            changed_section = replace(getattr(chip, section), **{name: parameter.v})
            chip = replace(chip, **{section: changed_section, "parameters": {**chip.parameters, full: parameter}})
        return chip

    changed, standing, figures = map(DeprecatedAttribute, ("replace", "calibration", "parameters"))


SECTIONS: dict[str, type] = {name: kind for name, kind in get_type_hints(Chip).items()
                             if isinstance(kind, type) and kind.__module__ == Cores.__module__}  # fmt: skip
MAY_BE_ZERO = {"cores.aiv", "cube.k_f32", "task.mix_extra_us", "task.online", "library.attention", "sync.xcore",
               "mte2.row_nz", "buf.ub_reserved", "pool.gm_request"}  # fmt: skip
INTEGER_KEYS = {f"{name}.{key}" for name, kind in SECTIONS.items() for key, t in get_type_hints(kind).items()
                if t is int}  # fmt: skip
LIMITS = {"mte2.outstanding": 65_536}  # both engines keep a time for each load under way


def checked_parameter(where: str, key: str, parameter: HardwareParameter) -> HardwareParameter:
    """The parameter ``key`` of a chip; raises ``ChipError``, with ``where`` in its text, if it is invalid."""
    limit = LIMITS.get(key, MAX_PARAMETER_VALUE)
    return parameter.checked(where, key, key in INTEGER_KEYS, key in MAY_BE_ZERO, limit)
