"""numpy calls whose result types follow from the types of their operands, for any values.

A graph has fixed shapes and dtypes. ``a[a > 1]``, ``np.unique(a)`` or ``np.zeros(k)`` have shapes that depend on
values, and no example tells them from other calls, so the calls that may become nodes are listed (a closed world).
Others run as Python.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.capture.structure import is_tensor
from minigraph.core.aliases import Function
from minigraph.core.pytree import flatten

# Only the first operand may be a value of the graph: others, such as axes, counts and shapes, decide on the shape.
OF_ONE_OPERAND = """
    sum prod mean std var min max amin amax ptp median nansum nanprod nanmean nanstd nanvar nanmin nanmax nanmedian
    argmin argmax nanargmin nanargmax all any count_nonzero cumsum cumprod nancumsum nancumprod diff gradient ediff1d
    round around fix sort argsort partition argpartition lexsort unwrap
    array asarray asanyarray ascontiguousarray asfortranarray copy astype view flatten tolist conj conjugate byteswap
    concatenate stack vstack hstack dstack column_stack row_stack block broadcast_arrays meshgrid
    reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims flip fliplr flipud rot90 tile repeat pad
    split array_split hsplit vsplit dsplit broadcast_to atleast_1d atleast_2d atleast_3d
    trace diag diagonal diagflat tril triu vander zeros_like ones_like empty_like
    real imag angle nan_to_num isreal iscomplex isneginf isposinf sinc i0
    inv det slogdet cholesky eigh eigvalsh svd svdvals qr norm matrix_norm vector_norm matrix_rank matrix_power cond
    multi_dot matrix_transpose permute_dims
    fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftshift ifftshift
"""
OF_TWO_OPERANDS = """
    dot matmul vdot inner outer kron cross tensordot take take_along_axis searchsorted digitize roll linspace
    percentile quantile nanpercentile nanquantile convolve correlate isin in1d polyval solve full_like append
    trapz trapezoid pinv vecdot
"""
OF_MANY_OPERANDS = "where clip choose select interp einsum isclose allclose array_equal array_equiv cov corrcoef item"
OF_UFUNC_METHODS = {"reduce": 1, "accumulate": 1, "outer": 2, "reduceat": 2}
UNLIMITED = 1 << 30
OPERANDS = {
    **dict.fromkeys(OF_ONE_OPERAND.split(), 1), **dict.fromkeys(OF_TWO_OPERANDS.split(), 2),
    **dict.fromkeys(OF_MANY_OPERANDS.split(), UNLIMITED), **OF_UFUNC_METHODS, "average": 1,
}  # fmt: skip
OPERAND_KEYWORDS = {"weights", "where", "initial", "x", "q", "a_min", "a_max", "min", "max", "fill_value", "left",
                    "right", "prepend", "append", "nan", "posinf", "neginf", "rtol", "atol"}  # fmt: skip
ARRAY_ATTRIBUTES = ("T", "mT", "real", "imag")  # that are arrays
TYPE_ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes")


def is_type_stable(fn: Function, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether the result types of a call of numpy or ``math`` follow from its operands' types.

    Tensors, and host values that contain them, are the operands that a graph computes.

    >>> from minigraph import Tensor
    >>> a = Tensor([1.0, 2.0])
    >>> is_type_stable(np.sum, "sum", (a,), {}), is_type_stable(np.unique, "unique", (a,), {})
    (True, False)
    """
    if fn is operator.getitem:
        return not any(map(_selects_by_value, args[1] if isinstance(args[1], tuple) else args[1:]))
    if isinstance(fn, operator.attrgetter):
        return name in ARRAY_ATTRIBUTES
    if kwargs.get("order") in ("K", "A"):  # the layout of memory is unknown
        return False
    if name == "where" and len(args) + len(kwargs) < 3:
        return False
    is_scalar = isinstance(fn, np.ufunc) or (isinstance(fn, type) and issubclass(fn, np.generic))
    count = UNLIMITED if is_scalar or getattr(math, name, None) is fn else OPERANDS.get(name, 0)
    others = (*args[count:], *(value for key, value in kwargs.items() if key not in OPERAND_KEYWORDS))
    return count > 0 and not any(map(_has_tensors, others))


def _has_tensors(item: object) -> bool:
    return bool(flatten(item, is_tensor)[0])


def _selects_by_value(item: Any) -> bool:
    """Whether an item of an index is a mask, or a slice with a bound, that the graph computes."""
    if isinstance(item, slice):
        return any(map(_has_tensors, (item.start, item.stop, item.step)))
    dtype = getattr(item, "dtype", None)
    return _has_tensors(item) and (dtype is None or np.dtype(getattr(dtype, "numpy", dtype)) == np.bool_)
