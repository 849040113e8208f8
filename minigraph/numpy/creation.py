"""Array creation: from data, from shapes, from numerical ranges, and window functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from minigraph import ops
from minigraph.core.aliases import ArrayLike, CallResult, DTypeLike, Function
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.numpy.conversion import as_dtype, as_float, as_ints, as_tensor, cast_to

__all__ = [
    "arange", "array", "array_str", "asarray", "asfarray", "bartlett", "blackman", "copy", "empty", "empty_like",
    "eye", "full", "full_like", "geomspace", "hamming", "hanning", "identity", "linspace", "logspace", "ones",
    "ones_like", "vander", "zeros", "zeros_like",
]  # fmt: skip


# ---- from data -------------------------------------------------------------------------------------


def array(obj: ArrayLike, dtype: DTypeLike = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A Tensor of the data, copied; gradients pass through to tensors. ``ndmin`` adds axes of size 1 in front.

    >>> array([1, 2])
    Tensor(shape=[2], dtype=Int32, value= [1, 2])
    """
    tensor = as_tensor(obj, dtype)
    if copy and tensor is obj:
        tensor = ops.cast(tensor, tensor.dtype)
    missing = ndmin - tensor.ndim
    return tensor if missing <= 0 else ops.reshape(tensor, (1,) * missing + tuple(tensor.shape))


