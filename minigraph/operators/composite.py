"""Operators made of others: one node in the graph, everything else derived from a function of tensors.

The type comes from tracing the function, the work from its graph, the value from running it, the gradient
from a tape over it. Give ``forward`` where one kernel does it faster with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.fields import Work
from minigraph.core.op import Op, define, interpreting, listening
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph
from minigraph.operators.pricing import traffic


def composite(name: str, fn: Callable[..., Any], *, doc: str, **fields: Any) -> Op:
    """Define an operator by a function of tensors; ``fields`` are any other fields of ``Op``.

    >>> from minigraph.core.op import TABLE, apply
    >>> double = composite("doubled_for_doctest", lambda x: x + x, doc="Twice x.")
    >>> print(apply("doubled_for_doctest", Tensor([1.0, 2.0])))
    [2. 4.]
    >>> _ = TABLE.pop("doubled_for_doctest")
    """

    @lru_cache(maxsize=1024)
    def graph_of(types: tuple[TensorType, ...], attrs: tuple[tuple[str, Any], ...]) -> Graph:
        return trace(fn, *map(_ghost, types), **dict(attrs))

    def infer(*types: TensorType, **attrs: Any) -> Any:
        graph = graph_of(types, tuple(attrs.items()))
        found = tuple(graph.type(ref) for ref in graph.outs)
        return found if len(found) > 1 else found[0]

    def work(out: Any, *ins: TensorType, **attrs: Any) -> Work:
        graph = graph_of(ins, tuple(attrs.items()))
        inside = sum((graph.work(node) for node in graph.topological()), Work())
        return replace(inside, read=0, written=0) + traffic(out, ins)

    derived: dict[str, Any] = {"forward": forward_of(fn), "infer": infer, "work": work, "expand": fn}
    return define(Op(name, doc=doc, **(derived | fields)))


def forward_of(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors as a function of arrays, computed at once and heard by no tape."""

    def forward(*arrays: np.ndarray, **attrs: Any) -> Any:
        with interpreting(None), listening(alone=True):
            out = fn(*map(wrap, map(np.asarray, arrays)), **attrs)
        return tuple(o.array for o in out) if isinstance(out, tuple) else out.array

    return forward


def _ghost(type: TensorType) -> Tensor:
    """A tensor that has a type but no memory of its own."""
    return wrap(np.broadcast_to(np.zeros((), type.dtype.numpy), type.shape))
