"""Identifiers, types and values in the syntax of MindSpore's ``.ir`` files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

import numpy as np

from minigraph.core.aliases import Attrs
from minigraph.core.tensor.printing import tensor_repr
from minigraph.core.types import DTYPE_BY_NUMPY, DType, TensorType
from minigraph.ir.structural_ops import Literal

MAX_PRINTED_ELEMENTS = 8  # larger constants are written without values
MAX_IDENTIFIER_CHARACTERS = 120  # characters of an identifier, or of a value of unknown type
_INVALID = re.compile(r"[^\w.#-]+")


def identifier(text: str) -> str:
    """A valid identifier, from any text.

    >>> identifier("fc.weight"), identifier("net: step<1>"), identifier("")
    ('fc.weight', 'net_step_1', '_')
    """
    return _INVALID.sub("_", text).strip("_")[:MAX_IDENTIFIER_CHARACTERS] or "_"


def one_line(text: str) -> str:
    """Any text as one line of printable characters.

    >>> one_line("a\\r\\n  b")
    'a b'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# ---- types -----------------------------------------------------------------------------------------


def type_text(type: TensorType) -> str:
    """The type of a tensor.

    >>> from minigraph.core.types import float32
    >>> type_text(TensorType((4, 2), float32)), type_text(TensorType((), float32))
    ('<Tensor[Float32], (4, 2)>', '<Tensor[Float32], ()>')
    """
    return f"<Tensor[{type.dtype}], {_sizes(type)}>"


def types_text(types: Sequence[TensorType]) -> str:
    """The type of all results of a node: a tensor, a tuple, or None.

    >>> from minigraph.core.types import float32, int64
    >>> types_text([TensorType((4, 2), float32), TensorType((4,), int64)])
    '<Tuple[Tensor[Float32],Tensor[Int64]], TupleShape((4, 2), (4))>'
    """
    if len(types) == 1:
        return type_text(types[0])
    kinds = [f"Tensor[{type.dtype}]" for type in types]
    elements = f"{kinds[0]}*{len(kinds)}" if len(set(kinds)) == 1 else ",".join(kinds)
    return f"<Tuple[{elements}], TupleShape({', '.join(map(_sizes, types))})>" if types else "<None, NoShape>"


def parameter_type(type: TensorType, key: str, assigned: bool) -> str:
    """The type of a Parameter; ``assigned``: the graph assigns it a new value.

    >>> from minigraph.core.types import float32
    >>> parameter_type(TensorType((2,), float32), "fc.bias", True)
    '<Ref[Tensor[Float32]], (2), ref_key=fc.bias, is_parameter, is_inplace>'
    """
    inplace = ", is_inplace" if assigned else ""
    return f"<Ref[Tensor[{type.dtype}]], {_sizes(type)}, ref_key={identifier(key)}, is_parameter{inplace}>"


def _sizes(type: TensorType) -> str:
    return f"({', '.join(map(str, type.shape))})"


# ---- values ----------------------------------------------------------------------------------------


def tensor_text(array: np.ndarray) -> str:
    """A constant, with its values if there are few.

    >>> tensor_text(np.array([10.0], np.float32))
    'Tensor(shape=[1], dtype=Float32, value=[ 1.00000000e+01])'
    >>> tensor_text(np.zeros((64, 10), np.float32))
    'Tensor(shape=[64, 10], dtype=Float32, value=...)'
    """
    if array.size > MAX_PRINTED_ELEMENTS:
        return f"Tensor(shape={list(array.shape)}, dtype={DTYPE_BY_NUMPY[array.dtype]}, value=...)"
    return one_line(tensor_repr(array, DTYPE_BY_NUMPY[array.dtype])).replace("value= ", "value=")


def value_text(value: object) -> str:
    """An attribute's value.

    >>> value_text((1, True, None)), value_text(0.5), value_text("mean")
    ('(I64(1), Bool(1), None)', 'F64(0.5)', '"mean"')
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, value))})"
    if isinstance(value, Literal):
        return tensor_text(value.array)
    if isinstance(value, bool):
        return f"Bool({int(value)})"
    if isinstance(value, int):
        return f"I64({value})"
    if isinstance(value, float):
        return f"F64({value!r})"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else json.dumps(value)
    return str(value) if isinstance(value, DType) else one_line(repr(value))[:MAX_IDENTIFIER_CHARACTERS]


def attrs_text(attrs: Attrs, effects: Iterable[str] = ()) -> str:
    """`` primitive_attrs: {…}`` with a leading space, or "" if there are none.

    >>> attrs_text({"axis": (0,), "keepdims": False})
    ' primitive_attrs: {axis: (I64(0)), keepdims: Bool(0)}'
    """
    texts = [f"{identifier(name)}: {value_text(value)}" for name, value in attrs.items()]
    texts += [f"{effect}: Bool(1)" for effect in effects]
    return f" primitive_attrs: {{{', '.join(texts)}}}" if texts else ""
