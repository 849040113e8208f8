"""Weights of imported models: Parameters and constants around arrays of a file, without copying them."""

from __future__ import annotations

import numpy as np

from minigraph.core.tensor import Parameter, Tensor, wrap
from minigraph.core.tensor.conversion import check_dtype
from minigraph.core.tensor.tensor import set_array


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
