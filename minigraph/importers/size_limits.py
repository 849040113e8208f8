"""The sizes that tensors of imported models may have: a file that asks for more is damaged or hostile."""

from __future__ import annotations

import os

import numpy as np

from minigraph.core.errors import ModelError
from minigraph.core.tensor import Tensor

MAX_TABLE_ELEMENTS = 1 << 26  # elements of a table of positions or weights that an operator computes while it is traced
MAX_ELEMENTS = 1 << 33  # elements of a tensor
# Bytes of a computed tensor: a third of the machine's memory. A tensor twice as large as its operand, and the operand,
# still fit then; without a limit the system would kill the process.
MAX_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 3 if hasattr(os, "sysconf") else 1 << 33


def is_too_large(value: Tensor) -> bool:
    """Whether a tensor has too many elements or, unless it is traced, takes too much memory.

    >>> is_too_large(Tensor([1.0, 2.0]))
    False
    """
    if value.type.size > MAX_ELEMENTS:
        return True
    if value.is_traced:
        return False
    low, high = np.lib.array_utils.byte_bounds(value.array)  # not nbytes: a view may repeat elements
    return high - low > MAX_BYTES


def check_count(count: int) -> int:
    """The number of elements of a constant; raises ``ModelError`` if there are unreasonably many."""
    if count > MAX_TABLE_ELEMENTS:
        raise ModelError(f"{count:,} elements are too many; check the operands and attributes of the node")
    return count
