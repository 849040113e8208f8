"""The verifier: ``verify`` checks that a graph is well formed and reports the first violation.

The invariants: every operand is a result of a node in the graph; networkx's edges mirror the operand tuples;
there is no cycle; stored types are those that the records infer; the inputs and outputs of a body have the types
of its node's operands and results; inputs, outputs and parameters exist; every node that writes a resource is
ordered against all other accesses to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.errors import MinigraphError, VerifyError
from minigraph.core.op import Op
from minigraph.core.scope_guard import raise_external_error
from minigraph.core.types import TensorType
from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.fast_verify import InferenceCache, nodes_to_verify
from minigraph.ir.graph_reader import GraphReader, Ref, producer, result_index
from minigraph.ir.topological_sort import are_ids_topological

_ORDER_KINDS = ("depend", "effect")
Positions = dict[int, int] | range  # node -> its position in a topological order


def verify(graph: GraphReader) -> None:
    """Check a graph and all its bodies; raises ``VerifyError`` at the first violation.

    >>> from minigraph.ir.text import parse
    >>> verify(parse('graph f(%0)\\n %0 = input() {name="x"} : f32[2]\\n return %0.1'))
    Traceback (most recent call last):
    minigraph.errors.VerifyError: graph 'f': output 0 is result 1 of %0 = input, which has 1
    """
    verify_nodes(graph, graph._node, as_calls=True)


def verify_nodes(
    graph: GraphReader, nodes: Iterable[int], calls: InferenceCache | None = None, as_calls: bool = False
) -> None:
    """Check some nodes (erased ones are skipped) and the invariants of the whole graph.

    That suffices after edits whose journal lists ``nodes``: the others did not change. ``calls`` caches inferred types
    across checks. ``as_calls``: operands and attributes must be those of a call. Raises ``VerifyError``.
    """
    calls = {} if calls is None else calls
    stack = [(graph, [node for node in nodes if node in graph._node])]
    seen: set[int] = set()  # bodies: many fused nodes share one
    while stack:
        subgraph, subset = stack.pop()
        unchecked = nodes_to_verify(subgraph, subset, calls)
        verify_operands(subgraph, unchecked)
        verify_edges(subgraph, unchecked)
        verify_types(subgraph, unchecked)
        if subgraph is graph:
            verify_boundary(subgraph)
        verify_effects(subgraph, verify_order(subgraph))
        for node in subset:
            data = subgraph._node[node]
            if as_calls:
                verify_call(subgraph, node)
            if data["regions"] or data["op"].role == "fused":
                fresh = [body for body in data["regions"] if id(body) not in seen]
                for body in fresh:
                    verify_boundary(body)
                verify_bodies(subgraph, node)
                seen.update(map(id, fresh))
                stack += [(body, [*body._node]) for body in fresh]


# ---- single nodes ----------------------------------------------------------------------------------


def verify_operands(graph: GraphReader, nodes: Iterable[int]) -> None:
    """Every operand is a result of a node of the graph, and a node has as many as its operator takes."""
    node_data = graph._node
    for node in nodes:
        op, count = node_data[node]["op"], len(node_data[node]["ins"])
        if op.arity is not None and op.role != "fused" and op.arity != count:
            raise _node_error(graph, node, f"takes {op.arity} operands, got {count}")
        for ref in node_data[node]["ins"]:
            if ref.__class__ is int and ref in node_data and node_data[ref]["types"]:
                continue
            source = producer(ref)
            if source not in node_data:
                raise _node_error(graph, node, f"uses %{source}, which is not in the graph")
            if not 0 <= result_index(ref) < len(node_data[source]["types"]):
                raise _node_error(graph, node, f"uses {_result(graph, ref)}")


def verify_edges(graph: GraphReader, nodes: Iterable[int]) -> None:
    """Edges mirror exactly the operands, and both directions agree."""
    pred, succ = graph._pred, graph._succ
    for node in nodes:
        for source, keys in pred[node].items():
            if succ[source].get(node) is not keys:
                raise _node_error(graph, node, f"the edge from %{source} is stored in one direction only")
        _verify_keys(graph, node)
    if sum(map(len, succ.values())) != sum(map(len, pred.values())):
        node, user = next((node, user) for node in succ for user in succ[node] if node not in pred.get(user, ()))
        raise _graph_error(graph, f"the edge from %{node} to %{user} is stored in one direction only")


def _verify_keys(graph: GraphReader, node: int) -> None:
    ins, before = graph.ins(node), graph._pred[node]
    count = sum(_count_data_edges(graph, node, source, keys) for source, keys in before.items())
    if count != len(ins) or any(k not in before.get(producer(ref), ()) for k, ref in enumerate(ins)):
        raise _node_error(graph, node, f"its edges are not its operands {_text(map(producer, ins))}")


def _count_data_edges(graph: GraphReader, node: int, source: int, keys: dict[Hashable, dict[str, object]]) -> int:
    """The number of data edges from one node to another; raises ``VerifyError`` for a wrong edge."""
    count, ins = 0, graph._node[node]["ins"]
    for key, data in keys.items():
        if key.__class__ is not int:
            if data.get("kind") not in _ORDER_KINDS:
                raise _node_error(graph, node, f"the order edge from %{source} is neither 'depend' nor 'effect'")
        elif key < len(ins) and data.get("result", 0) == result_index(ins[key]):
            count += 1
        else:
            raise _node_error(graph, node, f"the edge from %{source} for operand {key} is not among its operands")
    return count


def verify_types(graph: GraphReader, nodes: Iterable[int]) -> None:
    """The stored result types are those that the record infers; equal calls are inferred once."""
    inferred_types: dict[Hashable, tuple[TensorType, ...]] = {}
    for node in nodes:
        data = graph._node[node]
        op: Op = data["op"]
        if op.role in ("input", "parameter", "fused"):
            continue
        ins = tuple(map(graph.type, data["ins"]))
        key = op, ins, data["regions"], exact_attrs_key(data["attrs"])
        inferred = inferred_types.get(key)
        if inferred is None:
            inferred = inferred_types[key] = _call_rule(graph, node, op.types, ins, graph.call_attrs(node))
        if inferred != data["types"]:
            problem = f"has types {_text(data['types'])}, but its operands give {_text(inferred)}"
            raise _node_error(graph, node, problem)


def _call_rule(graph: GraphReader, node: int, rule: Function, /, *args: Any, **attrs: Any) -> Any:
    """The result of a function of an operator's record for one use of it; raises ``VerifyError`` if it raises."""
    try:
        return rule(*args, **attrs)
    except Exception as error:  # it may rely on operands and attributes that only ``apply`` checks
        raise_external_error(error)
        text = str(error) if isinstance(error, MinigraphError | TypeError) else f"{type(error).__name__}: {error}"
        raise _node_error(graph, node, f"rejects its operands or attributes: {text}") from None


