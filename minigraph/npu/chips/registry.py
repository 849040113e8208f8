"""The chips there are: the files beside this one, files named by the user, and installed plug-ins.

>>> chip_named("ascend910b1").cores.aic
24
>>> chip_named("ascend910b")
Traceback (most recent call last):
minigraph.errors.UnknownName: no chip 'ascend910b'; did you mean 'ascend910b4'?
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

from minigraph.core.context import get_context
from minigraph.core.errors import ChipError, DuplicateName, UnknownName, did_you_mean
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.chip_file import load_chip

ENTRY_POINTS = "minigraph.chips"
CHIPS: dict[str, Path] = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))}
_loaded: dict[str, Chip] = {}


def chip_named(name: str | Chip | None = None) -> Chip:
    """The chip of that name, or in the TOML file of that name; the context's for ``None``, a ``Chip`` as it is.

    Raises ``UnknownName`` with the nearest name, and ``ChipError`` for a file with anything wrong in it.
    """
    if isinstance(name, Chip):
        return name
    name = get_context("chip") if name is None else name
    if name.endswith(".toml"):
        return load_chip(name)
    if name not in CHIPS:
        _load_plugins()
    if name not in CHIPS:
        raise UnknownName(f"no chip '{name}'{did_you_mean(name, CHIPS)}")
    if name not in _loaded:
        _loaded[name] = load_chip(CHIPS[name])
    return _loaded[name]


def register_chip(path: Path | str) -> Chip:
    """Add a chip file under its stem and return the chip.

    Raises ``ChipError`` for anything wrong in the file and ``DuplicateName`` for a name already taken by
    another file; nothing is added then.
    """
    path = Path(path).resolve()
    if path.stem in CHIPS and CHIPS[path.stem] != path:
        raise DuplicateName(f"chip '{path.stem}' is already defined by {CHIPS[path.stem]}; choose another file name")
    chip = load_chip(path)
    CHIPS[path.stem], _loaded[path.stem] = path, chip
    return chip


def _load_plugins() -> None:
    """Register what installed packages offer: each entry point is a path, or a function returning one."""
    for point in entry_points(group=ENTRY_POINTS):
        offered = point.load()
        path = Path(offered() if callable(offered) else offered)
        if path.stem != point.name:
            raise ChipError(f"plug-in chip '{point.name}' is in {path.name}; name the file {point.name}.toml")
        if point.name not in CHIPS:
            register_chip(path)
