"""Checks of the fields of an operator record when it is defined, before any sample is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.op_fields import EachOperand, Effect, effect_of

UNITS = ("cube", "vector", "scalar", "move", "none")
FAMILIES = ("elementwise", "reduction", "view", "leaf", "region", "other")
ROLES = ("compute", "input", "const", "parameter", "fused", "depend", "alias", "memory")
EFFECT_KINDS = ("read", "write")
LANES = ("simple", "special", "cast", "reduce", "transpose", "gather")  # classes of vector instructions


def check_fields(op: Any) -> None:
    """Raise ``UsageError`` for a unit, family, role or effect that does not exist, a wrong ``vjp`` or ``samples``."""
    check_choice(op.name, "unit", op.unit, UNITS)
    check_choice(op.name, "family", op.family, FAMILIES)
    check_choice(op.name, "role", op.role, ROLES)
    if isinstance(op.effects, str):
        raise UsageError(f"operator '{op.name}': effects are text, not a tuple; give effects=({op.effects!r},)")
    for text in op.effects:
        effect: Effect = effect_of(text)
        check_choice(op.name, "kind of effect", effect.kind, EFFECT_KINDS)
    if not (op.samples is None or callable(op.samples)):
        text = f"operator '{op.name}': samples are a {type(op.samples).__name__}, not a function"
        raise UsageError(f"{text}; give a function of a numpy Generator that returns a list of Sample")
    check_vjps(op.name, op.vjp)
    if not isinstance(op.vjp, EachOperand) and op.vjp and op.arity not in (None, len(op.vjp)):
        text = f"operator '{op.name}': vjp has {len(op.vjp)} entries for {op.arity} operands"
        raise UsageError(f"{text}; give one per operand, None where there is no gradient")


def check_choice(name: str, field: str, value: object, choices: Sequence[str]) -> None:
    """Raise ``UsageError``, with the nearest choice, unless the value is one of the choices.

    >>> check_choice("relu", "unit", "vectr", UNITS)
    Traceback (most recent call last):
    minigraph.errors.UsageError: operator 'relu': no unit 'vectr'; did you mean 'vector'?
    """
    if value not in choices:
        raise UsageError(f"operator '{name}': no {field} '{value}'{did_you_mean(str(value), choices)}")


def check_vjps(name: str, vjps: object) -> None:
    """Raise ``UsageError`` unless VJPs are ``EachOperand``, or a tuple or list of functions and ``None``."""
    if isinstance(vjps, EachOperand):
        return
    if not isinstance(vjps, tuple | list):
        text = f"operator '{name}': vjp is a {type(vjps).__name__}, not a tuple"
        raise UsageError(f"{text}; give one function per operand, as in vjp=(lambda g, out, x: ...,)")
    for position, vjp in enumerate(vjps):
        if vjp is not None and not callable(vjp):
            text = f"operator '{name}': vjp[{position}] is a {type(vjp).__name__}, not a function"
            raise UsageError(f"{text}; give a function of g, out and the operands, or None")
