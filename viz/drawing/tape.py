"""Draws the dynamic graph of eager code: operator calls with their values and gradients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.capture.structure import input_names, is_tensor
from minigraph.core.aliases import Function
from minigraph.core.autodiff.tape import Tape, full_like
from minigraph.core.errors import RenderError
from minigraph.core.location import CELL_SCOPE, Loc, user_loc
from minigraph.core.op import Attrs, Op, record_on
from minigraph.core.pytree import flatten
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.tensor import Parameter, Tensor
from minigraph.ir.graph import Graph, Ref, reference
from minigraph.ir.structural_ops import CONST, INPUT, PARAMETER, Literal
from viz.drawing.dot import Picture, dot
from viz.drawing.scene import MAX_DRAWN_BOXES

MAX_SHOWN_ELEMENTS = 6  # larger values are shown as their range and mean


def tape(
    source: object, *args: object, gradients: bool = True, limit: int = MAX_DRAWN_BOXES, **kwargs: object
) -> Picture:
    """The dynamic graph of a function or Cell, called once with these arguments, or of a ``Tape``.

    Every operator call is a node with its value, numbered in call order; values other than tensors are not recorded.
    With ``gradients``, floating-point results are differentiated with ones as seeds, and nodes show their gradients.
    More than ``limit`` calls are drawn as a summary. Raises ``RenderError`` for any other source, and the exceptions of
    the function.

    >>> picture = tape(lambda x: x * x, Tensor(3.0))
    >>> [box.lines for box in picture.scene.boxes.values()]
    [('%0 input x', '3', 'gradient 6'), ('%1 mul', '9', 'gradient 1'), ('output',)]
    """
    if isinstance(source, Tape):
        calls = _calls_of_entries(source, limit)
    elif callable(source):
        title = getattr(source, "__name__", type(source).__name__)
        calls = record_calls(source, args, kwargs, Calls(title, limit), gradients)
    else:
        raise RenderError(f"tape: {type(source).__name__} is neither a function nor a tape; pass one of them")
    return dot(calls.graph, values=calls.node_texts(), limit=limit)


def record_calls(
    fn: Function, args: Sequence[object], kwargs: dict[str, object], calls: Calls, gradients: bool = True
) -> Calls:
    """Record one call of a function in ``calls``, and, with ``gradients``, its backward pass; returns ``calls``."""
    _Recorder(calls).run(fn, args, kwargs, gradients)
    return calls


class Calls:
    """Operator calls as a graph: one node per call, in order, and leaves for values that existed before.

    ``values`` and ``gradients`` are texts by node, for the first ``limit`` nodes.
    """

    def __init__(self, title: str, limit: int = MAX_DRAWN_BOXES) -> None:
        self.graph, self.limit = Graph(title=title), limit
        self.values: dict[int, str] = {}
        self.gradients: dict[int, str] = {}
        self._refs: dict[int, Ref] = {}  # id of a tensor -> its current value
        self._first: dict[int, tuple[Tensor, Ref]] = {}  # id -> tensor (kept alive, ids are reused), first value

    def is_tracked(self, tensor: Tensor) -> bool:
        """Whether the graph contains a tensor."""
        return id(tensor) in self._refs

    def leaf(self, op: Op, attrs: Attrs, tensor: Tensor) -> int:
        """Add a value that existed before."""
        node = self.graph.emit(op, (), attrs, [tensor.type])
        self._store(tensor, node)
        return node

    def input(self, tensor: Tensor, name: str) -> None:
        """Add an input."""
        self.graph.inputs.append(self.leaf(INPUT, {"name": name}, tensor))

    def ref(self, tensor: Tensor) -> Ref:
        """The current value of a tensor; an unknown tensor becomes a Parameter or a constant."""
        if not self.is_tracked(tensor) and isinstance(tensor, Parameter):
            self.leaf(PARAMETER, {"name": tensor.name}, tensor)
        elif not self.is_tracked(tensor):
            self.leaf(CONST, {"value": Literal(tensor.array)}, tensor)
        return self._refs[id(tensor)]

    def add(self, op: Op, args: Sequence[Tensor], attrs: Attrs, outs: Sequence[Tensor], loc: Loc | None = None) -> None:
        """Add a call. The target of an assignment has the assignment's result as its value from here on."""
        drawn_attrs = {name: value for name, value in attrs.items() if name != "bodies"}
        node = self.graph.emit(
            op, [self.ref(arg) for arg in args], drawn_attrs, [out.type for out in outs],
            loc=(loc,) if loc else (), regions=attrs.get("bodies", ()),
        )  # fmt: skip
        for r, out in enumerate(outs):
            self._store(out, reference(node, r))
        if op.stores:
            self._store(args[0], node)

    def add_gradient(self, tensor: Tensor, gradient: Tensor) -> None:
        """Add the gradient of a tensor's first value, from before any assignment."""
        ref = self._first[id(tensor)][1]
        if isinstance(ref, int) and ref < self.limit:
            self.gradients[ref] = value_text(gradient.array)

    def node_texts(self) -> dict[int, str]:
        """The text in each node: its value, and its gradient below."""
        gradients = {node: f"\ngradient {text}" for node, text in self.gradients.items()}
        return {node: text + gradients.get(node, "") for node, text in self.values.items()}

    def _store(self, tensor: Tensor, ref: Ref) -> None:
        self._refs[id(tensor)] = ref
        self._first.setdefault(id(tensor), (tensor, ref))
        if isinstance(ref, int) and ref < self.limit and self.graph.op(ref) is not CONST:  # its label shows the value
            self.values[ref] = value_text(tensor.array)


