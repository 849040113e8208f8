"""Equality saturation: apply rules in every order at once, then keep the spelling that is cheapest.

::

    %2 = mul(%0, 2.0)                      -> saturate{cost=ascend910b1} ->           return %0
    %3 = div(%2, 2.0)

A greedy pipeline replaces, so what an earlier rule did decides what later ones see. Here nothing is lost: all
spellings stay side by side in an e-graph (by egglog) until nothing new comes up, and a cost function
chooses among them. Needs the extra ``minigraph[egraph]``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from minigraph.core.errors import GraphError, UsageError
from minigraph.ir.excerpt import excerpt, structure
from minigraph.ir.graph import Graph, Ref, producer, result_index
from passes.core.registry import Options, Pass
from passes.core.statistics import Choice
from passes.egraph.graph import EGraph, is_pure
from passes.rewrite.costs import Cost, cost_named
from passes.rewrite.driver import Rule
from passes.rulebook import rules_named

Enodes = dict[int, list[int]]  # by class: the nodes of the space that compute it


def _saturate(graph: Graph, *, options: Options) -> None:
    """any spelling -> the cheapest equal one, by ``cost``, of all that ``rules`` lead to in ``rounds`` rounds.

    Every value stays, but not always its memory order, so a matrix product may round differently. Only rules that
    keep every bit take part; those that are computed see one spelling at a time. The graph stays as
    it is where nothing cheaper comes up. Raises ``UsageError`` for graphs of more than ``max_nodes`` nodes; a
    space that grows tenfold stops growing.
    """
    if len(graph) > options["max_nodes"]:
        told = f"'{graph.title}' has {len(graph):,} nodes, more than max_nodes={options['max_nodes']:,}"
        raise UsageError(f"saturate: {told}; raise max_nodes, or use canonicalize")
    cost = cost_named(options["cost"]) or len
    known = rules_named(options["rules"])
    rules = [rule for rule in known if isinstance(rule, Rule) and not rule.outlines and rule.exact]
    space = graph.clone()
    egraph = EGraph(space, rules, options.tally)
    for _ in range(options["rounds"]):
        if not egraph.grow() or len(space) > 10 * len(graph) + 1000:
            break
    chosen = extract_cheapest(space, egraph.classes(), cost)
    trial = graph.clone()
    if _rebuild(trial, space, egraph.classes(), chosen):
        before, after = cost(_remove_dead_nodes(graph.clone())), cost(_remove_dead_nodes(trial))
        taken, rejected = ("another spelling", "as it was") if after < before else ("as it was", "another spelling")
        options.tally.choices.append(Choice(-1, (), taken, min(before, after), ((rejected, max(before, after)),)))
        if after < before:
            _rebuild(graph, space, egraph.classes(), chosen)


saturate = Pass(
    _saturate, {"rules": "canonical", "cost": "ascend910b1", "rounds": 8, "max_nodes": 5000}, "saturate",
    checks={"rules": rules_named, "cost": cost_named}, tol=1e-5,
)  # fmt: skip


# ---- choosing --------------------------------------------------------------------------------------


def extract_cheapest(space: Graph, home: dict[int, int], cost: Cost) -> dict[int, int]:
    """For every class the node that computes it cheapest, operands counted; what shares them is not told apart.

    The prices of single nodes are those of the cost function, on that node alone.
    """
    prices = _NodeCosts(space, cost)
    total: dict[int, int] = {}
    chosen: dict[int, int] = {}
    users: dict[int, set[int]] = {}
    for node in space:
        for ref in space.ins(node):
            users.setdefault(home[producer(ref)], set()).add(node)
    waiting = dict.fromkeys(space)
    while waiting:
        node, own = next(iter(waiting)), 0
        del waiting[node]
        below = {home[producer(ref)] for ref in space.ins(node)}
        if not below <= total.keys():
            continue
        own = sum(total[one] for one in below) + prices.of(node)
        if own < total.get(home[node], own + 1):
            total[home[node]], chosen[home[node]] = own, node
            waiting.update(dict.fromkeys(users.get(home[node], ())))
    return chosen


class _NodeCosts:
    """What nodes cost on their own; equal ones are priced once."""

    def __init__(self, space: Graph, cost: Cost) -> None:
        self.space, self.cost = space, cost
        self.known: dict[Hashable, int] = {}

    def of(self, node: int) -> int:
        """The price of one node, at least 1, so that no cycle of spellings is free."""
        if self.space.op(node).is_leaf:
            return 0
        part, _ = excerpt(self.space, [node])
        key = structure(part)
        if key not in self.known:
            self.known[key] = max(self.cost(part), 1)
        return self.known[key]


# ---- making it so ----------------------------------------------------------------------------------


def _rebuild(graph: Graph, space: Graph, home: dict[int, int], chosen: dict[int, int]) -> bool:
    """Let a graph take the chosen spelling; ``False``, with the graph spoilt, if effects would wait for each other."""
    old = graph.next_id
    final: dict[int, int] = {}
    for node in _needed_values(graph, space, home, chosen):
        pick = chosen.get(home[node], node)
        ins = tuple(_extracted_ref(ref, home, final) for ref in space.ins(pick))
        if pick < old and ins == graph.ins(pick):
            final[home[node]] = pick
        else:
            sources = tuple(other for other in (node, pick) if other < old)
            final[home[node]] = graph.emit(space.op(pick), ins, space.attrs(pick), space.types(pick), sources=sources)
    made = [node for node in final.values() if node >= old]
    mapping: dict[Ref, Ref] = {
        node: final[home[node]] for node in graph if node < old and home[node] in final and final[home[node]] != node
    }
    graph.replace_uses(mapping, keep=made)
    try:
        graph.topological()
    except GraphError:
        return False
    return bool(mapping)


def _extracted_ref(ref: Ref, home: dict[int, int], final: dict[int, int]) -> Ref:
    """A value in the chosen spelling; results of nodes that stay as they are stay too."""
    return ref if result_index(ref) else final.get(home[producer(ref)], producer(ref))


def _needed_values(graph: Graph, space: Graph, home: dict[int, int], chosen: dict[int, int]) -> list[int]:
    """One value of every class that outputs and nodes outside of the e-graph need, operands first."""
    kept = [node for node in graph if not is_pure(graph, node)]
    roots = [*map(producer, graph.outs), *(producer(ref) for node in kept for ref in graph.ins(node))]
    done: dict[int, int] = {}
    stack = [(node, False) for node in roots]
    while stack:
        node, entered = stack.pop()
        if home[node] in done:
            continue
        pick = chosen.get(home[node], node)
        if entered or space.op(pick).is_leaf:
            done[home[node]] = node
        elif is_pure(space, pick):
            stack.append((node, True))
            stack += [(producer(ref), False) for ref in space.ins(pick)]
    return list(done.values())


def _remove_dead_nodes(graph: Graph) -> Graph:
    """The graph without what nobody needs, as a cost function should see it."""
    needed = _with_ancestors(graph, [*map(producer, graph.outs), *(node for node in graph if graph.op(node).effects)])
    graph.erase(node for node in list(graph) if node not in needed and node not in graph.inputs)
    return graph


def _with_ancestors(graph: Graph, roots: Iterable[int]) -> set[int]:
    found: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += graph.predecessors(node)
    return found
