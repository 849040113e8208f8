"""Runs graphs for comparison: their outputs, the values of their Parameters afterwards, printed text and gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from io import StringIO
from typing import NamedTuple

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import Function
from minigraph.core.autodiff.tape import Tape, full_like
from minigraph.core.lazy import cached_property
from minigraph.core.op import apply, current_interpreter, op_named, record_on
from minigraph.core.output import call_printing_to
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.tensor import set_array
from minigraph.core.types import TensorType
from minigraph.execute.compile import Program, compile_graph
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.operators.iteration_limit import limit_iterations

MAX_LOOP_ITERATIONS = 1000  # of all loops of one run together
Arrays = Sequence[np.ndarray]


class Outcome(NamedTuple):
    """The observable results of one run."""

    outs: tuple[np.ndarray, ...]
    params: dict[str, np.ndarray]
    printed: str


class Runner:
    """Runs a graph repeatedly, on its own Parameters, so that the caller's stay unchanged.

    ``outcome`` returns its results, ``gradients`` the cotangents of its float inputs and Parameters for cotangents of
    its float outputs (complex values are excluded).
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph.clone()
        self.params = _param_types(graph)
        self.graph.params = {key: _fresh_parameter(key, graph, type) for key, type in self.params.items()}
        self.inputs = [graph.type(node) for node in graph.inputs]
        self.outs = [graph.type(ref) for ref in graph.outs]

    def outcome(self, arrays: Arrays, params: Mapping[str, np.ndarray] = {}) -> Outcome:
        """Run the graph; ``params`` are values for its Parameters. Raises the errors of its operators."""
        for key, value in params.items():
            set_array(self.graph.params[key], value.copy())
        limit = limit_iterations(MAX_LOOP_ITERATIONS)
        if not self._has_effects:
            return Outcome(tuple(limit.call(self._program, *arrays)), {}, "")
        outs = tuple(limit.call(call_printing_to, printed := StringIO(), self._program, *arrays))
        after = {key: parameter.array for key, parameter in self.graph.params.items()}
        return Outcome(outs, after, printed.getvalue())

    def gradients(self, arrays: Arrays, cotangents: Arrays) -> dict[str, np.ndarray]:
        """The gradients for one cotangent per float output, by name: "input 0", or "'fc.weight'" for a Parameter."""
        limit = limit_iterations(2 * MAX_LOOP_ITERATIONS)  # forward and backward iterations both count
        run: Function = self._gradient_program
        if self._has_effects:
            run = partial(call_printing_to, StringIO(), run)
        gradients = limit.call(run, *arrays, *cotangents)
        names = [*(f"input {k}" for k in self.float_positions[0]), *map(repr, self.float_params)]
        return dict(zip(names, gradients, strict=True))

    @cached_property
    def float_positions(self) -> tuple[list[int], list[int]]:
        """The positions of float inputs and of float outputs."""
        return (
            [k for k, type in enumerate(self.inputs) if type.dtype.kind == "f"],
            [k for k, type in enumerate(self.outs) if type.dtype.kind == "f"],
        )

    @cached_property
    def float_params(self) -> list[str]:
        """The keys of float Parameters."""
        return sorted(key for key, type in self.params.items() if type.dtype.kind == "f")

    @cached_property
    def _has_effects(self) -> bool:
        return bool(self.graph.params) or any(self.graph.effects(node) for node in self.graph)

    @cached_property
    def _program(self) -> Program:
        return compile_graph(self.graph)

    @cached_property
    def _gradient_program(self) -> Program:
        function = gradient_function(self.graph, *self.float_positions, self.float_params)
        types = [*self.inputs, *(self.outs[k] for k in self.float_positions[1])]
        return compile_graph(trace(function, *(Tensor(np.zeros(t.shape, t.dtype.numpy)) for t in types)))


def gradient_function(graph: Graph, inputs: Sequence[int], outs: Sequence[int], params: Sequence[str]) -> Function:
    """The function (inputs, cotangents of ``outs``) -> gradients of ``inputs`` and of Parameters by their keys.

    The gradient of a value that no output depends on is zero.
    """

    def gradients(*args: Tensor) -> tuple[Tensor, ...]:
        """The gradients with respect to float inputs and Parameters, from the inputs and the cotangents of results."""
        tape, count = Tape(), len(graph.inputs)
        values = list(args[:count])
        for k in inputs:
            values[k] = apply("identity", values[k])
        read = partial(
            current_interpreter().lift, op_named("identity")
        )  # the value of a Parameter that the graph reads
        sources = [*(values[k] for k in inputs), *(read((graph.params[key],))[0] for key in params)]
        for value in sources:
            tape.watch(value)
        results = record_on(tape).call(interpret, graph, *values)
        seeds = zip([results[k] for k in outs], args[count:], strict=True)
        grads = tape.gradient(seeds, sources)
        return tuple(full_like(value, 0.0) if g is None else g for value, g in zip(sources, grads, strict=True))

    return gradients


def _param_types(graph: Graph) -> dict[str, TensorType]:
    """The types of a graph's Parameters by key; a graph parsed from text has only the keys."""
    read = {str(graph.attrs(n)["name"]): graph.type(n) for n in graph if graph.op(n).role == "parameter"}
    read |= {str(graph.attrs(n)["name"]): graph.type(n) for n in graph if graph.op(n).stores}
    parameter_types = {
        key: parameter.type for key, parameter in graph.params.items() if isinstance(parameter, Parameter)
    }
    return {key: type for key, type in (read | parameter_types).items() if key in graph.params}


def _fresh_parameter(key: str, graph: Graph, type: TensorType) -> Parameter:
    parameter = graph.params[key]
    array = parameter.array.copy() if isinstance(parameter, Parameter) else np.zeros(type.shape, type.dtype.numpy)
    return Parameter(Tensor(array), name=key)
