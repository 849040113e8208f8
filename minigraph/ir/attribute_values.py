"""Attribute values as text, which ``minigraph.ir.scanner`` parses.

========================  =======================================
``3``, ``-1.5``, ``nan``  int, float (``float(0x..)`` for a NaN with other bits)
``true false none``       bool, None
``"a\\n"``                 str, escaped as JSON
``(1, (2, 3))``, ``(1,)``  tuple
``slice(0, none, 2)``     slice; also ``complex(1.0, 2.0)`` and ``ellipsis``
``Slice(0, none, 2)``     the named tuples of ``RECORDS``
``f32``, ``f32[2,3]``     DType, TensorType
``f32[2]<1.0, -0.0>``     Literal; a scalar numpy value is ``f32<1.0>``
``f32[100]@0``            Literal number 0 of the ``literals:`` section
========================  =======================================
"""

from __future__ import annotations

import base64
import json
import math
import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigraph.core.aliases import Attrs
from minigraph.core.tensor.operator_methods import Operand, Slice
from minigraph.core.types import DType, TensorType, dtype_of, widen
from minigraph.ir.structural_ops import Literal

MAX_INLINE_ELEMENTS = 8  # larger literals go to the trailing section
RECORDS = {kind.__name__: kind for kind in (Slice, Operand)}  # the named tuples of an index
IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*")


# ---- writing ---------------------------------------------------------------------------------------


class ValueWriter:
    """Writes values as text; collects the literals that are too long for a line, each once.

    ``literals=False`` omits the elements of those, for display.
    """

    def __init__(self, literals: bool = True) -> None:
        self.literals = literals
        self.long: dict[Literal, int] = {}

    def attrs(self, attrs: Attrs) -> str:
        """``{axis=0, keepdims=false}``; the empty string without attributes."""
        if not attrs:
            return ""
        return " {" + ", ".join(f"{name_text(name)}={self.value(value)}" for name, value in attrs.items()) + "}"

    def value(self, value: object) -> str:
        """One value; an object without a text form becomes ``opaque(...)``, which ``parse`` rejects."""
        write = _WRITERS.get(value.__class__)
        if write is not None:
            return write(value)
        if isinstance(value, tuple):
            inner = ", ".join(map(self.value, value))
            if value.__class__ in RECORDS.values():
                return f"{value.__class__.__name__}({inner})"
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, slice):
            return f"slice({self.value(value.start)}, {self.value(value.stop)}, {self.value(value.step)})"
        if isinstance(value, Literal):
            return self.literal(value)
        if isinstance(value, np.generic):
            return f"{dtype_of(value).short}<{', '.join(_elements(np.asarray(value)))}>"
        return f"opaque({json.dumps(repr(value))})"

    def literal(self, literal: Literal) -> str:
        """A constant array: its elements, or its number in the trailing section."""
        if literal.type.size <= MAX_INLINE_ELEMENTS:
            return f"{literal.type}<{', '.join(_elements(literal.array))}>"
        return (
            f"{literal.type}@{self.long.setdefault(literal, len(self.long))}"
            if self.literals
            else f"{literal.type}<...>"
        )

    def trailer(self) -> Iterator[str]:
        """The lines of the trailing section."""
        if self.long:
            yield "literals:"
        for literal, number in self.long.items():
            packed = base64.b64encode(zlib.compress(literal.array.tobytes())).decode()
            yield f"  @{number} = {literal.type} {packed}"


def name_text(name: str) -> str:
    """A name, quoted unless it is a plain identifier."""
    return name if IDENTIFIER.fullmatch(name) else json.dumps(name)


def _float_text(value: float) -> str:
    bits = struct.pack(">d", value)
    reparsed = math.nan if math.isnan(value) else value
    return repr(value) if bits == struct.pack(">d", reparsed) else f"float(0x{bits.hex()})"


_WRITERS: dict[type, Callable[[Any], str]] = {
    int: repr, float: _float_text, str: json.dumps, bool: lambda value: "true" if value else "false",
    type(None): lambda value: "none", type(Ellipsis): lambda value: "ellipsis", DType: lambda value: value.short,
    TensorType: str, complex: lambda value: f"complex({_float_text(value.real)}, {_float_text(value.imag)})",
}  # fmt: skip


def _elements(array: np.ndarray) -> list[str]:
    """The elements in C order, each as the shortest text with the same bits; complex ones as two numbers."""
    flat = array.reshape(-1)
    return [_element(item) for item in (flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat)]


def _element(item: np.generic) -> str:
    text = str(widen(np.asarray(item))[()]).lower()
    return text if _same_bits(item, text) else f"0x{item.tobytes()[::-1].hex()}"


def _same_bits(item: np.generic, text: str) -> bool:
    return array_of(item.dtype, [text]).tobytes() == item.tobytes()


def array_of(dtype: np.dtype, texts: list[str]) -> np.ndarray:
    """The elements of a real array from their texts; raises ``ValueError`` or ``OverflowError``."""
    out = np.empty(len(texts), dtype)
    for position, text in enumerate(texts):
        if text.startswith("0x"):
            bits = int(text, 16).to_bytes(dtype.itemsize, sys.byteorder)
            out[position : position + 1] = np.frombuffer(bits, dtype)
        else:
            out[position] = _PARSERS[dtype.kind](text)
    return out


_PARSERS: dict[str, Callable[[str], Any]] = {"b": ("false", "true").index, "i": int, "u": int, "f": float, "V": float}
