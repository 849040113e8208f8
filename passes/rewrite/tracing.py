"""Traces plain functions into patterns: a function called once on symbolic variables returns the terms to match.

>>> print(*trace_pattern(lambda x, w, b: x @ w + b).results)
add(matmul(x, w), b)
>>> print(*trace_pattern(lambda x, y: maybe("relu", chain(is_cheap, x * y))).results)
(relu(chain(is_cheap, mul(x, y))) | chain(is_cheap, mul(x, y)))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

from minigraph.core.aliases import AttrValue, Function, TensorLike
from minigraph.core.deprecated_names import renamed_arguments
from minigraph.core.errors import RuleError, UsageError
from minigraph.core.op import Attrs, Op, apply, use_interpreter
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.rewrite.pattern import (
    NUMBER_TYPES,
    AttrVar,
    Call,
    Chain,
    Computed,
    Either,
    Many,
    Number,
    Predicate,
    Reapply,
    Term,
    Terms,
    Var,
    terms,
)  # fmt: skip

MAX_STAR_ARGS = 16  # variables tried for the `*args` of one pattern


class Symbol(Tensor):
    """A symbolic tensor for a term of a pattern, without values and type. ``a | b`` matches either term."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    @property
    def array(self) -> NoReturn:  # type: ignore[override]
        """Not available: raises ``RuleError``."""
        raise RuleError(
            f"pattern: '{self.term}' has no value, shape or dtype; write the operator itself, apply(\"name\", x), and "
            "test shapes with where=lambda m: m.x.shape ..."
        )

    def __or__(self, other: TensorLike) -> Symbol:
        return Symbol(Either((self.term, term_of("|", other))))

    def __repr__(self) -> str:
        return f"<pattern {self.term}>"

    __str__ = __repr__


# ---- functions of the pattern language -------------------------------------------------------------


class _Attributes:
    """``S.axis`` captures an attribute's value; ``S(lambda m: ...)`` computes one for the replacement."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return AttrVar(name)

    def __call__(self, make: Callable[[Any], Any]) -> Any:
        return Computed(make)


S = _Attributes()


def maybe(op: Op | str | Function, x: object, **attrs: AttrValue) -> Any:
    """``op(x)`` if it matches, else ``x`` itself: ``maybe("relu", x @ w)``."""
    result = apply(op, x, **attrs) if isinstance(op, Op | str) else op(x, **attrs)
    return result | x


@renamed_arguments(fits="predicate", most="max_length")
def chain(predicate: Predicate, x: Tensor, *, max_length: int = 64) -> Tensor:
    """A chain of nodes that satisfy ``predicate(graph, node)``: each has the next as an operand, the last has ``x``.

    The longest chain of at most ``max_length`` nodes wins. Operands outside the chain may be anything. In a
    replacement, ``reapply(c, y)`` applies the operators of a chain ``c`` to another value.
    """
    return Symbol(Chain(predicate, term_of("chain", x), max_length))


def reapply(chain: object, x: Tensor) -> Tensor:
    """In a replacement: the operators of a matched ``chain`` applied to ``x`` instead of the chain's own operand."""
    term = term_of("reapply", chain)
    if not isinstance(term, Chain):
        raise RuleError(f"pattern: reapply takes what chain(...) returned, got {term}")
    return Symbol(Reapply(term, term_of("reapply", x)))


def many(xs: object, each: Callable[[Any], Any] = lambda x: x) -> Any:
    """All remaining operands, any number of them: ``apply("concat", many(xs), axis=S.axis)``.

    With ``each``, every operand matches the result of that function: ``many(xs, relu)``.
    """
    term = term_of("many", xs)
    if not isinstance(term, Var):
        raise RuleError(f"pattern: many takes a variable, got {term}")
    return Symbol(Many(term.name, term_of("many", each(xs))))


def is_cheap(graph: Graph, node: int) -> bool:
    """Whether a node is elementwise and has no effects, so that fusing it is cheap."""
    op = graph.op(node)
    return op.family == "elementwise" and not op.effects