def asarray(a: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """A Tensor of the data; a tensor of that dtype is not copied."""
    return as_tensor(a, dtype)


def asfarray(a: ArrayLike, dtype: DTypeLike = float32) -> Tensor:
    """A float Tensor of the data, Float32 unless ``dtype`` is another float dtype."""
    target = as_dtype(dtype)
    return as_tensor(a, target if target is not None and target.is_float else float32)


def copy(a: ArrayLike) -> Tensor:
    """A copy of the data as a Tensor."""
    return array(a)


def array_str(a: ArrayLike) -> str:
    """The elements as text.

    >>> array_str(array([[1, 2], [3, 4]]))
    '[[1 2]\\n [3 4]]'
    """
    return str(as_tensor(a).asnumpy())


# ---- from shapes -----------------------------------------------------------------------------------


def zeros(shape: ArrayLike, dtype: DTypeLike = float32) -> Tensor:
    """A tensor of zeros."""
    return ops.zeros(as_ints(shape), as_dtype(dtype))


def ones(shape: ArrayLike, dtype: DTypeLike = float32) -> Tensor:
    """A tensor of ones."""
    return ops.ones(as_ints(shape), as_dtype(dtype))


def empty(shape: int | Sequence[int], dtype: DTypeLike = float32) -> Tensor:
    """An uninitialised tensor; zeros here."""
    return zeros(shape, dtype)


def full(shape: int | Sequence[int], fill_value: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """A tensor filled with a number, or with a broadcast tensor, in ``dtype`` (default: the value's)."""
    return ops.broadcast_to(as_tensor(fill_value, dtype), as_ints(shape))


def _like(function_of_shape: Function, adjective: str) -> Function:
    def function(a: ArrayLike, dtype: DTypeLike = None, shape: int | Sequence[int] | None = None) -> Tensor:
        a = as_tensor(a)
        return function_of_shape(a.shape if shape is None else shape, dtype or a.dtype)

    function.__doc__ = f"A tensor {adjective}; shape and dtype are those of ``a`` by default."
    return function


zeros_like, ones_like = _like(zeros, "of zeros"), _like(ones, "of ones")
empty_like = _like(empty, "that is not initialised (zeros here)")


def full_like(
    a: ArrayLike, fill_value: ArrayLike, dtype: DTypeLike = None, shape: int | Sequence[int] | None = None
) -> Tensor:
    """A tensor filled with ``fill_value``; shape and dtype default to those of ``a``."""
    a = as_tensor(a)
    return full(a.shape if shape is None else shape, fill_value, dtype or a.dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float32) -> Tensor:
    """Ones on the k-th diagonal (above the main one for k > 0) of an N by M matrix (``None``: N), zeros elsewhere.

    >>> print(eye(2, 3, 1))
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    if min(N, N if M is None else M) < 0:
        raise ShapeError(f"eye: sizes must not be negative, got {N} by {M}")
    rows, columns = ops.arange(N), ops.arange(N if M is None else M)
    return cast_to(columns == ops.expand_dims(rows, 1) + k, dtype or float32)


def identity(n: int, dtype: DTypeLike = float32) -> Tensor:
    """The identity matrix of size n."""
    return eye(n, dtype=dtype)


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix: powers of each number in a row, from N - 1 down to 0, or up with ``increasing``.

    >>> print(vander([2, 3], 3))
    [[4 2 1]
     [9 3 1]]
    """
    x = as_tensor(x)
    powers = np.arange(x.shape[0] if N is None else N, dtype=np.int32)
    powers = powers if increasing else powers[::-1].copy()
    return ops.cast(ops.expand_dims(x, 1) ** Tensor(powers), x.dtype)


# ---- numerical ranges ------------------------------------------------------------------------------


def arange(start: float, stop: float | None = None, step: float | None = 1, dtype: DTypeLike = None) -> Tensor:
    """Numbers from ``start`` (0 if it is the only argument) up to, not including, ``stop`` in steps of ``step``.

    >>> print(arange(3), arange(1.0, 2.0, 0.5))
    [0 1 2] [1.  1.5]
    """
    start, stop = (0, start) if stop is None else (start, stop)
    step = 1 if step is None else step
    all_integers = all(isinstance(number, int) for number in (start, stop, step))
    return ops.arange(start, stop, step, dtype=as_dtype(dtype) or (int32 if all_integers else float32))


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> CallResult:
    """``num`` evenly spaced numbers from ``start`` to ``stop``, or to before it; with ``retstep`` also the step.

    >>> print(linspace(0, 1, 5), linspace(0, 1, 4, endpoint=False))
    [0.   0.25 0.5  0.75 1.  ] [0.   0.25 0.5  0.75]
    """
    if num < 1:
        raise ArgValueError(f"linspace: num must be 1 or more, got {num}")
    start, stop = as_float(start), as_float(stop)
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    positions = Tensor(np.arange(num, dtype=np.float32).reshape((num,) + (1,) * max(start.ndim, stop.ndim)))
    samples = start + step * positions
    samples = ops.where(positions == num - 1, stop, samples) if endpoint and num > 1 else samples
    samples = cast_to(samples if axis == 0 else ops.moveaxis(samples, 0, axis), dtype)
    return (samples, step) if retstep else samples


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> Tensor:
    """``base`` to the power of evenly spaced exponents.

    >>> print(logspace(0, 3, 4, base=2.0))
    [1. 2. 4. 8.]
    """
    return cast_to(base ** linspace(start, stop, num, endpoint, axis=axis), dtype)


def geomspace(
    start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, dtype: DTypeLike = None, axis: int = 0
) -> Tensor:
    """``num`` numbers from ``start`` to ``stop`` with a constant ratio.

    >>> print(geomspace(1, 8, 4))
    [1. 2. 4. 8.]
    """
    ends = ops.log2(as_float(start)), ops.log2(as_float(stop))
    return cast_to(2.0 ** linspace(*ends, num, endpoint, axis=axis), dtype)


# ---- window functions ------------------------------------------------------------------------------


def _window(weights: tuple[float, ...]) -> Callable[[int], Tensor]:
    def window(M: int) -> Tensor:
        phases = np.arange(M) / max(M - 1, 1)
        samples = sum(weight * np.cos(2 * math.pi * frequency * phases) for frequency, weight in enumerate(weights))
        return Tensor(np.ones(1) if M == 1 else samples, float32)

    window.__doc__ = "A window of M samples: the sum of cosines with the weights " + ", ".join(map(str, weights)) + "."
    return window


hanning, hamming, blackman = _window((0.5, -0.5)), _window((0.54, -0.46)), _window((0.42, -0.5, 0.08))


def bartlett(M: int) -> Tensor:
    """The Bartlett (triangular) window of M samples."""
    return Tensor(np.bartlett(M), float32)
