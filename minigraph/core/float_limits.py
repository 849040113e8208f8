"""The limits of float dtypes, including those that numpy lacks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minigraph.core.types import is_emulated


@dataclass(frozen=True)
class FloatLimits:
    """The largest and the smallest normal number of a float dtype, and the distance from 1 to the next number."""

    max: float
    tiny: float
    eps: float


def float_limits(dtype: np.dtype) -> FloatLimits:
    """The limits of a float dtype of numpy's or ml_dtypes'.

    >>> from minigraph.core.types import bfloat16
    >>> float_limits(np.dtype("float16")).max, float_limits(bfloat16.numpy).eps
    (65504.0, 0.0078125)
    """
    if is_emulated(dtype):  # bfloat16: the exponents of float32, 8 bits of precision
        single = np.finfo(np.float32)
        return FloatLimits((2 - 2**-7) * 2.0**127, float(single.tiny), 2**-7)
    limits = np.finfo(dtype)
    return FloatLimits(float(limits.max), float(limits.tiny), float(limits.eps))
