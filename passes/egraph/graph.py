"""Many spellings of a program at once: an e-graph in egglog, over the values of a graph.

Every value of a graph, the *space*, has a number here, and values that are known to be equal are one class. egglog
finds where patterns match, through any spelling that is equal, and keeps equal what is made of equals; types and new
nodes are made in the space by the rules' own templates, so that only what has a type gets in.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from minigraph.core.errors import UsageError
from minigraph.ir.graph import Graph, Ref
from minigraph.ir.values import exact_attrs
from passes.rewrite.driver import Rule
from passes.rewrite.match import Match
from passes.rewrite.matcher_runtime import AttributeMatcher, is_number
from passes.rewrite.pattern import NUMBERS, Call, Number, Term, Var, inputs, kept_terms, terms
from passes.rewrite.replacement import Refs
from passes.rewrite.rewrite_application import MEMORY, is_interchangeable
from passes.rewrite.rule_spec import Variant

try:
    from egglog import bindings as installed
except ImportError:
    bindings: Any = None
else:
    bindings = installed

EGGLOG_ITERATIONS = 2  # of egglog's between two looks at what matched
ALL_ROWS = 1 << 30  # rows to print: all
VALUE_PATTERN = re.compile(r"\(V (\d+)\)")


class Query(NamedTuple):
    """A spelling of a rule with one kind of node for every operator in it; ``attrs`` are captured."""

    rule: Rule
    spelling: Variant
    attrs: dict[str, Any]
    columns: tuple[str, ...]


class EGraph:
    """The values of ``space`` and what is known to be equal; raises ``UsageError`` when egglog is not installed."""

    def __init__(self, space: Graph, rules: Sequence[Rule], tally: Any) -> None:
        self.space, self.tally = space, tally
        self.engine = _new_engine()
        self.rules = [(rule, spelling) for rule in rules for spelling in rule.spellings if _is_supported(spelling)]
        self.computed = [(rule, rule.spellings[0]) for rule in rules if not rule.spellings[0].roots]
        roots = (term for _, spelling in self.rules for term in terms(*spelling.roots))
        numbers = ((str(term), term.value) for term in roots if isinstance(term, Number))
        self.numbers = {text: value for text, value in numbers if isinstance(value, NUMBERS)}
        self.kinds: dict[Hashable, tuple[str, int]] = {}  # operator and attributes: its name here, one such node
        self.ways: dict[Hashable, tuple[str, Query]] = {}
        self.equal: dict[Hashable, int] = {}  # constants by value
        self.done: set[Hashable] = set()
        self.run("(datatype E (V i64))", "(relation num (E String))")
        for node in space.topological():
            self.add(node)

    def run(self, *lines: str) -> list[str]:
        """Give lines to egglog; what it prints."""
        return [str(out) for out in self.engine.run_program(*self.engine.parse_program("\n".join(lines)))]

    # ---- what is in it -----------------------------------------------------------------------------

    def add(self, node: int) -> None:
        """Enter a node of the space; what has an effect, an order or several results is equal to itself alone."""
        self.run(f"(V {node})")
        if self.space.op(node).role == "const":
            self._constant(node)
        elif is_pure(self.space, node):
            operands = " ".join(f"(V {ref})" for ref in self.space.ins(node))
            self.run(f"(union (V {node}) ({self._kind(node)} {operands}))")

    def _constant(self, node: int) -> None:
        known = (text for text, value in self.numbers.items() if is_number(self.space, node, value))
        facts = [f'(num (V {node}) "{text}")' for text in known]
        twin = self.equal.setdefault((exact_attrs(self.space.attrs(node)), self.space.types(node)), node)
        self.run(*facts, f"(union (V {node}) (V {twin}))")

    def _kind(self, node: int) -> str:
        """The name of an operator with these attributes; a commutative one may be turned round."""
        op, ins = self.space.op(node), self.space.ins(node)
        key = op, len(ins), exact_attrs(self.space.attrs(node))
        if key not in self.kinds:
            name = f"o{len(self.kinds)}"
            self.kinds[key] = name, node
            self.run(f"(constructor {name} ({' '.join('E' for _ in ins)}) E)")
            if op.commutative and len(ins) == 2:
                self.run(f"(rewrite ({name} a b) ({name} b a))")
        return self.kinds[key][0]

    # ---- rules -------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Let egglog look for every pattern with every kind of node that there is by now."""
        for rule, spelling in self.rules:
            calls = [term for term in terms(*spelling.roots, below=inputs) if isinstance(term, Call)]
            for names in product(*(self._fitting(call) for call in calls)):
                key = id(spelling), names
                attrs = self._captured(calls, names) if key not in self.ways else None
                if attrs is not None:
                    kinds = {id(call): name for call, name in zip(calls, names, strict=True)}
                    self.ways[key] = self._declared(rule, spelling, attrs, kinds)

    def _fitting(self, call: Call) -> list[str]:
        space, fits = self.space, AttributeMatcher(call, True)
        known = [(name, node) for name, node in self.kinds.values() if space.op(node) is call.op]
        known = [(name, node) for name, node in known if len(space.ins(node)) == len(call.args)]
        return [name for name, node in known if fits(space, node, {}) is not None]

    def _captured(self, calls: Sequence[Call], names: Sequence[str]) -> dict[str, Any] | None:
        nodes = dict(self.kinds.values())
        found: dict[str, Any] | None = {}
        for call, name in zip(calls, names, strict=True):
            found = AttributeMatcher(call, True)(self.space, nodes[name], found) if found is not None else None
        return found

    def _declared(
        self, rule: Rule, spelling: Variant, attrs: dict[str, Any], kinds: dict[int, str]
    ) -> tuple[str, Query]:
        table, known = f"m{len(self.ways)}", terms(*spelling.roots, below=inputs)
        column = {id(term): f"x{k}" for k, term in enumerate(known)}
        column |= {id(term): f"v_{term.name}" for term in known if isinstance(term, Var)}
        facts = [self._fact(term, column, kinds) for term in known if not isinstance(term, Var)]
        columns = tuple(dict.fromkeys(column.values()))
        self.run(
            f"(relation {table} ({' '.join('E' for _ in columns)}))",
            f"(rule ({' '.join(facts)}) (({table} {' '.join(columns)})))",
        )
        return table, Query(rule, spelling, attrs, columns)

    def _fact(self, term: Term, column: dict[int, str], kinds: dict[int, str]) -> str:
        if isinstance(term, Number):
            return f'(num {column[id(term)]} "{term}")'
        assert isinstance(term, Call)
        return f"(= {column[id(term)]} ({kinds[id(term)]} {' '.join(column[id(arg)] for arg in term.args)}))"

    # ---- growing -----------------------------------------------------------------------------------

    def grow(self) -> bool:
        """Apply every rule wherever it matches by now; whether there was anything new."""
        self._ask()
        self.run(f"(run {EGGLOG_ITERATIONS})")
        found = [*self._matches(), *self._computed()]
        return sum([self._applied(rule, spelling, match) for rule, spelling, match in found]) > 0

    def _computed(self) -> Iterator[tuple[Rule, Variant, Match]]:
        """Where computed rules have not been asked yet; they see one spelling at a time."""
        for rule, spelling in self.computed:
            for node in list(self.space):
                if spelling.op is self.space.op(node) and is_pure(self.space, node) and (rule, node) not in self.done:
                    self.done.add((rule, node))
                    self.tally[rule.name].tries += 1
                    yield rule, spelling, Match(self.space, (node,), {}, {})

    def _matches(self) -> Iterator[tuple[Rule, Variant, Match]]:
        """What matches and has not been looked at yet, with one value for each class."""
        for table, way in self.ways.values():
            (printed,) = self.run(f"(print-function {table} {ALL_ROWS})")
            stats = self.tally[way.rule.name]
            for line in printed.splitlines():
                row = tuple(map(int, VALUE_PATTERN.findall(line.partition(" -> ")[0])))
                stats.tries += bool(row)
                if row and (table, row) not in self.done:
                    self.done.add((table, row))
                    yield way.rule, way.spelling, self._match(way, dict(zip(way.columns, row, strict=True)))

    def _match(self, way: Query, value: dict[str, int]) -> Match:
        roots, results = way.spelling.roots, way.spelling.results or ()
        known = terms(*roots, below=inputs)
        values: dict[str, Ref] = {term.name: value[f"v_{term.name}"] for term in known if isinstance(term, Var)}
        place = {id(term): k for k, term in enumerate(known)}
        values |= {f"_{k}": value[f"x{place[id(term)]}"] for k, term in enumerate(kept_terms(roots, results))}
        return Match(self.space, (value["x0"],), values, way.attrs)

    def _applied(self, rule: Rule, spelling: Variant, match: Match) -> bool:
        """Make the other side and let both be equal; nothing where the rule would not have replaced anything."""
        first = self.space.next_id
        assert spelling.build is not None
        if rule.where is not None and not rule.where(match):
            return False
        made = spelling.build(match)
        reason = made if isinstance(made, str) else self._unfit(rule, match, made, first)
        if made is None or reason:
            self.tally[rule.name].refused.update([reason] if reason else [])
            return False
        new = made[0]
        for node in range(first, self.space.next_id):
            self.add(node)
        self.run(f"(union (V {match.root}) (V {new}))")
        self.tally[rule.name].rewrites += 1
        return True

    def _unfit(self, rule: Rule, match: Match, made: Refs | None, first: int) -> str:
        """Why a new value cannot stand for the old one, as for the driver of rules; "" when it can."""
        new = made[0] if made else match.root
        if new.__class__ is not int or self.space.types(new) != self.space.types(match.root):
            return "type"
        same = new >= first or rule.same_memory or is_interchangeable(self.space, match.root, new)
        return "" if same else MEMORY

    def classes(self) -> dict[int, int]:
        """For every value the smallest number of the class it is in."""
        (printed,) = self.run(f"(print-function V {ALL_ROWS})")
        pairs = [tuple(map(int, VALUE_PATTERN.findall(line))) for line in printed.splitlines() if " -> " in line]
        least: dict[int, int] = {}
        for value, label in pairs:
            least[label] = min(value, least.get(label, value))
        return {value: least[label] for value, label in pairs}


def is_pure(graph: Graph, node: int) -> bool:
    """Whether a node computes one value from values, and nothing else: only such nodes have other spellings."""
    if graph.op(node).effects or graph.regions(node) or graph.op(node).role != "compute":
        return False
    single = len(graph.types(node)) == 1 and all(ref.__class__ is int for ref in graph.ins(node))
    return single and not graph.before(node) and not graph.after(node)


def _is_supported(spelling: Variant) -> bool:
    """Whether a spelling is variables, numbers and operators alone, for one result."""
    known = terms(*spelling.roots, *(spelling.results or ()))
    plain = all(isinstance(term, Var | Number | Call) for term in known)
    return plain and spelling.template is not None and len(spelling.roots) == 1


def _new_engine() -> Any:
    if bindings is None:
        raise UsageError("saturate: egglog is not installed; pip install 'minigraph[egraph]'")
    return bindings.EGraph()
