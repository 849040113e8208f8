"""The chip registry: shipped files, files registered by the user, and plug-ins of installed packages.

>>> chip_named("ascend910b1").cores.aic
24
>>> chip_named("ascend910b")
Traceback (most recent call last):
minigraph.errors.UnknownNameError: no chip 'ascend910b'; did you mean 'ascend910b4'?
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

from minigraph.core.context import get_context
from minigraph.core.errors import ChipError, DuplicateNameError, UnknownNameError, did_you_mean
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.chip_file import load_chip

ENTRY_POINTS = "minigraph.chips"
CHIPS: dict[str, Path] = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))}
_loaded: dict[str, Chip] = {}


def chip_named(name: str | Chip | None = None) -> Chip:
    """The chip of a name or of a TOML file's path; the context's for ``None``; a ``Chip`` is returned as it is.

    Raises ``UnknownNameError`` with the nearest name, and ``ChipError`` for an invalid file.
    """
    if isinstance(name, Chip):
        return name
    name = get_context("chip") if name is None else name
    if name.endswith(".toml"):
        return load_chip(name)
    if name not in CHIPS:
        _load_plugins()
    if name not in CHIPS:
        raise UnknownNameError(f"no chip '{name}'{did_you_mean(name, CHIPS)}")
    if name not in _loaded:
        _loaded[name] = load_chip(CHIPS[name])
    return _loaded[name]


def register_chip(path: Path | str) -> Chip:
    """Register a chip file under its stem and return the chip.

    Raises ``ChipError`` for an invalid file and ``DuplicateNameError`` for a name that another file has; nothing is
    registered then.
    """
    path = Path(path).resolve()
    if path.stem in CHIPS and CHIPS[path.stem] != path:
        raise DuplicateNameError(
            f"chip '{path.stem}' is already defined by {CHIPS[path.stem]}; choose another file name"
        )
    chip = load_chip(path)
    CHIPS[path.stem], _loaded[path.stem] = path, chip
    return chip


def _load_plugins() -> None:
    """Register the chips of installed packages: each entry point is a path, or a function that returns one."""
    for point in entry_points(group=ENTRY_POINTS):
        target = point.load()
        path = Path(target() if callable(target) else target)
        if path.stem != point.name:
            raise ChipError(f"plug-in chip '{point.name}' is in {path.name}; name the file {point.name}.toml")
        if point.name not in CHIPS:
            register_chip(path)
