"""A captured function: its graph, and what relates it to the call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from minigraph.capture.tracer import Tracer
from minigraph.core.pytree import Spec
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph

if TYPE_CHECKING:
    from minigraph.capture.guards import Condition


class Captured(NamedTuple):
    """A traced function: its graph, the structure of its outputs, and its guards.

    ``written`` are the tensors that the function wrote to, inputs by their positions; their new values are the
    last outputs of the graph. ``compared``: the outer tensors with which the
    code may compare an argument by ``is``; ``None`` if it never asks what or which its arguments are.
    ``refused``: why the graph does not compute what eager mode does. ``kept``: for each result that is an argument
    itself its position, for one that is an outer tensor this one, else ``None``.
    """

    graph: Graph
    out_spec: Spec
    guards: list[Condition]
    written: tuple[int | Tensor, ...] = ()
    compared: tuple[Tensor, ...] | None = None
    refused: Exception | None = None
    kept: Sequence[int | Tensor | None] = ()


def kept_object(leaf: Any, positions: dict[int, int], created: Collection[int]) -> int | Tensor | None:
    """The position of a result that is an argument itself, or an outer tensor that is a result itself."""
    if isinstance(leaf, Tracer):
        return positions.get(id(leaf))
    return None if id(leaf) in created else leaf
