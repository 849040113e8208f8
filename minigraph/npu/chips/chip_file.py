"""Reading a chip file: every key known, none missing, every figure warranted.

>>> load_chip("nowhere.toml")
Traceback (most recent call last):
minigraph.errors.ChipError: nowhere.toml: cannot read the chip file, No such file or directory; name a TOML file
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from minigraph.core.errors import ChipError, did_you_mean
from minigraph.npu.chips.chip import FAMILIES, MAY_BE_ZERO, SECTIONS, WHOLE, Chip
from minigraph.npu.chips.figure import Figure, check_figure

# Pairs of which the first cannot exceed the second: what is achieved and its roof, misses and hits.
NOT_ABOVE = (
    ("pool.gm", "pool.gm_roof"), ("pool.gm_write", "pool.gm_roof"), ("pool.l2", "pool.l2_roof"),
    ("pool.l2_same", "pool.l2"), ("mte2.cap_l1_miss", "mte2.cap_l1"), ("mte2.cap_ub_miss", "mte2.cap_ub"),
    ("mte2.lat", "mte2.lat_miss"),
)  # fmt: skip
SHIPPED = Path(__file__).parent


def load_chip(path: Path | str) -> Chip:
    """The chip in a TOML file; raises ``ChipError`` naming file and key for anything wrong in it.

    ``base = "ascend910b1"`` as first line takes every entry that the file does not have from that shipped chip;
    a chip that is not calibrated takes them as unverified (grade U).
    """
    path = Path(path)
    data = _read(path)
    if "base" in data:
        data = _based(path.name, data)
    return _chip(path.name, data)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ChipError(f"{path}: cannot read the chip file, {error.strerror}; name a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ChipError(f"{path.name}: not TOML: {error}; compare a file in minigraph/npu/chips") from None


def _based(where: str, data: dict[str, Any]) -> dict[str, Any]:
    """The entries of the base with those of ``data`` in their place."""
    name, shipped = data.pop("base"), sorted(path.stem for path in SHIPPED.glob("*.toml"))
    if name not in shipped:
        raise ChipError(f"{where}: no chip '{name}' to take entries from{did_you_mean(str(name), shipped)}")
    base = _read(SHIPPED / f"{name}.toml")
    if "base" in base:
        base = _based(name, base)
    about = data.get("chip")
    if isinstance(about, dict) and about.get("calibrated") is False:
        base = {section: {key: _borrowed(name, entry) for key, entry in base[section].items()} for section in base}
    tables = {key: value for key, value in data.items() if isinstance(value, dict)}
    return base | data | {key: base.get(key, {}) | table for key, table in tables.items()}


def _borrowed(name: str, entry: Any) -> Any:
    """A figure taken from a chip that was measured, for one that was not: unverified, in twice as wide a band."""
    if not isinstance(entry, dict) or str(entry["src"]).startswith("taken from"):
        return entry  # the title and the note, or what the base itself took from another chip
    value: Any = entry["v"]
    band = {"lo": (entry.get("lo") or value) / 2, "hi": (entry.get("hi") or value) * 2}
    return {"v": value, "src": f"taken from {name}: {entry['src']}", "grade": "U", **band}


def _chip(where: str, data: Mapping[str, Any]) -> Chip:
    same_keys(where, "", data, ("chip", *SECTIONS))
    about = data["chip"]
    same_keys(where, "chip.", about, ("title", "family", "calibrated", "note"))
    if about["family"] not in FAMILIES:
        raise ChipError(f"{where}: chip.family is '{about['family']}'; use one of {', '.join(FAMILIES)}")
    if not isinstance(about["calibrated"], bool):
        raise ChipError(f"{where}: chip.calibrated is {about['calibrated']!r}; use true or false")
    for key in ("title", "note"):
        if not isinstance(about[key], str) or not about[key].strip():
            raise ChipError(f"{where}: chip.{key} is {about[key]!r}; write a few words")
    figures = dict(_figures(where, data))
    _check_together(where, about["family"], figures)
    parts = {section: _section(kind, section, figures) for section, kind in SECTIONS.items()}
    return Chip(name=Path(where).stem, **about, **parts, figures=figures)


def _check_together(where: str, family: str, figures: Mapping[str, Figure]) -> None:
    """Raise ``ChipError`` for figures that are possible each, but not in one chip."""
    for low, high in NOT_ABOVE:
        if figures[low].v > figures[high].v:
            both = f"{low} is {figures[low].v:g}, more than {high}, {figures[high].v:g}"
            raise ChipError(f"{where}: {both}; no chip has that, so mend one of them")
    aiv = figures["cores.aiv"].v
    if (family == "split") != (aiv > 0):
        wants = "vector cores of their own" if family == "split" else "its vector units in the cube cores, so 0"
        raise ChipError(f"{where}: cores.aiv is {aiv:g}, but chip.family '{family}' has {wants}; mend one of them")


def _figures(where: str, data: Mapping[str, Any]) -> Iterator[tuple[str, Figure]]:
    for section, kind in SECTIONS.items():
        same_keys(where, f"{section}.", data[section], [field.name for field in fields(kind)])
        for name, entry in data[section].items():
            yield f"{section}.{name}", figure_of(where, f"{section}.{name}", entry)


def figure_of(where: str, key: str, entry: object) -> Figure:
    """The figure of one TOML entry ``{v, src, grade, lo, hi}``; raises ``ChipError`` for anything wrong."""
    if not isinstance(entry, dict):
        raise ChipError(f"{where}: {key} is {entry!r}; write {{v = ..., src = ..., grade = ...}}")
    unknown = next((name for name in entry if name not in Figure._fields), None)
    if unknown is not None:
        raise ChipError(f"{where}: {key} has unknown key '{unknown}'{did_you_mean(unknown, Figure._fields)}")
    for name in ("v", "src", "grade"):
        if not entry.get(name) and entry.get(name) != 0:
            raise ChipError(f"{where}: {key} has no {name}; every figure names its value, source and grade")
    value: Any = entry["v"]
    figure = Figure(value, entry["src"], entry["grade"], entry.get("lo", value), entry.get("hi", value))
    check_figure(where, key, figure, key in WHOLE, key in MAY_BE_ZERO)
    return figure


def _section(kind: type, section: str, figures: Mapping[str, Figure]) -> Any:
    return kind(**{field.name: figures[f"{section}.{field.name}"].v for field in fields(kind)})


def same_keys(
    where: str, prefix: str, found: object, wanted: Collection[str], like: str = "a file in minigraph/npu/chips"
) -> None:
    """Raise ``ChipError`` unless a table has the wanted keys and no others; ``like`` says what to compare."""
    if not isinstance(found, dict):
        raise ChipError(f"{where}: '{prefix.rstrip('.')}' is {found!r}; make it a table")
    unknown = next((key for key in found if key not in wanted), None)
    if unknown is not None:
        raise ChipError(f"{where}: unknown key '{prefix}{unknown}'{did_you_mean(unknown, wanted)}")
    missing = next((key for key in wanted if key not in found), None)
    if missing is not None:
        raise ChipError(f"{where}: '{prefix}{missing}' is missing; compare {like}")
