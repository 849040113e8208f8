"""Test contexts: small programs that contain a rule's pattern, as functions of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import CallResult, Function
from minigraph.core.op import Attrs, apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.operators.elementwise import CAST
from passes.rewrite.pattern import Call, Number, Terms, Var, terms
from passes.validate.operands import Operand


@dataclass(frozen=True)
class RuleContext:
    """A program as a function of tensors, with the names and types of its operands."""

    program: Function
    names: tuple[str, ...]
    operands: tuple[Operand, ...]

    @property
    def types(self) -> tuple[TensorType, ...]:
        """The types of its inputs."""
        return tuple(operand.type for operand in self.operands)

    @property
    def size(self) -> int:
        """The number of elements and axes of all inputs; the measure that shrinking reduces."""
        return sum(type.size + type.ndim for type in self.types)

    def graph(self) -> Graph:
        """The captured program, with a cast to its own dtype after every result.

        The casts keep the pattern from being an output of the graph, whose memory a caller could observe. Raises the
        errors of its operators for unsuitable operands.
        """
        graph = trace(self.program, *(Tensor(np.zeros(t.shape, t.dtype.numpy)) for t in self.types))
        graph.title = "context"
        graph.set_outs([graph.emit(CAST, (ref,), {"dtype": graph.type(ref).dtype}) for ref in graph.outs])
        return graph

    def with_types(self, types: Sequence[TensorType]) -> RuleContext:
        """The same program with operands of other types."""
        pairs = zip(self.operands, types, strict=True)
        return RuleContext(self.program, self.names, tuple(operand._replace(type=type) for operand, type in pairs))


def context_of(graph: Graph) -> RuleContext:
    """The test context of a captured program."""
    names = tuple(str(graph.attrs(node).get("name", f"x{node}")) for node in graph.inputs)
    return RuleContext(lambda *xs: interpret(graph, *xs), names, tuple(Operand(graph.type(n)) for n in graph.inputs))


def evaluate_terms(
    roots: Terms, variables: Mapping[str, Tensor], attrs: Mapping[int, Attrs], swapped: Set[int]
) -> CallResult:
    """The value of one term, or the values of several, for these variables.

    ``attrs`` are the attributes of each call; the operands of the calls in ``swapped`` are swapped.
    """
    values: dict[int, object] = {}
    for term in terms(*roots)[::-1]:
        if isinstance(term, Call):
            args = [values[id(arg)] for arg in term.args]
            args = args[::-1] if id(term) in swapped else args
            values[id(term)] = apply(term.op, *args, **attrs.get(id(term), term.attrs))
        elif isinstance(term, Var):
            values[id(term)] = variables[term.name]
        elif isinstance(term, Number):
            values[id(term)] = term.value
    return values[id(roots[0])] if len(roots) == 1 else tuple(values[id(root)] for root in roots)
