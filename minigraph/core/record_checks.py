"""Checks of the fields of an operator record that need no samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.op_fields import EachOperand, Effect, effect_of

UNITS = ("cube", "vector", "scalar", "move", "none")
FAMILIES = ("elementwise", "reduction", "view", "leaf", "region", "other")
EFFECT_KINDS = ("read", "write")
LANES = ("simple", "special", "cast", "reduce", "transpose", "gather")  # classes of vector instructions


def check_fields(op: Any) -> None:
    """Raise ``UsageError`` for a unit, family or effect that does not exist, or VJPs that are no VJPs."""
    check_word(op.name, "unit", op.unit, UNITS)
    check_word(op.name, "family", op.family, FAMILIES)
    for text in op.effects:
        effect: Effect = effect_of(text)
        check_word(op.name, "kind of effect", effect.kind, EFFECT_KINDS)
    check_vjps(op.name, op.vjp)
    if not isinstance(op.vjp, EachOperand) and op.vjp and op.arity not in (None, len(op.vjp)):
        text = f"operator '{op.name}': vjp has {len(op.vjp)} entries for {op.arity} operands"
        raise UsageError(f"{text}; give one per operand, None where there is no gradient")


def check_word(name: str, what: str, word: object, known: Sequence[str]) -> None:
    """Raise ``UsageError`` unless a word is one of the known ones.

    >>> check_word("relu", "unit", "vectr", UNITS)
    Traceback (most recent call last):
    minigraph.errors.UsageError: operator 'relu': no unit 'vectr'; did you mean 'vector'?
    """
    if word not in known:
        raise UsageError(f"operator '{name}': no {what} '{word}'{did_you_mean(str(word), known)}")


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
