"""Slice sinking: if only a slice of a result is read, only that slice and its inputs are computed.

::

    %2 = matmul(%0, %1) : f32[32,64]                      %5 = index(%0) {key=((0, 1, 1), (0, 8, 1))} : f32[1,8]
    %3 = tanh(%2) : f32[32,64]                     ->     %6 = matmul(%5, %1) : f32[1,64]
    %4 = index(%3) {key=((0, 1, 1), (0, 64, 1))}          %7 = tanh(%6) : f32[1,64]

Slices move towards the inputs through operators that work row by row (elementwise operators, products, norms, softmax,
reductions, views), if nothing else of their results is read. In gradients, the zero padding that ``index_add`` puts
around a slice's gradient moves towards the outputs in the same way, so only its own rows are computed and summed. For
example, a Vision Transformer reads only the class token at the end (Dosovitskiy et al. 2021).

Smaller products round differently, and the product of 0 with an infinity in a dropped row is no longer computed. So the
pass is not part of a default pipeline. Run it after simplification and before fusion:
``@jit(pipeline="canonicalize,cse,sink_slices,default")``.
"""

from __future__ import annotations

import numpy as np

from minigraph.core.op import forward_of
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.types import Shape
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.indexing import INDEX, INDEX_ADD
from minigraph.operators.linalg import MATMUL
from minigraph.operators.reduce import SUM, SUM_TO
from minigraph.operators.views import RESHAPE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize import axis_slices
from passes.optimize.axis_slices import REDUCTIONS, RESHAPES, AxisSlice, Slices, reshape_slice, slice_of_key

RELATIVE_TOLERANCE = 1e-5  # in float32
PROBE_NUMBERS = (2.0, -3.0, 0.5)  # values of other operands when an operator is tested on zeros


@graph_pass(tol=RELATIVE_TOLERANCE)
def sink_slices(graph: Graph, *, options: Options) -> None:
    """f(x)[:1] -> f(x[:1]): computes only the rows that are read, in gradients, too; within 1e-5.

    First moves the zero padding of gradients towards the outputs, then slices towards the inputs, to a fixed point.
    """
    sinking = _SliceSinking(graph, options)
    for node in graph.topological():
        sinking.propagate_padding(node)
    sinking.erase_dead_nodes()
    while sinking.sink_all():
        sinking.erase_dead_nodes()


