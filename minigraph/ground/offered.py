"""What installed packages offer under entry points: passes, rules, operators; loaded when first asked for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

OPS, PASSES, RULES = "minigraph.ops", "minigraph.passes", "minigraph.rules"  # the groups


def offered(group: str, name: str) -> list[Any]:
    """What packages offer under this name, imported; usually one thing or none."""
    return [point.load() for point in _points(group=group, name=name)]


def offered_names(group: str) -> list[str]:
    """The names that packages offer in a group, sorted; nothing is imported."""
    return sorted({point.name for point in _points(group=group)})


def _points(**wanted: str) -> Iterable[Any]:
    metadata = import_module("importlib.metadata")  # not before it is needed: it brings all of email
    points: Iterable[Any] = metadata.entry_points(**wanted)
    return points
