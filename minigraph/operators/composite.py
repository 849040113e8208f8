"""Composite operators: one node in the graph, defined by a function of tensors.

The type comes from tracing the function, the work from its graph, the value from running it, the gradient from a tape
over it. Give ``forward`` where one kernel is faster and has the same bits.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import Array, AttrValue, Function
from minigraph.core.op import Op, define, use_interpreter
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.types import Results, TensorType
from minigraph.ir.graph import Graph
from minigraph.operators.work import traffic


def composite(name: str, fn: Function, *, doc: str, **fields: object) -> Op:
    """Define an operator by a function of tensors; ``fields`` are any other fields of ``Op``.

    >>> from minigraph.core.op import TABLE, apply
    >>> double = composite("doubled_for_doctest", lambda x: x + x, doc="Twice x.")
    >>> print(apply("doubled_for_doctest", Tensor([1.0, 2.0])))
    [2. 4.]
    >>> _ = TABLE.pop("doubled_for_doctest")
    """

    @lru_cache(maxsize=1024)
    def graph_of(types: tuple[TensorType, ...], attrs: tuple[tuple[str, Any], ...]) -> Graph:
        return trace(fn, *map(_prototype, types), **dict(attrs))

    def infer(*types: TensorType, **attrs: AttrValue) -> TensorType | Results:
        graph = graph_of(types, tuple(attrs.items()))
        out_types = tuple(graph.type(ref) for ref in graph.outs)
        return out_types if len(out_types) > 1 else out_types[0]

    def work(out: TensorType, *ins: TensorType, **attrs: AttrValue) -> Work:
        graph = graph_of(ins, tuple(attrs.items()))
        total = sum((graph.work(node) for node in graph.topological()), Work())
        return replace(total, read=0, written=0) + traffic(out, ins)

    derived: dict[str, Any] = {"forward": as_forward(fn), "infer": infer, "work": work, "expand": fn}
    return define(Op(name, doc=doc, **(derived | fields)))


def as_forward(fn: Function) -> Function:
    """A function of tensors as a function of arrays, computed eagerly and recorded on no tape."""

    def forward(*arrays: Array, **attrs: AttrValue) -> Array | tuple[Array, ...]:
        out = use_interpreter(None, alone=True).call(fn, *map(wrap, map(np.asarray, arrays)), **attrs)
        return tuple(o.array for o in out) if isinstance(out, tuple) else out.array

    return forward


def _prototype(type: TensorType) -> Tensor:
    """A tensor of a type, without memory for its elements."""
    return wrap(np.broadcast_to(np.zeros((), type.dtype.numpy), type.shape))
