"""Small graphs as text, and matches of patterns in them."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from minigraph.core.op import TABLE
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from passes import Rule, Statistics, apply_rules, fuse, rule
from passes.rewrite.match import Match
from passes.rewrite.matcher import compile_pattern
from passes.rewrite.tracing import trace_pattern

# Two equal nodes, and a dead one.
REPEATED = """graph f(%0)
  %0 = input() {name="x"} : f32[2]
  %1 = exp(%0) : f32[2]  # net.py:3
  %2 = exp(%0) : f32[2]  # net.py:4
  %3 = add(%1, %2) : f32[2]  # net.py:5
  %4 = neg(%3) : f32[2]  # net.py:6
  return %3
"""


def graph_of(*lines: str, outs: str = "") -> Graph:
    """A graph over x, y, z of f32[2,2] (nodes 0 to 2); every line is a node from 3 on; the last is the output."""
    head = [f'%{k} = input() {{name="{name}"}} : f32[2,2]' for k, name in enumerate("xyz")]
    nodes = [f"%{k} = {_with_type(line)}" for k, line in enumerate(lines, 3)]
    text = "\n".join(["graph f(%0, %1, %2)", *head, *nodes, f"return {outs or f'%{2 + len(lines)}'}"])
    return parse(text, check=False)  # the types of operands need not fit


def chain_graph(*operators: str, type: object = "f32[2]", file: str = "") -> Graph:
    """A graph of one input and these operators, each on the one before, from lines 3 on of a file."""
    locations = [f"  # {file}:{k}" if file else "" for k, _ in enumerate(operators, 3)]
    lines = [f"%{k} = {name}(%{k - 1}) : {type}{locations[k - 1]}" for k, name in enumerate(operators, 1)]
    return parse("\n".join(["graph f(%0)", f'%0 = input() {{name="x"}} : {type}', *lines, f"return %{len(lines)}"]))


def mesh_of(seed: int, operators: Sequence[str], near: int, ordered: float, type: str = "f32[3,3]") -> Graph:
    """40 operators on one of the ``near`` values before, some with order edges, and three outputs."""
    rng = random.Random(seed)
    graph = parse(f'graph f(%0)\n%0 = input() {{name="x"}} : {type}\nreturn %0')
    for _ in range(40):
        op = TABLE[rng.choice(operators)]
        ins = [rng.randrange(max(0, graph.next_id - near), graph.next_id) for _ in range(op.arity or 0)]
        node = graph.emit(op, ins)
        if rng.random() < ordered and node > 1:
            graph.order(rng.randrange(1, node), node, rng.choice(("depend", "effect")))
    graph.set_outs(rng.sample(range(graph.next_id), 3))
    return graph


def _with_type(line: str) -> str:
    """The line with a type, before its order edges."""
    if " : " in line:
        return line
    call, after, rest = line.partition(" after ")
    return f"{call} : f32[2,2]{after}{rest}"


def find(
    pattern: Callable[..., Any], graph: Graph, node: int | None = None, strict: bool = True, recompute: bool = False
) -> Any:
    """The match of a pattern at a node (default: the last one), a reason, or ``None``."""
    tree = trace_pattern(pattern)
    search = compile_pattern(tree.results, strict, recompute, tree.parameters)

    def accept(nodes: Any, values: Any, attrs: Any, paths: Any) -> Match:
        return Match(graph, nodes, values, attrs, paths, len(tree.results))

    return search(graph, max(graph) if node is None else node, accept)


def fused_bodies(pattern: Callable[..., Any], *lines: str, outs: str = "", **options: Any) -> list[tuple[str, ...]]:
    """The bodies that a pattern puts into fused nodes, as operator names; the graph is verified."""
    graph, _ = rewrite(graph_of(*lines, outs=outs), fuse("T", pattern, **options))
    bodies = [graph.regions(node)[0] for node in graph if graph.op(node).role == "fused"]
    return [tuple(names(body)) for body in bodies]  # type: ignore[arg-type]


def rewrite(graph: Graph, *rules: Rule) -> tuple[Graph, Statistics]:
    """The verified graph after the rules, and their statistics."""
    statistics = Statistics()
    apply_rules(graph, rules, statistics)
    verify(graph)
    return graph, statistics


def names(graph: Graph) -> list[str]:
    """The operators in order, leaves left out."""
    return [str(graph.op(node)) for node in graph.topological() if not graph.op(node).is_leaf]


def named_rule(name: str, function: Callable[..., Any], **options: Any) -> Rule:
    """The rule of a function that has no name of its own, as a lambda; options as of ``rule``."""
    function.__name__ = name
    return rule(**options)(function)


def labels(graph: Graph) -> list[str]:
    """The computed nodes in order: operators, and fused nodes by their names."""
    computed = [node for node in graph.topological() if not graph.op(node).is_leaf]
    return [graph.attrs(n)["name"] if graph.op(n).role == "fused" else str(graph.op(n)) for n in computed]


def fused_names(graph: Graph) -> list[str]:
    """The names of the fused nodes, in order."""
    return [graph.attrs(node)["name"] for node in graph.topological() if graph.op(node).role == "fused"]


def counts(statistics: Statistics) -> dict[str, dict[str, int]]:
    """By rule with a match: the number of rewrites, and rejections by reason."""
    every = {rule: {"rewrites": stats.rewrites, **stats.rejected} for rule, stats in statistics.items()}
    nonzero = {rule: {what: count for what, count in outcomes.items() if count} for rule, outcomes in every.items()}
    return {rule: counts for rule, counts in nonzero.items() if counts}
