"""Terms of patterns and replacements; ``passes.rewrite.tracing`` builds them from plain functions.

==========  ==================================  ===================================
term        as a pattern                        as a replacement
==========  ==================================  ===================================
``Var``     any value; one name is one value    that value
``Number``  a constant of exactly that number   a constant of the other operands' dtype
``Call``    an operator with a single result    a new node
``Either``  the first alternative that matches  the alternative that matched
``Chain``   a path of operators that satisfy    (``Reapply``: the same operators on another
            a predicate                         value)
``Many``    all remaining operands              all of them
==========  ==================================  ===================================
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

from minigraph.core.errors import RuleError
from minigraph.core.op import Attrs, Op
from minigraph.ir.graph import Graph

MAX_VARIANTS = 64  # combinations of the alternatives of one pattern
NUMBER_TYPES = (bool, int, float, complex)
Predicate = Callable[[Graph, int], bool]


@dataclass(frozen=True)
class Var:
    """Any value; the same name is the same value, and two names may be the same value too."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class AttrVar:
    """An attribute value that a pattern captures and a replacement may use; ``S.axis`` creates one."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, eq=False)
class Computed:
    """An attribute value of a replacement, the result of ``make(match)``; ``S(lambda m: ...)`` creates one."""

    make: Callable[[Any], Hashable]

    def __str__(self) -> str:
        return "computed"


@dataclass(frozen=True)
class Number:
    """A constant of exactly this number, of any shape and dtype; in a replacement also a captured attribute."""

    value: bool | int | float | complex | AttrVar | Computed

    def __str__(self) -> str:
        return repr(self.value) if self.is_known else str(self.value)

    @property
    def is_known(self) -> bool:
        """Whether the rule itself states the number."""
        return isinstance(self.value, NUMBER_TYPES)


@dataclass(frozen=True, eq=False)
class Call:
    """The single result of an operator; one object used twice in a pattern is one node in the graph."""

    op: Op
    args: tuple[Term, ...]
    attrs: Attrs = field(default_factory=dict)

    def __str__(self) -> str:
        attrs = [f"{name}={value}" for name, value in self.attrs.items()]
        return f"{self.op}({', '.join([*map(str, self.args), *attrs])})"


@dataclass(frozen=True, eq=False)
class Either:
    """The first of several terms that matches; one object used twice is one choice."""

    options: tuple[Term, ...]

    def __str__(self) -> str:
        return f"({' | '.join(map(str, self.options))})"


@dataclass(frozen=True, eq=False)
class Chain:
    """One or more nodes that satisfy ``predicate(graph, node)``; each has the next as an operand, the last has ``end``.

    The longest path of at most ``max_length`` nodes wins. Operands outside the path may be anything.
    """

    predicate: Predicate
    end: Term
    max_length: int

    def __str__(self) -> str:
        return f"chain({self.predicate.__name__}, {self.end})"


@dataclass(frozen=True, eq=False)
class Many:
    """All remaining operands: the values ``name``, or one match per operand of ``each``, a term on ``name``."""

    name: str
    each: Term

    def __str__(self) -> str:
        return f"*{self.name}" if isinstance(self.each, Var) else f"*{self.each}"


@dataclass(frozen=True, eq=False)
class Reapply:
    """Only in a replacement: the operators of a matched chain on another value instead of its end."""

    chain: Chain
    end: Term

    def __str__(self) -> str:
        return f"reapply({self.chain.predicate.__name__}, {self.end})"


Term = Var | Number | Call | Either | Chain | Many | Reapply
Terms = tuple[Term, ...]


# ---- traversal -------------------------------------------------------------------------------------


def children(term: Term) -> Terms:
    """The direct subterms of a term, in order."""
    match term:
        case Call(args=subterms) | Either(options=subterms):
            return subterms
        case Chain(end=end):
            return (end,)
        case Reapply(chain=chain, end=end):
            return (chain, end)
        case Many(each=each):
            return (each,)
    return ()


def inputs(term: Term) -> Terms:
    """The subterms whose values are operands of a term, without what ``many`` and ``reapply`` repeat."""
    match term:
        case Reapply(end=end):
            return (end,)
        case Many():
            return ()
    return children(term)


def terms(*roots: Term, subterms_of: Callable[[Term], Terms] = children) -> list[Term]:
    """Every term, each object once, in topological order: users before operands.

    >>> x = Var("x")
    >>> terms(x)
    [Var(name='x')]
    """
    visited: dict[int, Term] = {}
    stack = [(root, False) for root in roots]
    while stack:
        term, entered = stack.pop()
        if entered:
            visited[id(term)] = term
        elif id(term) not in visited:
            stack.append((term, True))
            stack += [(child, False) for child in subterms_of(term)]
    return list(visited.values())[::-1]


def kept_terms(pattern: Terms, replacement: Terms) -> list[Term]:
    """The calls and chains of a pattern that its replacement uses unchanged; they stay in the graph."""
    pattern_terms = {id(term) for term in terms(*pattern, subterms_of=inputs) if isinstance(term, Call | Chain)}
    new_terms = terms(*replacement, subterms_of=lambda term: () if id(term) in pattern_terms else inputs(term))
    return [term for term in new_terms if id(term) in pattern_terms]


def variables(*roots: Term) -> list[str]:
    """The names of the variables, each once, in order of occurrence.

    >>> variables(Many("xs", Var("xs")), Var("y"))
    ['xs', 'y']
    """
    names: dict[str, None] = {}
    stack = list(roots[::-1])
    while stack:
        term = stack.pop()
        if isinstance(term, Var):
            names[term.name] = None
        stack += children(term)[::-1]
    return list(names)


def captured_names(*roots: Term) -> set[str]:
    """The names of the attribute values that calls capture or numbers refer to."""
    all_terms = terms(*roots)
    values = [value for term in all_terms if isinstance(term, Call) for value in term.attrs.values()]
    values += [term.value for term in all_terms if isinstance(term, Number)]
    return {value.name for value in values if isinstance(value, AttrVar)}


def chains_of(roots: Terms) -> tuple[Chain, ...]:
    """The chains of a pattern, in the order in which ``accept`` gets their paths."""
    return tuple(term for term in terms(*roots, subterms_of=inputs) if isinstance(term, Chain))


def binding_key(term: Term) -> Hashable:
    """The key under which a matcher binds a term: the name of a variable, else the identity of the term."""
    return term.name if isinstance(term, Var) else id(term)


def path_to(root: Term, target: Term) -> list[Term]:
    """The terms from a root down to a subterm, without the subterm; empty if there is no such path."""
    key = binding_key(target)
    stack: list[list[Term]] = [[root]]
    while stack:
        path = stack.pop()
        below = children(path[-1])
        if any(binding_key(child) == key for child in below):
            return path
        stack += [[*path, child] for child in below]
    return []


# ---- alternatives ----------------------------------------------------------------------------------


def expand_alternatives(roots: Sequence[Term]) -> list[Terms]:
    """The terms once per combination of alternatives, first alternatives first.

    Raises ``RuleError`` for more than ``MAX_VARIANTS`` combinations.

    >>> x, y = Var("x"), Var("y")
    >>> expand_alternatives([Either((x, y)), y])
    [(Var(name='x'), Var(name='y')), (Var(name='y'), Var(name='y'))]
    """
    expanded: list[Terms] = []
    todo = [tuple(roots)]
    while todo:
        alternative = todo.pop()
        either = next((term for term in terms(*alternative) if isinstance(term, Either)), None)
        if either is None:
            expanded.append(alternative)
        else:
            todo += [substitute(alternative, {id(either): option}) for option in either.options[::-1]]
        if len(expanded) + len(todo) > MAX_VARIANTS:
            raise RuleError(f"more than {MAX_VARIANTS} combinations of alternatives; split the rule in two")
    return expanded


def substitute(roots: Terms, by: Mapping[int, Term]) -> Terms:
    """The terms with subterms replaced (keys are ids); a term without replaced subterms stays the same object."""
    new = dict(by)
    for term in reversed(terms(*roots)):
        if id(term) not in new:
            new[id(term)] = with_children(term, tuple(new[id(child)] for child in children(term)))
    return tuple(new[id(root)] for root in roots)


def with_children(term: Term, subterms: Terms) -> Term:
    """A term with other direct subterms; the same object if all of them are the same objects."""
    if len(subterms) == len(children(term)) and all(map(is_, subterms, children(term))):
        return term
    match term:
        case Call():
            return Call(term.op, subterms, term.attrs)
        case Either():
            return Either(subterms)
        case Chain():
            return Chain(term.predicate, subterms[0], term.max_length)
        case Many():
            return Many(term.name, subterms[0])
        case Reapply():
            return Reapply(*subterms)  # type: ignore[arg-type]
    return term


def comma_separated(items: Iterable[object]) -> str:
    """The items as text, joined by commas."""
    return ", ".join(map(str, items))
