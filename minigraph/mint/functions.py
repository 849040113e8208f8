"""Functions of ``mindspore.mint`` that differ from ``ops`` in more than the names of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from minigraph import ops
from minigraph.core.aliases import CallResult, Function, IntOrTuple, TensorLike
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType


def _sample_statistic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A statistic that divides by (count - correction), with Bessel's correction, 1, by default."""

    @wraps(function)
    def call(input: Tensor, dim: IntOrTuple | None = None, *, correction: int = 1, keepdim: bool = False) -> CallResult:
        return function(input, dim, correction, keepdim)

    call.__signature__ = inspect.signature(call, follow_wrapped=False)  # type: ignore[attr-defined]
    return call


std, var, std_mean, var_mean = map(_sample_statistic, (ops.std, ops.var, ops.std_mean, ops.var_mean))


def add(input: Tensor, other: TensorLike, *, alpha: float = 1) -> Tensor:
    """input + alpha * other."""
    return ops.add(input, other if alpha == 1 else ops.mul(other, alpha))


def sub(input: Tensor, other: TensorLike, *, alpha: float = 1) -> Tensor:
    """input - alpha * other."""
    return ops.sub(input, other if alpha == 1 else ops.mul(other, alpha))


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort along an axis; sorting is always stable."""
    return ops.argsort(input, dim, descending)


def bernoulli(input: Tensor, *, generator: None = None) -> Tensor:
    """Samples of Bernoulli distributions with the probabilities ``input``: 1 or 0."""
    return ops.bernoulli(input, input)


def bitwise_not(input: Tensor) -> Tensor:
    """All bits inverted; for bools their negation."""
    return input.bitwise_not()


def clone(input: Tensor) -> Tensor:
    """A copy, which gradients pass through."""
    return input.clone()


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal, at this offset from the main one."""
    if input.ndim == 2:
        return ops.diagonal(input, diagonal, 0, 1)
    return ops.diag_embed(input, diagonal)


def empty(*size: Any, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """A tensor of this shape; all its elements are 0."""
    return ops.zeros(size[0] if len(size) == 1 else size, dtype)


def empty_like(input: Tensor, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """A tensor of the same shape; all its elements are 0."""
    return ops.zeros_like(input, dtype=dtype)


def fix(input: Tensor) -> Tensor:
    """Each element rounded to the nearest integer towards zero."""
    return ops.trunc(input)


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements at these indices along an axis."""
    return ops.gather_elements(input, dim, index)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """input + alpha * source, whose slices are added at these indices along an axis."""
    return input.index_add(dim, index, source, alpha=alpha)


def max(input: Tensor, *args: object, **kwargs: object) -> CallResult:
    """The maximum of all elements; (values, indices) along an axis; the larger elements of two tensors."""
    return _extremum(ops.maximum, input.max, args, kwargs)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> CallResult:
    """The lower median of all elements; (values, indices) along an axis."""
    return ops.median(ops.ravel(input))[0] if dim is None else ops.median(input, dim, keepdim)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates on a grid: matrices with the first vector along axis 0, or along axis 1 for "xy"."""
    return ops.meshgrid(*tensors, indexing=indexing or "ij")


def min(input: Tensor, *args: object, **kwargs: object) -> CallResult:
    """The minimum of all elements; (values, indices) along an axis; the smaller elements of two tensors."""
    return _extremum(ops.minimum, input.min, args, kwargs)


def _extremum(of_two: Function, method: Any, args: tuple[object, ...], kwargs: dict[str, Any]) -> CallResult:
    """The extremum of two tensors if the second argument is one; along an axis with indices; or of all elements."""
    other = args[0] if args else kwargs.get("other")
    if isinstance(other, Tensor):
        return of_two(method.__self__, other)
    options = {**dict(zip(("dim", "keepdim"), args, strict=False)), **kwargs}
    if not options:
        return method()
    return method(axis=options["dim"], keepdims=options.get("keepdim", False), return_indices=True)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: None = None) -> Tensor:
    """Indices sampled with these weights along the last axis; without replacement, each at most once."""
    return ops.multinomial(input, num_samples, replacement)


def norm(
    input: Tensor, p: Any = "fro", dim: IntOrTuple | None = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The norm of order p over axes, or of all elements."""
    if isinstance(p, str):
        return ops.norm(input, None if p == "fro" else p, dim, keepdim, dtype=dtype)
    return ops.vector_norm(input, p, dim, keepdim, dtype=dtype)


def normal(
    mean: float | Tensor = 0.0, std: float | Tensor = 1.0, size: tuple[int, ...] | None = None, generator: None = None
) -> Tensor:
    """Normally distributed numbers; without ``size``, of the shape of mean and std."""
    shape = size if size is not None else (mean + Tensor(0.0) * std).shape
    return ops.normal(shape, mean, std)


def randint(*args: Any, generator: None = None, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Integers from [low, high), or [0, high), of a shape: ``randint(low, high, size)``, ``randint(high, size)``."""
    low, high, size = args if len(args) == 3 else (0, *args)
    return ops.randint(low, high, size, dtype=dtype)


def randint_like(input: Tensor, *bounds: int, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Integers from [low, high), or [0, high), of the shape of a tensor."""
    low, high = bounds if len(bounds) == 2 else (0, *bounds)
    return ops.randint_like(input, low, high, dtype=dtype)


def scatter(input: Tensor, dim: int, index: Tensor, src: TensorLike) -> Tensor:
    """The tensor with elements of ``src`` at these indices along an axis."""
    return input.scatter(dim, index, src)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The tensor with elements of ``src`` added at these indices along an axis."""
    return input.scatter_add(dim, index, src)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one index along an axis."""
    return input.select(dim, index)


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """exp(x) divided by its sum along an axis."""
    return ops.softmax(input, dim, dtype=dtype)


def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """(values, indices), sorted along an axis; sorting is always stable."""
    return ops.sort(input, dim, descending)


def squeeze(input: Tensor, dim: IntOrTuple | None = None) -> Tensor:
    """The tensor without axes of size 1: the axes ``dim``, or all."""
    axes = [axis for axis in ((dim,) if isinstance(dim, int) else dim or ()) if input.shape[axis] == 1]
    return ops.squeeze(input) if dim is None else ops.squeeze(input, tuple(axes)) if axes else input


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """The tensor with two axes swapped."""
    return ops.swapaxes(input, dim0, dim1)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The sum of the products of two vectors, the first one conjugated."""
    return ops.dot(ops.conj(input) if input.is_complex() else input, other)
