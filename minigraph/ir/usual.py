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
    single edge in both directions, without any other edge, and whose types are what the record infers of theirs.
    """
    everything, pred, succ = graph._node, graph._pred, graph._succ
    known: dict[Hashable, tuple[TensorType, ...]] = {}  # by identity of the operands' types, which is quick to tell
    rest = []
    for node in nodes:
        data, before = everything[node], pred[node]
        op, ins = data["op"], data["ins"]
        simple = op.role == "compute" and not data["attrs"] and not data["regions"]
        if simple and len(before) == len(ins) <= len(SINGLE):
            try:
                for ref, keys in zip(ins, SINGLE):  # noqa: B905 - there are more
                    if before[ref] is not keys or succ[ref][node] is not keys:
                        break
                else:
                    kind = (op, *[id(everything[ref]["types"]) for ref in ins])
                    if kind not in known:
                        known[kind] = op.types([everything[ref]["types"][0] for ref in ins], NO_ATTRS)
                    if known[kind] == data["types"]:
                        continue
            except (LookupError, MinigraphError, TypeError):
                pass
        rest.append(node)
    return rest
