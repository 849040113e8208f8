"""Weights of imported models, Parameters and constants around arrays of a file without copies; the sizes allowed."""

from __future__ import annotations

import os

import numpy as np

from minigraph.core.errors import ModelError
from minigraph.core.tensor import Parameter, Tensor, wrap
from minigraph.core.tensor.conversion import check_dtype
from minigraph.core.tensor.tensor import set_array

MAX_TABLE_ELEMENTS = 1 << 26  # elements of a table of positions or weights that an operator computes while it is traced
MAX_ELEMENTS = 1 << 33  # of a tensor; more is a damaged file
# More than a third of the machine's memory for one computed tensor: the next one that is twice as large would not fit
# any more, and the system would kill the process.
MAX_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 3 if hasattr(os, "sysconf") else 1 << 33


def is_too_large(value: Tensor) -> bool:
    """Whether a result cannot be meant: more elements than any tensor has, or more memory than the machine.

    >>> is_too_large(Tensor([1.0, 2.0]))
    False
    """
    if value.is_traced or value.type.size > MAX_ELEMENTS:
        return value.type.size > MAX_ELEMENTS
    low, high = np.lib.array_utils.byte_bounds(value.array)  # a view may repeat elements
    return high - low > MAX_BYTES


def check_count(count: int) -> int:
    """The number of elements of a constant; raises ``ModelError`` if there are unreasonably many."""
    if count > MAX_TABLE_ELEMENTS:
        raise ModelError(f"{count:,} elements are too many; check the operands and attributes of the node")
    return count


def parameter(array: np.ndarray, name: str, requires_grad: bool = True) -> Parameter:
    """A Parameter whose value is this array itself, mapped or not; of a read-only buffer, a copy.

    Raises ``TypeError`` for an unsupported dtype.

    >>> weight = np.ones(3, np.float32)
    >>> np.shares_memory(parameter(weight, "w").asnumpy(), weight)
    True
    """
    value = Parameter(np.zeros(0, check_dtype(array).dtype), name or "unnamed", requires_grad)
    set_array(value, _as_writeable(array))
    return value


def _as_writeable(array: np.ndarray) -> np.ndarray:
    """The array itself if its memory may be written to, else a copy."""
    view = array.view()
    try:
        view.flags.writeable = True
    except ValueError:
        return array.copy()
    return view


def constant(array: np.ndarray | np.generic | bool | int | float) -> Tensor:
    """A constant Tensor: its value is known during tracing; raises ``TypeError`` for an unsupported dtype.

    >>> constant(np.array([2, 3])).tolist()
    [2, 3]
    """
    value = np.asarray(array).view()
    value.flags.writeable = False
    return wrap(check_dtype(value))
