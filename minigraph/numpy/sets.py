"""Set routines, and equality of whole arrays."""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.core.aliases import ArrayLike, CallResult, Function
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.numpy.conversion import as_tensor
from minigraph.numpy.dtypes import result_type
from minigraph.numpy.elementwise import logical_not

__all__ = ["array_equal", "array_equiv", "in1d", "intersect1d", "isin", "setdiff1d", "unique"]


def _call_numpy(fn: Function, *tensors: ArrayLike, **options: bool) -> CallResult:
    """Calls a set function of numpy, because the size of the result depends on values; indices are Int32."""
    result = fn(*(as_tensor(array).asnumpy() for array in tensors), **options)
    if not isinstance(result, tuple):
        return Tensor(result)
    return tuple(Tensor(item) if i == 0 else Tensor(item, int32) for i, item in enumerate(result))


def unique(x: ArrayLike, return_inverse: bool = False) -> CallResult:
    """The unique elements, sorted; with ``return_inverse`` also the index of each element of ``x`` among them.

    >>> print(unique([3, 1, 3]))
    [1 3]
    """
    x = as_tensor(x)
    result = _call_numpy(np.unique, x, return_inverse=return_inverse)
    return (result[0], ops.reshape(result[1], x.shape)) if return_inverse else result


def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> CallResult:
    """The common elements, sorted; with ``return_indices`` also their first indices in each tensor."""
    return _call_numpy(np.intersect1d, ar1, ar2, assume_unique=assume_unique, return_indices=return_indices)


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Tensor:
    """The elements of the first tensor that are not in the second, sorted unless ``assume_unique``."""
    return _call_numpy(np.setdiff1d, ar1, ar2, assume_unique=assume_unique)


def isin(element: ArrayLike, test_elements: ArrayLike, invert: bool = False) -> Tensor:
    """Whether each element is in ``test_elements`` (or is not, with ``invert``).

    >>> print(isin([1, 2, 3], [2, 4]))
    [False  True False]
    """
    element, others = as_tensor(element), ops.ravel(as_tensor(test_elements))
    dtype = result_type(element, others)
    result = ops.any(ops.expand_dims(as_tensor(element, dtype), -1) == as_tensor(others, dtype), -1)
    return logical_not(result) if invert else result


def in1d(ar1: ArrayLike, ar2: ArrayLike, invert: bool = False) -> Tensor:
    """Whether each element of the flattened tensor is in another (or is not, with ``invert``)."""
    return isin(ops.ravel(as_tensor(ar1)), ar2, invert)


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Tensor:
    """Whether two tensors have equal shapes and elements; with ``equal_nan`` NaN equals NaN."""
    a1, a2 = as_tensor(a1), as_tensor(a2)
    if a1.shape != a2.shape:
        return Tensor(False)
    same = a1 == a2
    return ops.all(ops.logical_or(same, ops.logical_and(a1 != a1, a2 != a2)) if equal_nan else same)


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """Whether two tensors are equal after broadcasting; false if they cannot be broadcast."""
    a1, a2 = as_tensor(a1), as_tensor(a2)
    fits = all(
        size == other_size or 1 in (size, other_size)
        for size, other_size in zip(a1.shape[::-1], a2.shape[::-1], strict=False)
    )
    return ops.all(a1 == a2) if fits else Tensor(False)
