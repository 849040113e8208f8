"""Convolutions, pools and what lies between them work on images [C,H,W,N], where that is faster.

::

    %2 = conv2d(%0, %1)                         %4 = to_chwn(%0)
    %3 = relu(%2)                       ->      %5 = conv2d_chwn(%4, %1)
    %4 = max_pool2d(%3)                         %6 = relu(%5)
                                                %7 = max_pool2d_chwn(%6)
                                                %8 = to_nchw(%7)

An operator in CHWN does what the one in NCHW does, and an elementwise one whatever the axes are called: every bit
stays, as far as one forward gives both the same. Images are laid the other way where what wants them so meets what has
them otherwise. (Layout assignment from consumers to producers, then from producers to consumers: Liu et al. 2019,
"Optimizing CNN model inference on CPUs".)
"""

from __future__ import annotations

from collections.abc import Iterable

from minigraph.core.machine import MIN_CHWN_BYTES
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.chwn import IN_CHWN, TO_CHWN, TO_NCHW
from minigraph.operators.scalar_expressions import SCALARS
from minigraph.operators.views import RESHAPE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass(min_bytes=MIN_CHWN_BYTES)
def chwn(graph: Graph, *, options: Options) -> None:
    """relu(conv2d(x, w)) -> the same on [C,H,W,N]: many small images, from ``min_bytes`` on; keeps every bit."""
    if any(graph.op(node) in IN_CHWN for node in graph):
        layout = _Layout(graph, options["min_bytes"])
        for node in graph.topological():
            options.tally["chwn"].rewrites += layout.visit(node)
        layout.finish()


class _Layout:
    """Nodes that work in CHWN instead of others.

    By a value in NCHW, ``laid`` is the same one in CHWN; ``wanted`` are values that are better made in CHWN, and
    ``old`` nodes for which others stand.
    """

    def __init__(self, graph: Graph, min_bytes: int) -> None:
        self.graph, self.min_bytes = graph, min_bytes
        self.laid: dict[Ref, Ref] = {}
        self.old: list[int] = []
        self.wanted = set[Ref]()
        for node in reversed(graph.topological()):
            self.wanted.update(self._wishes(node))

    def _wishes(self, node: int) -> Iterable[Ref]:
        """The operands of a node that are better made in CHWN; what reads its result has been asked."""
        graph = self.graph
        if self._pays(node):
            return self._images(node)
        if node in self.wanted and self._is_elementwise(node):
            return [ref for ref in graph.ins(node) if graph.type(ref).shape == graph.type(node).shape]
        return []

    def _pays(self, node: int) -> bool:
        """Whether a node is faster on images in CHWN."""
        graph = self.graph
        found = IN_CHWN.get(graph.op(node))
        if found is None or graph.before(node) or graph.after(node):
            return False
        ins, out = [graph.type(ref) for ref in graph.ins(node)], graph.type(node)
        is_large = max(type.nbytes for type in (out, *ins)) >= self.min_bytes
        return is_large and found.pays(out, *ins, **graph.attrs(node))

    def _images(self, node: int) -> list[Ref]:
        return [self.graph.ins(node)[i] for i in IN_CHWN[self.graph.op(node)].images]

    def _is_elementwise(self, node: int) -> bool:
        """Whether each element of a result with four axes depends on one of each operand, whatever these are called."""
        graph = self.graph
        if graph.op(node) not in SCALARS or graph.before(node) or graph.after(node):
            return False
        return len(graph.type(node).shape) == 4

    # ---- from operands to results --------------------------------------------------------------------

    def visit(self, node: int) -> bool:
        """Let another node in CHWN stand for a node if that is the better way; whether it does."""
        if self._goes(node) and should_rewrite(self.graph, "chwn", node):
            self._replace(node)
        elif self._follows(node) and should_rewrite(self.graph, "chwn", node):
            self._follow(node)
        else:
            return False
        self.old.append(node)
        return True

    def _goes(self, node: int) -> bool:
        """Whether an operator is to work in CHWN: the largest of its images are so, or it begins and is wanted so."""
        if not self._pays(node):
            return False
        found = IN_CHWN[self.graph.op(node)]
        met = max(self._images(node), key=lambda ref: self.graph.type(ref).size) in self.laid
        return met or (found.begins and node in self.wanted)

    def _replace(self, node: int) -> None:
        graph, found = self.graph, IN_CHWN[self.graph.op(node)]
        ins = [self._in_chwn(ref) if i in found.images else ref for i, ref in enumerate(graph.ins(node))]
        made = graph.emit(found.op, ins, graph.attrs(node), sources=(node,))
        if found.result:
            self.laid[node] = made
        else:
            graph.replace_uses({node: made})

    def _follows(self, node: int) -> bool:
        """Whether an elementwise node meets a tensor of its shape in CHWN."""
        if not self._is_elementwise(node):
            return False
        shape = self.graph.type(node).shape
        return any(ref in self.laid and self.graph.type(ref).shape == shape for ref in self.graph.ins(node))

    def _follow(self, node: int) -> None:
        graph = self.graph
        ins = [self._in_chwn(ref) if graph.type(ref).shape else ref for ref in graph.ins(node)]
        self.laid[node] = graph.emit(graph.op(node), ins, graph.attrs(node), sources=(node,))

    def _in_chwn(self, ref: Ref) -> Ref:
        """A value in CHWN, copied if it is not there yet; axes that it has not got are of one element."""
        if ref not in self.laid:
            graph, shape, source = self.graph, self.graph.type(ref).shape, ref
            if len(shape) < 4:
                source = graph.emit(RESHAPE, (ref,), {"shape": (1, 1, 1, 1)[len(shape) :] + shape})
            self.laid[ref] = graph.emit(TO_CHWN, (source,), sources=(producer(ref),))
        return self.laid[ref]

    def finish(self) -> None:
        """Lay values in NCHW for those who still read them so, and remove what nobody needs any more."""
        graph, old = self.graph, {*self.old}
        for node in self.old:
            if node in self.laid and (graph.is_out(node) or not old.issuperset(graph.users(node))):
                graph.replace_uses({node: graph.emit(TO_NCHW, (self.laid[node],), sources=(node,))})
        for node in reversed(self.old):
            graph.erase([node])
