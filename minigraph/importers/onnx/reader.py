"""Reads ONNX files into models; nothing runs, and every name is data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from minigraph.core.aliases import Attrs, Function
from minigraph.core.errors import MinigraphError, ModelError
from minigraph.core.scope_guard import raise_external_error
from minigraph.core.tensor import Parameter, Tensor
from minigraph.importers.model import Dims, Input, Model, Ref, Step, all_models, printable
from minigraph.importers.network import MAX_FOLDED_ELEMENTS, PYTHON_ERRORS
from minigraph.importers.onnx.attributes import READERS, check_attributes, type_name
from minigraph.importers.onnx.embedded_weights import Weights
from minigraph.importers.onnx.function_bodies import (
    Bindings,
    ContextDependentFunction,
    bindings_of,
    with_bindings,
    with_missing_operands,
)
from minigraph.importers.onnx.library import Proto, onnx_library, schema_of
from minigraph.importers.onnx.table import TABLE
from minigraph.importers.onnx.tensors import UNTRAINED, array_of, dtype_of_code
from minigraph.importers.operator_table import KnownValue, used_as
from minigraph.importers.weights import constant, parameter

OLDEST_OPSET = 1  # tested from 7 on; attributes that older operators had are refused by name
MAX_STEPS = 500_000  # after functions are expanded
NAME_SCOPES = "pkg.torch.onnx.name_scopes"  # torch's list of the modules that a node belongs to


def read_model(data: bytes, title: str, folder: Path | None = None, weights: Weights | None = None) -> Model:
    """The model in the bytes of an ONNX file; ``folder`` is where its external data lies.

    ``weights``: initializers outside of it. Raises ``ModelError`` for damage, ``UnknownNameError`` for an operator.
    """
    library = onnx_library()
    try:
        proto = library.load_model_from_string(data)
    except Exception as error:  # protobuf's own error class depends on its version
        raise_external_error(error)
        raise ModelError(one_line(f"{title}: not an ONNX model, or damaged: {error}")) from None
    if not proto.HasField("graph") or not proto.opset_import:
        raise ModelError(f"{title}: not an ONNX model: it has no graph or no opset; export it again")
    try:
        return FileReader(proto, title, folder, weights or {}).read()
    except RecursionError:
        raise ModelError(f"{title}: functions or bodies in bodies are nested too deeply; export it without") from None
    except PYTHON_ERRORS as error:
        if isinstance(error, MinigraphError):
            raise
        raise ModelError(one_line(f"{title}: damaged: {type(error).__name__}: {error}")) from None


def read_function(function: Proto, attributes: Bindings, file: str, opsets: Mapping[str, int], title: str) -> Model:
    """The body of one of ONNX's own functions, for one call with these attributes, in a file of these opsets."""
    library = onnx_library()
    imports = [library.helper.make_opsetid(*opset) for opset in opsets.items()]
    return FileReader(library.ModelProto(opset_import=imports), file, None, {}).function(function, attributes, title)


