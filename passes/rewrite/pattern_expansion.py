"""A rule without its choices: what it says of variables, numbers and operators alone, for whoever tries it out."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from minigraph.core.op import TABLE, Op
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.ir.records import INPUT
from passes.rewrite.pattern import (
    Again,
    Call,
    Chain,
    Many,
    Predicate,
    Term,
    Terms,
    Var,
    children,
    substitute,
    terms,
    with_children,
)

REPEAT_COUNTS = (1, 2, 3)  # of chains, and of lists of operands


class Sides(NamedTuple):
    """The two sides of a rule as ``Var``, ``Number`` and ``Call``; a fusion has no replacement."""

    pattern: Terms
    replacement: Terms | None


def expand_sides(pattern: Terms, replacement: Terms | None) -> list[Sides]:
    """The sides with chains and lists of operands written out, once per length that they are tried at."""
    both = (*pattern, *(replacement or ()))
    repeating = any(isinstance(term, Chain | Many) for term in terms(*both))
    found = [_expand(both, length) for length in REPEAT_COUNTS] if repeating else [both]
    count = len(pattern)
    return [Sides(some[:count], None if replacement is None else some[count:]) for some in found]


def _expand(roots: Terms, length: int) -> Terms:
    """The terms with every chain of so many operators, and every list of so many values."""
    made: dict[int, Terms] = {}
    for term in reversed(terms(*roots)):
        if isinstance(term, Many):
            made[id(term)] = tuple(_operand_term(term, k) for k in range(length))
        elif isinstance(term, Chain):
            made[id(term)] = (_stack_operators(term.fits, made[id(term.end)][0], length),)
        elif isinstance(term, Again):
            made[id(term)] = (_stack_operators(term.chain.fits, made[id(term.end)][0], length),)
        else:
            made[id(term)] = (with_children(term, tuple(new for child in children(term) for new in made[id(child)])),)
    return tuple(made[id(root)][0] for root in roots)


def _operand_term(many: Many, k: int) -> Term:
    """What a ``many`` says of its k-th operand, on a variable of its own."""
    named = {id(term): Var(f"{many.name}{k}") for term in terms(many.each) if isinstance(term, Var)}
    (found,) = substitute((many.each,), named)
    return found


def _stack_operators(fits: Predicate, end: Term, length: int) -> Term:
    """So many operators that satisfy a predicate, one on top of the other."""
    ops = operators_satisfying(fits)
    for k in range(length if ops else 0):
        end = Call(ops[k % len(ops)], (end,))
    return end


@cache
def operators_satisfying(fits: Predicate) -> tuple[Op, ...]:
    """Differentiable operators of one operand that satisfy a predicate, on a small matrix.

    >>> from passes.rewrite.tracing import is_cheap
    >>> all(op.family == "elementwise" for op in fitting(is_cheap))
    True
    """
    found = []
    type = TensorType((2, 3), float32)
    for op in TABLE.values():
        if op.arity == 1 and op.vjp_of(0) and not op.effects and not op.attributes:
            graph = Graph()
            graph.graft(INPUT, (), {"name": "x"}, (type,))
            if fits(graph, graph.graft(op, (0,), {}, (type,))):
                found.append(op)
    return tuple(found)
