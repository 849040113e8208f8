"""What stands in the place of a technique that is switched off: made of what stood there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Plain = Callable[[Any], Any]


def instead(value: Any) -> Plain:
    """Another value, whatever stood there.

    >>> instead(0)(1 << 20)
    0
    """
    return lambda old: value


def without(*names: str) -> Plain:
    """A table by records, without those of some operators.

    >>> add = type("Record", (), {"name": "add"})
    >>> without("add")({add: 1}), without("mul")({add: 1}) == {add: 1}
    ({}, True)
    """
    return lambda old: {op: value for op, value in old.items() if op.name not in names}


def without_pass(name: str) -> Plain:
    """Pipelines by name, without a pass.

    >>> from types import SimpleNamespace
    >>> without_pass("cse")({"clean": (SimpleNamespace(name="cse"), SimpleNamespace(name="dce"))})
    {'clean': (namespace(name='dce'),)}
    """
    return lambda old: {
        key: tuple(step for step in steps if getattr(step, "name", "") != name) for key, steps in old.items()
    }


def with_seam(seam: str, plain: str) -> Plain:
    """The seams' table, one of them with the reference's name.

    >>> with_seam("tape", "plain:Tape")({"tape": "accel:Tape", "call": "accel:call"})
    {'tape': 'plain:Tape', 'call': 'accel:call'}
    """
    return lambda old: old | {seam: plain}


def nothing(old: Any) -> Any:
    """A function that notes and finds nothing."""
    return lambda *given, **named: None


def never(old: Any) -> Any:
    """A question that is always answered with no."""
    return lambda *given, **named: False


def no_parts(old: Any) -> Any:
    """A function that finds an empty list."""
    return lambda *given, **named: []
