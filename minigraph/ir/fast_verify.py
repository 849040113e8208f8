"""One quick look at many nodes, for ``verify``: nearly all of them are as they should be, in the usual way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from minigraph.core.errors import MinigraphError
from minigraph.ir.edges import SINGLE
from minigraph.ir.reading import GraphReader

GIVEN = frozenset(("input", "parameter", "fused"))  # roles of nodes whose types no record infers

# What calls give, by operator and the identity of attributes and of operands' types, which are kept so that these
# stay their own. Whoever looks at one graph again and again hands on the same.
Calls = dict[Hashable, tuple[Any, ...]]


def unusual(graph: GraphReader, nodes: Iterable[int], calls: Calls) -> list[int]:
    """The nodes that are not certainly right; whoever looks longer at those finds out, and says what is wrong.

    Certainly right is an operator whose operands are all result 0 of some node, each with the shared data of a
    single edge in both directions, without any other edge, and whose types are what the record infers of theirs; and a
    leaf or fused node wired alike, whose types are told elsewhere.
    """
    everything, pred, succ = graph._node, graph._pred, graph._succ
    rest = []
    for node in nodes:
        data, before = everything[node], pred[node]
        ins = data["ins"]
        if len(before) == len(ins) <= len(SINGLE):
            try:
                taken = []
                for ref, keys in zip(ins, SINGLE):  # noqa: B905 - there are more
                    if before[ref] is not keys or succ[ref][node] is not keys:
                        break
                    taken.append(everything[ref]["types"])
                else:
                    if _is_typed(data, taken, calls):
                        continue
            except (LookupError, MinigraphError, TypeError):
                pass
        rest.append(node)
    return rest


def _is_typed(data: Any, ins: list[Any], calls: Calls) -> bool:
    """Whether the types of a node are what its record infers of its operands'; raises what that does."""
    op, attrs = data["op"], data["attrs"]
    if op.role in GIVEN or data["regions"]:
        return op.role in GIVEN and all(ins)
    kind = (op, id(attrs), *map(id, ins))
    known = calls.get(kind)
    if known is None or (attrs and known[1] != attrs):  # whoever writes into attributes is not to get away with it
        known = calls[kind] = op.types([types[0] for types in ins], attrs), dict(attrs), attrs, ins
    return bool(known[0] == data["types"])