# ---- tracing ---------------------------------------------------------------------------------------


class PatternTracer:
    """The interpreter that builds terms; calls keep their attributes as written."""

    typed = False

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Symbol, ...]:
        """Operands as symbols; raises ``RuleError`` for tensors with values."""
        return tuple(arg if isinstance(arg, Symbol) else Symbol(term_of(op, arg)) for arg in args)

    def emit(self, op: Op, args: tuple[Symbol, ...], attrs: Attrs) -> Symbol:
        """Record a call."""
        self.calls.append(Call(op, tuple(arg.term for arg in args), dict(attrs)))
        return Symbol(self.calls[-1])


class TracedPattern(NamedTuple):
    """The terms that a function returned (a tuple per side), its parameters, and all calls that it recorded."""

    sides: tuple[Terms, ...]
    parameters: tuple[str, ...]
    calls: tuple[Call, ...]

    @property
    def results(self) -> Terms:
        """The terms of the first side."""
        return self.sides[0]

    def unused_calls(self) -> list[Call]:
        """The calls that are in no result."""
        used = {id(term) for side in self.sides for term in terms(*side)}
        return [call for call in self.calls if id(call) not in used]


def term_of(where: object, value: object) -> Term:
    """The term of a symbol or a number; raises ``RuleError`` for any other value."""
    if isinstance(value, Symbol):
        return value.term
    if isinstance(value, (*NUMBER_TYPES, AttrVar, Computed)):
        return Number(value)
    raise RuleError(f"pattern: {where} takes variables and numbers, got {type(value).__name__}; make it a variable")


def trace_pattern(function: Function) -> TracedPattern:
    """The terms that a function returns when called with one variable per parameter.

    ``*args`` represents any number of operands, or as many variables as the operators that use it accept.
    """
    return _trace(function, lambda result: (_result_terms("the result", result),))


def trace_rule(function: Function) -> TracedPattern:
    """The terms of a function that returns (pattern, replacement), each a value or a tuple of values."""
    return _trace(function, _rule_sides)


def _rule_sides(result: object) -> tuple[Terms, ...]:
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuleError("it must return (pattern, replacement)")
    sides = _result_terms("the result", result[0]), _result_terms("the replacement", result[1])
    if len(sides[0]) != len(sides[1]):
        raise RuleError(f"the pattern has {len(sides[0])} results and the replacement {len(sides[1])}")
    return sides


def _result_terms(side: str, result: object) -> Terms:
    return tuple(term_of(side, item) for item in (result if isinstance(result, tuple) else (result,)))


def _trace(function: Function, sides_of: Callable[[Any], tuple[Terms, ...]]) -> TracedPattern:
    first_error: Exception | None = None
    has_star_args = any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(function).parameters.values())
    count_errors = (
        (UsageError, TypeError) if has_star_args else UsageError
    )  # raised by operators, and functions of them
    for symbols in _argument_symbols(function):
        tracer = PatternTracer()
        try:
            sides = sides_of(use_interpreter(tracer, alone=True).call(function, *symbols))
        except count_errors as error:
            first_error = first_error or error
            continue
        names = tuple(symbol.term.name for symbol in symbols)  # type: ignore[union-attr]
        return TracedPattern(sides, names, tuple(tracer.calls))
    raise RuleError(f"pattern: {first_error}")


def _argument_symbols(function: Function) -> Iterator[list[Symbol]]:
    """One symbol per parameter; ``*args`` first as one ``Many``, then as 0, 1, 2, ... variables."""
    parameters = inspect.signature(function).parameters.values()
    positional = [Symbol(Var(p.name)) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    star_args = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.VAR_POSITIONAL):
            raise RuleError(f"pattern: parameter '{parameter}' is not positional; name every variable")
    if not star_args:
        yield positional
        return
    (name,) = star_args
    yield [*positional, Symbol(Many(name, Var(name)))]
    for count in range(MAX_STAR_ARGS):
        yield [*positional, *(Symbol(Var(f"{name}{k}")) for k in range(count))]
