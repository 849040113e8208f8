"""Patterns are programs: a function run once on variables without values gives the tree that is looked for.

>>> pattern = traced(lambda x, w, b: x @ w + b)
>>> print(pattern)
add(matmul(x, w), b)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from minigraph.errors import RuleError
from minigraph.op import Attrs, Op, interpreting, listening
from minigraph.tensor import Tensor

NUMBERS = (bool, int, float, complex)


@dataclass(frozen=True)
class Var:
    """Any value; the same name is the same value, and two names may be one value too."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Number:
    """A constant of exactly this number everywhere, in whatever shape and dtype stands there."""

    value: bool | int | float | complex

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True, eq=False)
class Call:
    """The single result of an operator; one object used twice in a pattern is one node in the graph."""

    op: Op
    args: tuple[Term, ...]
    attrs: Attrs = field(default_factory=dict)

    def __str__(self) -> str:
        attrs = [f"{name}={value}" for name, value in self.attrs.items()]
        return f"{self.op}({', '.join([*map(str, self.args), *attrs])})"


Term = Var | Number | Call


@dataclass(frozen=True)
class AttrVar:
    """An attribute value that a pattern captures and a replacement may use; make one with ``attr``."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


def attr(name: str) -> Any:
    """Stands for any value of an attribute: ``apply("softmax", x, axis=attr("axis"))``."""
    return AttrVar(name)


class Symbol(Tensor):
    """A tensor that stands for a term of a pattern; it has neither values nor a type."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    @property
    def array(self) -> NoReturn:  # type: ignore[override]
        """Not there: raises ``RuleError``."""
        raise RuleError(
            f"pattern: '{self.term}' has no value, shape or dtype; test them with where=lambda m: m.x.shape ..."
        )

    def __repr__(self) -> str:
        return f"<pattern {self.term}>"

    __str__ = __repr__


class PatternTracer:
    """The interpreter that builds terms; operators keep the attributes as they were written."""

    typed = False

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Symbol, ...]:
        """Operands as symbols; raises ``RuleError`` for tensors with values."""
        return tuple(arg if isinstance(arg, Symbol) else Symbol(term_of(op, arg)) for arg in args)

    def emit(self, op: Op, args: tuple[Symbol, ...], attrs: Attrs) -> Symbol:
        """A call."""
        return Symbol(Call(op, tuple(arg.term for arg in args), dict(attrs)))


def term_of(where: object, value: Any) -> Term:
    """The term of a symbol or a number; raises ``RuleError`` for anything else."""
    if isinstance(value, Symbol):
        return value.term
    if isinstance(value, NUMBERS):
        return Number(value)
    raise RuleError(f"pattern: {where} takes variables and numbers, got {type(value).__name__}; make it a variable")


def run(function: Callable[..., Any]) -> Any:
    """What a function of tensors returns when it is called with one variable per parameter."""
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            raise RuleError(f"pattern: parameter '{parameter}' is not a plain one; name every variable")
    with interpreting(PatternTracer()), listening(alone=True):
        return function(*(Symbol(Var(parameter.name)) for parameter in parameters))


def traced(function: Callable[..., Any]) -> Call:
    """The pattern that a function computes; raises ``RuleError`` when it is not one operator's result."""
    return checked(function, run(function))


def checked(function: Callable[..., Any], result: Any) -> Call:
    """The result as a pattern in which every parameter of the function occurs; raises ``RuleError``."""
    term = term_of("the result", result)
    if not isinstance(term, Call):
        raise RuleError(f"pattern: the result is '{term}', which matches everything; compute something")
    missing = set(inspect.signature(function).parameters) - {t.name for t in terms(term) if isinstance(t, Var)}
    if missing:
        raise RuleError(f"pattern: '{min(missing)}' does not occur in {term}; remove the parameter or use it")
    return term


def terms(root: Term) -> list[Term]:
    """Every term, each object once, every user before all its operands."""
    done: dict[int, Term] = {}
    stack = [(root, False)]
    while stack:
        term, entered = stack.pop()
        if entered:
            done[id(term)] = term
        elif id(term) not in done:
            stack.append((term, True))
            stack += [(arg, False) for arg in (term.args if isinstance(term, Call) else ())]
    return list(done.values())[::-1]
