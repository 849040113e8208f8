"""The text of tensors, as MindSpore prints them.

Rank 0 prints as ``%g``; floats of higher rank as ``%.8e`` (float16 ``%.4e``) in columns, integers aligned to
the widest. From rank 2 on, each row starts on a new line and axes longer than 6 are cut to 3 elements at each end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.types import DType, is_emulated, widen

EDGE_ELEMENTS = 3  # shown at each end of an axis that is cut
MAX_VECTOR_ELEMENTS = 1000  # a tensor of rank 1 is cut only above this size
ELEMENTS_PER_LINE = {"b": 12, "f": 12}  # by dtype kind; 24 for other kinds


def tensor_repr(array: np.ndarray, dtype: DType) -> str:
    """The ``repr`` of a tensor.

    >>> from minigraph.core.types import float32, int64
    >>> tensor_repr(np.array([0.5, -1], np.float32), float32)
    'Tensor(shape=[2], dtype=Float32, value= [ 5.00000000e-01, -1.00000000e+00])'
    >>> print(tensor_repr(np.arange(16).reshape(2, 8), int64))
    Tensor(shape=[2, 8], dtype=Int64, value=
    [[ 0,  1,  2 ...  5,  6,  7],
     [ 8,  9, 10 ... 13, 14, 15]])
    """
    separator = " " if array.ndim < 2 else "\n"
    return f"Tensor(shape={list(array.shape)}, dtype={dtype}, value={separator}{_value_text(array)})"


def tensor_str(array: np.ndarray) -> str:
    """The ``str`` of a tensor: numpy's text, and for bfloat16 numbers with six decimals.

    >>> from minigraph.core.types import bfloat16
    >>> tensor_str(np.array([0.1, 2], bfloat16.numpy))
    '[0.100098 2.000000]'
    """
    if not is_emulated(array.dtype):
        return str(array)
    return np.array2string(widen(array), formatter={"float_kind": "{:.6f}".format})


def _value_text(array: np.ndarray) -> str:
    if array.ndim == 0:
        return _element_text(array[()])
    if array.size == 0:
        return ""
    limit = MAX_VECTOR_ELEMENTS if array.ndim == 1 else 2 * EDGE_ELEMENTS
    return _rows(_printed_elements(array, limit), limit, array.shape, _formatter(_printed_elements(array, limit)), 1)


def _printed_elements(array: np.ndarray, limit: int) -> np.ndarray:
    """The printed elements: each axis longer than ``limit`` without its middle."""
    for axis, size in enumerate(array.shape):
        if size > limit:
            array = array.take([*range(EDGE_ELEMENTS), *range(size - EDGE_ELEMENTS, size)], axis)
    return array


def _rows(elements: np.ndarray, limit: int, shape: tuple[int, ...], text: Callable[[object], str], depth: int) -> str:
    """One axis in brackets, its middle replaced by ``...`` if it is cut; recursion is over axes only."""
    is_cut = shape[0] > limit
    if elements.ndim == 1:
        items = [text(item) for item in elements]
        if is_cut:
            return f"[{', '.join(items[:EDGE_ELEMENTS])} ... {', '.join(items[EDGE_ELEMENTS:])}]"
        return f"[{_lines(items, ELEMENTS_PER_LINE.get(elements.dtype.kind, 24))}]"
    newline = "\n" + " " * depth
    blocks = [_rows(block, limit, shape[1:], text, depth + 1) for block in elements]
    if not is_cut:
        return f"[{f',{newline}'.join(blocks)}]"
    first, last = (f",{newline}".join(half) for half in (blocks[:EDGE_ELEMENTS], blocks[EDGE_ELEMENTS:]))
    return f"[{first},{newline}...{newline}{last}]"


def _lines(items: list[str], length: int) -> str:
    """Elements in lines of equal length; a full last line ends with a line break, too.

    >>> _lines(["1", "2", "3", "4"], 2)
    '1, 2, \\n 3, 4\\n '
    """
    rows = [", ".join(items[start : start + length]) for start in range(0, len(items), length)]
    return ", \n ".join(rows) + ("\n " if len(items) % length == 0 else "")


def _formatter(elements: np.ndarray) -> Callable[[object], str]:
    """The function that formats one element for its column."""
    if elements.dtype.kind == "f":
        digits, width = (4, 11) if elements.dtype == np.float16 else (8, 15)
        return lambda item: f"{item:.{digits}e}".rjust(width)
    width = 5 if elements.dtype.kind == "b" else max(len(_element_text(item)) for item in elements.flat)
    return lambda item: _element_text(item).rjust(width)


def _element_text(item: Any) -> str:
    """One element without padding.

    >>> _element_text(np.float32(1.8928355)), _element_text(np.complex64(2 + 3j)), _element_text(np.bool_(True))
    ('1.89284', '2+3j', 'True')
    """
    if item.dtype.kind == "c":
        return f"{item.real:g}{item.imag:+g}j"
    return f"{float(item):g}" if item.dtype.kind in "fV" else str(item)
