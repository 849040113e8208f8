"""Gradient rules that may be given arrays in place of tensors, because all they do is + - * /.

Most elementwise rules are a line such as ``g * y``. On arrays of one float dtype numpy's + - * / are the operators
of that name, bit for bit. So where nobody listens, the tape hands them arrays and spares a tensor for every step.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from typing import Any

from minigraph.op import EachOperand, Op

Rules = tuple[Callable[..., Any] | None, ...]

# what such a function is made of, in the words of CPython 3.11 to 3.14; a word not listed only costs the short way
LOADS = {
    "LOAD_FAST", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_CONST",
    "LOAD_SMALL_INT",
}  # fmt: skip
STEPS = {"RESUME", "BINARY_OP", "UNARY_NEGATIVE", "RETURN_VALUE"} | LOADS
SIGNS = {"+", "-", "*", "/"}


def same(g: Any, *_: Any) -> Any:
    """The rule of an operand that the result's cotangent belongs to as it is."""
    return g


def is_arithmetic(rule: Callable[..., Any]) -> bool:
    """Whether a function only adds, subtracts, multiplies and divides its arguments and real numbers.

    >>> is_arithmetic(lambda g, out, x: g * (1 - out * out)), is_arithmetic(lambda g, out, x: g ** x)
    (True, False)
    """
    steps = list(dis.get_instructions(rule)) if hasattr(rule, "__code__") else []
    signs = {step.argrepr for step in steps if step.opname == "BINARY_OP"}
    numbers = {type(step.argval) for step in steps if step.opname in ("LOAD_CONST", "LOAD_SMALL_INT")}
    return bool(steps) and {s.opname for s in steps} <= STEPS and signs <= SIGNS and numbers <= {int, float}


class _Made:
    """What an arithmetic rule makes, and whether the cotangent is in it."""

    def __init__(self, of_cotangent: bool) -> None:
        self.of_cotangent = of_cotangent

    def _with(self, other: Any) -> _Made:
        return _Made(self.of_cotangent or getattr(other, "of_cotangent", False))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _with

    def __neg__(self) -> _Made:
        return self


def follows(rule: Callable[..., Any]) -> bool:
    """Whether what an arithmetic function returns is made of its first argument.

    If that is in C order, so is then the result: numpy keeps the order when an operand of the result's shape has it.

    >>> follows(lambda g, out, x: out * x * g), follows(lambda g, out, x: out)
    (True, False)
    """
    others = rule.__code__.co_argcount - 1
    return bool(getattr(rule(_Made(True), *[_Made(False)] * others), "of_cotangent", False))


def is_same(rule: Callable[..., Any]) -> bool:
    """Whether an arithmetic function returns its first argument.

    >>> is_same(lambda g, out, x: g), is_same(lambda g, out, x: -g)
    (True, False)
    """
    between = [step for step in dis.get_instructions(rule) if step.opname not in ("RESUME", "RETURN_VALUE")]
    return [step.argval for step in between] == [rule.__code__.co_varnames[0]]


def array_rules(op: Op) -> Rules | None:
    """One function per operand of an operator if arrays will do for all of them, else ``None``."""
    rules, alike = op.vjp, op.arity == 1 or op.promotes == tuple(range(op.arity or 0))
    if op.family != "elementwise" or not alike or isinstance(rules, EachOperand) or len(rules) != op.arity:
        return None
    if not all(rule is None or (is_arithmetic(rule) and follows(rule)) for rule in rules):
        return None
    return tuple(same if rule is not None and is_same(rule) else rule for rule in rules)
