"""Matcher code generation: each pattern becomes one Python function, without recursion.

Problem: find the nodes that match a pattern whose first root is at a given node. A pattern is a directed acyclic graph
(a term used twice must match one node), may have several roots, and contains commutative operators and chains.

Method: the pattern is compiled to a backtracking matcher, as by Augustsson, "Compiling Pattern Matching" (FPCA 1985).
Every test of the pattern becomes one ``if``, every choice becomes one ``for`` loop, and ``continue`` backtracks.
Further roots are searched among the users of matched values. For ``a * b + c`` the generated source is::

    def search(graph, n0, accept):
        for n1, n2 in ((in0[0], in0[1]), (in0[1], in0[0])):
            dn1 = N.get(n1)
            if dn1 is None or dn1["op"] is not mul: continue
            for n3, n4 in ((in1[0], in1[1]), (in1[1], in1[0])):
                result = accept(nodes, {"a": n3, "b": n4, "c": n2}, captures, ())

``accept`` is called with every match until it returns anything but ``None`` or the reason of a rejection (a string).
With ``explain``, the function also calls ``report_failure`` for every test that fails.

Invariants: every term is bound to one name; a node is tested before its operands; a match without ``recompute`` has no
node but its roots that is used outside, so all its other nodes can be removed.
Not handled: associativity; other operand orders for more than ``MAX_SWAPPED_CALLS`` commutative operators; roots that
share no value with the roots before them; tests shared by several rules (``rule_index`` selects by root operator only).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.errors import RuleError
from minigraph.core.op import Op
from passes.rewrite import matcher_runtime as runtime
from passes.rewrite import pattern
from passes.rewrite.lazy_function import LazyFunction
from passes.rewrite.pattern import Call, Chain, Many, Number, Term, Terms, Var, binding_key, inputs, terms

MAX_SWAPPED_CALLS = 6  # commutative operators matched in both orders per pattern (64 orders); others match as written
MAX_LOOP_DEPTH = 18  # nested loops; Python allows 20
RUNTIME_FUNCTIONS = (runtime.is_number, runtime.is_used_outside, runtime.can_start_chain, runtime.chain_paths,
                     runtime.climb_users, runtime.match_each)  # fmt: skip # called by the generated source
SINGLE_RESULT_FAMILIES = ("elementwise", "reduction", "view")  # families whose operators have one result

Search = Function  # (graph, node, accept[, report_failure]) -> the result of accept, a reason, or None
OTHER_USES, ATTRIBUTES = "other uses", "attributes"  # reasons of rejections, as statistics count them


def compile_pattern(
    roots: Terms,
    strict: bool,
    recompute: bool,
    names: Sequence[str],
    kept: Mapping[str, Term] = MappingProxyType({}),
    explain: bool = False,
) -> Search:
    """The matcher of a pattern: a function that matches ``roots``, the first one at the node it is called with.

    ``names`` are the variables passed to ``accept``, as ``None`` if the roots do not contain them. ``kept`` are terms
    that stay in the graph, by the names under which ``accept`` gets them. ``strict``: attributes without a name must
    have their defaults. ``recompute``: inner nodes may have other uses. Raises ``RuleError`` for disconnected roots.
    """
    return _MatcherSource(roots, strict, recompute, names, kept, explain).build()


@dataclass
class _MatcherSource:
    """The source of one matcher during its generation."""

    roots: Terms
    strict: bool
    recompute: bool
    names: Sequence[str]
    kept: Mapping[str, Term]
    explain: bool
    lines: list[str] = field(default_factory=list)
    namespace: dict[str, Any] = field(default_factory=dict)
    bound: dict[Hashable, str] = field(default_factory=dict)
    paths: dict[int, tuple[str, str]] = field(default_factory=dict)  # by chain: names of its nodes and of its end
    each_nodes: list[str] = field(default_factory=list)  # names of the nodes that `many(xs, each)` matched
    loop_depth: int = 0
    test_count: int = 0
    name_count: int = 0

    def build(self) -> Search:
        """The matcher; its source is compiled at the first call."""
        self.namespace |= {helper.__name__: helper for helper in RUNTIME_FUNCTIONS}
        self.swapped = swapped_calls(self.roots)
        self.calls = {id(term) for term in terms(*self.roots, subterms_of=inputs) if isinstance(term, Call)}
        self.lines.append(f"def search(graph, n0, accept{', report_failure' if self.explain else ''}):")
        self._write("N, S, reason = graph.node_map(), graph.succ_map(), None")
        for position, root in enumerate(self.roots):
            self._match_root(position, root)
        self._emit_use_tests()
        self._emit_attribute_tests()
        self._emit_accept()
        self.lines.append("    return reason")
        return LazyFunction("\n".join(self.lines), self.namespace)

    # ---- emitting source ---------------------------------------------------------------------------

    def _write(self, line: str) -> None:
        self.lines.append("    " * (1 + self.loop_depth) + line)

    def _open_loop(self, line: str) -> None:
        self._write(line)
        self.loop_depth += 1
        if self.loop_depth > MAX_LOOP_DEPTH:
            roots = pattern.comma_separated(self.roots)
            raise RuleError(f"{roots} has too many chains and results; split the rule in two")

    def _reject_if(self, test: str, term: Term, name: str, kind: str, reason: str = "") -> None:
        """Emit a test that backtracks if it holds."""
        self.test_count += 1
        self._write(f"if {test}:")
        if self.explain:
            matched = [node for key, node in self.bound.items() if key in self.calls and node != name]
            constant = self._bind_constant(term)
            self._write(f"    report_failure({self.test_count}, {constant}, {name}, {kind!r}, [{', '.join(matched)}])")
        if reason:
            self._write(f"    reason = reason or {reason!r}")
        self._write("    continue" if self.loop_depth else "    return reason")

    def _bind_constant(self, value: object) -> str:
        name = next((name for name, bound in self.namespace.items() if bound is value), f"c{len(self.namespace)}")
        self.namespace[name] = value
        return name

    def _fresh_name(self) -> str:
        self.name_count += 1
        return f"n{self.name_count}"

    # ---- terms -------------------------------------------------------------------------------------

    def _match_root(self, position: int, root: Term) -> None:
        name = "n0"
        if binding_key(root) in self.bound:  # another root is computed from this one
            return
        if position:
            anchor, ops = self._find_anchor(root)
            name = self._fresh_name()
            self._write(f"{name}s = climb_users(graph, {anchor}, {self._bind_constant(ops)})")
            self._reject_if(f"not {name}s", root, anchor, "further root")
            self._open_loop(f"for {name} in {name}s:")
            others = [self.bound[binding_key(other)] for other in self.roots[:position]]
            self._reject_if(f"{name} in ({', '.join(others)},)", root, name, "another root")
        self._match_term(root, name)

    def _find_anchor(self, root: Term) -> tuple[str, tuple[Op, ...]]:
        """Find a matched value below this root, a call if possible; returns it and the operators up to the root."""
        bound = [term for term in terms(root) if not isinstance(term, Number) and binding_key(term) in self.bound]
        for shared in sorted(bound, key=lambda term: not isinstance(term, Call)):
            path = pattern.path_to(root, shared)
            ops = tuple(term.op for term in path[::-1] if isinstance(term, Call))
            if path and len(ops) == len(path):
                return self.bound[binding_key(shared)], ops
        raise RuleError(f"{root} shares no value with the results before it, so the matcher cannot reach it")

    def _match_term(self, top: Term, top_name: str) -> None:
        """Emit the tests of a term and of all terms below it; all operands of a call come before their own operands."""
        stack = [(top, top_name)] if self._test_value(top, top_name) else []
        while stack:
            term, name = stack.pop()
            if isinstance(term, Chain):
                end = self._fresh_name()
                arguments = f"{self._bind_constant(term.predicate)}, {term.max_length}, {self.recompute}"
                self._open_loop(f"for {name}w, {end} in chain_paths(graph, {name}, {arguments}):")
                self.paths[id(term)] = f"{name}w", end
                subterms: list[tuple[Term, str]] = [(term.end, end)]
            else:
                assert isinstance(term, Call)
                subterms = self._bind_operands(term, name)
            stack += [pair for pair in subterms if self._test_value(*pair)][::-1]

    def _test_value(self, term: Term, name: str) -> bool:
        """Emit the tests that need no operands of the value; returns whether its operands have to be matched."""
        first_name = self.bound.setdefault(binding_key(term), name)
        if first_name != name:
            self._reject_if(f"{name} != {first_name}", term, name, "same")
            return False
        if isinstance(term, Number):
            self._reject_if(f"not is_number(graph, {name}, {self._bind_constant(term.value)})", term, name, "number")
        elif isinstance(term, Call):
            self._write(f"d{name} = N.get({name})")
            self._reject_if(f"d{name} is None or d{name}['op'] is not {self._bind_constant(term.op)}", term, name, "op")
            if term.op.family not in SINGLE_RESULT_FAMILIES:
                self._reject_if(f"len(d{name}['types']) != 1", term, name, "results")
        elif isinstance(term, Chain):
            predicate = self._bind_constant(term.predicate)
            self._reject_if(f"not can_start_chain(graph, {name}, {predicate})", term, name, "chain")
        return isinstance(term, Call | Chain)

    def _bind_operands(self, call: Call, name: str) -> list[tuple[Term, str]]:
        """Bind every operand to a name; a loop tries both orders if the operator is commutative."""
        ins = f"i{name}"
        self._write(f"{ins} = d{name}['ins']")
        many_position = next((k for k, arg in enumerate(call.args) if isinstance(arg, Many)), None)
        if many_position is not None:
            return self._bind_variadic_operands(call, name, many_position)
        if call.op.arity is None:
            self._reject_if(f"len({ins}) != {len(call.args)}", call, name, "count")
        names = [self._fresh_name() for _ in call.args]
        operands = [f"{ins}[{k}]" for k in range(len(names))]
        if id(call) in self.swapped:
            swapped = [operands[1], operands[0], *operands[2:]]
            self._open_loop(f"for {', '.join(names)} in (({', '.join(operands)}), ({', '.join(swapped)})):")
        else:
            self._assign(names, operands)
        return list(zip(call.args, names, strict=True))

    def _assign(self, names: list[str], sources: list[str]) -> None:
        for name, source in zip(names, sources, strict=True):
            self._write(f"{name} = {source}")

    def _bind_variadic_operands(self, call: Call, node: str, position: int) -> list[tuple[Term, str]]:
        """Bind the operands of a call with a ``many`` at ``position``, which takes all that the others leave."""
        many, ins = call.args[position], f"i{node}"
        assert isinstance(many, Many)
        before, after = call.args[:position], call.args[position + 1 :]
        self._reject_if(f"len({ins}) < {len(before) + len(after)}", call, node, "count")
        name = self._fresh_name()
        self._write(f"{name} = list({ins}[{position}:len({ins}) - {len(after)}])")
        if not isinstance(many.each, Var):
            search = compile_pattern((many.each,), self.strict, self.recompute, [many.name])
            self._write(f"{name}e = match_each(graph, {name}, {self._bind_constant(search)}, {many.name!r})")
            self._reject_if(f"{name}e is None", many, node, "each")
            self._write(f"{name}m, {name} = {name}e")
            self.each_nodes.append(f"{name}m")
        first_name = self.bound.setdefault(many.name, name)
        if first_name != name:
            self._reject_if(f"{name} != {first_name}", many, node, "same")
        operands = [f"{ins}[{k}]" for k in (*range(position), *range(-len(after), 0))]
        names = [self._fresh_name() for _ in operands]
        self._assign(names, operands)
        return list(zip((*before, *after), names, strict=True))

    # ---- tests of the whole match ------------------------------------------------------------------

    def _matched_terms(self, *roots: Term) -> list[tuple[Term, str]]:
        """The calls and chains of some terms, and the names of their nodes."""
        subterms = terms(*roots, subterms_of=inputs)
        return [(term, self.bound[id(term)]) for term in subterms if isinstance(term, Call | Chain)]

    def _emit_use_tests(self) -> None:
        """Emit the tests that only roots have users outside the match; nodes of ``kept`` are not part of it."""
        kept_terms = self._matched_terms(*self.kept.values())
        consumed = [pair for pair in self._matched_terms(*self.roots) if pair not in kept_terms]
        paths = [name for key, (name, _) in self.paths.items() if key not in {id(term) for term, _ in kept_terms}]
        names = [self.bound[id(root)] for root in self.roots]
        names += [name for term, name in consumed if isinstance(term, Call)]
        names += [f"*{name}" for name in (*paths, *self.each_nodes)]
        nodes = f"({', '.join(dict.fromkeys(names))},)"
        ops = [term.op for term, _ in consumed if isinstance(term, Call)]
        can_alias = len(ops) != len(set(ops)) or bool(paths or self.each_nodes)  # two terms may match one node
        self._write(f"nodes = tuple(dict.fromkeys({nodes}))" if can_alias else f"nodes = {nodes}")
        if not self.recompute:
            self._emit_single_use_tests(consumed, can_alias)

    def _emit_single_use_tests(self, consumed: list[tuple[Term, str]], can_alias: bool) -> None:
        if can_alias:
            self._write(f"out = next((n for n in nodes[{len(self.roots)}:] if is_used_outside(graph, n, nodes)), None)")
            self._reject_if("out is not None", self.roots[0], "out", OTHER_USES, OTHER_USES)
            return
        users = [id(child) for term, _ in consumed for child in set(inputs(term))]
        for term, name in consumed:
            if term not in self.roots:
                count = users.count(id(term))
                test = f"graph.is_out({name}) or len(S[{name}]) != {count} and is_used_outside(graph, {name}, nodes)"
                self._reject_if(test, term, name, OTHER_USES, OTHER_USES)

    def _emit_attribute_tests(self) -> None:
        """Emit the tests of attributes; ``captures`` collects the captured values."""
        self._write("captures = {}")
        for term, name in self._matched_terms(*self.roots):
            if isinstance(term, Call) and (term.attrs or (self.strict and term.op.attributes)):
                matcher = self._bind_constant(runtime.AttributeMatcher(term, self.strict))
                self._write(f"captures{'' if term.attrs else '_'} = {matcher}(graph, {name}, captures)")
                self._reject_if(f"captures{'' if term.attrs else '_'} is None", term, name, ATTRIBUTES, ATTRIBUTES)

    def _emit_accept(self) -> None:
        variables = set(pattern.variables(*self.roots))
        values = ", ".join(f"{name!r}: {self.bound[name] if name in variables else None}" for name in self.names)
        values += "".join(f", {name!r}: {self.bound[id(term)]}" for name, term in self.kept.items())
        paths = "".join("({}, {}), ".format(*self.paths[id(chain)]) for chain in pattern.chains_of(self.roots))
        self._write(f"result = accept(nodes, {{{values}}}, captures, ({paths}))")
        self._write("if result.__class__ is str:")
        self._write("    reason = reason or result")
        self._write("elif result is not None:")
        self._write("    return result")


def swapped_calls(roots: Terms) -> set[int]:
    """The ids of the commutative calls that are matched in both orders; calls with only variables are chosen last."""
    calls = [term for term in terms(*roots, subterms_of=inputs) if isinstance(term, Call) and term.op.commutative]
    calls = [call for call in calls if len(call.args) > 1 and call.args[0] is not call.args[1]]
    calls = [call for call in calls if not any(isinstance(arg, Many) for arg in call.args[:2])]
    calls.sort(key=lambda call: all(isinstance(arg, Var) for arg in call.args))
    return {id(call) for call in calls[:MAX_SWAPPED_CALLS]}
