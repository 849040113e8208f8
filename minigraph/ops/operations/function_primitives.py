"""Primitives without attributes that are one function: those in the tables of the chapters of ``ops.functional``."""

from __future__ import annotations

from collections.abc import Callable

from minigraph.core import missing_names
from minigraph.ops import functional as F
from minigraph.ops.functional.forms import primitives_of
from minigraph.ops.primitive import FunctionPrimitive, primitive

PRIMITIVES: dict[str, type[FunctionPrimitive]] = {
    name: primitive(name, getattr(F, function)) for name, function in primitives_of(F).items()
}
globals().update(PRIMITIVES)

# For type checkers: a name that they do not find in the two packages is a primitive of the tables.
ops_getattr: Callable[[str], type[FunctionPrimitive]] = missing_names.ops_getattr
operations_getattr: Callable[[str], type[FunctionPrimitive]] = missing_names.operations_getattr

__all__ = [*PRIMITIVES]  # noqa: PLE0604 - strings
