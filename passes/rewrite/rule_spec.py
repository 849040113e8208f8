"""Rule specifications: patterns, replacements, conditions and options of rules as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minigraph.core.aliases import Attrs, Function
from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.html_tables import properties_html
from minigraph.core.lazy import cached_property
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph
from minigraph.ir.structural_ops import CONST
from passes.rewrite.match import Match
from passes.rewrite.matcher import Search
from passes.rewrite.matcher_runtime import ChainPath
from passes.rewrite.pattern import Call, Chain, Many, Number, Reapply, Terms, inputs, terms
from passes.rewrite.pattern_expansion import Sides, expand_sides
from passes.rewrite.replacement import Builder, Template
from passes.rewrite.rule_base import RuleBase

Where = Callable[[Match], bool]
Types = tuple[TensorType, ...]


@dataclass(frozen=True, eq=False)
class Variant:
    """One choice among the alternatives of a rule, compiled.

    ``op`` is the operator of its first root (``None``: any), ``search`` the generated matcher, ``build`` the
    replacement builder (``None``: the match is outlined). ``roots`` and ``results`` are its two sides, ``template`` is
    the source of ``build``; a computed rule has none of these three.
    """

    op: Op | None
    search: Search
    build: Builder | None
    roots: Terms = ()
    results: Terms | None = None
    template: Template | None = None

    @cached_property
    def required_ops(self) -> frozenset[Op]:
        """Operators that every match contains, so a graph without one of them has no match."""
        subterms = terms(*self.roots, subterms_of=inputs)
        called = {term.op for term in subterms if isinstance(term, Call)}
        return frozenset(called | {CONST} if any(isinstance(term, Number) for term in subterms) else called)

    @cached_property
    def size(self) -> int:
        """The least number of operators in a match."""
        return sum(isinstance(term, Call | Chain) for term in terms(*self.roots, subterms_of=inputs)) or 1

    @cached_property
    def depth(self) -> int:
        """The greatest depth of a match; 2 for a computed rule, which may inspect its operands."""
        depths: dict[int, int] = {}
        for term in reversed(terms(*self.roots, subterms_of=inputs)):
            term_size = term.max_length if isinstance(term, Chain) else int(isinstance(term, Call))
            depths[id(term)] = term_size + max((depths[id(child)] for child in inputs(term)), default=0)
        return max(depths.values(), default=2)

    @cached_property
    def is_shrinking(self) -> bool:
        """Whether a rewrite adds fewer operators than it erases, even if equal terms match one node."""
        if self.template is None or any(isinstance(term, Many | Reapply) for term in self.template.order):
            return False
        kept = [term for term in self.template.order if id(term) in self.template.kept]
        added = [term for term in self.template.order if isinstance(term, Call) and term not in kept]
        retained = terms(*kept, subterms_of=inputs)
        calls = [term for term in terms(*self.roots, subterms_of=inputs) if isinstance(term, Call)]
        return len(added) < len({term.op for term in calls if term not in retained})


@dataclass(frozen=True, eq=False)
class RuleSpec(RuleBase):
    """A rule as data; ``passes.rewrite.driver.Rule`` can also be applied.

    name         the name in statistics and provenance; for a fusion also the name of the fused nodes
    variants     the pattern and replacement of each choice of alternatives
    text, loc    the rule in one line; its file:line; ``file`` is the full path
    where        a predicate on matches
    recompute    inner nodes may have users outside of the match; these nodes then stay and are computed twice
    once         does not match nodes that this rule created
    same_memory  a returned existing value has the root's memory and memory order
    target       the unit for which it is meant, such as "cube"; ``rules=`` of a pass selects by it
    exact, tol   whether both sides give the same bits; else their relative tolerance
    examples     returns example graphs in which it matches, for rules whose examples the checker cannot generate
    """

    name: str
    variants: tuple[Variant, ...]
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
    examples: Callable[[], Sequence[Graph]] | None = None
    file: str = ""

    def _repr_html_(self) -> str:
        reason, accuracy = self.doc.strip().partition("\n")[0], "exact" if self.exact else f"within {self.tol:g}"
        properties = [("rule", self.text), ("reason", reason), ("defined at", self.loc), ("accuracy", accuracy)]
        return properties_html(f"rule {self.name}", properties)

    @property
    def is_fusion(self) -> bool:
        """Whether matches become the bodies of fused nodes, instead of being replaced."""
        return self.variants[0].build is None

    outlines, on = DeprecatedAttribute("is_fusion"), DeprecatedAttribute("examples")

    @cached_property
    def roots(self) -> frozenset[Op] | None:
        """The root operators of all variants, or ``None``: any."""
        ops = frozenset(variant.op for variant in self.variants)
        return None if None in ops else ops  # type: ignore[return-value]

    @property
    def root(self) -> Op | None:
        """The root operator of the first variant."""
        return self.variants[0].op

    @cached_property
    def sides(self) -> tuple[Sides, ...]:
        """Both sides of all variants in variables, numbers and operators only; empty for a computed rule."""
        patterns = (variant for variant in self.variants if variant.roots)
        return tuple(side for variant in patterns for side in expand_sides(variant.roots, variant.results))

    @cached_property
    def size(self) -> int:
        """The least number of operators in a match of the largest variant."""
        return max(variant.size for variant in self.variants)

    @cached_property
    def depth(self) -> int:
        """The greatest depth of a match."""
        return max(variant.depth for variant in self.variants)

    @cached_property
    def is_shrinking(self) -> bool:
        """Whether every rewrite reduces the number of operators, so that rewriting terminates."""
        return not self.recompute and all(variant.is_shrinking for variant in self.variants)

    def variants_at(self, op: Op, present: Collection[Op] | None = None) -> list[Variant]:
        """The variants that may match at an operator, in a graph of the operators ``present`` (``None``: any)."""
        variants = [variant for variant in self.variants if variant.op is None or variant.op is op]
        return (
            variants if present is None else [variant for variant in variants if variant.required_ops.issubset(present)]
        )

    def find(self, graph: Graph, node: int) -> Match | str | None:
        """The match whose first root is ``node``, the reason why a match was rejected, or ``None``."""
        reason: str | None = None
        for variant in self.variants_at(graph.op(node)):
            result = variant.search(graph, node, self.make_acceptor(graph, variant, lambda match: match))
            if isinstance(result, Match):
                return result
            reason = reason or result
        return reason

    def types_at(self, graph: Graph, node: int) -> tuple[Types, Types] | None:
        """The result types of a match and of its replacement; ``None`` without a match or a replacement.

        Raises what the replacement's operators raise for operands that do not fit.
        """
        for variant in self.variants_at(graph.op(node)) if not self.is_fusion else ():
            match = variant.search(graph, node, self.make_acceptor(graph, variant, lambda match: match))
            if isinstance(match, Match) and variant.template is not None:
                return tuple(graph.type(root) for root in match.roots), variant.template.types(match)
        return None

    def make_acceptor(self, graph: Graph, variant: Variant, on_match: Callable[[Match], Any]) -> Function:
        """The ``accept`` function of a search: passes matches that satisfy ``where`` to ``on_match``."""
        where, results = self.where, max(len(variant.roots), 1)

        def accept(
            nodes: tuple[int, ...], values: Mapping[str, Any], attrs: Attrs, paths: tuple[ChainPath, ...]
        ) -> object:
            match = Match(graph, nodes, values, attrs, paths, results)
            try:
                if where is not None and not where(match):
                    return "where"
            except Exception as error:
                error.add_note(f"in where= of {self.label} at {match.location}")
                raise
            return on_match(match)

        return accept
