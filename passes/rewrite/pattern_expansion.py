"""Expands the chains and operand lists of a rule into variables, numbers and operators, for the rule checker."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from minigraph.core.op import TABLE, Op
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.ir.structural_ops import INPUT
from passes.rewrite.pattern import (
    Call,
    Chain,
    Many,
    Predicate,
    Reapply,
    Term,
    Terms,
    Var,
    children,
    substitute,
    terms,
    with_children,
)

REPEAT_COUNTS = (1, 2, 3)  # lengths of chains and of operand lists


class Sides(NamedTuple):
    """The two sides of a rule as ``Var``, ``Number`` and ``Call`` terms; a fusion has no replacement."""

    pattern: Terms
    replacement: Terms | None


def expand_sides(pattern: Terms, replacement: Terms | None) -> list[Sides]:
    """The sides with their chains and operand lists expanded, once per length of ``REPEAT_COUNTS``."""
    all_roots = (*pattern, *(replacement or ()))
    has_repeats = any(isinstance(term, Chain | Many) for term in terms(*all_roots))
    expansions = [_expand(all_roots, length) for length in REPEAT_COUNTS] if has_repeats else [all_roots]
    count = len(pattern)
    return [Sides(roots[:count], None if replacement is None else roots[count:]) for roots in expansions]


def _expand(roots: Terms, length: int) -> Terms:
    """The terms with every chain of ``length`` operators, and every operand list of ``length`` values."""
    expanded: dict[int, Terms] = {}
    for term in reversed(terms(*roots)):
        if isinstance(term, Many):
            expanded[id(term)] = tuple(_operand_term(term, k) for k in range(length))
        elif isinstance(term, Chain | Reapply):
            predicate = term.predicate if isinstance(term, Chain) else term.chain.predicate
            expanded[id(term)] = (_stack_operators(predicate, expanded[id(term.end)][0], length),)
        else:
            subterms = tuple(new for child in children(term) for new in expanded[id(child)])
            expanded[id(term)] = (with_children(term, subterms),)
    return tuple(expanded[id(root)][0] for root in roots)


def _operand_term(many: Many, k: int) -> Term:
    """The term for the k-th operand of a ``many``, with a variable of its own."""
    renaming = {id(term): Var(f"{many.name}{k}") for term in terms(many.each) if isinstance(term, Var)}
    return substitute((many.each,), renaming)[0]


def _stack_operators(predicate: Predicate, end: Term, length: int) -> Term:
    """A sequence of ``length`` operators that satisfy a predicate, applied to ``end``."""
    ops = operators_satisfying(predicate)
    for k in range(length if ops else 0):
        end = Call(ops[k % len(ops)], (end,))
    return end


@lru_cache(maxsize=256)
def operators_satisfying(predicate: Predicate) -> tuple[Op, ...]:
    """Differentiable operators of one operand that satisfy a predicate on a small matrix.

    >>> from passes.rewrite.tracing import is_cheap
    >>> all(op.family == "elementwise" for op in operators_satisfying(is_cheap))
    True
    """
    matching = []
    type = TensorType((2, 3), float32)
    for op in TABLE.values():
        if op.arity == 1 and op.vjp_of(0) and not op.effects and not op.attributes:
            graph = Graph()
            graph.graft(INPUT, (), {"name": "x"}, (type,))
            if predicate(graph, graph.graft(op, (0,), {}, (type,))):
                matching.append(op)
    return tuple(matching)
