"""An e-graph over the values of a graph: all equivalent forms of a program at once, held by egglog.

Problem: apply rewrite rules without committing to an order. Method: an e-graph (Nelson 1980; Willsey et al. 2021,
"egg"; Zhang et al. 2023, "egglog"), a set of equivalence classes of values that is closed under congruence. Node ``n``
of the graph ``term_graph`` is the egglog term ``(V n)``. egglog does e-matching, union and congruence closure. When a
pattern matches, the rule's own template emits the replacement into ``term_graph``, which infers its types, and both
values are merged into one class.

Invariants: values of one class have one type; ``term_graph`` is well typed; a reported match is applied once.
Not handled: nodes with effects, order edges, regions or several results; patterns with chains or operand lists.
Rules whose replacement a function computes see one node of a class, not every equivalent form.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from minigraph.core.aliases import Attrs
from minigraph.core.errors import UsageError
from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph import Graph, Ref
from passes.core.statistics import Statistics
from passes.rewrite.driver import Rule
from passes.rewrite.match import Match
from passes.rewrite.matcher_runtime import AttributeMatcher, is_number
from passes.rewrite.pattern import NUMBER_TYPES, Call, Number, Term, Var, inputs, kept_terms, terms
from passes.rewrite.replacement import Refs
from passes.rewrite.rewrite_application import OTHER_MEMORY_ORDER, is_interchangeable
from passes.rewrite.rule_spec import Variant

try:
    from egglog import bindings as installed
except ImportError:
    bindings: Any = None
else:
    bindings = installed

EGGLOG_ITERATIONS = 2  # iterations of egglog before its matches are read
MAX_PRINTED_ROWS = 1 << 30  # of a table: all
VALUE_PATTERN = re.compile(r"\(V (\d+)\)")


class Query(NamedTuple):
    """A variant of a rule with one egglog constructor for each operator in it; ``attrs`` are the captured attributes.

    ``columns`` name the values of a match in the query's result table.
    """

    rule: Rule
    variant: Variant
    attrs: Attrs
    columns: tuple[str, ...]


class EGraph:
    """The values of ``term_graph`` and their equivalence classes; raises ``UsageError`` if egglog is not installed."""

    def __init__(self, term_graph: Graph, rules: Sequence[Rule], statistics: Statistics) -> None:
        self.term_graph, self.statistics = term_graph, statistics
        self.engine = _new_engine()
        self.rules = [(rule, variant) for rule in rules for variant in rule.variants if _is_supported(variant)]
        self.function_rules = [(rule, rule.variants[0]) for rule in rules if not rule.variants[0].roots]
        roots = (term for _, variant in self.rules for term in terms(*variant.roots))
        numbers = ((str(term), term.value) for term in roots if isinstance(term, Number))
        self.numbers = {text: value for text, value in numbers if isinstance(value, NUMBER_TYPES)}
        self.constructors: dict[Hashable, tuple[str, int]] = {}  # by operator, arity, attributes: name, example node
        self.queries: dict[Hashable, tuple[str, Query]] = {}
        self.constant_nodes: dict[Hashable, int] = {}  # by value
        self.seen: set[Hashable] = set()
        self.run("(datatype E (V i64))", "(relation num (E String))")
        for node in term_graph.topological():
            self.add(node)

    def run(self, *lines: str) -> list[str]:
        """Run egglog commands and return their output."""
        return [str(out) for out in self.engine.run_program(*self.engine.parse_program("\n".join(lines)))]

    # ---- nodes -------------------------------------------------------------------------------------

    def add(self, node: int) -> None:
        """Add a node of the term graph; an impure node is alone in its class."""
        self.run(f"(V {node})")
        if self.term_graph.op(node).role == "const":
            self._constant(node)
        elif is_pure(self.term_graph, node):
            operands = " ".join(f"(V {ref})" for ref in self.term_graph.ins(node))
            self.run(f"(union (V {node}) ({self._constructor(node)} {operands}))")

    def _constant(self, node: int) -> None:
        texts = (text for text, value in self.numbers.items() if is_number(self.term_graph, node, value))
        facts = [f'(num (V {node}) "{text}")' for text in texts]
        key = exact_attrs_key(self.term_graph.attrs(node)), self.term_graph.types(node)
        equal = self.constant_nodes.setdefault(key, node)
        self.run(*facts, f"(union (V {node}) (V {equal}))")

    def _constructor(self, node: int) -> str:
        """The egglog constructor of a node's operator and attributes; commutative operators get a commuting rule."""
        op, ins = self.term_graph.op(node), self.term_graph.ins(node)
        key = op, len(ins), exact_attrs_key(self.term_graph.attrs(node))
        if key not in self.constructors:
            name = f"o{len(self.constructors)}"
            self.constructors[key] = name, node
            self.run(f"(constructor {name} ({' '.join('E' for _ in ins)}) E)")
            if op.commutative and len(ins) == 2:
                self.run(f"(rewrite ({name} a b) ({name} b a))")
        return self.constructors[key][0]

    # ---- rules -------------------------------------------------------------------------------------

    def _declare_queries(self) -> None:
        """Declare a query for each pattern with each combination of constructors that exists by now."""
        for rule, variant in self.rules:
            calls = [term for term in terms(*variant.roots, subterms_of=inputs) if isinstance(term, Call)]
            for names in product(*(self._constructors_for(call) for call in calls)):
                key = id(variant), names
                attrs = self._captured_attrs(calls, names) if key not in self.queries else None
                if attrs is not None:
                    constructors = {id(call): name for call, name in zip(calls, names, strict=True)}
                    self.queries[key] = self._declare_query(rule, variant, attrs, constructors)

    def _constructors_for(self, call: Call) -> list[str]:
        term_graph, matcher = self.term_graph, AttributeMatcher(call, True)
        pairs = [(name, node) for name, node in self.constructors.values() if term_graph.op(node) is call.op]
        pairs = [(name, node) for name, node in pairs if len(term_graph.ins(node)) == len(call.args)]
        return [name for name, node in pairs if matcher(term_graph, node, {}) is not None]

    def _captured_attrs(self, calls: Sequence[Call], names: Sequence[str]) -> dict[str, Any] | None:
        nodes = dict(self.constructors.values())
        attrs: dict[str, Any] | None = {}
        for call, name in zip(calls, names, strict=True):
            attrs = AttributeMatcher(call, True)(self.term_graph, nodes[name], attrs) if attrs is not None else None
        return attrs

    def _declare_query(
        self, rule: Rule, variant: Variant, attrs: Attrs, constructors: dict[int, str]
    ) -> tuple[str, Query]:
        table, subterms = f"m{len(self.queries)}", terms(*variant.roots, subterms_of=inputs)
        column = {id(term): f"x{k}" for k, term in enumerate(subterms)}
        column |= {id(term): f"v_{term.name}" for term in subterms if isinstance(term, Var)}
        facts = [self._fact(term, column, constructors) for term in subterms if not isinstance(term, Var)]
        columns = tuple(dict.fromkeys(column.values()))
        self.run(f"(relation {table} ({' '.join('E' for _ in columns)}))")
        self.run(f"(rule ({' '.join(facts)}) (({table} {' '.join(columns)})))")
        return table, Query(rule, variant, attrs, columns)

    def _fact(self, term: Term, column: dict[int, str], constructors: dict[int, str]) -> str:
        if isinstance(term, Number):
            return f'(num {column[id(term)]} "{term}")'
        assert isinstance(term, Call)
        return f"(= {column[id(term)]} ({constructors[id(term)]} {' '.join(column[id(arg)] for arg in term.args)}))"

    # ---- saturation --------------------------------------------------------------------------------

    def iterate(self) -> bool:
        """Run one saturation iteration: apply every rule at all new matches; returns whether anything was merged."""
        self._declare_queries()
        self.run(f"(run {EGGLOG_ITERATIONS})")
        matches = [*self._matches(), *self._function_rule_matches()]
        return sum([self._apply(rule, variant, match) for rule, variant, match in matches]) > 0

    def _function_rule_matches(self) -> Iterator[tuple[Rule, Variant, Match]]:
        """New matches of rules whose replacement a function computes; these rules see one node, not its class."""
        for rule, variant in self.function_rules:
            for node in list(self.term_graph):
                is_candidate = variant.op is self.term_graph.op(node) and is_pure(self.term_graph, node)
                if is_candidate and (rule, node) not in self.seen:
                    self.seen.add((rule, node))
                    self.statistics[rule.name].tries += 1
                    yield rule, variant, Match(self.term_graph, (node,), {}, {})

    def _matches(self) -> Iterator[tuple[Rule, Variant, Match]]:
        """New matches of the queries, with one value for each class."""
        for table, query in self.queries.values():
            (printed,) = self.run(f"(print-function {table} {MAX_PRINTED_ROWS})")
            stats = self.statistics[query.rule.name]
            for line in printed.splitlines():
                row = tuple(map(int, VALUE_PATTERN.findall(line.partition(" -> ")[0])))
                stats.tries += bool(row)
                if row and (table, row) not in self.seen:
                    self.seen.add((table, row))
                    yield query.rule, query.variant, self._match(query, dict(zip(query.columns, row, strict=True)))

    def _match(self, query: Query, value: dict[str, int]) -> Match:
        roots, results = query.variant.roots, query.variant.results or ()
        subterms = terms(*roots, subterms_of=inputs)
        values: dict[str, Ref] = {term.name: value[f"v_{term.name}"] for term in subterms if isinstance(term, Var)}
        column = {id(term): k for k, term in enumerate(subterms)}
        values |= {f"_{k}": value[f"x{column[id(term)]}"] for k, term in enumerate(kept_terms(roots, results))}
        return Match(self.term_graph, (value["x0"],), values, query.attrs)

    def _apply(self, rule: Rule, variant: Variant, match: Match) -> bool:
        """Emit the replacement and merge it with the match; returns ``False`` where the rule does not apply."""
        first = self.term_graph.next_id
        assert variant.build is not None
        if rule.where is not None and not rule.where(match):
            return False
        results = variant.build(match)
        reason = results if isinstance(results, str) else self._rejection_reason(rule, match, results, first)
        if results is None or reason:
            self.statistics[rule.name].rejected.update([reason] if reason else [])
            return False
        new = results[0]
        for node in range(first, self.term_graph.next_id):
            self.add(node)
        self.run(f"(union (V {match.root}) (V {new}))")
        self.statistics[rule.name].rewrites += 1
        return True

    def _rejection_reason(self, rule: Rule, match: Match, results: Refs | None, first: int) -> str:
        """The reason why a new value cannot replace the old one, as for the rewrite driver; "" if it can."""
        new = results[0] if results else match.root
        if new.__class__ is not int or self.term_graph.types(new) != self.term_graph.types(match.root):
            return "type"
        is_same = new >= first or rule.same_memory or is_interchangeable(self.term_graph, match.root, new)
        return "" if is_same else OTHER_MEMORY_ORDER

    def representatives(self) -> dict[int, int]:
        """Maps each value to the representative of its class, the value with the smallest id."""
        (printed,) = self.run(f"(print-function V {MAX_PRINTED_ROWS})")
        pairs = [tuple(map(int, VALUE_PATTERN.findall(line))) for line in printed.splitlines() if " -> " in line]
        least: dict[int, int] = {}
        for value, label in pairs:
            least[label] = min(value, least.get(label, value))
        return {value: least[label] for value, label in pairs}


def is_pure(graph: Graph, node: int) -> bool:
    """Whether a node has one result and neither effects, regions nor order edges: only such nodes can be merged."""
    if graph.op(node).effects or graph.regions(node) or graph.op(node).role != "compute":
        return False
    has_single_values = len(graph.types(node)) == 1 and all(ref.__class__ is int for ref in graph.ins(node))
    return has_single_values and not graph.before(node) and not graph.after(node)


def _is_supported(variant: Variant) -> bool:
    """Whether a variant has one result and consists of variables, numbers and operators."""
    all_terms = terms(*variant.roots, *(variant.results or ()))
    is_simple = all(isinstance(term, Var | Number | Call) for term in all_terms)
    return is_simple and variant.template is not None and len(variant.roots) == 1


def _new_engine() -> Any:
    if bindings is None:
        raise UsageError("saturate: egglog is not installed; pip install 'minigraph[egraph]'")
    return bindings.EGraph()
