"""VJP rules that are plain arithmetic (+ - * /) as formulas, which can be evaluated on arrays instead of tensors.

Most elementwise rules are a line such as ``g * y``. On arrays of one float dtype numpy's + - * / are the operators
of that name, bit for bit. So where no other tape is active, the tape evaluates them on arrays and creates no tensors.
The formula of a rule comes from tracing it: the rule is called once on symbolic terms that record the arithmetic.
"""

from __future__ import annotations

from math import isfinite

from minigraph.core import bytecode
from minigraph.core.aliases import Function
from minigraph.core.op import EachOperand, Op

UFUNC_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}  # calling a ufunc is faster than its sign


def is_arithmetic(rule: Function) -> bool:
    """Whether a function only adds, subtracts, multiplies and divides its arguments and finite numbers.

    >>> is_arithmetic(lambda g, out, x: g * (1 - out * out)), is_arithmetic(lambda g, out, x: g ** x)
    (True, False)
    """
    return bytecode.is_arithmetic(rule, frozenset(UFUNC_NAMES))


class Term:
    """A symbolic operand or result of an arithmetic rule: its text, and whether it depends on the cotangent."""

    def __init__(self, text: str, of_cotangent: bool = False) -> None:
        self.text, self.of_cotangent = text, of_cotangent

    def __add__(self, other: Term | float) -> Term:
        return _binary(self, "+", other)

    def __radd__(self, other: Term | float) -> Term:
        return _binary(other, "+", self)

    def __sub__(self, other: Term | float) -> Term:
        return _binary(self, "-", other)

    def __rsub__(self, other: Term | float) -> Term:
        return _binary(other, "-", self)

    def __mul__(self, other: Term | float) -> Term:
        return _binary(self, "*", other)

    def __rmul__(self, other: Term | float) -> Term:
        return _binary(other, "*", self)

    def __truediv__(self, other: Term | float) -> Term:
        return _binary(self, "/", other)

    def __rtruediv__(self, other: Term | float) -> Term:
        return _binary(other, "/", self)

    def __neg__(self) -> Term:
        return Term(f"negative({self.text})", self.of_cotangent)


def _binary(left: Term | float, sign: str, right: Term | float) -> Term:
    first, second = (factor if isinstance(factor, Term) else Term(_number_text(factor)) for factor in (left, right))
    return Term(f"{UFUNC_NAMES[sign]}({first.text}, {second.text})", first.of_cotangent or second.of_cotangent)


def _number_text(number: float) -> str:
    """A number as source text, also inf and nan."""
    return f"float('{number!r}')" if number.__class__ is float and not isfinite(number) else repr(number)


def formula(rule: Function, operands: int) -> str | None:
    """The formula of a VJP rule in ``g``, ``out``, ``x0``, ``x1``, ...; ``None`` unless the rule is arithmetic.

    The formula has to depend on the cotangent. Its value is then C contiguous if the cotangent is, because numpy keeps
    the order of an operand that has the result's shape.

    >>> formula(lambda g, out, x: g * (1 - out * out), 1), formula(lambda g, out, x: out, 1)
    ('multiply(g, subtract(1, multiply(out, out)))', None)
    """
    if not is_arithmetic(rule):
        return None
    result = rule(Term("g", of_cotangent=True), Term("out"), *[Term(f"x{i}") for i in range(operands)])
    return result.text if isinstance(result, Term) and result.of_cotangent else None


def formulas(op: Op) -> tuple[str | None, ...] | None:
    """The formula for each operand, ``None`` for one without a gradient; ``None`` if a rule has no formula."""
    rules, all_positions = op.vjp, tuple(range(op.arity or 0))
    one_dtype = op.arity == 1 or (op.promotes is not None and op.promotes.positions == all_positions)
    if op.family != "elementwise" or not one_dtype or isinstance(rules, EachOperand) or len(rules) != op.arity:
        return None
    texts = tuple(formula(rule, len(rules)) if rule is not None else None for rule in rules)
    return texts if all(text or rule is None for text, rule in zip(texts, rules, strict=True)) else None
