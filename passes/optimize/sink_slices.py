"""Of a result of which only a slice is read, only that slice is computed, and what leads to it.

::

    %2 = matmul(%0, %1) : f32[32,64]                      %5 = index(%0) {key=((0, 1, 1), (0, 8, 1))} : f32[1,8]
    %3 = tanh(%2) : f32[32,64]                     ->     %6 = matmul(%5, %1) : f32[1,64]
    %4 = index(%3) {key=((0, 1, 1), (0, 64, 1))}          %7 = tanh(%6) : f32[1,64]

A slice sinks towards the inputs through what goes row by row: element by element, products, norms, softmax, reductions
and views, when nothing else is read of their results. In a gradient the zeros that ``index_add`` puts around the
slice's gradient rise in the same way: only its own rows are computed, and a sum over rows is one over those. In a
Vision Transformer only the class token is read in the end (Dosovitskiy et al. 2021).

Smaller products round otherwise, and where a row holds an infinity its product with 0 is no longer computed. So this
is no part of a default pipeline; put it in front of the passes that fuse, behind those that tidy up:
``@jit(pipeline="canonicalize,cse,sink_slices,default")``.
"""

from __future__ import annotations

import numpy as np

from minigraph.core.op import forward_of
from minigraph.core.types import Shape
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.indexing import INDEX, INDEX_ADD
from minigraph.operators.linalg import MATMUL
from minigraph.operators.reduce import SUM, SUM_TO
from minigraph.operators.views import RESHAPE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.axis_slices import (
    REDUCTIONS,
    RESHAPES,
    AxisSlice,
    are_disjoint,
    axes_tuple,
    operand_slices,
    reshape_slice,
    slice_of_key,
)

TOL = 1e-5  # relative, in float32
PROBE_NUMBERS = (2.0, -3.0, 0.5)  # that an operand may be, when it is asked what an operator gives of zeros beside it


@graph_pass(tol=TOL)
def sink_slices(graph: Graph, *, options: Options) -> None:
    """f(x)[:1] -> f(x[:1]): rows that a slice drops are not computed, nor their gradients; rounds within 1e-5.

    First the zeros around gradients of slices rise, then slices sink until none moves.
    """
    sinking = _SliceSinking(graph, options)
    for node in graph.topological():
        sinking.raise_zeros(node)
    sinking.sweep()
    while sinking.sink_all():
        sinking.sweep()


