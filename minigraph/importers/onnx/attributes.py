"""Attributes of ONNX nodes: their types, and how those without tensors and graphs are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.core.errors import ModelError, did_you_mean
from minigraph.importers.model import printable
from minigraph.importers.onnx.library import Proto, onnx_library, schema_of

READERS: dict[str, Callable[[Any], Any]] = {
    "FLOAT": lambda item: item.f,
    "INT": lambda item: item.i,
    "STRING": lambda item: item.s.decode("utf-8", "replace"),
    "FLOATS": lambda item: tuple(item.floats),
    "INTS": lambda item: tuple(item.ints),
    "STRINGS": lambda item: tuple(text.decode("utf-8", "replace") for text in item.strings),
}


def check_attributes(node: Proto, version: int, title: str) -> None:
    """Raise ``ModelError`` for an attribute that the operator's schema does not declare, or as another type."""
    schema = schema_of(node.op_type, version, node.domain)
    for item in node.attribute if schema is not None else ():
        if item.name not in schema.attributes:
            hint = did_you_mean(item.name[:80], schema.attributes)
            raise ModelError(f"{title}: there is no attribute '{printable(item.name)}'{hint}")
        declared, actual = schema.attributes[item.name].type.name, type_name(item)
        if declared != actual:
            text = f"{title}: the attribute '{printable(item.name)}' is {actual.lower()}, not {declared.lower()}"
            raise ModelError(f"{text}; export it again")


def type_name(item: Proto) -> str:
    """The name of an attribute's type; raises ``ModelError`` for an unknown one."""
    try:
        return str(onnx_library().AttributeProto.AttributeType.Name(item.type))
    except ValueError:
        raise ModelError(f"the attribute '{printable(item.name)}' has the unknown type {item.type}") from None
