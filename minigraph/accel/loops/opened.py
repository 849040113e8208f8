"""Composite operators as the elementwise steps and reductions they are made of, where kernels are to compute these.

A softmax is then a part of a loop like what stands around it. It rounds otherwise than its own forward does.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from minigraph.accel.loops.elements import FOLDS, SCALARS
from minigraph.accel.loops.joined import rounding
from minigraph.capture.trace import trace
from minigraph.core.op import Attrs, Op
from minigraph.core.tensor import wrap
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph


def opened(op: Op, ins: Iterable[TensorType], attrs: Attrs) -> Graph | None:
    """The graph that an operator on float32 stands for, if all of it may be part of loops and they may round."""
    if op.expand is None or op in SCALARS or not rounding():
        return None
    types = list(ins)
    if any(type.dtype is not float32 for type in types):
        return None
    graph = trace(partial(op.expand, **attrs), *map(_like, types))
    return graph if all(_joins(graph, node) for node in graph.topological()) else None


def _like(type: TensorType) -> object:
    """A tensor of a type that takes no memory."""
    return wrap(np.broadcast_to(np.zeros((), type.dtype.numpy), type.shape))


def _joins(graph: Graph, node: int) -> bool:
    op, ins = graph.op(node), [graph.type(ref) for ref in graph.ins(node)]
    known = op.is_leaf or op in SCALARS or op in FOLDS
    return known or opened(op, ins, graph.call_attrs(node)) is not None
