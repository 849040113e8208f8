"""Replacements for a technique that is switched off: functions of the object that is replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Replacement = Callable[[Any], Any]


def replace_by(value: Any) -> Replacement:
    """A fixed value.

    >>> replace_by(0)(1 << 20)
    0
    """
    return lambda old: value


def drop_operators(*names: str) -> Replacement:
    """A table by operator record, without some operators.

    >>> add = type("Record", (), {"name": "add"})
    >>> drop_operators("add")({add: 1}), drop_operators("mul")({add: 1}) == {add: 1}
    ({}, True)
    """
    return lambda old: {op: value for op, value in old.items() if op.name not in names}


def drop_pass(name: str) -> Replacement:
    """Pipelines by name, without a pass.

    >>> from types import SimpleNamespace
    >>> drop_pass("cse")({"clean": (SimpleNamespace(name="cse"), SimpleNamespace(name="dce"))})
    {'clean': (namespace(name='dce'),)}
    """
    return lambda old: {
        key: tuple(step for step in steps if getattr(step, "name", "") != name) for key, steps in old.items()
    }


def use_reference(seam: str, reference: str) -> Replacement:
    """The table of seams, with the reference's function at one of them.

    >>> use_reference("tape", "reference:Tape")({"tape": "accel:Tape", "call": "accel:call"})
    {'tape': 'reference:Tape', 'call': 'accel:call'}
    """
    return lambda old: old | {seam: reference}


def return_none(old: Any) -> Any:
    """A function that does nothing."""
    return lambda *args, **kwargs: None


def return_false(old: Any) -> Any:
    """A predicate that never holds."""
    return lambda *args, **kwargs: False


def return_empty_list(old: Any) -> Any:
    """A function that finds nothing."""
    return lambda *args, **kwargs: []
