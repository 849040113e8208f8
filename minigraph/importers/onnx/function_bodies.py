"""ONNX functions: operators that ONNX defines by a graph of other operators, the function body.

A call binds the attributes that the body refers to. The body of a context-dependent function depends on operand types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from minigraph.core.aliases import CallResult
from minigraph.core.tensor import Tensor
from minigraph.importers.model import Input, Model
from minigraph.importers.network import run_model
from minigraph.importers.onnx.library import Proto, onnx_library, schema_of
from minigraph.importers.onnx.tensors import CODES

T = TypeVar("T")
Bindings = Mapping[str, Proto]  # attributes of a function call: AttributeProto by name
OperandTypes = tuple[tuple[str, tuple[int, ...]] | None, ...]  # dtype and shape by operand; None if it is left out


class ContextDependentFunction:
    """An operator whose function body depends on the types of its operands; one body for each tuple of types.

    The node is kept as bytes: a message of the file would keep all of the file in memory, with its weights.
    """

    def __init__(self, read: Callable[[Proto, Bindings], Model], node: Proto, version: int) -> None:
        self.read, self.version = read, version
        self._node = node.SerializeToString()
        self._bodies = dict[OperandTypes, Model]()

    def __call__(self, *args: Tensor | None) -> CallResult:
        """The results for these operands; ``None`` is an optional operand that is left out."""
        types = tuple(None if arg is None else (arg.dtype.name, tuple(arg.shape)) for arg in args)
        if types not in self._bodies:
            self._bodies[types] = self._body(types)
        body = self._bodies[types]
        return run_model(body, list(with_missing_operands(args, body.inputs)), {}, None)

    def _body(self, types: OperandTypes) -> Model:
        library = onnx_library()
        protos = [
            library.TypeProto() if type is None else library.helper.make_tensor_type_proto(CODES[type[0]], type[1])
            for type in types
        ]
        serialized = [proto.SerializeToString() for proto in protos]
        node, function = library.NodeProto.FromString(self._node), library.FunctionProto()
        schema = schema_of(node.op_type, self.version, node.domain)
        function.ParseFromString(schema.get_context_dependent_function(self._node, serialized))
        return self.read(function, bindings_of(node, schema))


def with_bindings(node: Proto, bindings: Bindings) -> Proto:
    """The node of a function body, with the attributes of the call in place of references to them."""
    if not any(attribute.ref_attr_name for attribute in node.attribute):
        return node
    bound = type(node)()
    bound.CopyFrom(node)
    del bound.attribute[:]
    for attribute in node.attribute:
        source = bindings.get(attribute.ref_attr_name) if attribute.ref_attr_name else attribute
        if source is not None:  # else the caller leaves the attribute out
            bound.attribute.add().CopyFrom(source)
            bound.attribute[-1].name = attribute.name
    return bound


def bindings_of(node: Proto, schema: Proto) -> Bindings:
    """The attributes of a node, with the schema's defaults for those that are left out."""
    defaults = {name: entry.default_value for name, entry in schema.attributes.items() if entry.default_value.name}
    return {**defaults, **{attribute.name: attribute for attribute in node.attribute}}


def with_missing_operands(args: tuple[T, ...], inputs: Sequence[Input | str]) -> tuple[T | None, ...]:
    """The arguments, followed by ``None`` for each of the last ``inputs`` that the call leaves out."""
    return (*args, *[None] * (len(inputs) - len(args)))
