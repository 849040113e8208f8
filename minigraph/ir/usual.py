"""One quick look at many nodes, for ``verify``: nearly all of them are as they should be, in the usual way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from minigraph.errors import MinigraphError
from minigraph.ir.reading import GraphReader
from minigraph.ir.wiring import SINGLE
from minigraph.op import NO_ATTRS
from minigraph.types import TensorType


def unusual(graph: GraphReader, nodes: Iterable[int]) -> list[int]:
    """The nodes that are not certainly right; whoever looks longer at those finds out, and says what is wrong.

    Certainly right is a plain operator whose operands are all result 0 of some node, each with the shared data of a
    single edge in both directions, without any other edge, and whose types are what the record infers of theirs; and a
    fused node wired alike, whose types its body tells.
    """
    everything, pred, succ = graph._node, graph._pred, graph._succ
    known: dict[Hashable, tuple[TensorType, ...] | None] = {}  # by identity of the operands' types: quick to tell
    rest = []
    for node in nodes:
        data, before = everything[node], pred[node]
        op, ins = data["op"], data["ins"]
        plain = op.role == "compute" and not data["attrs"] and not data["regions"]
        if (plain or op.role == "fused") and len(before) == len(ins) <= len(SINGLE):
            try:
                for ref, keys in zip(ins, SINGLE):  # noqa: B905 - there are more
                    if before[ref] is not keys or succ[ref][node] is not keys:
                        break
                else:
                    kind = (op, *[id(everything[ref]["types"]) for ref in ins])
                    if kind not in known:
                        taken = [everything[ref]["types"][0] for ref in ins]
                        known[kind] = op.types(taken, NO_ATTRS) if plain else None
                    if known[kind] == data["types"] or not plain:
                        continue
            except (LookupError, MinigraphError, TypeError):
                pass
        rest.append(node)
    return rest
