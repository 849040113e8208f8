"""The package ``onnx``, an extra: imported at first use, and only here."""

from __future__ import annotations

from functools import cache, lru_cache
from types import ModuleType
from typing import Any, TypeAlias

from minigraph.core.errors import UnknownNameError, UsageError
from minigraph.core.lazy import resolve

Proto: TypeAlias = Any  # a message of ONNX's protocol buffers, or a schema: the package is an extra


@cache
def onnx_library() -> ModuleType:
    """The package ``onnx``; raises ``UsageError`` if it is not installed."""
    try:
        return resolve("onnx")
    except UnknownNameError:
        text = "ONNX models need the package 'onnx', which is not installed"
        raise UsageError(f"{text}; pip install 'minigraph[onnx]'") from None


@lru_cache(maxsize=1024)
def schema_of(name: str, version: int, domain: str) -> Proto:
    """The schema of an operator at a version of its domain, or ``None``."""
    defs = onnx_library().defs
    try:
        return defs.get_schema(name, version, domain)
    except defs.SchemaError:
        return None
