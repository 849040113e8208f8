"""A captured function: its graph, and its relation to the arguments and outer tensors of the call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from minigraph.capture.tracer import Tracer
from minigraph.core.pytree import Spec
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph

if TYPE_CHECKING:
    from minigraph.capture.guards import Condition


class SameAs(NamedTuple):
    """A result that is the same tensor as an earlier one."""

    result: int


Kept = int | Tensor | SameAs | None


class Captured(NamedTuple):
    """A traced function: its graph, the structure of its outputs, and its guards.

    ``written`` are the tensors that the function wrote to, inputs by their positions; their new values are the last
    outputs of the graph. ``compared``: the outer tensors with which the code may compare an argument by ``is``;
    ``None`` if it never tests the type or identity of its arguments. ``refused``: why the graph would not compute what
    eager mode does. ``kept``: for each result, the position of the argument, the outer tensor or the earlier result
    that it is identical to, else ``None``. ``constants``: outer tensors, by node; a tape around the call may know them.
    """

    graph: Graph
    out_spec: Spec
    guards: list[Condition]
    written: tuple[int | Tensor, ...] = ()
    compared: tuple[Tensor, ...] | None = None
    refused: Any = None
    kept: Sequence[Kept] = ()
    constants: Sequence[tuple[int, Tensor]] = ()


def kept_objects(leaves: Sequence[Any], positions: dict[int, int], created: Collection[int]) -> list[Kept]:
    """For each result, the argument, outer tensor or earlier result that it is; ``positions``: of the arguments."""
    first: dict[int, int] = {}
    kept: list[Kept] = []
    for k, leaf in enumerate(leaves):
        earlier = first.setdefault(id(leaf), k)
        known = positions.get(id(leaf)) if isinstance(leaf, Tracer) else None if id(leaf) in created else leaf
        kept.append(SameAs(earlier) if known is None and earlier < k else known)
    return kept


def kept_results(outs: Sequence[Tensor], kept: Sequence[Kept], leaves: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The results of a graph, some of which are arguments (``leaves``), outer tensors or earlier results themselves."""
    results: list[Tensor] = []
    for out, it in zip(outs, kept, strict=True):
        kept_one = leaves[it] if isinstance(it, int) else results[it.result] if isinstance(it, SameAs) else it
        results.append(out if kept_one is None else kept_one)
    return tuple(results)