class FileReader:
    """Reads the graphs and functions of one file."""

    def __init__(self, proto: Proto, title: str, folder: Path | None, weights: Weights) -> None:
        self.proto, self.title, self.folder = proto, title, folder
        self._check_format(proto.ir_version)
        self.opsets = self._opsets(proto.opset_import)
        self.functions = {(_domain(f.domain), f.name, f.overload): f for f in proto.functions}
        self._running: list[tuple[str, str, str]] = []  # the functions that are being expanded
        self._weights, self._main = weights, proto.graph
        self._bodies = dict[tuple[Any, ...], Model]()  # of functions, by the attributes of their calls
        self._initializers = dict[int, dict[str, bool]]()  # by model: the names, and whether they are trained
        self._sizes = dict[int, int]()  # by model: its nodes, and the nodes of the functions that it calls

    def read(self) -> Model:
        """The model of the main graph; initializers that are weights are Parameters, tensors of nodes are constants."""
        model = self.graph(self._main, self.opsets, {}, is_body=False)
        known, untrained = used_as(model)
        for part in all_models(model):
            part.constants = dict(part.constants) | {
                name: self._weight(name, part.constants[name], is_trained and name not in untrained)
                for name, is_trained in self._initializers.get(id(part), {}).items() if name not in known
            }  # fmt: skip
        return model

    def _weight(self, name: str, value: Tensor, trainable: bool) -> Tensor:
        """A Parameter for a weight, the constant itself for anything else."""
        small = value.size <= MAX_FOLDED_ELEMENTS and not value.dtype.is_float
        if isinstance(value, Parameter) or not value.shape or small:
            return value
        return parameter(value.array, name, value.dtype.is_float and trainable)

    def _check_format(self, version: int) -> None:
        newest = onnx_library().IR_VERSION
        if version > newest:
            raise ModelError(
                f"{self.title}: the format (IR version) {version} is not supported; use up to {newest}, "
                "or install a newer onnx"
            )

    def _opsets(self, imports: Iterable[Proto]) -> dict[str, int]:
        opsets = {_domain(item.domain): item.version for item in imports}
        version, newest = opsets.get("", OLDEST_OPSET), onnx_library().defs.onnx_opset_version()
        if not OLDEST_OPSET <= version <= newest:
            text = f"{self.title}: opset {version} is not supported; use {OLDEST_OPSET} to {newest}"
            raise ModelError(f"{text}, or install a newer onnx" if version > newest else text)
        return opsets

    # ---- graphs ------------------------------------------------------------------------------------

    def graph(self, graph: Proto, opsets: dict[str, int], bindings: Bindings, is_body: bool) -> Model:
        """The model of a graph: the main graph, a branch, or the body of a loop."""
        if len(graph.sparse_initializer):
            raise ModelError(f"{self.title}: sparse initializers are not supported; export them as dense tensors")
        constants = dict[str, Tensor]()
        for position, tensor in enumerate(graph.initializer):
            if not tensor.name or tensor.name in constants:
                problem = f"'{printable(tensor.name)}' is defined twice" if tensor.name else "one has no name"
                raise ModelError(f"{self.title}: of the initializers, {problem}; rename it")
            constants[tensor.name] = self.tensor(tensor, self._weights.get(position) if graph is self._main else None)
        inputs = [self._input(item, is_body) for item in graph.input if item.name not in constants]
        title = f"{self.title}: {printable(graph.name or 'body')}" if is_body else self.title
        outputs = [item.name for item in graph.output]
        if not outputs and not is_body:
            raise ModelError(f"{title}: the graph has no outputs; export it again")
        model = Model(title, inputs, constants, self.steps(graph.node, opsets, bindings, constants), outputs, is_body)
        self._initializers[id(model)] = {t.name: t.doc_string != UNTRAINED for t in graph.initializer}
        return model

    def tensor(self, proto: Proto, raw: memoryview | None = None) -> Tensor:
        """The constant for a tensor of the file; raises ``ModelError`` if it is damaged."""
        try:
            array = array_of(proto, self.folder, raw)
            swapped = not array.dtype.isnative
            return constant(array.astype(array.dtype.newbyteorder("=")) if swapped else array)
        except ModelError as error:
            raise ModelError(f"{self.title}: {error}") from None
        except (ValueError, TypeError) as error:
            raise ModelError(f"{self.title}: tensor '{printable(proto.name)}' is damaged: {str(error)[:80]}") from None

    def _input(self, item: Proto, is_body: bool) -> Input:
        kind = item.type.WhichOneof("value")
        if kind is None or is_body:
            return Input(item.name)
        if kind != "tensor_type":
            text = f"{self.title}: the input '{printable(item.name)}' is a {kind.removesuffix('_type')}"
            raise ModelError(f"{text}, which is not supported; pass tensors")
        spec = item.type.tensor_type
        dtype = dtype_of_code(spec.elem_type, f"{self.title}: the input '{printable(item.name)}'")
        return Input(item.name, dtype, self._dims(item.name, spec.shape.dim) if spec.HasField("shape") else None)

    def _dims(self, name: str, dims: Iterable[Proto]) -> Dims:
        sizes = [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in dims]
        return tuple(None if isinstance(size, int) and size < 0 else size for size in sizes)  # -1: some exporters

    # ---- nodes -------------------------------------------------------------------------------------

    def steps(
        self, nodes: Iterable[Proto], opsets: dict[str, int], bindings: Bindings, constants: dict[str, Tensor]
    ) -> list[Step]:
        """The steps of nodes; tensors of Constant nodes are added to ``constants``."""
        steps = []
        for node in nodes:
            step = self._step(node, opsets, bindings)
            if step.kind == "Constant" and step.outputs and step.outputs[0] not in constants:
                constants[step.outputs[0]] = step.function(**step.attrs)
            else:
                steps.append(step)
        return steps

    def _step(self, node: Proto, opsets: dict[str, int], bindings: Bindings) -> Step:
        domain, node = _domain(node.domain), with_bindings(node, bindings)
        label = node.name or next(iter(node.output), "")
        title = f"{self.title}: {printable(node.op_type)} node '{printable(label)}'"
        if any(isinstance(name, bytes) for name in (node.op_type, node.name, *node.input, *node.output)):
            raise ModelError(f"{title}: a name is not valid UTF-8; export it again")
        args = tuple(Ref(name) if name else None for name in node.input)
        attrs = self._attributes(node, title, opsets, bindings)
        function = self.functions.get((domain, node.op_type, node.overload))
        if function is not None:
            body = self.function(function, {item.name: item for item in node.attribute}, title)
            args = with_missing_operands(args, body.inputs)
            return _step_of(node, lambda *args, body: body(*args), {"body": body}, args)
        version = opsets.get(domain)
        if version is None:
            raise ModelError(f"{title}: the file names no version of the domain '{printable(domain)}'; export it again")
        key = f"{domain}:{node.op_type}" if domain else node.op_type
        check_attributes(node, version, title)
        converter = TABLE.find(key, version)
        if converter is None:
            return _step_of(node, *self._from_schema(node, key, version, title), args)
        attrs |= {"outputs": len(node.output)} if converter.takes_outputs else {}
        converter.check(title, len(args), attrs)
        return _step_of(node, converter, attrs, args)

    def _attributes(self, node: Proto, title: str, opsets: dict[str, int], bindings: Bindings) -> dict[str, Any]:
        attrs = dict[str, Any]()
        for item in node.attribute:
            if item.name in attrs:
                raise ModelError(f"{title}: has the attribute '{printable(item.name)}' twice; remove one")
            attrs[item.name] = self._attribute(item, title, opsets, bindings)
        return attrs

    def _attribute(self, item: Proto, title: str, opsets: dict[str, int], bindings: Bindings) -> KnownValue:
        kind = type_name(item)
        if kind == "GRAPH":
            return self.graph(item.g, opsets, bindings, is_body=True)
        if kind == "TENSOR":
            return self.tensor(item.t)
        if kind not in READERS:
            text = f"{title}: the attribute '{printable(item.name)}' of type {kind.lower()} is not supported"
            raise ModelError(f"{text}; export it without")
        return READERS[kind](item)

    # ---- functions ---------------------------------------------------------------------------------

    def function(self, function: Proto, attributes: Bindings, title: str) -> Model:
        """The body of a function, with the attributes of one call."""
        key = (_domain(function.domain), function.name, function.overload)
        opsets = self.opsets | self._opsets(function.opset_import)
        if key in self._running:
            raise ModelError(f"{title}: the function calls itself; export it as a Loop")
        call = (*key, tuple(opsets.items()), *(item.SerializeToString() for item in attributes.values()))
        if call in self._bodies:
            return self._bodies[call]
        defaults = {item.name: item for item in function.attribute_proto}
        self._running.append(key)
        try:
            constants = dict[str, Tensor]()
            steps = self.steps(function.node, opsets, {**defaults, **attributes}, constants)
            size = len(steps) + sum(self._sizes.get(id(body), 0) for step in steps for body in step.bodies)
            if size > MAX_STEPS:
                raise ModelError(
                    f"{title}: its function expands to more than {MAX_STEPS:,} nodes; export a smaller one"
                )
            inputs = [Input(name) for name in function.input]
            defined = {*constants, *function.input, *(name for step in steps for name in step.outputs)}
            outputs = [name if name in defined else "" for name in function.output]  # optional operands may be missing
            body = Model(f"{self.title}: {printable(function.name)}", inputs, constants, steps, outputs)
            self._bodies[call], self._sizes[id(body)] = body, size
            return body
        finally:
            self._running.pop()

    def _from_schema(self, node: Proto, key: str, version: int, title: str) -> tuple[Function, dict[str, Any]]:
        """The function of an operator without a converter: the body of its definition by ONNX."""
        schema = schema_of(node.op_type, version, node.domain)
        if schema is not None and schema.has_context_dependent_function:
            read = partial(read_function, file=self.title, opsets=self.opsets, title=title)
            return ContextDependentFunction(read, node, version), {}
        if schema is None or not schema.has_function:
            TABLE.converter(key, version, title)
            raise ModelError(f"{title}: not supported at opset {version}; export it for another opset")
        versions = [number for number in schema.function_opset_versions if number <= version]
        function = onnx_library().FunctionProto()
        function.ParseFromString(schema.get_function_with_opset_version(max(versions)))
        body, inputs = self.function(function, bindings_of(node, schema), title), list(function.input)
        return lambda *args, body: body(*with_missing_operands(args, inputs)), {"body": body}


def _step_of(node: Proto, function: Function, attrs: Attrs, args: tuple[object, ...]) -> Step:
    return Step(node.op_type, node.name, function, args, attrs, tuple(node.output), scope_of(node))


def one_line(text: str) -> str:
    """The beginning of a message of another library, on one line."""
    return f"{text[:160]}; export it again".replace("\n", " ")


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def scope_of(node: Proto) -> str:
    """The path of the module that a node belongs to, from torch's metadata or the node's name; "" without one."""
    listed = next((item.value for item in node.metadata_props if item.key == NAME_SCOPES), None)
    if listed is not None:
        parts = re.findall(r"'([^']*)'", listed)[:-1]
    else:
        parts = node.name.strip("/").split("/")[:-1] if len(node.name) < 1000 else []
    last = [part.removeprefix(f"{before}.") for before, part in zip(["", *parts], parts, strict=False)]
    return "/".join(printable(part) for part in last if part)