def verify_call(graph: GraphReader, node: int) -> None:
    """The attributes of a node have the canonical form."""
    op, ins, attrs = graph.op(node), [graph.type(ref) for ref in graph.ins(node)], graph.call_attrs(node)
    if op.canonical is not None:
        canonical = _call_rule(graph, node, op.canonical, *ins, **attrs)
        if exact_attrs_key(canonical) != exact_attrs_key(attrs):
            raise _node_error(graph, node, f"has the attributes {dict(attrs)}; in canonical form: {dict(canonical)}")


def verify_bodies(graph: GraphReader, node: int) -> None:
    """A fused node has one body, with inputs for its operands and outputs for its results."""
    if graph.op(node).role != "fused":
        return
    if len(graph.regions(node)) != 1:
        raise _node_error(graph, node, f"is a fused node with {len(graph.regions(node))} bodies; it needs one")
    (body,) = graph.regions(node)
    sides = (
        ("takes", [graph.type(ref) for ref in graph.ins(node)], [body.type(ref) for ref in body.inputs]),
        ("gives", list(graph.types(node)), [body.type(ref) for ref in body.outs]),
    )
    for verb, outer_types, inner in sides:
        if outer_types != inner:
            raise _node_error(graph, node, f"{verb} {_text(outer_types)}, but its body {verb} {_text(inner)}")


# ---- the whole graph -------------------------------------------------------------------------------


def verify_boundary(graph: GraphReader) -> None:
    """The inputs are all input nodes, each of one type; outputs are results; parameters have keys of ``params``."""
    for position, ref in enumerate(graph.outs):
        types = graph._node.get(producer(ref), {}).get("types")
        if types is None:
            raise _graph_error(graph, f"output {position} is %{producer(ref)}, which is not in the graph")
        if not 0 <= result_index(ref) < len(types):
            raise _graph_error(graph, f"output {position} is {_result(graph, ref)}")
    leaves = [(node, data["op"].role) for node, data in graph._node.items() if data["op"].is_leaf]
    nodes = sorted(node for node, role in leaves if role == "input")
    if sorted(graph.inputs) != nodes or any(len(graph.types(node)) != 1 for node in nodes):
        text = f"its inputs are {_text(graph.inputs)}, but its input nodes are {_text(nodes)}, which need one type each"
        raise _graph_error(graph, text)
    for node, role in leaves:
        if role == "parameter" and graph.attrs(node).get("name") not in graph.params:
            raise _node_error(graph, node, f"reads '{graph.attrs(node).get('name')}', which is not in graph.params")


