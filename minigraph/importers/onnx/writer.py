"""``to_onnx``: writes graphs as ONNX models."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import Attrs
from minigraph.core.errors import ModelError, UsageError
from minigraph.core.files import write_atomically
from minigraph.core.op import Op
from minigraph.core.tensor import Parameter, wrap
from minigraph.core.types import TensorType
from minigraph.importers.onnx.export_call import Call, Names
from minigraph.importers.onnx.export_expansions import EXPANSIONS
from minigraph.importers.onnx.export_table import CONVERTERS
from minigraph.importers.onnx.library import Proto, onnx_library
from minigraph.importers.onnx.tensors import CODES, UNTRAINED
from minigraph.ir.graph import Graph, Ref, reference

OPSET, IR_VERSION = 20, 9
MAX_FILE_BYTES = 2_000_000_000  # protobuf


def to_onnx(program: Any, path: str | os.PathLike[str], *args: Any) -> None:
    """Write a function, Cell or Graph as an ONNX model (opset 20), with Parameters as initializers.

    A function is captured with ``args``, without passes; a Graph is written as it is. The file appears complete or not
    at all. Raises ``ModelError`` for what ONNX cannot express, with the operator and its line, before anything is
    written.

    >>> import tempfile
    >>> from minigraph import Tensor, load_onnx, to_onnx
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     to_onnx(lambda x: x * 2 + 1, f"{folder}/line.onnx", Tensor([1.0, 2.0]))
    ...     print(load_onnx(f"{folder}/line.onnx")(Tensor([3.0, 4.0])))
    [7. 9.]
    """
    if isinstance(program, Graph) and args:
        raise UsageError("to_onnx: a Graph takes no arguments; give a function to capture it with arguments")
    graph = program if isinstance(program, Graph) else trace(program, *args)
    data = GraphWriter().model(graph).SerializeToString()
    if len(data) > MAX_FILE_BYTES:
        raise ModelError(f"to_onnx: the model has {len(data):,} bytes, more than a file may have; export parts of it")
    write_atomically(Path(path), data)


class GraphWriter:
    """Writes one graph, and the bodies in it, as nodes."""

    def __init__(self) -> None:
        self._nodes = list[Proto]()
        self._initializers = list[Proto]()
        self._count = 0
        self._used = set[str]()

    def model(self, graph: Graph) -> Proto:
        """The ``ModelProto`` of a graph."""
        helper = onnx_library().helper
        names: dict[Ref, str] = {}
        for node in graph.inputs:
            names[node] = self.unique(str(graph.attrs(node)["name"]))
        self._graph(graph, names)
        outs = [self.write("Identity", [names[ref]], {}, 1)[0] for ref in graph.outs]
        inputs = [_value_info(names[node], graph.type(node)) for node in graph.inputs]
        outputs = [_value_info(name, graph.type(ref)) for name, ref in zip(outs, graph.outs, strict=True)]
        proto = helper.make_graph(self._nodes, graph.title, inputs, outputs, self._initializers)
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(proto, opset_imports=[opset], ir_version=IR_VERSION, producer_name="minigraph")

    def unique(self, name: str = "") -> str:
        """A name that no other value has: this one, or with a number."""
        self._count += 1
        unique = name if name and name not in self._used else f"{name or 'v'}_{self._count}"
        while unique in self._used:
            self._count += 1
            unique = f"{name or 'v'}_{self._count}"
        self._used.add(unique)
        return unique

    def write(self, kind: str, ins: Sequence[str], attrs: Attrs, count: int) -> tuple[str, ...]:
        """Add a node; returns the names of its results."""
        outs = tuple(self.unique() for _ in range(count))
        self._nodes.append(onnx_library().helper.make_node(kind, list(ins), list(outs), name=outs[0], **attrs))
        return outs

    def constant(self, array: object) -> str:
        """Add a constant, as a node: initializers are weights. Returns its name."""
        return self.write("Constant", (), {"value": _tensor(array)}, 1)[0]

    def weight(self, parameter: Parameter, name: str) -> str:
        """Add an initializer for the value of a Parameter; returns its name."""
        unique = self.unique(name)
        tensor = _tensor(parameter.array, unique)
        tensor.doc_string = "" if parameter.requires_grad else UNTRAINED
        self._initializers.append(tensor)
        return unique

    def _graph(self, graph: Graph, names: dict[Ref, str]) -> None:
        """Write all nodes of a graph whose inputs have names."""
        for node in graph.topological():
            op, attrs = graph.op(node), graph.attrs(node)
            if op.role == "input":
                continue
            if op.role == "const":
                names[node] = self.constant(attrs["value"].array)
            elif op.role == "parameter":
                names[node] = self.weight(graph.params[attrs["name"]], attrs["name"])
            else:
                self._node(graph, node, op, names)

    def _node(self, graph: Graph, node: int, op: Op, names: dict[Ref, str]) -> None:
        ins, types, out = (
            [names[ref] for ref in graph.ins(node)],
            [graph.type(r) for r in graph.ins(node)],
            graph.types(node),
        )
        bodies = graph.regions(node)
        if op.role == "fused":
            results: Names = self._inline(bodies[0], ins)
        elif op.name in BODIES:
            results = BODIES[op.name](self, ins, bodies, graph.attrs(node))
        elif op.name in CONVERTERS and not (op.expand and any(t.dtype.kind == "c" for t in types)):
            results = CONVERTERS[op.name](Call(self.write, ins, types, out, graph.attrs(node), self.constant))
        elif (expansion := EXPANSIONS.get(op.name, op.expand)) is not None and not op.effects:
            body = trace(partial(expansion, **graph.call_attrs(node)), *map(_placeholder, types))
            results = self._inline(body, ins)
        else:
            line = f" ({graph.loc(node)[0]})" if graph.loc(node) else ""
            if op.effects:
                raise ModelError(f"to_onnx: '{op}' has an effect{line}, which ONNX cannot express; export a function "
                                 "without it, such as the forward computation")  # fmt: skip
            raise ModelError(f"to_onnx: '{op}' has no ONNX form{line}; compute it outside and pass the result")
        listed = results if isinstance(results, tuple) else (results,)
        names.update((reference(node, r), name) for r, name in enumerate(listed))

    def _inline(self, body: Graph, ins: Sequence[str]) -> tuple[str, ...]:
        """Write the nodes of a body in place; returns the names of its results."""
        inner: dict[Ref, str] = dict(zip(body.inputs, ins, strict=True))
        self._graph(body, inner)
        return tuple(inner[ref] for ref in body.outs)

    # ---- bodies ------------------------------------------------------------------------------------

    def subgraph(
        self, title: str, inputs: Sequence[tuple[str, TensorType]], write: Callable[[], Sequence[str]]
    ) -> Proto:
        """A graph attribute: ``write`` adds its nodes and returns the names of its results."""
        outer, self._nodes = self._nodes, []
        try:
            results = [self.write("Identity", [name], {}, 1)[0] for name in write()]
            nodes = self._nodes
        finally:
            self._nodes = outer
        helper = onnx_library().helper
        outs = [helper.make_empty_tensor_value_info(name) for name in results]
        return helper.make_graph(nodes, title, [_value_info(*pair) for pair in inputs], outs)

    def branch(self, ins: Sequence[str], bodies: Sequence[Graph], attrs: Attrs) -> tuple[str, ...]:
        """``cond`` as If."""
        then, otherwise = (self.subgraph(n, [], partial(self._inline, b, ins[1:])) for n, b in zip(
            ("then", "else"), bodies, strict=True))  # fmt: skip
        return self.write("If", ins[:1], {"then_branch": then, "else_branch": otherwise}, len(bodies[0].outs))

    def loop(self, ins: Sequence[str], bodies: Sequence[Graph], attrs: Attrs) -> tuple[str, ...]:
        """``while_loop`` as Loop: its condition is computed before the loop, and at the end of the body."""
        test, body = bodies
        count = attrs["carries"]
        types = [body.type(node) for node in body.inputs[:count]]
        inputs = [(self.unique(), type) for type in (_scalar("int64"), _scalar("bool"), *types)]
        state = [name for name, _ in inputs[2:]]

        def write() -> list[str]:
            new = self._inline(body, [*state, *ins[count:]])
            return [*self._inline(test, [*new, *ins[count:]]), *new]

        first = self._inline(test, ins)[0]
        graph = self.subgraph("body", inputs, write)
        return self.write("Loop", ["", first, *ins[:count]], {"body": graph}, count)

    def scan(self, ins: Sequence[str], bodies: Sequence[Graph], attrs: Attrs) -> tuple[str, ...]:
        """``scan`` as Scan, or as Loop if it has no rows to read."""
        body, count, rows = bodies[0], attrs["carries"], attrs["rows"]
        inputs = [(self.unique(), body.type(node)) for node in body.inputs[: count + rows]]
        names = [name for name, _ in inputs]
        write = partial(self._inline, body, [*names, *ins[count + rows :]])
        if not rows:
            flags = [(self.unique(), _scalar("int64")), (self.unique(), _scalar("bool"))]
            graph = self.subgraph("body", [*flags, *inputs], lambda: [flags[1][0], *write()])
            limit, true = self.constant(np.array(attrs["length"])), self.constant(np.array(True))
            return self.write("Loop", [limit, true, *ins[:count]], {"body": graph}, len(body.outs))
        graph = self.subgraph("body", inputs, write)
        backward = [int(attrs.get("reverse", False))]
        directions = {"scan_input_directions": backward * rows}
        if len(body.outs) > count:
            directions["scan_output_directions"] = backward * (len(body.outs) - count)
        return self.write("Scan", ins[: count + rows], {"body": graph, "num_scan_inputs": rows, **directions},
                          len(body.outs))  # fmt: skip


BODIES: Mapping[str, Callable[..., tuple[str, ...]]] = {
    "cond": GraphWriter.branch, "while_loop": GraphWriter.loop, "scan": GraphWriter.scan,
}  # fmt: skip


def _tensor(array: object, name: str = "") -> Proto:
    """The ``TensorProto`` of an array."""
    value = np.asarray(array)
    if value.dtype.name not in CODES:
        raise ModelError(f"to_onnx: tensors of {value.dtype.name} are not supported; cast them first")
    return onnx_library().numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)


def _scalar(name: str) -> TensorType:
    return TensorType((), wrap(np.zeros((), name)).dtype)


def _placeholder(type: TensorType) -> Proto:
    """A tensor of a type, for tracing; it shares one element."""
    return wrap(np.broadcast_to(np.zeros((), type.dtype.numpy), type.shape))


def _value_info(name: str, type: TensorType) -> Proto:
    if type.dtype.name not in CODES:
        raise ModelError(f"to_onnx: tensors of {type.dtype.name} are not supported; cast them first")
    return onnx_library().helper.make_tensor_value_info(name, CODES[type.dtype.name], type.shape)
