"""How MindSpore prints tensors: `Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00, ...])`."""

from __future__ import annotations

import numpy as np

from minigraph.types import DType


def tensor_repr(array: np.ndarray, dtype: DType) -> str:
    """The ``repr`` of a tensor."""
    return f"Tensor(shape={list(array.shape)}, dtype={dtype}, value= {np.array2string(array, separator=', ')})"