def verify_order(graph: GraphReader) -> Positions:
    """The positions of the nodes in a topological order; raises ``VerifyError`` naming a cycle."""
    pred = graph._pred
    if are_ids_topological(pred):
        return range(graph.next_id)
    missing = {node: len(sources) for node, sources in pred.items()}
    ready = [node for node, count in missing.items() if not count]
    for node in ready:  # grows while it is walked
        for user in graph._succ[node]:
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    if len(ready) < len(pred):
        raise _cycle_error(graph, {node for node, count in missing.items() if count})
    return {node: position for position, node in enumerate(ready)}


def _cycle_error(graph: GraphReader, stuck: set[int]) -> VerifyError:
    walk: dict[int, None] = {}
    node = min(stuck)
    while node not in walk:
        walk[node] = None
        node = min(source for source in graph._pred[node] if source in stuck)
    path = list(walk)
    cycle = path[path.index(node) :]
    names = [f"%{n}" for n in (*cycle, cycle[0])]
    excerpt = " <- ".join(names if len(names) < 10 else [*names[:4], "...", *names[-4:]])
    return _node_error(graph, cycle[0], f"uses {names[1]} before it is computed: cycle {excerpt}")


def verify_effects(graph: GraphReader, position: Positions) -> None:
    """Two nodes that access one resource, one of them writing, are connected by a path.

    Graphs that do not keep effects guarantee no order. A parameter node is the value at the start and needs no
    order edge.
    """
    if not graph.keep_effects:
        return
    for resource, nodes in resource_accesses(graph, position).items():
        for first, last in _pairs_to_order(nodes):
            if not _has_path(graph, first, last, position):
                raise _node_error(graph, last, f"and {_name(graph, first)} touch '{resource}' and no path orders them")


def resource_accesses(graph: GraphReader, position: Positions) -> dict[str, list[tuple[int, bool]]]:
    """Resource -> the nodes that access it in topological order, each with whether it writes."""
    accesses: dict[str, list[tuple[int, bool]]] = {}
    effectful = [(position[node], node, effects) for node, effects in graph.nodes_with_effects()]
    for _, node, effects in sorted(effectful):
        for effect in effects:
            accesses.setdefault(effect.resource, []).append((node, effect.writes))
    return accesses


def _pairs_to_order(nodes: list[tuple[int, bool]]) -> Iterator[tuple[int, int]]:
    """Pairs that imply all others: each write before the reads up to the next write, all of these before that write."""
    writes = [k for k, (_, writing) in enumerate(nodes) if writing] if len(nodes) > 1 else []
    for start, stop in pairwise([*writes, len(nodes)]):
        yield from ((nodes[start][0], nodes[k][0]) for k in range(start + 1, stop))
    for start, stop in pairwise([-1, *writes]):
        yield from ((nodes[k][0], nodes[stop][0]) for k in range(max(start, 0), stop))


def _has_path(graph: GraphReader, first: int, last: int, position: Positions) -> bool:
    """Whether a path leads from one node to another; visits only nodes between their positions."""
    stack, seen = [last], {last}
    while stack:
        sources = graph._pred[stack.pop()]
        if first in sources:
            return True
        new = [source for source in sources if source not in seen and position[source] > position[first]]
        seen.update(new)
        stack += new
    return first == last


# ---- messages --------------------------------------------------------------------------------------


def _node_error(graph: GraphReader, node: int, problem: str) -> VerifyError:
    loc = "".join(f" ({first})" for first in graph.loc(node)[:1])
    return VerifyError(f"graph '{graph.title}': {_name(graph, node)} {problem}{loc}")


def _graph_error(graph: GraphReader, problem: str) -> VerifyError:
    return VerifyError(f"graph '{graph.title}': {problem}")


def _name(graph: GraphReader, node: int) -> str:
    return f"%{node} = {graph.op(node)}"


def _result(graph: GraphReader, ref: Ref) -> str:
    count = len(graph.types(producer(ref)))
    return f"result {result_index(ref)} of {_name(graph, producer(ref))}, which has {count}"


def _text(items: Iterable[object]) -> str:
    texts = [f"%{item}" if isinstance(item, int) else str(item) for item in items]
    return ", ".join(texts) or "none"
