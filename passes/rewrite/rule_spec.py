"""What a rule says: where it applies, what comes instead, under which conditions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from minigraph.core.displays import facts_html
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph
from minigraph.ir.records import CONST
from passes.rewrite.match import Match
from passes.rewrite.matcher import Search
from passes.rewrite.pattern import Again, Call, Chain, Many, Number, Terms, inputs, terms
from passes.rewrite.pattern_expansion import Sides, expand_sides
from passes.rewrite.replacement import Builder, Template
from passes.rewrite.rule_base import RuleBase

Where = Callable[[Match], bool]
Types = tuple[TensorType, ...]


@dataclass(frozen=True, eq=False)
class Variant:
    """One way to choose among the alternatives of a rule, compiled.

    ``op`` is the operator of its first root (``None``: any), ``build`` makes the replacement (``None``: the match
    is outlined). ``roots`` and ``results`` are its two sides, ``template`` is what ``build`` fills in; a computed
    rule has none of them.
    """

    op: Op | None
    search: Search
    build: Builder | None
    roots: Terms = ()
    results: Terms | None = None
    template: Template | None = None

    @cached_property
    def needs(self) -> frozenset[Op]:
        """Operators of which each match has a node: in a graph without one of them there is nothing to be found."""
        below = terms(*self.roots, below=inputs)
        called = {term.op for term in below if isinstance(term, Call)}
        return frozenset(called | {CONST} if any(isinstance(term, Number) for term in below) else called)

    @cached_property
    def size(self) -> int:
        """How many operators it matches at least."""
        return sum(isinstance(term, Call | Chain) for term in terms(*self.roots, below=inputs)) or 1

    @cached_property
    def depth(self) -> int:
        """How many operators stand on top of each other at most; a computed rule may look at its operands."""
        below: dict[int, int] = {}
        for term in reversed(terms(*self.roots, below=inputs)):
            own = term.most if isinstance(term, Chain) else int(isinstance(term, Call))
            below[id(term)] = own + max((below[id(child)] for child in inputs(term)), default=0)
        return max(below.values(), default=2)

    @cached_property
    def shrinks(self) -> bool:
        """Whether it leaves fewer operators than it takes, even if those that are alike turn out to be one node."""
        if self.template is None or any(isinstance(term, Many | Again) for term in self.template.order):
            return False
        kept = [term for term in self.template.order if id(term) in self.template.kept]
        made = [term for term in self.template.order if isinstance(term, Call) and term not in kept]
        staying = terms(*kept, below=inputs)
        taken = {term.op for term in terms(*self.roots, below=inputs) if isinstance(term, Call) and term not in staying}
        return len(made) < len(taken)


@dataclass(frozen=True, eq=False)
class RuleSpec(RuleBase):
    """A rule as data; ``passes.rewrite.driver.Rule`` can also be applied.

    name         the word in statistics and provenance; of a fusion also the name of the fused nodes
    spellings    what it looks for, and what it makes of it
    text, loc    the rule in one line; its file:line, of which ``file`` is the whole path
    where        a predicate on matches
    recompute    inner nodes may have uses outside of the match; they stay then, and are computed twice
    once         leave nodes alone that this rule made
    same_memory  a value given back shows the very memory the root would, so nothing can tell them apart by order
    target       which unit it is meant for, such as "cube"; ``rules=`` of a pass selects by it
    exact, tol   whether both sides give the same bits, else how far they are apart at most, relatively
    on           makes programs at which it applies, for a check that would not find such places by itself
    """

    name: str
    spellings: tuple[Variant, ...]
    text: str
    loc: str
    doc: str = ""
    where: Where | None = None
    recompute: bool = False
    once: bool = False
    same_memory: bool = False
    target: str = ""
    exact: bool = True
    tol: float = 0.0
    on: Callable[[], Sequence[Graph]] | None = None
    file: str = ""

    def _repr_html_(self) -> str:
        why, kept = self.doc.strip().partition("\n")[0], "every bit" if self.exact else f"values up to {self.tol:g}"
        facts = [("what", self.text), ("why", why), ("written in", self.loc), ("keeps", kept)]
        return facts_html(f"rule {self.name}", facts)

    @property
    def outlines(self) -> bool:
        """Whether matches become the bodies of fused nodes, instead of being replaced."""
        return self.spellings[0].build is None

    @cached_property
    def roots(self) -> frozenset[Op] | None:
        """The operators it starts at, or ``None``: any."""
        ops = frozenset(spelling.op for spelling in self.spellings)
        return None if None in ops else ops  # type: ignore[return-value]

    @property
    def root(self) -> Op | None:
        """The operator its first spelling starts at."""
        return self.spellings[0].op

    @cached_property
    def sides(self) -> tuple[Sides, ...]:
        """What it says of variables, numbers and operators alone, in all its spellings; nothing if it is computed."""
        written = (spelling for spelling in self.spellings if spelling.roots)
        return tuple(side for spelling in written for side in expand_sides(spelling.roots, spelling.results))

    @cached_property
    def size(self) -> int:
        """How many operators its largest spelling matches at least."""
        return max(spelling.size for spelling in self.spellings)

    @cached_property
    def depth(self) -> int:
        """How many operators of it stand on top of each other at most."""
        return max(spelling.depth for spelling in self.spellings)

    @cached_property
    def shrinks(self) -> bool:
        """Whether every use leaves fewer operators, so that it cannot go on for ever."""
        return not self.recompute and all(spelling.shrinks for spelling in self.spellings)

    def at_op(self, op: Op, present: Collection[Op] | None = None) -> list[Variant]:
        """The spellings that may start at an operator, where there are only those ``present`` (``None``: any)."""
        starting = [spelling for spelling in self.spellings if spelling.op is None or spelling.op is op]
        return starting if present is None else [one for one in starting if one.needs.issubset(present)]

    def find(self, graph: Graph, node: int) -> Match | str | None:
        """The match whose first root is ``node``, ``None``, or in a word why what looks like one is none."""
        reason: str | None = None
        for spelling in self.at_op(graph.op(node)):
            found = spelling.search(graph, node, self.acceptor(graph, spelling, lambda match: match))
            if isinstance(found, Match):
                return found
            reason = reason or found
        return reason

    def types_at(self, graph: Graph, node: int) -> tuple[Types, Types] | None:
        """The types of a match's results and of what would replace them; ``None`` without a match, or a replacement.

        Raises what the replacement's operators say of operands that do not fit.
        """
        for spelling in self.at_op(graph.op(node)) if not self.outlines else ():
            found = spelling.search(graph, node, self.acceptor(graph, spelling, lambda match: match))
            if isinstance(found, Match) and spelling.template is not None:
                return tuple(graph.type(root) for root in found.roots), spelling.template.types(found)
        return None

    def acceptor(self, graph: Graph, spelling: Variant, then: Callable[[Match], Any]) -> Callable[..., Any]:
        """What a search shows its matches to: those that satisfy ``where`` go on to ``then``."""
        where, results = self.where, max(len(spelling.roots), 1)

        def accept(nodes: tuple[int, ...], values: Any, attrs: Any, walks: Any) -> Any:
            match = Match(graph, nodes, values, attrs, walks, results)
            try:
                if where is not None and not where(match):
                    return "where"
            except Exception as error:
                error.add_note(f"in where= of {self.at} at {match.place}")
                raise
            return then(match)

        return accept
