"""Gradient rules that may be given arrays in place of tensors, because all they do is + - * /.

Most elementwise rules are a line such as ``g * y``. On arrays of one float dtype numpy's + - * / are the operators
of that name, bit for bit. So where nobody listens, the tape computes them on arrays and spares a tensor for every step.
A rule is called once, with terms that write down what it does to them: its formula.
"""

from __future__ import annotations

import dis
import math
from collections.abc import Callable
from typing import Any

from minigraph.core.op import EachOperand, Op

# what such a function is made of, in the words of CPython 3.11 to 3.14; a word not listed only costs the short way
LOADS = {
    "LOAD_FAST", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_CONST",
    "LOAD_SMALL_INT",
}  # fmt: skip
STEPS = {"RESUME", "BINARY_OP", "UNARY_NEGATIVE", "RETURN_VALUE"} | LOADS
SIGNS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}  # numpy's words, which are called faster


def is_arithmetic(rule: Callable[..., Any]) -> bool:
    """Whether a function only adds, subtracts, multiplies and divides its arguments and finite numbers.

    >>> is_arithmetic(lambda g, out, x: g * (1 - out * out)), is_arithmetic(lambda g, out, x: g ** x)
    (True, False)
    """
    steps = list(dis.get_instructions(rule)) if hasattr(rule, "__code__") else []
    signs = {step.argrepr for step in steps if step.opname == "BINARY_OP"}
    numbers = [step.argval for step in steps if step.opname in ("LOAD_CONST", "LOAD_SMALL_INT")]
    real = all(type(number) in (int, float) and math.isfinite(number) for number in numbers)
    return bool(steps) and {step.opname for step in steps} <= STEPS and signs <= SIGNS.keys() and real


class Term:
    """What an arithmetic rule makes, as text, and whether the cotangent is in it."""

    def __init__(self, text: str, of_cotangent: bool = False) -> None:
        self.text, self.of_cotangent = text, of_cotangent

    def __add__(self, other: Any) -> Term:
        return _joined(self, "+", other)

    def __radd__(self, other: Any) -> Term:
        return _joined(other, "+", self)

    def __sub__(self, other: Any) -> Term:
        return _joined(self, "-", other)

    def __rsub__(self, other: Any) -> Term:
        return _joined(other, "-", self)

    def __mul__(self, other: Any) -> Term:
        return _joined(self, "*", other)

    def __rmul__(self, other: Any) -> Term:
        return _joined(other, "*", self)

    def __truediv__(self, other: Any) -> Term:
        return _joined(self, "/", other)

    def __rtruediv__(self, other: Any) -> Term:
        return _joined(other, "/", self)

    def __neg__(self) -> Term:
        return Term(f"negative({self.text})", self.of_cotangent)


def _joined(left: Any, sign: str, right: Any) -> Term:
    first, second = (one if isinstance(one, Term) else Term(repr(one)) for one in (left, right))
    return Term(f"{SIGNS[sign]}({first.text}, {second.text})", first.of_cotangent or second.of_cotangent)


def formula(rule: Callable[..., Any], operands: int) -> str | None:
    """What a gradient rule computes of ``g``, ``out``, ``x0``, ``x1``, ...; ``None`` unless arithmetic will do.

    The cotangent has to be in it: if that is in C order, so is then what is made of it, because numpy keeps the order
    when an operand of the result's shape has it.

    >>> formula(lambda g, out, x: g * (1 - out * out), 1), formula(lambda g, out, x: out, 1)
    ('multiply(g, subtract(1, multiply(out, out)))', None)
    """
    if not is_arithmetic(rule):
        return None
    made = rule(Term("g", of_cotangent=True), Term("out"), *[Term(f"x{i}") for i in range(operands)])
    return made.text if isinstance(made, Term) and made.of_cotangent else None


def formulas(op: Op) -> tuple[str | None, ...] | None:
    """The formula for each operand, ``None`` for one without a gradient; ``None`` if arrays will not do."""
    rules, every = op.vjp, tuple(range(op.arity or 0))
    alike = op.arity == 1 or (op.promotes is not None and op.promotes.positions == every)
    if op.family != "elementwise" or not alike or isinstance(rules, EachOperand) or len(rules) != op.arity:
        return None
    found = tuple(formula(rule, len(rules)) if rule is not None else None for rule in rules)
    return found if all(text or rule is None for text, rule in zip(found, rules, strict=True)) else None
