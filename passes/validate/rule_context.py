"""A place: a small program in which a rule's pattern stands, as a function of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.operators.elementwise import CAST
from passes.rewrite.pattern import Call, Number, Terms, Var, terms
from passes.validate.operands import Operand


@dataclass(frozen=True)
class RuleContext:
    """A program as a function of tensors, and the operands to call it with."""

    program: Callable[..., Any]
    names: tuple[str, ...]
    operands: tuple[Operand, ...]

    @property
    def types(self) -> tuple[TensorType, ...]:
        """The types of its inputs."""
        return tuple(operand.type for operand in self.operands)

    @property
    def size(self) -> int:
        """Elements and axes of all inputs: what smaller means for a place."""
        return sum(type.size + type.ndim for type in self.types)

    def graph(self) -> Graph:
        """The captured program, every result behind a cast that changes nothing.

        So the pattern is no output of the graph, whose memory a caller could tell apart. Raises what its
        operators say of operands that do not fit.
        """
        graph = trace(self.program, *(Tensor(np.zeros(t.shape, t.dtype.numpy)) for t in self.types))
        graph.title = "place"
        graph.set_outs([graph.emit(CAST, (ref,), {"dtype": graph.type(ref).dtype}) for ref in graph.outs])
        return graph

    def with_types(self, types: Sequence[TensorType]) -> RuleContext:
        """The same program at other types."""
        pairs = zip(self.operands, types, strict=True)
        return RuleContext(self.program, self.names, tuple(operand._replace(type=type) for operand, type in pairs))


def context_of(graph: Graph) -> RuleContext:
    """A captured program as a place."""
    names = tuple(str(graph.attrs(node).get("name", f"x{node}")) for node in graph.inputs)
    return RuleContext(lambda *args: interpret(graph, *args), names, tuple(Operand(graph.type(n)) for n in graph.inputs))


def evaluate_terms(
    roots: Terms, variables: Mapping[str, Any], attrs: Mapping[int, Mapping[str, Any]], swapped: Set[int]
) -> Any:
    """The value of a term, or the values of several, for these variables.

    ``attrs`` are those of each call; the operands of the calls in ``swapped`` are swapped.
    """
    values: dict[int, Any] = {}
    for term in terms(*roots)[::-1]:
        if isinstance(term, Call):
            args = [values[id(arg)] for arg in term.args]
            found = attrs.get(id(term), term.attrs)
            values[id(term)] = apply(term.op, *(args[::-1] if id(term) in swapped else args), **found)
        elif isinstance(term, Var):
            values[id(term)] = variables[term.name]
        elif isinstance(term, Number):
            values[id(term)] = term.value
    return values[id(roots[0])] if len(roots) == 1 else tuple(values[id(root)] for root in roots)
