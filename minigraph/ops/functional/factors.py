"""Factors of matrices: singular values, orthonormal columns, pseudo-inverses. numpy finds them; gradients flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, float16
from minigraph.operators import compare, views
from minigraph.operators.pyfunc import Given, call_python
from minigraph.ops.functional.array import eye, tril
from minigraph.ops.functional.making import diag_embed
from minigraph.ops.functional.math import where
from minigraph.ops.functional.matrices import inverse

__all__ = ["pinv", "qr", "svd"]

Shapes = Callable[[tuple[int, ...], int, int], Sequence[tuple[int, ...]]]


def _factor(name: str, x: Any, function: Callable[..., Any], shapes: Shapes, bprop: Callable[..., Any]) -> Any:
    """What numpy makes of matrices, as a node; ``shapes(batch, rows, columns)`` are those of the results."""
    if not isinstance(x, Tensor):
        raise UsageError(f"{name}: a tensor is wanted, got {type(x).__name__}")

    def infer(given: Sequence[Given]) -> tuple[TensorType, ...]:
        *batch, rows, columns = given[0].shape
        return tuple(TensorType(tuple(shape), given[0].dtype) for shape in shapes(tuple(batch), rows, columns))

    if x.ndim < 2:
        raise ShapeError(f"{name}: a matrix is wanted, got shape {list(x.shape)}")
    return call_python(name, _in_float32(function) if x.dtype is float16 else function, (x,), infer=infer, bprop=bprop)


def _in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of float16 matrices that numpy, which has none for them, does in float32."""

    def of_float16(a: np.ndarray) -> Any:
        found = function(a.astype(np.float32))
        return tuple(one.astype(np.float16) for one in found) if isinstance(found, tuple) else found.astype(np.float16)

    return of_float16


def svd(input: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """(singular values, left vectors, right vectors) of matrices, or the values alone.

    >>> print(svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
    [3. 2.]
    """
    if not compute_uv:
        return _factor("svd", input, _values, lambda batch, m, n: [(*batch, min(m, n))], _wrt_values)

    def shapes(batch: tuple[int, ...], m: int, n: int) -> list[tuple[int, ...]]:
        k = min(m, n)
        return [(*batch, k), (*batch, m, m if full_matrices else k), (*batch, n, n if full_matrices else k)]

    found: tuple[Any, ...] = _factor("svd", input, lambda a: _vectors(a, full_matrices), shapes, _wrt_vectors)
    return found


def _values(a: np.ndarray) -> np.ndarray:
    return np.linalg.svd(a, compute_uv=False)


def _vectors(a: np.ndarray, whole: bool) -> tuple[np.ndarray, ...]:
    left, values, right = np.linalg.svd(a, whole)
    return values, left, np.swapaxes(right, -1, -2)


def _wrt_values(x: Any, out: Any, dout: Any) -> Any:
    _, left, right = svd(x)
    return left * apply(views.EXPAND_DIMS, dout, axis=-2) @ right.mT


def _wrt_vectors(x: Any, out: Any, dout: Any) -> Any:
    (values, left, right), (of_values, of_left, of_right) = out, dout
    if left.shape[-1] != values.shape[-1] or right.shape[-1] != values.shape[-1]:
        raise UsageError("svd: full_matrices=True has no gradient, for the vectors beyond the values are any; leave it")
    rows = apply(views.EXPAND_DIMS, values, axis=-2)
    apart = rows * rows - rows.mT * rows.mT
    apart = where(apply(compare.EQUAL, apart, 0), 1.0, apart)
    turned_left, turned_right = left.mT @ of_left, right.mT @ of_right
    inside = (turned_left - turned_left.mT) / apart * rows + rows.mT * ((turned_right - turned_right.mT) / apart)
    found = left @ (inside + diag_embed(of_values)) @ right.mT
    outside_left = (of_left - left @ turned_left) / rows @ right.mT
    outside_right = left / rows @ (of_right - right @ turned_right).mT
    return found + outside_left + outside_right


def qr(input: Any, mode: str = "reduced") -> tuple[Any, Any]:
    """(orthonormal columns, upper triangle) whose product a matrix is; "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise UsageError(f"qr: mode is 'reduced' or 'complete', got {mode!r}")

    def shapes(batch: tuple[int, ...], m: int, n: int) -> list[tuple[int, ...]]:
        k = m if mode == "complete" else min(m, n)
        return [(*batch, m, k), (*batch, k, n)]

    factors: Callable[..., Any] = partial(np.linalg.qr, mode=mode)
    found: tuple[Any, Any] = _factor("qr", input, lambda a: tuple(factors(a)), shapes, _wrt_qr)
    return found


def _wrt_qr(x: Any, out: Any, dout: Any) -> Any:
    (columns, triangle), (of_columns, of_triangle) = out, dout
    if triangle.shape[-1] != triangle.shape[-2]:
        text = f"qr: a gradient needs as many rows as columns or more, and mode 'reduced'; got shape {list(x.shape)}"
        raise UsageError(text)
    apart = triangle @ of_triangle.mT - of_columns.mT @ columns
    lower = tril(apart, -1)
    both = lower + lower.mT + apart * eye(apart.shape[-1], dtype=apart.dtype)
    return (of_columns + columns @ both) @ inverse(triangle).mT


def pinv(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudo-inverse of matrices, singular values up to ``rtol`` (1e-7) of the largest left out.

    >>> print(pinv(Tensor([[2.0, 0.0]])))
    [[0.5]
     [0. ]]
    """
    limit = 1e-7 if rtol is None else rtol

    def function(a: np.ndarray) -> np.ndarray:
        return np.linalg.pinv(a, limit, hermitian).astype(a.dtype)

    return _factor("pinv", x, function, lambda batch, m, n: [(*batch, n, m)], _wrt_pinv)


def _wrt_pinv(x: Any, out: Any, dout: Any) -> Any:
    turned, back = out.mT, dout.mT
    beside_left = back - x @ (out @ back)
    beside_right = back - (back @ out) @ x
    return beside_left @ out @ turned + turned @ out @ beside_right - turned @ dout @ turned
