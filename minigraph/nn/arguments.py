"""Argument checks of layers, optimizers and schedules, with MindSpore's error messages.

``caller`` is the class or function whose argument is checked, or empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import ArgTypeError, ArgValueError


def check_positive_int(caller: str, name: str, value: object) -> int:
    """The int; raises ``TypeError`` for other types and ``ValueError`` below 1.

    >>> check_positive_int("Dense", "in_channels", 3)
    3
    """
    return _check_bound(caller, name, _check_number(caller, name, value, int), "int", is_strict=True)


def check_1d_sizes(caller: str, **sizes: object) -> list[tuple[int, int]]:
    """Sizes along a sequence as sizes of an image one pixel high; raises as ``check_positive_int`` does.

    >>> check_1d_sizes("Conv1d", kernel_size=3, stride=2)
    [(1, 3), (1, 2)]
    """
    return [(1, check_positive_int(caller, name, size)) for name, size in sizes.items()]


def check_positive_float(caller: str, name: str, value: object) -> float:
    """The float; raises ``TypeError`` for other types, also for ints, and ``ValueError`` unless it is positive."""
    return _check_bound(caller, name, _check_number(caller, name, value, float), "float", is_strict=True)


def check_nonnegative_float(caller: str, name: str, value: object) -> float:
    """The float; raises ``TypeError`` for other types, also for ints, and ``ValueError`` if it is negative."""
    return _check_bound(caller, name, _check_number(caller, name, value, float), "float", is_strict=False)


def check_positive(caller: str, name: str, value: object) -> float:
    """The number as a float; raises ``TypeError`` for other types and ``ValueError`` unless it is positive."""
    return float(_check_bound(caller, name, _check_number(caller, name, value, int, float), "float", is_strict=True))


def check_nonnegative(caller: str, name: str, value: object) -> float:
    """The number as a float; raises ``TypeError`` for other types and ``ValueError`` if it is negative."""
    return float(_check_bound(caller, name, _check_number(caller, name, value, int, float), "float", is_strict=False))


def check_bool(caller: str, name: str, value: object) -> bool:
    """The bool; raises ``TypeError`` for other types."""
    return check_type(caller, name, value, bool)


def check_type(caller: str, name: str, value: object, expected: type) -> Any:
    """The value, if that is exactly its type; raises ``TypeError`` otherwise."""
    if type(value) is not expected:
        whose, got = _subject(caller, f"type of '{name}'"), type(value).__name__
        raise ArgTypeError(f"{whose} should be '{expected.__name__}', but got type '{got}'.")
    return value


def check_choice(caller: str, name: str, value: object, choices: Sequence[str]) -> Any:
    """The value, if it is one of the choices; raises ``ValueError`` otherwise.

    >>> check_choice("EmbeddingLookup", "target", "CPU", ("CPU", "DEVICE"))
    'CPU'
    """
    if value not in choices:
        whose = _subject(caller, f"'{name}'")
        raise ArgValueError(f"{whose} must be one of {list(choices)}, but got {value!r}.")
    return value


def check_rates(caller: str, min_lr: float, max_lr: float) -> None:
    """Raises ``ValueError`` unless the first learning rate is below the second."""
    if min_lr >= max_lr:
        raise ArgValueError(
            f"For '{caller}', the 'max_lr' must be greater than the 'min_lr', "
            f"but got 'max_lr' value: {max_lr}, 'min_lr' value: {min_lr}."
        )


def _check_number(caller: str, name: str, value: object, *types: type) -> Any:
    if isinstance(value, bool) or not isinstance(value, types):
        whose, expected = _subject(caller, f"'{name}'"), " or ".join(type_.__name__ for type_ in types)
        raise ArgTypeError(f"{whose} must be {expected}, but got '{type(value).__name__}'")
    return value


def _check_bound(caller: str, name: str, value: Any, kind: str, is_strict: bool) -> Any:
    """The number if it is positive (``is_strict``) or not negative; NaN is neither."""
    if not (value > 0 if is_strict else value >= 0):
        whose, got = _subject(caller, f"'{name}'"), type(value).__name__
        sign = ">" if is_strict else ">="
        raise ArgValueError(f"{whose} must be {kind} and must {sign} 0, but got '{value}' with type '{got}'.")
    return value


def _subject(caller: str, argument: str) -> str:
    return f"For '{caller}', the {argument}" if caller else f"The {argument}"
