"""Tracing the body of a branch or a loop: a graph of its own that takes all it needs as inputs.

A body may use tensors of the graph around it and Parameters: each becomes an input of the body and an operand
of the node. A Parameter that a body assigns, or a tensor it writes to, leaves it as one more result, which the graph
around assigns; so effects on Parameters stay in one place, in order, and bodies stay pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import Tracing
from minigraph.capture.tracer import Tracer
from minigraph.core.op import current_interpreter, interpreting, listening
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph, Ref
from minigraph.ir.records import INPUT


class BodyTracing(Tracing):
    """The interpreter of a body: what belongs to the graph around it comes in as an input.

    ``captured`` pairs values outside with the inputs they come in by.
    """

    is_body = True

    def __init__(self, graph: Graph, parent: Tracing) -> None:
        super().__init__(graph, parent.graph.keep_effects, parent.reads)
        self.parent = parent
        parent.inner.append(self)
        self.guards = parent.guards
        self.captured: dict[Ref, tuple[Tracer, Tracer]] = {}

    def waits(self, tensor: Tensor) -> bool:
        """Whether the value of a tensor is known when the graph runs, for the body or for the code around it."""
        return super().waits(tensor) or self.parent.waits(tensor)

    def owns(self, target: Tensor) -> bool:
        """Whether nobody outside of the body can see a tensor change; its own inputs are copies."""
        return target.tracing is self if isinstance(target, Tracer) else super().owns(target)

    def input(self, name: str, type: TensorType) -> Tracer:
        """A new input of the body."""
        node = self.graph.emit(INPUT, (), {"name": name}, [type], loc=self._place())
        self.graph.inputs.append(node)
        return Tracer(self, node, type)

    def from_outside(self, outer: Tracer, name: str = "") -> Tracer:
        """The input by which a value of the graph around comes in."""
        if outer.ref not in self.captured:
            inner = self.input(name or f"c{len(self.captured)}", outer.type)
            self.captured[outer.ref] = (outer, inner)
        return self.captured[outer.ref][1]

    def _foreign(self, tensor: Tensor) -> Tracer:
        inner = self.from_outside(self.parent.node_of(tensor))
        self.succeed(tensor, Tracer(self, inner.ref, inner.type))  # two tensors may be one value outside
        return self.node_of(tensor)

    def _constant(self, tensor: Tensor) -> Tracer:
        """What the body made itself, and numbers, are constants of its own; others may be written to by now."""
        if self.owns(tensor) or not tensor.array.flags.writeable:
            return super()._constant(tensor)
        return self._foreign(tensor)

    def _parameter(self, parameter: Parameter) -> Tracer:
        inner = self.from_outside(self.parent.node_of(parameter), parameter.name)
        return Tracer(self, inner.ref, inner.type)


class Body:
    """A traced body: ``out`` is what its function returned, ``explicit`` the inputs for its arguments."""

    def __init__(self, fn: Callable[..., Any], args: Sequence[Tensor], title: str) -> None:
        parent = current_interpreter()
        assert isinstance(parent, Tracing)
        self.parent = parent
        self.graph = Graph(title=f"{parent.graph.title}.{title}")
        self.tracing = BodyTracing(self.graph, parent)
        self.explicit = [self.tracing.input(f"x{i}", arg.type) for i, arg in enumerate(args)]
        self.out = self.within(lambda: parent.reads(fn)(*self.explicit))

    def within(self, fn: Callable[[], Any]) -> Any:
        """Call a function whose operators become nodes of this body, heard by no tape."""
        self.tracing.open = True
        try:
            with interpreting(self.tracing), listening(alone=True):
                return fn()
        finally:
            self.tracing.open = False

    def node(self, value: Any) -> Tracer:
        """A value, inside or outside, or a Parameter, as a value of this body."""
        return self.within(lambda: self.tracing.node_of(value))

    @property
    def stored(self) -> list[Tensor]:
        """The Parameters this body assigns, and other tensors from outside that it writes to."""
        return list(self.tracing.written.values())

    def close(self, inputs: Sequence[Tracer], outer: Sequence[Tracer], outs: Sequence[Tracer]) -> Graph:
        """The finished graph: its inputs, then one for each ``outer`` value, and its results."""
        taken = [self.tracing.from_outside(value) for value in outer]
        self.graph.inputs = [tracer.ref for tracer in (*inputs, *taken)]  # type: ignore[misc]
        self.graph.set_outs([tracer.ref for tracer in outs])
        return self.graph


def outer_values(bodies: Sequence[Body], without: Sequence[Tracer] = ()) -> list[Tracer]:
    """Every value of the graph around that a body takes, each once."""
    known = {tracer.ref for tracer in without}
    pairs = (pair for body in bodies for pair in body.tracing.captured.values())
    return list({outer.ref: outer for outer, _ in pairs if outer.ref not in known}.values())


def assigned_in(bodies: Sequence[Body]) -> list[Tensor]:
    """The tensors from outside that any of the bodies assigns, each once."""
    return list({id(tensor): tensor for body in bodies for tensor in body.stored}.values())


def is_number(item: Any) -> bool:
    """Whether a leaf of a structure is a tensor or a Python number that could become one."""
    return is_tensor(item) or isinstance(item, bool | int | float)