class _SliceSinking:
    """One run: ``slices`` by value and slice, and by zero-padded value its ``padded`` value and the slice it fills."""

    def __init__(self, graph: Graph, options: Options) -> None:
        self.graph, self.options = graph, options
        self.slices: dict[tuple[Ref, AxisSlice], Ref] = {}
        self.padded: dict[Ref, tuple[Ref, AxisSlice]] = {}

    # ---- padding moves to the outputs ----------------------------------------------------------------

    def propagate_padding(self, node: int) -> None:
        """Compute a node from the unpadded rows of an operand, if the zero rows contribute only zeros."""
        self._record_padding(node)
        position = next((k for k, ref in enumerate(self.graph.ins(node)) if ref in self.padded), None)
        if position is None or not self._can_move(node):
            return
        result = self._reduce_slice(node) or self._read_slice(node) or self._propagate_through(node, position)
        if result is not None:
            self._replace_node(node, result)

    def _record_padding(self, node: int) -> None:
        """Record the slice and the value of a node that pads with zeros."""
        graph, attrs, ins = self.graph, self.graph.attrs(node), self.graph.ins(node)
        is_padding = graph.op(node) is INDEX_ADD and len(ins) == 1
        axis_slice = slice_of_key(attrs["key"], attrs["shape"]) if is_padding else None
        if axis_slice is not None:
            self.padded[node] = ins[0], axis_slice

    def _reduce_slice(self, node: int) -> int | None:
        """A sum over the padded axis, or a product that contracts it, on the unpadded rows."""
        graph, op, attrs, ins = self.graph, self.graph.op(node), self.graph.attrs(node), self.graph.ins(node)
        if op is MATMUL:
            return self._contract_slices(node)
        if op not in (SUM, SUM_TO):
            return None
        axis, summed_axes = self.padded[ins[0]][1].axis, axis_slices.axes_tuple(attrs.get("axis", ()))
        if op is SUM_TO:
            rank_change = len(graph.type(ins[0]).shape) - len(attrs["shape"])
            summed_axes = tuple(k for k in range(axis + 1) if k < rank_change or attrs["shape"][k - rank_change] == 1)
        if axis in summed_axes and self._should_rewrite(node):
            return graph.emit(op, (self._remove_padding(ins[0]),), attrs, sources=(node,))
        return None

    def _contract_slices(self, node: int) -> int | None:
        graph, ins = self.graph, self.graph.ins(node)
        ranks = [len(graph.type(ref).shape) for ref in ins]
        if min(ranks) < 2:
            return None
        axes = ranks[0] - 1, ranks[1] - 2
        for ref, axis in zip(ins, axes, strict=True):
            axis_slice = self.padded[ref][1] if ref in self.padded else None
            if axis_slice is not None and axis_slice.axis == axis and self._should_rewrite(node):
                factors = [
                    self._slice_value(factor, axis_slice.on_axis(factor_axis))
                    for factor, factor_axis in zip(ins, axes, strict=True)
                ]
                return graph.emit(MATMUL, factors, sources=(node,))
        return None

    def _read_slice(self, node: int) -> Ref | None:
        """The padded value itself, if the node reads exactly the slice that it fills."""
        graph, (ref, *others) = self.graph, self.graph.ins(node)
        if graph.op(node) is not INDEX or others or self._slice_taken_by(node, producer(ref)) != self.padded[ref][1]:
            return None
        allowed = self._should_rewrite(node)
        return self._reshape_to(self.padded[ref][0], graph.type(node).shape, node) if allowed else None

    def _propagate_through(self, node: int, position: int) -> int | None:
        """The node on unpadded operand rows, with the zero padding around its result instead."""
        axis_slice = self._result_slice(node, position)
        if axis_slice is None or not self._is_zero_preserving(node, position) or not self._should_rewrite(node):
            return None
        shape, value = self.graph.type(node).shape, self._emit_slice(node, axis_slice)
        result = self.graph.emit(INDEX_ADD, (value,), {"key": axis_slice.key(shape), "shape": shape}, sources=(node,))
        self.padded[result] = value, axis_slice
        return result

    def _result_slice(self, node: int, position: int) -> AxisSlice | None:
        """The slice of the result that depends on the unpadded rows of an operand."""
        graph, op = self.graph, self.graph.op(node)
        shapes, out = [graph.type(ref).shape for ref in graph.ins(node)], graph.type(node).shape
        axis_slice = self.padded[graph.ins(node)[position]][1]
        if op in RESHAPES:
            result_slice = reshape_slice(axis_slice, shapes[0], out)
            return result_slice if result_slice and reshape_slice(result_slice, out, shapes[0]) == axis_slice else None
        for axis, n in enumerate(out):
            slices = axis_slices.operand_slices(op, graph.attrs(node), shapes, out, axis_slice.on_axis(axis))
            if slices is not None and slices[position] == axis_slice and n == shapes[position][axis_slice.axis]:
                return axis_slice.on_axis(axis)
        return None

    def _is_zero_preserving(self, node: int, position: int) -> bool:
        """Whether zero rows of an operand give zero rows of the result; tested by running the operator."""
        graph, op, ins = self.graph, self.graph.op(node), self.graph.ins(node)
        if op is MATMUL or op.family == "view":
            return True
        if graph.type(node).dtype.kind != "f":  # a comparison with 0 need not give 0
            return False
        axis_slice = self.padded[ins[position]][1]
        if op in REDUCTIONS:
            probes = [np.zeros((1,) * len(graph.type(ins[0]).shape))]
        elif op.family == "elementwise":
            probes = [self._probe(ref, self.padded.get(ref, (ref, None))[1] == axis_slice) for ref in ins]
        else:
            return False
        forward = forward_of(op, [probe.dtype for probe in probes])
        return not np.any(call_ignoring_float_errors(forward, *probes, **graph.attrs(node)))

    def _probe(self, ref: Ref, is_zero: bool) -> np.ndarray:
        """Sample values of an operand in zero rows: 0 if padded, a scalar constant's own value, else some numbers."""
        graph, type = self.graph, self.graph.type(ref)
        if not is_zero and graph.op(producer(ref)).role == "const" and type.size == 1:
            value: np.ndarray = graph.attrs(producer(ref))["value"].array.reshape(1)
            return value
        numbers = PROBE_NUMBERS if type.dtype.kind != "b" else (True, False, True)
        return np.array([0] * len(PROBE_NUMBERS) if is_zero else numbers).astype(type.dtype.numpy)

    # ---- slices move to the inputs -------------------------------------------------------------------

    def sink_all(self) -> int:
        """Move every slice down in one sweep from users to operands; returns how many nodes the slices passed."""
        return sum(self.sink(node) for node in reversed(self.graph.topological()) if node in self.graph)

    def sink(self, node: int) -> bool:
        """Compute only the slices of a node that its users read; returns whether the node was replaced.

        Several disjoint slices are computed separately if one of them is itself read only through a slice.
        """
        graph, users = self.graph, list(self.graph.successors(node))
        slices = {user: self._slice_taken_by(user, node) for user in users}
        distinct = [*dict.fromkeys(slices.values())]
        computable = [k for k in distinct if k is not None and self._operand_slices(node, k) is not None]
        if len(computable) < len(distinct) or not computable or not self._can_move(node) or graph.is_out(node):
            return False
        is_split = len(computable) > 1
        if is_split and not (axis_slices.are_disjoint(computable) and any(map(self._is_read_by_one_slice, users))):
            return False
        if not self._should_rewrite(node):
            return False
        values = {axis_slice: self._emit_slice(node, axis_slice) for axis_slice in computable}
        for user, axis_slice in slices.items():
            assert axis_slice is not None
            self._replace_node(user, self._reshape_to(values[axis_slice], graph.type(user).shape, user))
        graph.erase([node])
        return True

    def _is_read_by_one_slice(self, node: int) -> bool:
        """Whether all users of a node read one and the same slice of it."""
        slices = {self._slice_taken_by(user, node) for user in self.graph.successors(node)}
        return len(slices) == 1 and None not in slices and not self.graph.is_out(node)

    def _slice_taken_by(self, user: int, node: int) -> AxisSlice | None:
        """The slice of a node that a user takes, if taking it is all that the user does."""
        graph = self.graph
        if graph.op(user) is not INDEX or len(graph.ins(user)) > 1 or not self._can_move(user):
            return None
        return slice_of_key(graph.attrs(user)["key"], graph.type(node).shape)

    # ---- helpers -----------------------------------------------------------------------------------

    def _should_rewrite(self, node: int) -> bool:
        allowed = should_rewrite(self.graph, "sink", node)
        self.options.statistics["sink"].rewrites += allowed
        return allowed

    def _can_move(self, node: int) -> bool:
        """Whether a node has one result and neither effects, regions nor order edges."""
        graph, op = self.graph, self.graph.op(node)
        is_pinned = op.effects or graph.regions(node) or graph.before(node) or graph.after(node)
        return not is_pinned and len(graph.types(node)) == 1 and op.role == "compute" and not op.is_leaf

    def _operand_slices(self, node: int, axis_slice: AxisSlice) -> Slices | None:
        """The operand slices from which a slice of a node's result is computed."""
        graph = self.graph
        shapes = [graph.type(ref).shape for ref in graph.ins(node)]
        return axis_slices.operand_slices(graph.op(node), graph.attrs(node), shapes, graph.type(node).shape, axis_slice)

    def _emit_slice(self, node: int, axis_slice: AxisSlice) -> int:
        """A slice of a node's result, computed from slices of its operands."""
        graph, op, slices = self.graph, self.graph.op(node), self._operand_slices(node, axis_slice)
        assert slices is not None
        pairs = zip(graph.ins(node), slices, strict=True)
        ins = [ref if operand_slice is None else self._slice_value(ref, operand_slice) for ref, operand_slice in pairs]
        if op in RESHAPES:
            return graph.emit(RESHAPE, ins, {"shape": axis_slice.shape_of(graph.type(node).shape)}, sources=(node,))
        return graph.emit(op, ins, graph.attrs(node), sources=(node,))

    def _slice_value(self, ref: Ref, axis_slice: AxisSlice) -> Ref:
        """A slice of a value."""
        if ref in self.padded and self.padded[ref][1] == axis_slice:
            return self._remove_padding(ref)
        if (ref, axis_slice) not in self.slices:
            key = axis_slice.key(self.graph.type(ref).shape)
            self.slices[ref, axis_slice] = self.graph.emit(INDEX, (ref,), {"key": key}, sources=(producer(ref),))
        return self.slices[ref, axis_slice]

    def _remove_padding(self, ref: Ref) -> Ref:
        """The value without its zero padding, with all of its axes."""
        value, axis_slice = self.padded[ref]
        value = self._reshape_to(value, axis_slice.shape_of(self.graph.type(ref).shape), producer(ref))
        self.padded[ref] = value, axis_slice
        return value

    def _reshape_to(self, ref: Ref, shape: Shape, source: int) -> Ref:
        if self.graph.type(ref).shape == shape:
            return ref
        return self.graph.emit(RESHAPE, (ref,), {"shape": shape}, sources=(source,))

    def _replace_node(self, node: int, replacement: Ref) -> None:
        self.graph.replace_uses({node: replacement})
        self.graph.erase([node])

    def erase_dead_nodes(self) -> None:
        """Erase dead nodes, which would count as users of whole results."""
        graph, succ = self.graph, self.graph.succ_map()
        for node in reversed(graph.topological()):
            if not succ[node] and not graph.is_out(node) and self._can_move(node):
                graph.erase([node])
