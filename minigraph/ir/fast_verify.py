"""The fast path of ``verify``: one loop accepts the nodes with ordinary edges and types, which are nearly all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from minigraph.core.scope_guard import raise_external_error
from minigraph.ir.edges import SHARED_EDGES
from minigraph.ir.graph_reader import GraphReader

DECLARED_ROLES = frozenset(("input", "parameter", "fused"))  # roles of nodes whose types are not inferred

# Cache of inferred types, keyed by the operator and the ids of attributes and operand types, which the entries keep
# alive so that ids are not reused. Repeated checks of one graph share it.
InferenceCache = dict[Hashable, tuple[Any, ...]]


def nodes_to_verify(graph: GraphReader, nodes: Iterable[int], calls: InferenceCache) -> list[int]:
    """The nodes that the fast path does not accept; the full checks accept them or report their errors.

    Accepted is an operator node whose operands are each result 0 of another node, connected by one shared edge dict
    in both directions, without other edges, and whose types are those that its record infers; and a leaf or fused node
    with such edges, whose types are checked elsewhere.
    """
    node_data, pred, succ = graph._node, graph._pred, graph._succ
    unchecked = []
    for node in nodes:
        data, before = node_data[node], pred[node]
        ins = data["ins"]
        if len(before) == len(ins) <= len(SHARED_EDGES):
            try:
                operand_types = []
                for ref, keys in zip(ins, SHARED_EDGES):  # noqa: B905 - there are more
                    if before[ref] is not keys or succ[ref][node] is not keys:
                        break
                    operand_types.append(node_data[ref]["types"])
                else:
                    if _is_typed(data, operand_types, calls):
                        continue
            except Exception as error:  # a type rule may rely on checks of ``apply``; the full checks report the error
                raise_external_error(error)
        unchecked.append(node)
    return unchecked


def _is_typed(data: Mapping[str, Any], ins: list[Any], calls: InferenceCache) -> bool:
    """Whether a node has the types that its record infers from its operands'; raises the errors of ``infer``."""
    op, attrs = data["op"], data["attrs"]
    if op.role in DECLARED_ROLES or data["regions"]:
        return op.role in DECLARED_ROLES and all(ins)
    key = (op, id(attrs), *map(id, ins))
    cached_call = calls.get(key)
    if cached_call is None or (attrs and cached_call[1] != attrs):  # attributes must not be mutated, but may have been
        if op.arity is not None and op.arity != len(ins):
            return False
        cached_call = calls[key] = op.types([types[0] for types in ins], attrs), dict(attrs), attrs, ins
    return bool(cached_call[0] == data["types"])
