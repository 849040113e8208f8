"""Equality saturation: apply rules in every order at once, then extract the cheapest equivalent program.

::

    %2 = mul(%0, 2.0)                      -> saturate{cost=ascend910b1} ->           return %0
    %3 = div(%2, 2.0)

Problem: a greedy pipeline destroys the form that it replaces, so its result depends on the order of rules (phase
ordering). Method: rules only add equivalent forms to an e-graph (``passes.egraph.graph``) until it is saturated or at
a limit (Tate et al. 2009; Willsey et al. 2021, "egg"). Extraction then selects one node of each class:
``extract_cheapest`` is the bottom-up worklist relaxation of egg, where the cost of a node is its own cost plus the
costs of its operands' classes, and a class takes its cheapest node.

Invariants: leaves cost nothing and all other nodes at least 1, so the selection is acyclic; the result never costs more
than the original graph; effects and order edges stay.

Not handled: sharing. A class that several users need is counted once for each user; optimal extraction with sharing is
NP-hard. The whole graph is therefore compared with the original by the cost function, and kept only if it is cheaper.
Needs the extra ``minigraph[egraph]``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from minigraph.core.errors import GraphError, UsageError
from minigraph.ir.graph import Graph, Ref, producer, result_index
from minigraph.ir.subgraph import extract_subgraph, structural_key
from passes.core.choice import Choice
from passes.core.registry import Options, Pass
from passes.egraph.graph import EGraph, is_pure
from passes.rewrite.costs import Cost, cost_named
from passes.rewrite.driver import Rule
from passes.rulebook import rules_named

MAX_GROWTH, MIN_GROWTH_NODES = 10, 1000  # limit of the e-graph: a multiple of the graph's nodes, plus a constant


def _saturate(graph: Graph, *, options: Options) -> None:
    """any graph -> the cheapest equivalent one, by ``cost``, that ``rules`` reach in ``max_iterations``.

    Values are equal but may have another memory order, so a matrix product may round differently. Only exact rules
    take part; computed rules see one node of a class at a time. If nothing cheaper is found, the graph is unchanged.
    Raises ``UsageError`` for graphs of more than ``max_nodes`` nodes; saturation stops when the e-graph has grown
    tenfold.
    """
    if len(graph) > options["max_nodes"]:
        size = f"'{graph.title}' has {len(graph):,} nodes, more than max_nodes={options['max_nodes']:,}"
        raise UsageError(f"saturate: {size}; raise max_nodes, or use canonicalize")
    cost = cost_named(options["cost"]) or len
    all_rules = rules_named(options["rules"])
    rules = [rule for rule in all_rules if isinstance(rule, Rule) and not rule.is_fusion and rule.exact]
    term_graph = graph.clone()
    egraph = EGraph(term_graph, rules, options.statistics)
    for _ in range(options["max_iterations"]):
        if not egraph.iterate() or len(term_graph) > MAX_GROWTH * len(graph) + MIN_GROWTH_NODES:
            break
    selection = extract_cheapest(term_graph, egraph.representatives(), cost)
    trial = graph.clone()
    if _rebuild(trial, term_graph, egraph.representatives(), selection):
        before, after = cost(_remove_dead_nodes(graph.clone())), cost(_remove_dead_nodes(trial))
        forms = ("unchanged", "another form")
        kept_form, rejected_form = forms[::-1] if after < before else forms
        options.statistics.choices.append(
            Choice(-1, (), kept_form, min(before, after), ((rejected_form, max(before, after)),))
        )
        if after < before:
            _rebuild(graph, term_graph, egraph.representatives(), selection)


saturate = Pass(
    _saturate, {"rules": "canonical", "cost": "ascend910b1", "max_iterations": 8, "max_nodes": 5000}, "saturate",
    checks={"rules": rules_named, "cost": cost_named}, tol=1e-5,
)  # fmt: skip


# ---- extraction ------------------------------------------------------------------------------------


def extract_cheapest(term_graph: Graph, class_of: dict[int, int], cost: Cost) -> dict[int, int]:
    """By class: its cheapest node, operands included; shared operands are counted for each user.

    ``class_of`` maps values to classes. The cost of a node is the cost function's value for a graph of that node alone.
    """
    costs = _NodeCosts(term_graph, cost)
    class_costs: dict[int, int] = {}
    selection: dict[int, int] = {}
    users: dict[int, set[int]] = {}
    for node in term_graph:
        for ref in term_graph.ins(node):
            users.setdefault(class_of[producer(ref)], set()).add(node)
    worklist = dict.fromkeys(term_graph)
    while worklist:
        node, node_total = next(iter(worklist)), 0
        del worklist[node]
        operand_classes = {class_of[producer(ref)] for ref in term_graph.ins(node)}
        if not operand_classes <= class_costs.keys():
            continue
        node_total = sum(class_costs[operand] for operand in operand_classes) + costs.cost_of(node)
        if node_total < class_costs.get(class_of[node], node_total + 1):
            class_costs[class_of[node]], selection[class_of[node]] = node_total, node
            worklist.update(dict.fromkeys(users.get(class_of[node], ())))
    return selection


class _NodeCosts:
    """The costs of single nodes; structurally equal nodes are costed once."""

    def __init__(self, term_graph: Graph, cost: Cost) -> None:
        self.term_graph, self.cost = term_graph, cost
        self.costs: dict[Hashable, int] = {}

    def cost_of(self, node: int) -> int:
        """The cost of one node, at least 1, so that no cycle is free."""
        if self.term_graph.op(node).is_leaf:
            return 0
        subgraph, _ = extract_subgraph(self.term_graph, [node])
        key = structural_key(subgraph)
        if key not in self.costs:
            self.costs[key] = max(self.cost(subgraph), 1)
        return self.costs[key]


# ---- rebuilding the graph --------------------------------------------------------------------------


def _rebuild(graph: Graph, term_graph: Graph, class_of: dict[int, int], selection: dict[int, int]) -> bool:
    """Rebuild a graph from the chosen nodes; ``False``, with the graph unusable, if order edges would form a cycle."""
    first_new_id = graph.next_id
    extracted: dict[int, int] = {}
    for node in _needed_values(graph, term_graph, class_of, selection):
        selected = selection.get(class_of[node], node)
        ins = tuple(_extracted_ref(ref, class_of, extracted) for ref in term_graph.ins(selected))
        if selected < first_new_id and ins == graph.ins(selected):
            extracted[class_of[node]] = selected
        else:
            sources = tuple(origin for origin in (node, selected) if origin < first_new_id)
            extracted[class_of[node]] = graph.emit(
                term_graph.op(selected), ins, term_graph.attrs(selected), term_graph.types(selected), sources=sources
            )
    new_nodes = [node for node in extracted.values() if node >= first_new_id]
    mapping: dict[Ref, Ref] = {
        node: extracted[class_of[node]]
        for node in graph
        if node < first_new_id and class_of[node] in extracted and extracted[class_of[node]] != node
    }
    graph.replace_uses(mapping, keep=new_nodes)
    try:
        graph.topological()
    except GraphError:
        return False
    return bool(mapping)


def _extracted_ref(ref: Ref, class_of: dict[int, int], extracted: dict[int, int]) -> Ref:
    """The rebuilt value of a reference; results of multi-result nodes stay."""
    return ref if result_index(ref) else extracted.get(class_of[producer(ref)], producer(ref))


def _needed_values(graph: Graph, term_graph: Graph, class_of: dict[int, int], selection: dict[int, int]) -> list[int]:
    """One value of each class that the outputs and the impure nodes need, operands first."""
    impure = [node for node in graph if not is_pure(graph, node)]
    roots = [*map(producer, graph.outs), *(producer(ref) for node in impure for ref in graph.ins(node))]
    value_of_class: dict[int, int] = {}
    stack = [(node, False) for node in roots]
    while stack:
        node, entered = stack.pop()
        if class_of[node] in value_of_class:
            continue
        selected = selection.get(class_of[node], node)
        if entered or term_graph.op(selected).is_leaf:
            value_of_class[class_of[node]] = node
        elif is_pure(term_graph, selected):
            stack.append((node, True))
            stack += [(producer(ref), False) for ref in term_graph.ins(selected)]
    return list(value_of_class.values())


def _remove_dead_nodes(graph: Graph) -> Graph:
    """Remove dead nodes, so that the cost function does not count them; returns the graph."""
    needed = _ancestors(graph, [*map(producer, graph.outs), *(node for node in graph if graph.op(node).effects)])
    graph.erase(node for node in list(graph) if node not in needed and node not in graph.inputs)
    return graph


def _ancestors(graph: Graph, roots: Iterable[int]) -> set[int]:
    nodes: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in nodes:
            nodes.add(node)
            stack += graph.predecessors(node)
    return nodes
