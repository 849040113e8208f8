"""What layers, optimizers and schedules ask of the numbers they are given, and how they say so.

The texts are MindSpore's; ``who`` is the class or function that asks, or empty.
"""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import TypeArgument, ValueArgument


def positive_int(who: str, name: str, value: Any) -> int:
    """The int; raises ``TypeError`` for other things and ``ValueError`` below 1.

    >>> positive_int("Dense", "in_channels", 3)
    3
    """
    return _bounded(who, name, _typed(who, name, value, int), "int", above=True)


def in_a_row(who: str, **sizes: Any) -> list[tuple[int, int]]:
    """Sizes along a sequence as those of an image one pixel high; raises as ``positive_int`` does.

    >>> in_a_row("Conv1d", kernel_size=3, stride=2)
    [(1, 3), (1, 2)]
    """
    return [(1, positive_int(who, name, size)) for name, size in sizes.items()]


def positive_float(who: str, name: str, value: Any) -> float:
    """The float; raises ``TypeError`` for other things, ints too, and ``ValueError`` when it is not above 0."""
    return _bounded(who, name, _typed(who, name, value, float), "float", above=True)


def float_from_0(who: str, name: str, value: Any) -> float:
    """The float; raises ``TypeError`` for other things, ints too, and ``ValueError`` below 0."""
    return _bounded(who, name, _typed(who, name, value, float), "float", above=False)


def positive(who: str, name: str, value: Any) -> float:
    """The number as a float; raises ``TypeError`` for other things and ``ValueError`` when it is not above 0."""
    return float(_bounded(who, name, _typed(who, name, value, int, float), "float", above=True))


def from_0(who: str, name: str, value: Any) -> float:
    """The number as a float; raises ``TypeError`` for other things and ``ValueError`` below 0."""
    return float(_bounded(who, name, _typed(who, name, value, int, float), "float", above=False))


def flag(who: str, name: str, value: Any) -> bool:
    """The bool; raises ``TypeError`` for other things."""
    return of_type(who, name, value, bool)


def of_type(who: str, name: str, value: Any, kind: type) -> Any:
    """The value of that very type; raises ``TypeError`` for others."""
    if type(value) is not kind:
        whose, got = _whose(who, f"type of '{name}'"), type(value).__name__
        raise TypeArgument(f"{whose} should be '{kind.__name__}', but got type '{got}'.")
    return value


def check_rates(who: str, min_lr: float, max_lr: float) -> None:
    """Raise ``ValueError`` unless the first learning rate is below the second."""
    if min_lr >= max_lr:
        raise ValueArgument(
            f"For '{who}', the 'max_lr' must be greater than the 'min_lr', "
            f"but got 'max_lr' value: {max_lr}, 'min_lr' value: {min_lr}."
        )


def _typed(who: str, name: str, value: Any, *kinds: type) -> Any:
    if isinstance(value, bool) or not isinstance(value, kinds):
        whose, wanted = _whose(who, f"'{name}'"), " or ".join(kind.__name__ for kind in kinds)
        raise TypeArgument(f"{whose} must be {wanted}, but got '{type(value).__name__}'")
    return value


def _bounded(who: str, name: str, value: Any, kind: str, above: bool) -> Any:
    """The number, where it is 0 or more, or ``above`` 0; NaN is neither."""
    if not (value > 0 if above else value >= 0):
        whose, got = _whose(who, f"'{name}'"), type(value).__name__
        sign = ">" if above else ">="
        raise ValueArgument(f"{whose} must be {kind} and must {sign} 0, but got '{value}' with type '{got}'.")
    return value


def _whose(who: str, what: str) -> str:
    return f"For '{who}', the {what}" if who else f"The {what}"
