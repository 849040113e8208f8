"""The text of a rule in one line; terms that occur more than once are defined once, after "where"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count

from passes.rewrite.pattern import (
    Call,
    Chain,
    Either,
    Reapply,
    Term,
    Terms,
    Var,
    children,
    substitute,
    terms,
    variables,
)


def rule_text(*sides: Terms) -> str:
    """The text of both sides of a rule, or of the only side.

    >>> from minigraph.core.op import op_named
    >>> exp_x = Call(op_named("exp"), (Var("x"),))
    >>> rule_text((Call(op_named("div"), (exp_x, Call(op_named("sum"), (exp_x,)))),), (Var("x"),))
    'div(t1, sum(t1)) -> x where t1 = exp(x)'
    """
    roots = tuple(root for side in sides for root in side)
    names = dict(zip(map(id, repeated := _shared_terms(roots)), _fresh_names(roots), strict=False))
    text = " -> ".join(", ".join(map(str, substitute(side, names))) for side in sides)
    definitions = [f"{names[id(term)]} = {_definition_of(term, names)}" for term in repeated]
    return f"{text}{' where ' if definitions else ''}{', '.join(definitions)}"


def _shared_terms(roots: Terms) -> list[Term]:
    """The calls, chains and alternatives that are used more than once, users first."""
    all_terms = terms(*roots)
    uses = Counter(id(child) for term in all_terms for child in _named_children(term)) + Counter(map(id, roots))
    return [term for term in all_terms if isinstance(term, Call | Chain | Either) and uses[id(term)] > 1]


def _named_children(term: Term) -> Terms:
    """The children of a term; ``reapply`` has no chain, of which it shows the predicate only."""
    return tuple(child for child in children(term) if not isinstance(term, Reapply) or not isinstance(child, Chain))


def _fresh_names(roots: Terms) -> Iterator[Var]:
    names = variables(*roots)
    return (Var(f"t{k}") for k in count(1) if f"t{k}" not in names)


def _definition_of(term: Term, names: dict[int, Var]) -> Term:
    others = {key: name for key, name in names.items() if key != id(term)}
    return substitute((term,), others)[0]
