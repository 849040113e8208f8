"""Reading chip files: unknown or missing keys and parameters without provenance are errors.

>>> load_chip("nowhere.toml")
Traceback (most recent call last):
minigraph.errors.ChipError: nowhere.toml: cannot read the chip file, No such file or directory; name a TOML file
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from minigraph.core.errors import ChipError, did_you_mean
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor.conversion import short_repr
from minigraph.npu.chips.chip import FAMILIES, SECTIONS, Chip, checked_parameter
from minigraph.npu.chips.hardware_parameter import HardwareParameter

# Pairs (low, high) with low <= high: achieved bandwidth and roof, misses and hits.
ORDERED_PAIRS = (
    ("pool.gm", "pool.gm_roof"), ("pool.gm_write", "pool.gm_roof"), ("pool.l2", "pool.l2_roof"),
    ("pool.l2_same", "pool.l2"), ("pool.l2_same_l1", "pool.l2"), ("mte2.lat", "mte2.lat_miss"),
    ("mte2.cap_l1_miss", "mte2.cap_l1"), ("mte2.cap_ub_miss", "mte2.cap_ub"),
)  # fmt: skip
SHIPPED_FOLDER = Path(__file__).resolve().parent


def load_chip(path: Path | str) -> Chip:
    """The chip in a TOML file; raises ``ChipError`` with file and key for an invalid file.

    With ``base = "ascend910b1"`` as its first line, a file inherits all missing entries from that shipped chip; a chip
    that is not calibrated inherits them as unverified (grade U). A file outside of minigraph is a what-if if its
    parameters differ from those of the shipped chip that has its title, or that it is based on or copied from. A chip
    of its own is a what-if if it says that it is calibrated: no measurement was compared with it here.
    """
    path = Path(path)
    data = _read(path)
    base = data.get("base")
    if base is not None:
        data = _merge_base(path.name, data)
    chip = _build_chip(path.name, data)
    if path.resolve().parent == SHIPPED_FOLDER:
        return replace(chip, origin=path.stem)
    origin = _shipped_origin(base, chip)
    if origin is None:
        return replace(chip, kind=(chip.family, False))
    return replace(chip, reference=origin.reference, kind=origin.kind, origin=origin.name)


@lru_cache
def _shipped_chips() -> Mapping[str, Chip]:
    """All shipped chips by name, for comparison: nobody else gets these objects, so that nobody changes them."""
    return {path.stem: load_chip(path) for path in SHIPPED_FOLDER.glob("*.toml")}


def shipped_chip(name: str, title: str) -> Chip | None:
    """The shipped chip of a name, or else of a title; ``None`` without one. For comparison only."""
    shipped = _shipped_chips()
    return shipped[name] if name in shipped else next((c for c in shipped.values() if c.title == title), None)


def _shipped_origin(base: str | None, chip: Chip) -> Chip | None:
    """The shipped chip that a file changes; ``None`` for a chip of its own.

    It has the same title, or is the base, or most of the file's values are that chip's, whatever sources it names and
    whether or not it claims to be calibrated.
    """
    shipped = _shipped_chips()
    if base is not None or shipped_chip("", chip.title):
        return shipped_chip("", chip.title) or shipped[str(base)]
    equal = {name: sum(chip.reference[key].v == parameter.v for key, parameter in other.reference.items())
             for name, other in shipped.items()}  # fmt: skip
    nearest = max(equal, key=lambda name: equal[name])
    return shipped[nearest] if 2 * equal[nearest] > len(chip.parameters) else None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        reraise_handler_error(error)
        raise ChipError(f"{path}: cannot read the chip file, {error.strerror}; name a TOML file") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or an integer of too many digits
        raise ChipError(f"{path.name}: not TOML: {error}; compare a file in minigraph/npu/chips") from None


def _merge_base(where: str, data: dict[str, object]) -> dict[str, Any]:
    """The entries of the base chip, overridden by the entries of ``data``."""
    name, shipped = data.pop("base"), sorted(path.stem for path in SHIPPED_FOLDER.glob("*.toml"))
    if name not in shipped:
        raise ChipError(f"{where}: no chip '{name!s:.80}' to inherit from{did_you_mean(str(name), shipped)}")
    base = _read(SHIPPED_FOLDER / f"{name}.toml")
    if "base" in base:
        base = _merge_base(name, base)
    header = data.get("chip")
    if isinstance(header, dict) and header.get("calibrated") is False:
        base = {section: {key: _inherit(name, entry) for key, entry in base[section].items()} for section in base}
    tables = {key: value for key, value in data.items() if isinstance(value, dict)}
    return base | data | {key: base.get(key, {}) | table for key, table in tables.items()}


def _inherit(name: str, entry: object) -> Any:
    """A parameter inherited by a chip that is not calibrated: unverified, with a wider band."""
    if not isinstance(entry, dict) or str(entry["src"]).startswith("taken from"):
        return entry  # title or note, or inherited by the base itself
    value: Any = entry["v"]
    band = {"lo": entry.get("lo", value) / 2, "hi": entry.get("hi", value) * 2}
    return {"v": value, "src": f"taken from {name}: {entry['src']}", "grade": "U", **band}


def _build_chip(where: str, data: Mapping[str, Any]) -> Chip:
    check_keys(where, "", data, ("chip", *SECTIONS))
    header = data["chip"]
    check_keys(where, "chip.", header, ("title", "family", "calibrated", "note"))
    if header["family"] not in FAMILIES:
        raise ChipError(f"{where}: chip.family is {short_repr(header['family'])}; use one of {', '.join(FAMILIES)}")
    if not isinstance(header["calibrated"], bool):
        raise ChipError(f"{where}: chip.calibrated is {short_repr(header['calibrated'])}; use true or false")
    for key in ("title", "note"):
        if not isinstance(header[key], str) or not header[key].strip():
            raise ChipError(f"{where}: chip.{key} is {short_repr(header[key])}; use a string")
    parameters = dict(_parameters(where, data))
    _check_together(where, header["family"], parameters)
    parts = {s: kind(**{f.name: parameters[f"{s}.{f.name}"].v for f in fields(kind)}) for s, kind in SECTIONS.items()}
    kind = header["family"], header["calibrated"]
    reference = dict(parameters)  # a copy, so that an entry of ``parameters`` that is set is a change, too
    return Chip(name=Path(where).stem, **header, **parts, parameters=parameters, reference=reference, kind=kind)


def _check_together(where: str, family: str, parameters: Mapping[str, HardwareParameter]) -> None:
    """Raise ``ChipError`` for parameters that contradict each other."""
    for low, high in ORDERED_PAIRS:
        if parameters[low].v > parameters[high].v:
            values = f"{low} is {parameters[low].v:g}, more than {high}, {parameters[high].v:g}"
            raise ChipError(f"{where}: {values}; correct one of them")
    aiv = parameters["cores.aiv"].v
    if (family == "split") != (aiv > 0):
        units = "vector cores of their own" if family == "split" else "its vector units in the cube cores, so 0"
        raise ChipError(f"{where}: cores.aiv is {aiv:g}, but chip.family '{family}' has {units}; correct one of them")


def _parameters(where: str, data: Mapping[str, Any]) -> Iterator[tuple[str, HardwareParameter]]:
    for section, kind in SECTIONS.items():
        check_keys(where, f"{section}.", data[section], [field.name for field in fields(kind)])
        for name, entry in data[section].items():
            yield f"{section}.{name}", parameter_of(where, f"{section}.{name}", entry)


def parameter_of(where: str, key: str, entry: object) -> HardwareParameter:
    """The parameter of one TOML entry ``{v, src, grade, lo, hi}``; raises ``ChipError`` for an invalid entry."""
    if not isinstance(entry, dict):
        raise ChipError(f"{where}: {key} is {short_repr(entry)}; write {{v = ..., src = ..., grade = ...}}")
    unknown = next((name for name in entry if name not in HardwareParameter._fields), None)
    if unknown is not None:
        hint = did_you_mean(unknown, HardwareParameter._fields)
        raise ChipError(f"{where}: {key} has unknown key '{unknown:.80}'{hint}")
    for name in ("v", "src", "grade"):
        if not entry.get(name) and entry.get(name) != 0:
            raise ChipError(f"{where}: {key} has no {name}; every parameter names its value, source and grade")
    value: Any = entry["v"]
    parameter = HardwareParameter(value, entry["src"], entry["grade"], entry.get("lo", value), entry.get("hi", value))
    return checked_parameter(where, key, parameter)


def check_keys(
    where: str, prefix: str, table: object, expected: Collection[str], template: str = "a file in minigraph/npu/chips"
) -> None:
    """Raise ``ChipError`` unless a table has exactly the expected keys; ``template`` names an example to compare."""
    if not isinstance(table, dict):
        raise ChipError(f"{where}: '{prefix.rstrip('.')}' is {short_repr(table)}; make it a table")
    unknown = next((key for key in table if key not in expected), None)
    if unknown is not None:
        raise ChipError(f"{where}: unknown key '{prefix}{unknown:.80}'{did_you_mean(unknown, expected)}")
    missing = next((key for key in expected if key not in table), None)
    if missing is not None:
        raise ChipError(f"{where}: '{prefix}{missing}' is missing; compare {template}")
