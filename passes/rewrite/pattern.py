"""What patterns are made of: terms, which ``passes.rewrite.tracing`` makes of plain functions.

==========  ==================================  ===================================
term        as a pattern                        as a replacement
==========  ==================================  ===================================
``Var``     any value; one name is one value    that value
``Number``  a constant of just that number      a constant beside what it meets
``Call``    one operator's only result          a new node
``Either``  the first alternative that matches  the one that matched
``Chain``   a walk down fitting operators       (``Again``: the same operators once more)
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

MAX_VARIANTS = 64  # spellings that the alternatives of one pattern may multiply to
NUMBERS = (bool, int, float, complex)
Predicate = Callable[[Graph, int], bool]


@dataclass(frozen=True)
class Var:
    """Any value; the same name is the same value, and two names may be one value too."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class AttrVar:
    """An attribute value that a pattern captures and a replacement may use; ``S.axis`` makes one."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, eq=False)
class Computed:
    """An attribute value of a replacement that ``make(match)`` gives; ``S(lambda m: ...)`` makes one."""

    make: Callable[[Any], Hashable]

    def __str__(self) -> str:
        return "computed"


@dataclass(frozen=True)
class Number:
    """A constant of just this number, in whatever shape and dtype stands there; in a replacement also an attribute."""

    value: bool | int | float | complex | AttrVar | Computed

    def __str__(self) -> str:
        return repr(self.value) if self.is_known else str(self.value)

    @property
    def is_known(self) -> bool:
        """Whether the rule itself says which number it is."""
        return isinstance(self.value, NUMBERS)


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
    """One or more nodes that satisfy ``fits(graph, node)``, each taking the next as an operand, the last ``end``.

    The longest walk wins. At most ``most`` nodes are looked at; operands beside the walk may be anything.
    """

    fits: Predicate
    end: Term
    most: int

    def __str__(self) -> str:
        return f"chain({self.fits.__name__}, {self.end})"


@dataclass(frozen=True, eq=False)
class Many:
    """All operands that no other term takes: values called ``name``, or each what ``each`` says of that name."""

    name: str
    each: Term

    def __str__(self) -> str:
        return f"*{self.name}" if isinstance(self.each, Var) else f"*{self.each}"


@dataclass(frozen=True, eq=False)
class Again:
    """Only in a replacement: the operators of a matched chain on another value instead of its end."""

    chain: Chain
    end: Term

    def __str__(self) -> str:
        return f"again({self.chain.fits.__name__}, {self.end})"


Term = Var | Number | Call | Either | Chain | Many | Again
Terms = tuple[Term, ...]


# ---- walking ---------------------------------------------------------------------------------------


def children(term: Term) -> Terms:
    """The terms right below a term, in order."""
    match term:
        case Call(args=below) | Either(options=below):
            return below
        case Chain(end=end):
            return (end,)
        case Again(chain=chain, end=end):
            return (chain, end)
        case Many(each=each):
            return (each,)
    return ()


def inputs(term: Term) -> Terms:
    """The terms whose values a term's value is made of: what ``many`` and ``again`` repeat is not among them."""
    match term:
        case Again(end=end):
            return (end,)
        case Many():
            return ()
    return children(term)


def terms(*roots: Term, below: Callable[[Term], Terms] = children) -> list[Term]:
    """Every term, each object once, every user before all its operands.

    >>> x = Var("x")
    >>> terms(x)
    [Var(name='x')]
    """
    done: dict[int, Term] = {}
    stack = [(root, False) for root in roots]
    while stack:
        term, entered = stack.pop()
        if entered:
            done[id(term)] = term
        elif id(term) not in done:
            stack.append((term, True))
            stack += [(child, False) for child in below(term)]
    return list(done.values())[::-1]


def kept_terms(pattern: Terms, replacement: Terms) -> list[Term]:
    """The calls and chains of a pattern that its replacement uses as they are; they stay in the graph."""
    known = {id(term) for term in terms(*pattern, below=inputs) if isinstance(term, Call | Chain)}

    def stopping(term: Term) -> Terms:
        return () if id(term) in known else inputs(term)

    return [term for term in terms(*replacement, below=stopping) if id(term) in known]


def variables(*roots: Term) -> list[str]:
    """The names of the variables, each once, in the order in which they stand.

    >>> variables(Many("xs", Var("xs")), Var("y"))
    ['xs', 'y']
    """
    found: dict[str, None] = {}
    stack = list(roots[::-1])
    while stack:
        term = stack.pop()
        if isinstance(term, Var):
            found[term.name] = None
        stack += children(term)[::-1]
    return list(found)


def captured_names(*roots: Term) -> set[str]:
    """The names of the attribute values that calls capture, or that numbers are."""
    every = terms(*roots)
    values = [value for term in every if isinstance(term, Call) for value in term.attrs.values()]
    values += [term.value for term in every if isinstance(term, Number)]
    return {value.name for value in values if isinstance(value, AttrVar)}


def chains_of(roots: Terms) -> tuple[Chain, ...]:
    """The chains of a pattern, in the order in which ``accept`` is given their walks."""
    return tuple(term for term in terms(*roots, below=inputs) if isinstance(term, Chain))


def binding_key(term: Term) -> Hashable:
    """Variables of one name are one value; anything else is itself."""
    return term.name if isinstance(term, Var) else id(term)


def path_to(root: Term, target: Term) -> list[Term]:
    """The terms from a root down to, but without, one that is below it."""
    wanted = binding_key(target)
    stack: list[list[Term]] = [[root]]
    while stack:
        path = stack.pop()
        below = children(path[-1])
        if any(binding_key(child) == wanted for child in below):
            return path
        stack += [[*path, child] for child in below]
    return []


# ---- alternatives ----------------------------------------------------------------------------------


def expand_alternatives(roots: Sequence[Term]) -> list[Terms]:
    """The same terms once per way to choose among alternatives, first choices first.

    Raises ``RuleError`` when there are more than ``MOST_VARIANTS``.

    >>> x, y = Var("x"), Var("y")
    >>> variants([Either((x, y)), y])
    [(Var(name='x'), Var(name='y')), (Var(name='y'), Var(name='y'))]
    """
    done: list[Terms] = []
    todo = [tuple(roots)]
    while todo:
        some = todo.pop()
        either = next((term for term in terms(*some) if isinstance(term, Either)), None)
        if either is None:
            done.append(some)
        else:
            todo += [substitute(some, {id(either): option}) for option in either.options[::-1]]
        if len(done) + len(todo) > MAX_VARIANTS:
            raise RuleError(f"more than {MAX_VARIANTS} spellings; split the rule in two")
    return done


def substitute(roots: Terms, by: Mapping[int, Term]) -> Terms:
    """The terms with others in the place of some (keys are ids); what holds none of them stays the same object."""
    new = dict(by)
    for term in reversed(terms(*roots)):
        if id(term) not in new:
            new[id(term)] = with_children(term, tuple(new[id(child)] for child in children(term)))
    return tuple(new[id(root)] for root in roots)


def with_children(term: Term, below: Terms) -> Term:
    """A term with others right below it; the same object when they are the same."""
    if len(below) == len(children(term)) and all(map(is_, below, children(term))):
        return term
    match term:
        case Call():
            return Call(term.op, below, term.attrs)
        case Either():
            return Either(below)
        case Chain():
            return Chain(term.fits, below[0], term.most)
        case Many():
            return Many(term.name, below[0])
        case Again():
            return Again(*below)  # type: ignore[arg-type]
    return term


def comma_separated(items: Iterable[object]) -> str:
    """Several things in one line."""
    return ", ".join(map(str, items))
