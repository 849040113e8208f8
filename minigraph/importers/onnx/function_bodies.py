"""Operators that ONNX defines as functions of other operators: their bodies, and the attributes of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minigraph.core.aliases import CallResult
from minigraph.importers.model import Model
from minigraph.importers.network import run_model
from minigraph.importers.onnx.library import Proto, onnx_library
from minigraph.importers.onnx.tensors import CODES

Bindings = Mapping[str, Any]  # attributes of a function call: AttributeProto by name


class ContextFunction:
    """An operator whose definition by other operators depends on the types of its operands."""

    def __init__(self, read: Callable[[Any, Bindings], Model], node: Proto, schema: Proto) -> None:
        self.read, self.node, self.schema = read, node, schema
        self._bodies = dict[tuple[Any, ...], Model]()

    def __call__(self, *args: Any) -> CallResult:
        """The results for these operands."""
        types = tuple(None if arg is None else (arg.dtype.name, tuple(arg.shape)) for arg in args)
        if types not in self._bodies:
            self._bodies[types] = self._body(types)
        body = self._bodies[types]
        return run_model(body, list(with_missing_operands(args, body.inputs)), {}, None)

    def _body(self, types: tuple[Any, ...]) -> Model:
        library = onnx_library()
        protos = [
            library.TypeProto() if item is None else library.helper.make_tensor_type_proto(CODES[item[0]], item[1])
            for item in types
        ]
        texts = [proto.SerializeToString() for proto in protos]
        function = library.FunctionProto()
        function.ParseFromString(self.schema.get_context_dependent_function(self.node.SerializeToString(), texts))
        return self.read(function, bindings_of(self.node, self.schema))


def with_bindings(node: Proto, bindings: Bindings) -> Proto:
    """The node with attributes of the enclosing function's call in place of references to them."""
    if not any(item.ref_attr_name for item in node.attribute):
        return node
    bound = type(node)()
    bound.CopyFrom(node)
    del bound.attribute[:]
    for item in node.attribute:
        source = bindings.get(item.ref_attr_name) if item.ref_attr_name else item
        if source is not None:  # else the caller leaves the attribute out
            bound.attribute.add().CopyFrom(source)
            bound.attribute[-1].name = item.name
    return bound


def bindings_of(node: Proto, schema: Proto) -> Bindings:
    """The attributes of a node, with the schema's defaults for those that are left out."""
    defaults = {name: item.default_value for name, item in schema.attributes.items() if item.default_value.name}
    return {**defaults, **{item.name: item for item in node.attribute}}


def with_missing_operands(args: tuple[Any, ...], inputs: Any) -> tuple[Any, ...]:
    """Arguments with ``None`` for optional ones that are left out."""
    return (*args, *[None] * (len(inputs) - len(args)))
