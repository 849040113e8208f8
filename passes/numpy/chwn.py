"""Layout assignment: convolution, pooling and the operators between use CHWN (batch innermost) where it is faster.

::

    %2 = conv2d(%0, %1)                         %4 = to_chwn(%0)
    %3 = relu(%2)                       ->      %5 = conv2d_chwn(%4, %1)
    %4 = max_pool2d(%3)                         %6 = relu(%5)
                                                %7 = max_pool2d_chwn(%6)
                                                %8 = to_nchw(%7)

Method: layout preferences propagate from consumers to producers, then layouts propagate from producers to consumers,
and a conversion (``to_chwn``, ``to_nchw``) is inserted where a producer and a consumer disagree (Liu et al. 2019,
"Optimizing CNN model inference on CPUs"). Elementwise operators work in either layout. An operator in CHWN computes the
same sums as in NCHW, and adds in the same order: the plain forwards by their definition, the tuned ones because they
multiply the same blocks of columns. So the pass keeps every bit, within one setting of the accelerator.
"""

from __future__ import annotations

from collections.abc import Iterable

from minigraph.core.machine import MIN_CHWN_BYTES
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.chwn import CHWN_KERNELS, TO_CHWN, TO_NCHW
from minigraph.operators.scalar_expressions import SCALARS
from minigraph.operators.views import RESHAPE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass(min_bytes=MIN_CHWN_BYTES)
def chwn(graph: Graph, *, options: Options) -> None:
    """relu(conv2d(x, w)) -> the same in CHWN layout: batches of small images of ``min_bytes`` or more; bit-exact."""
    if any(graph.op(node) in CHWN_KERNELS for node in graph):
        layout = _LayoutAssignment(graph, options["min_bytes"])
        for node in graph.topological():
            options.statistics["chwn"].rewrites += layout.visit(node)
        layout.finish()


class _LayoutAssignment:
    """The layout assignment of one graph.

    ``chwn_values`` maps values to the same values in CHWN, ``preferred`` are values that consumers prefer in CHWN,
    ``replaced`` are nodes in NCHW that a node in CHWN has replaced.
    """

    def __init__(self, graph: Graph, min_bytes: int) -> None:
        self.graph, self.min_bytes = graph, min_bytes
        self.chwn_values: dict[Ref, Ref] = {}
        self.replaced: list[int] = []
        self.preferred = set[Ref]()
        for node in reversed(graph.topological()):
            self.preferred.update(self._preferred_operands(node))

    def _preferred_operands(self, node: int) -> Iterable[Ref]:
        """The operands that a node prefers in CHWN, once the preferences of its users are known."""
        graph = self.graph
        if self._is_faster_in_chwn(node):
            return self._images(node)
        if node in self.preferred and self._is_elementwise(node):
            return [ref for ref in graph.ins(node) if graph.type(ref).shape == graph.type(node).shape]
        return []

    def _is_faster_in_chwn(self, node: int) -> bool:
        """Whether a node has a CHWN kernel that is faster, conversions not counted."""
        graph = self.graph
        kernel = CHWN_KERNELS.get(graph.op(node))
        if kernel is None or graph.before(node) or graph.after(node):
            return False
        ins, out = [graph.type(ref) for ref in graph.ins(node)], graph.type(node)
        is_large = max(type.nbytes for type in (out, *ins)) >= self.min_bytes
        return is_large and kernel.is_faster(out, *ins, **graph.attrs(node))

    def _images(self, node: int) -> list[Ref]:
        """The operands of an operator that are images, which a layout applies to."""
        return [self.graph.ins(node)[i] for i in CHWN_KERNELS[self.graph.op(node)].images]

    def _is_elementwise(self, node: int) -> bool:
        """Whether a node is elementwise with a result of four axes, so that it works in either layout."""
        graph = self.graph
        if graph.op(node) not in SCALARS or graph.before(node) or graph.after(node):
            return False
        return len(graph.type(node).shape) == 4

    # ---- from producers to consumers -----------------------------------------------------------------

    def visit(self, node: int) -> bool:
        """Replace a node by one in CHWN if that is profitable; returns whether it was replaced."""
        if self._should_convert(node) and should_rewrite(self.graph, "chwn", node):
            self._convert(node)
        elif self._should_propagate(node) and should_rewrite(self.graph, "chwn", node):
            self._propagate(node)
        else:
            return False
        self.replaced.append(node)
        return True

    def _should_convert(self, node: int) -> bool:
        """Whether to convert an operator: its largest operand is in CHWN, or it starts a chain that prefers CHWN."""
        if not self._is_faster_in_chwn(node):
            return False
        kernel = CHWN_KERNELS[self.graph.op(node)]
        is_converted = max(self._images(node), key=lambda ref: self.graph.type(ref).size) in self.chwn_values
        return is_converted or (kernel.is_faster_with_conversion and node in self.preferred)

    def _convert(self, node: int) -> None:
        graph, kernel = self.graph, CHWN_KERNELS[self.graph.op(node)]
        ins = [self._in_chwn(ref) if i in kernel.images else ref for i, ref in enumerate(graph.ins(node))]
        result = graph.emit(kernel.op, ins, graph.attrs(node), sources=(node,))
        if kernel.has_image_result:
            self.chwn_values[node] = result
        else:
            graph.replace_uses({node: result})

    def _should_propagate(self, node: int) -> bool:
        """Whether an elementwise node has an operand of its own shape in CHWN."""
        if not self._is_elementwise(node):
            return False
        shape = self.graph.type(node).shape
        return any(ref in self.chwn_values and self.graph.type(ref).shape == shape for ref in self.graph.ins(node))

    def _propagate(self, node: int) -> None:
        graph = self.graph
        ins = [self._in_chwn(ref) if graph.type(ref).shape else ref for ref in graph.ins(node)]
        self.chwn_values[node] = graph.emit(graph.op(node), ins, graph.attrs(node), sources=(node,))

    def _in_chwn(self, ref: Ref) -> Ref:
        """A value in CHWN, converted if necessary; missing axes get size 1."""
        if ref not in self.chwn_values:
            graph, shape, source = self.graph, self.graph.type(ref).shape, ref
            if len(shape) < 4:
                source = graph.emit(RESHAPE, (ref,), {"shape": (1, 1, 1, 1)[len(shape) :] + shape})
            self.chwn_values[ref] = graph.emit(TO_CHWN, (source,), sources=(producer(ref),))
        return self.chwn_values[ref]

    def finish(self) -> None:
        """Convert values back to NCHW for their remaining users, and erase the replaced nodes."""
        graph, replaced = self.graph, {*self.replaced}
        for node in self.replaced:
            if node in self.chwn_values and (graph.is_out(node) or not replaced.issuperset(graph.users(node))):
                graph.replace_uses({node: graph.emit(TO_NCHW, (self.chwn_values[node],), sources=(node,))})
        for node in reversed(self.replaced):
            graph.erase([node])