def value_text(array: np.ndarray) -> str:
    """All elements if there are few, else minimum, maximum and mean.

    >>> value_text(np.array(3.0)), value_text(np.array([1.0, 2.5])), value_text(np.arange(100.0))
    ('3', '[1.  2.5]', '0 to 99, mean 49.5')
    """
    if not array.shape and array.dtype.kind in "iuf":
        return f"{array.item():.6g}"
    if array.size <= MAX_SHOWN_ELEMENTS or array.dtype.kind not in "biuf":
        return " ".join(np.array2string(array, precision=4, threshold=MAX_SHOWN_ELEMENTS, edgeitems=2).split())
    numbers = array.astype(np.float64)
    mean = call_ignoring_float_errors(numbers.mean)  # inf - inf, as in overflowing gradients, is nan
    return f"{numbers.min():.4g} to {numbers.max():.4g}, mean {mean:.4g}"


class _Recorder(Tape):
    """A tape that records all calls, and watches Parameters at their first use."""

    def __init__(self, calls: Calls) -> None:
        super().__init__()
        self.calls = calls
        self.watched: list[Tensor] = []
        self.results: list[Tensor] = []

    def run(self, fn: Function, args: Sequence[object], kwargs: dict[str, object], gradients: bool) -> None:
        """Call the function, then compute gradients."""
        inputs = flatten((tuple(args), kwargs), is_tensor)[0]
        for name, tensor in zip(input_names(fn, args, kwargs), inputs, strict=True):
            if not self.calls.is_tracked(tensor):
                self.calls.input(tensor, name)
                self._watch_float(tensor)
        out = record_on(self).call(fn, *args, **kwargs)
        results = flatten(out, is_tensor)[0]
        self.calls.graph.set_outs([self.calls.ref(result) for result in results])
        if gradients:
            self._backward(results)

    def record(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: object) -> None:
        """Record a call for the picture and for the backward pass."""
        for arg in args:
            if isinstance(arg, Parameter) and not self.calls.is_tracked(arg):
                self._watch_float(arg)
        super().record(op, args, attrs, out)
        loc, scope = user_loc(), CELL_SCOPE.get()
        outs = out if isinstance(out, tuple) else (out,)
        self.results += outs
        self.calls.add(op, args, attrs, outs, loc and loc._replace(scope=scope))

    def _watch_float(self, tensor: Tensor) -> None:
        if tensor.dtype.is_float:
            self.watch(tensor)
            self.watched.append(tensor)

    def _backward(self, results: Sequence[Tensor]) -> None:
        seeds = [(r, full_like(r, 1.0)) for r in results if r.dtype.is_float and self.is_tracked(self.current_value(r))]
        tensors = [*reversed(self.results), *self.watched]  # in the order of the backward pass
        for tensor, gradient in zip(tensors, self.gradient(seeds, tensors), strict=True):
            if gradient is not None:
                self.calls.add_gradient(tensor, gradient)


def _calls_of_entries(tape: Tape, limit: int) -> Calls:
    """The calls of a tape; tensors that it watches are inputs."""
    calls = Calls("tape", limit)
    for entry in tape.entries:
        for arg in entry.args:
            if tape.is_tracked(arg) and not calls.is_tracked(arg) and not isinstance(arg, Parameter):
                calls.input(arg, f"x{len(calls.graph.inputs)}")
        calls.add(entry.op, entry.args, entry.attrs, entry.outs)
    return calls
