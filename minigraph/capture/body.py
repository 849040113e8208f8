"""Tracing of the body of a branch or a loop: a closed graph, which takes every outer value as an input.

A body may use Parameters and tensors of the outer graph. By closure conversion, each becomes an input of the body and
an operand of its node. A Parameter that the body assigns, or an outer tensor that it writes to, becomes a further
result, which the outer graph assigns. So bodies are pure, and effects on Parameters stay in order in the outer graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FunctionType

from minigraph.capture.body_limits import IN_BODY, RUNTIME_NAME, call_counting_loops
from minigraph.capture.guards import has_writeable_memory
from minigraph.capture.heap import Heap
from minigraph.capture.structure import is_tensor, unknown_state
from minigraph.capture.trace import Tracing
from minigraph.capture.tracer import Tracer
from minigraph.core.aliases import Function, PyTree
from minigraph.core.errors import InfiniteCaptureError, MinigraphError
from minigraph.core.location import raise_location, with_location
from minigraph.core.op import current_interpreter, use_interpreter
from minigraph.core.scope_guard import raise_external_error
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph, Ref
from minigraph.ir.structural_ops import INPUT

BODY_REMEDY = "a graph holds every branch, also those that do not run; check it outside of @jit"
MAX_DEPTH = 40  # of nested bodies: recursion that ends by the value of a tensor would not end during tracing


class BodyTracing(Tracing):
    """The interpreter of a body: outer values become inputs.

    ``captured`` pairs each captured outer value with its input.
    """

    is_body = True

    def __init__(self, graph: Graph, parent: Tracing) -> None:
        super().__init__(graph, parent.graph.keep_effects, parent.mode)
        self.parent = parent
        parent.inner.append(self)
        self.depth = parent.depth + 1
        self.guards, self.operand_cast = parent.guards, parent.operand_cast
        self.captured: dict[Ref, tuple[Tracer, Tracer]] = {}
        self.iterations = self.calls = 0  # of Python's loops and functions (``body_limits``)
        self.checked: dict[int, CodeType] = {}  # by id: the code in which iterators without end were looked for

    def is_deferred(self, tensor: Tensor) -> bool:
        """Whether the value of a tensor is known only when the graph runs, for the body or the outer code."""
        return super().is_deferred(tensor) or self.parent.is_deferred(tensor)

    def owns(self, target: Tensor) -> bool:
        """Whether changes of a tensor are invisible outside of the body; its inputs are copies."""
        return target.tracing is self if isinstance(target, Tracer) else super().owns(target)

    def input(self, name: str, type: TensorType) -> Tracer:
        """A new input of the body."""
        node = self.graph.emit(INPUT, (), {"name": name}, [type], loc=self._location())
        self.graph.inputs.append(node)
        return Tracer(self, node, type)

    def capture_value(self, outer: Tracer, name: str = "") -> Tracer:
        """The input of the body for a value of the outer graph."""
        if outer.ref not in self.captured:
            inner = self.input(name or f"c{len(self.captured)}", outer.type)
            self.captured[outer.ref] = (outer, inner)
        return self.captured[outer.ref][1]

    def _outer_tensor(self, tensor: Tensor) -> Tracer:
        inner = self.capture_value(self.parent.value_of(tensor))
        self.rebind(tensor, Tracer(self, inner.ref, inner.type))  # two tensors may have one outer value
        return self.value_of(tensor)

    def _constant(self, tensor: Tensor) -> Tracer:
        """Tensors created in the body, and numbers, are constants of the body; others may have been written to."""
        if self.owns(tensor) or not has_writeable_memory(tensor.array):
            return super()._constant(tensor)
        return self._outer_tensor(tensor)

    def _parameter(self, parameter: Parameter) -> Tracer:
        inner = self.capture_value(self.parent.value_of(parameter), parameter.name)
        return Tracer(self, inner.ref, inner.type)


class Body:
    """A traced body: ``out`` is the result of its function, ``arguments`` are the inputs for its arguments."""

    def __init__(self, fn: Function, args: Sequence[Tensor], title: str) -> None:
        parent = current_interpreter()
        assert isinstance(parent, Tracing)
        self.parent = parent
        self.graph = Graph(title=f"{parent.graph.title}.{title}")
        if parent.depth >= MAX_DEPTH:
            raise _endless_capture(parent.graph.title.partition(".")[0])
        self.tracing = BodyTracing(self.graph, parent)
        self.arguments = [self.tracing.input(f"x{i}", arg.type) for i, arg in enumerate(args)]
        for inner, arg in zip(self.arguments, args, strict=True):
            if isinstance(arg, Parameter) or (isinstance(arg, Tracer) and hasattr(arg, "eager_class")):
                inner.eager_class = arg.eager_class if isinstance(arg, Tracer) else type(arg)
        self.heap = heap = Heap(fn)
        run = parent.mode(fn)
        if not (isinstance(run, FunctionType) and RUNTIME_NAME in run.__code__.co_freevars):
            run = partial(call_counting_loops, run)
        try:
            self.out = self.call_inside(lambda: run(*self.arguments))
        except Exception as error:
            raise_external_error(error)
            raise _error_of_body(error) from None
        if changes := heap.changes():
            heap.undo()
            raise unknown_state(
                f"{changes[0]} {IN_BODY}", "return it as a value, or do it outside of the branch or loop"
            )

    def call_inside(self, fn: Callable[[], PyTree]) -> PyTree:
        """Call a function whose operators become nodes of this body, recorded by no tape."""
        self.tracing.open = True
        try:
            return use_interpreter(self.tracing, alone=True).call(fn)
        finally:
            self.tracing.open = False

    def inner_value(self, value: PyTree) -> Tracer:
        """The value inside of this body of an inner or outer value, or of a Parameter."""
        return self.call_inside(lambda: self.tracing.value_of(value))

    @property
    def assigned_tensors(self) -> list[Tensor]:
        """The Parameters that this body assigns, and other outer tensors that it writes to."""
        return list(self.tracing.written.values())

    def close(self, inputs: Sequence[Tracer], outer: Sequence[Tracer], outs: Sequence[Tracer]) -> Graph:
        """The finished graph: ``inputs``, then one input for each ``outer`` value, and the outputs."""
        captured = [self.tracing.capture_value(value) for value in outer]
        self.graph.inputs = [tracer.ref for tracer in (*inputs, *captured)]  # type: ignore[misc]
        self.graph.set_outs([tracer.ref for tracer in outs])
        return self.graph


def _endless_capture(title: str) -> MinigraphError:
    text = f"'{title}': {MAX_DEPTH} branches or loops on tensors are nested"
    return with_location(InfiniteCaptureError(f"{text}, perhaps in an endless recursion; write it as a while"))


def outer_values(bodies: Sequence[Body], without: Sequence[Tracer] = ()) -> list[Tracer]:
    """The outer values that any of the bodies captures, each once."""
    known = {tracer.ref for tracer in without}
    pairs = (pair for body in bodies for pair in body.tracing.captured.values())
    return list({outer.ref: outer for outer, _ in pairs if outer.ref not in known}.values())


def existed_before(bodies: Sequence[Body], obj: object) -> bool:
    """Whether an object was reachable before the branches of an ``if`` were traced."""
    return any(body.heap.contains(obj) for body in bodies)


def assigned_tensors(bodies: Sequence[Body]) -> list[Tensor]:
    """The outer tensors that any of the bodies assigns, each once."""
    return list({id(tensor): tensor for body in bodies for tensor in body.assigned_tensors}.values())


def is_leaf(item: object) -> bool:
    """Whether an item of a structure is a leaf: a tensor, or a Python number that may become one."""
    return is_tensor(item) or isinstance(item, bool | int | float)


def _error_of_body(error: Exception) -> Exception:
    """The error for an exception of the user's code in a body, which may not run: no handler of the user catches it."""
    if isinstance(error, MinigraphError | RecursionError):
        return error
    text = f"{type(error).__name__}: {error}, raised {IN_BODY}"
    return unknown_state(text, BODY_REMEDY, raise_location(error)).with_traceback(error.__traceback__)