class _SliceSinking:
    """One run: the slices it made, by value and cut, and of which small value and cut a value with zeros is made."""

    def __init__(self, graph: Graph, options: Options) -> None:
        self.graph, self.options = graph, options
        self.slices: dict[tuple[Ref, AxisSlice], Ref] = {}
        self.spread: dict[Ref, tuple[Ref, AxisSlice]] = {}

    # ---- zeros rise --------------------------------------------------------------------------------

    def raise_zeros(self, node: int) -> None:
        """Compute a node from the rows of its operands that are not zero, if the others make zeros of it."""
        self._note(node)
        place = next((k for k, ref in enumerate(self.graph.ins(node)) if ref in self.spread), None)
        if place is None or not self._may_move(node):
            return
        found = self._summed(node) or self._read_back(node) or self._risen(node, place)
        if found is not None:
            self._replace(node, found)

    def _note(self, node: int) -> None:
        """Remember what a node with zeros is made of."""
        graph, attrs, ins = self.graph, self.graph.attrs(node), self.graph.ins(node)
        cut = slice_of_key(attrs["key"], attrs["shape"]) if graph.op(node) is INDEX_ADD and len(ins) == 1 else None
        if cut is not None:
            self.spread[node] = ins[0], cut

    def _summed(self, node: int) -> int | None:
        """A sum over the cut axis, or a product that sums over it, of the rows that are not zero."""
        graph, op, attrs, ins = self.graph, self.graph.op(node), self.graph.attrs(node), self.graph.ins(node)
        if op is MATMUL:
            return self._contracted(node)
        if op not in (SUM, SUM_TO):
            return None
        axis, over = self.spread[ins[0]][1].axis, axes_tuple(attrs.get("axis", ()))
        if op is SUM_TO:
            lost = len(graph.type(ins[0]).shape) - len(attrs["shape"])
            over = tuple(k for k in range(axis + 1) if k < lost or attrs["shape"][k - lost] == 1)
        if axis in over and self._permitted(node):
            return graph.emit(op, (self._small(ins[0]),), attrs, sources=(node,))
        return None

    def _contracted(self, node: int) -> int | None:
        graph, ins = self.graph, self.graph.ins(node)
        ranks = [len(graph.type(ref).shape) for ref in ins]
        if min(ranks) < 2:
            return None
        axes = ranks[0] - 1, ranks[1] - 2
        for ref, axis in zip(ins, axes, strict=True):
            cut = self.spread[ref][1] if ref in self.spread else None
            if cut is not None and cut.axis == axis and self._permitted(node):
                both = [self._sliced(other, cut.along(its)) for other, its in zip(ins, axes, strict=True)]
                return graph.emit(MATMUL, both, sources=(node,))
        return None

    def _read_back(self, node: int) -> Ref | None:
        """The rows themselves, where just these are read."""
        graph, (ref, *others) = self.graph, self.graph.ins(node)
        if graph.op(node) is not INDEX or others or self._cut_by(node, producer(ref)) != self.spread[ref][1]:
            return None
        return self._shaped(self.spread[ref][0], graph.type(node).shape, node) if self._permitted(node) else None

    def _risen(self, node: int, place: int) -> int | None:
        """Zeros around what the node gives of the rows of an operand that are not zero."""
        cut = self._result_cut(node, place)
        if cut is None or not self._keeps_zeros(node, place) or not self._permitted(node):
            return None
        shape, small = self.graph.type(node).shape, self._emit_cut(node, cut)
        big = self.graph.emit(INDEX_ADD, (small,), {"key": cut.key(shape), "shape": shape}, sources=(node,))
        self.spread[big] = small, cut
        return big

    def _result_cut(self, node: int, place: int) -> AxisSlice | None:
        """The rows of the result that come from those of an operand that has zeros elsewhere."""
        graph, op = self.graph, self.graph.op(node)
        shapes, out = [graph.type(ref).shape for ref in graph.ins(node)], graph.type(node).shape
        cut = self.spread[graph.ins(node)[place]][1]
        if op in RESHAPES:
            found = reshape_slice(cut, shapes[0], out)
            return found if found and reshape_slice(found, out, shapes[0]) == cut else None
        for axis, n in enumerate(out):
            cuts = operand_slices(op, graph.attrs(node), shapes, out, cut.along(axis))
            if cuts is not None and cuts[place] == cut and n == shapes[place][cut.axis]:
                return cut.along(axis)
        return None

    def _keeps_zeros(self, node: int, place: int) -> bool:
        """Whether zeros where there are zeros make zeros of the result: the operator is asked."""
        graph, op, ins, attrs = self.graph, self.graph.op(node), self.graph.ins(node), self.graph.attrs(node)
        if op is MATMUL or op.family == "view":
            return True
        if graph.type(node).dtype.kind != "f":  # what is compared with 0 may be 0
            return False
        cut = self.spread[ins[place]][1]
        with np.errstate(all="ignore"):
            if op in REDUCTIONS:
                return not np.any(forward_of(op)(np.zeros((1,) * len(graph.type(ins[0]).shape)), **attrs))
            tried = [self._example(ref, self.spread.get(ref, (ref, None))[1] == cut) for ref in ins]
            return op.family == "elementwise" and not np.any(forward_of(op)(*tried, **attrs))

    def _example(self, ref: Ref, zero: bool) -> np.ndarray:
        """What an operand may be in a row of zeros: 0, its own value if it is one number, or some numbers."""
        graph, type = self.graph, self.graph.type(ref)
        if not zero and graph.op(producer(ref)).role == "const" and type.size == 1:
            value: np.ndarray = graph.attrs(producer(ref))["value"].array.reshape(1)
            return value
        numbers = PROBE_NUMBERS if type.dtype.kind != "b" else (True, False, True)
        return np.array([0] * len(PROBE_NUMBERS) if zero else numbers).astype(type.dtype.numpy)

    # ---- slices sink -------------------------------------------------------------------------------

    def sink_all(self) -> int:
        """Let every slice sink as far as one walk takes it; how many nodes it passed."""
        return sum(self.sink(node) for node in reversed(self.graph.topological()) if node in self.graph)

    def sink(self, node: int) -> bool:
        """Compute of a node only what all that read it read of it; whether that was done.

        Several parts of it are computed each on its own if only a slice of one of them is read.
        """
        graph, users = self.graph, list(self.graph.successors(node))
        cuts = {user: self._cut_by(user, node) for user in users}
        parts = [cut for cut in dict.fromkeys(cuts.values()) if cut is not None and self._cuts(node, cut) is not None]
        if len(parts) < len(set(cuts.values())) or not parts or not self._may_move(node) or graph.is_out(node):
            return False
        if len(parts) > 1 and not (are_disjoint(parts) and any(map(self._is_read_in_part, users))):
            return False
        if not self._permitted(node):
            return False
        small = {cut: self._emit_cut(node, cut) for cut in parts}
        for user, cut in cuts.items():
            assert cut is not None
            self._replace(user, self._shaped(small[cut], graph.type(user).shape, user))
        graph.erase([node])
        return True

    def _is_read_in_part(self, node: int) -> bool:
        """Whether all that read a node read one cut of it."""
        cuts = {self._cut_by(user, node) for user in self.graph.successors(node)}
        return len(cuts) == 1 and None not in cuts and not self.graph.is_out(node)

    def _cut_by(self, user: int, node: int) -> AxisSlice | None:
        """The cut that a user makes of a node, if that is all it does."""
        graph = self.graph
        if graph.op(user) is not INDEX or len(graph.ins(user)) > 1 or not self._may_move(user):
            return None
        return slice_of_key(graph.attrs(user)["key"], graph.type(node).shape)

    # ---- both --------------------------------------------------------------------------------------

    def _permitted(self, node: int) -> bool:
        allowed = should_rewrite(self.graph, "sink", node)
        self.options.tally["sink"].rewrites += allowed
        return allowed

    def _may_move(self, node: int) -> bool:
        """Whether a node is nothing but its one value."""
        graph, op = self.graph, self.graph.op(node)
        tied = op.effects or graph.regions(node) or graph.before(node) or graph.after(node)
        return not tied and len(graph.types(node)) == 1 and op.role == "compute" and not op.is_leaf

    def _cuts(self, node: int, cut: AxisSlice) -> list[AxisSlice | None] | None:
        """What of its operands a cut of a node is computed from."""
        graph = self.graph
        shapes = [graph.type(ref).shape for ref in graph.ins(node)]
        return operand_slices(graph.op(node), graph.attrs(node), shapes, graph.type(node).shape, cut)

    def _emit_cut(self, node: int, cut: AxisSlice) -> int:
        """A cut of a node's result, computed from cuts of its operands."""
        graph, op, cuts = self.graph, self.graph.op(node), self._cuts(node, cut)
        assert cuts is not None
        ins = [ref if own is None else self._sliced(ref, own) for ref, own in zip(graph.ins(node), cuts, strict=True)]
        if op in RESHAPES:
            return graph.emit(RESHAPE, ins, {"shape": cut.shape_of(graph.type(node).shape)}, sources=(node,))
        return graph.emit(op, ins, graph.attrs(node), sources=(node,))

    def _sliced(self, ref: Ref, cut: AxisSlice) -> Ref:
        """A cut of a value."""
        if ref in self.spread and self.spread[ref][1] == cut:
            return self._small(ref)
        if (ref, cut) not in self.slices:
            key = cut.key(self.graph.type(ref).shape)
            self.slices[ref, cut] = self.graph.emit(INDEX, (ref,), {"key": key}, sources=(producer(ref),))
        return self.slices[ref, cut]

    def _small(self, ref: Ref) -> Ref:
        """What a value with zeros is made of, with all of its axes."""
        small, cut = self.spread[ref]
        small = self._shaped(small, cut.shape_of(self.graph.type(ref).shape), producer(ref))
        self.spread[ref] = small, cut
        return small

    def _shaped(self, ref: Ref, shape: Shape, source: int) -> Ref:
        if self.graph.type(ref).shape == shape:
            return ref
        return self.graph.emit(RESHAPE, (ref,), {"shape": shape}, sources=(source,))

    def _replace(self, node: int, by: Ref) -> None:
        self.graph.replace_uses({node: by})
        self.graph.erase([node])

    def sweep(self) -> None:
        """Remove what nobody needs: it would hold on to whole results."""
        graph, succ = self.graph, self.graph.succ_map()
        for node in reversed(graph.topological()):
            if not succ[node] and not graph.is_out(node) and self._may_move(node):
                graph.erase([node])
