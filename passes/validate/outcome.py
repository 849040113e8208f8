"""What a graph does, run: its outputs, what its Parameters hold afterwards, what it prints, its gradients."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.autodiff.tape import Tape, full_like
from minigraph.core.op import apply, current_interpreter, listening, op_named
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.tensor import give
from minigraph.core.types import TensorType
from minigraph.execute.compile import Program, compile_graph
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.operators.iteration_limit import bounded_rounds

MOST_ROUNDS = 1000  # of the loops of one run, together
Arrays = Sequence[np.ndarray]


class Outcome(NamedTuple):
    """All that can be told of one run."""

    outs: tuple[np.ndarray, ...]
    params: dict[str, np.ndarray]
    printed: str


class Runner:
    """A graph to be run often, on Parameters of its own so that the caller's stay as they are.

    ``outcome`` is what it does, ``gradients`` what arrives at its float inputs and Parameters for cotangents of its
    float outputs (complex ones are left out).
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph.clone()
        self.params = _types_of_params(graph)
        self.graph.params = {key: _fresh(key, graph, type) for key, type in self.params.items()}
        self.inputs = [graph.type(node) for node in graph.inputs]
        self.outs = [graph.type(ref) for ref in graph.outs]

    def outcome(self, arrays: Arrays, params: Mapping[str, np.ndarray] = {}) -> Outcome:
        """Run it; ``params`` are values for its Parameters. Raises what its operators raise."""
        for key, value in params.items():
            give(self.graph.params[key], value.copy())
        with bounded_rounds(MOST_ROUNDS):
            if not self._acts:
                return Outcome(tuple(self._program(*arrays)), {}, "")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                outs = tuple(self._program(*arrays))
        after = {key: parameter.array for key, parameter in self.graph.params.items()}
        return Outcome(outs, after, printed.getvalue())

    def gradients(self, arrays: Arrays, cotangents: Arrays) -> dict[str, np.ndarray]:
        """The gradients, for one cotangent for every float output, by "input 0" and, of a Parameter, "'fc.weight'"."""
        quiet = contextlib.redirect_stdout(io.StringIO()) if self._acts else contextlib.nullcontext()
        with quiet, bounded_rounds(2 * MOST_ROUNDS):  # forwards, and counted once more to go back
            found = self._backward(*arrays, *cotangents)
        names = [*(f"input {k}" for k in self.smooth[0]), *map(repr, self.weights)]
        return dict(zip(names, found, strict=True))

    @cached_property
    def smooth(self) -> tuple[list[int], list[int]]:
        """The positions of float inputs and of float outputs."""
        return (
            [k for k, type in enumerate(self.inputs) if type.dtype.kind == "f"],
            [k for k, type in enumerate(self.outs) if type.dtype.kind == "f"],
        )

    @cached_property
    def weights(self) -> list[str]:
        """The keys of float Parameters."""
        return sorted(key for key, type in self.params.items() if type.dtype.kind == "f")

    @cached_property
    def _acts(self) -> bool:
        return bool(self.graph.params) or any(self.graph.effects(node) for node in self.graph)

    @cached_property
    def _program(self) -> Program:
        return compile_graph(self.graph)

    @cached_property
    def _backward(self) -> Program:
        function = pulled(self.graph, *self.smooth, self.weights)
        return compile_graph(trace(function, *map(_zeros, self._with_cotangents())))

    def _with_cotangents(self) -> list[TensorType]:
        return [*self.inputs, *(self.outs[k] for k in self.smooth[1])]


def pulled(graph: Graph, inputs: Sequence[int], outs: Sequence[int], weights: Sequence[str]) -> Callable[..., Any]:
    """The function (inputs, cotangents of ``outs``) -> gradients of ``inputs`` and of Parameters by their keys.

    Zeros where nothing arrives.
    """

    def gradients(*args: Any) -> tuple[Any, ...]:
        tape, count = Tape(), len(graph.inputs)
        values = list(args[:count])
        for k in inputs:
            values[k] = apply("identity", values[k])
        wanted = [*(values[k] for k in inputs), *(_read(graph.params[key]) for key in weights)]
        for value in wanted:
            tape.watch(value)
        with listening(tape):
            results = interpret(graph, *values)
        seeds = zip([results[k] for k in outs], args[count:], strict=True)
        found = tape.gradient(seeds, wanted)
        return tuple(full_like(value, 0.0) if g is None else g for value, g in zip(wanted, found, strict=True))

    return gradients


def _read(parameter: Parameter) -> Any:
    """What a graph reads of a Parameter, as the tape hears of it."""
    return current_interpreter().lift(op_named("identity"), (parameter,))[0]


def _zeros(type: TensorType) -> Tensor:
    return Tensor(np.zeros(type.shape, type.dtype.numpy))


def _types_of_params(graph: Graph) -> dict[str, TensorType]:
    """The types of a graph's Parameters by key, also of a graph read from text, which has the keys only."""
    read = {str(graph.attrs(n)["name"]): graph.type(n) for n in graph if graph.op(n).role == "parameter"}
    read |= {str(graph.attrs(n)["name"]): graph.type(n) for n in graph if graph.op(n).stores}
    own = {key: parameter.type for key, parameter in graph.params.items() if isinstance(parameter, Parameter)}
    return {key: type for key, type in (read | own).items() if key in graph.params}


def _fresh(key: str, graph: Graph, type: TensorType) -> Parameter:
    given = graph.params[key]
    array = given.array.copy() if isinstance(given, Parameter) else np.zeros(type.shape, type.dtype.numpy)
    return Parameter(Tensor(array), name=key)
