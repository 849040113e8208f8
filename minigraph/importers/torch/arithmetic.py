"""Converters of ATen's arithmetic, comparisons, matrix products and reductions to minigraph's operators.

``CONVERTERS`` maps an ATen operator to a function with its schema: tensors and numbers are passed by position, optional
arguments by position or by ATen's name; lists arrive as tuples, dtypes as minigraph's. The reader casts the results to
the dtypes that torch states. A converter of one overload, such as ``max.dim``, takes precedence over the operator's.
"""

from __future__ import annotations

import operator
from functools import partial

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Function
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int64
from minigraph.importers.torch.signals import magnitude

Dim = int | list[int] | tuple[int, ...] | None  # ATen's argument ``dim``: one axis, several, or all of them


def axes_or_all(dim: Dim) -> int | tuple[int, ...] | None:
    """The axes of a reduction, as numpy writes them: ATen's ``[]`` means all axes, as ``None`` does.

    >>> axes_or_all([]), axes_or_all([-1, 0]), axes_or_all(1)
    (None, (-1, 0), 1)
    """
    return (tuple(dim) or None) if isinstance(dim, list | tuple) else dim


def as_dtype(x: Tensor, dtype: DType | None) -> Tensor:
    """The tensor cast to a dtype; ``None`` keeps its own."""
    return x if dtype in (None, x.dtype) else apply("cast", x, dtype=dtype)


def reduction(name: str) -> Function:
    """The converter to one of minigraph's reductions, with ATen's arguments ``dim`` and ``keepdim``."""
    return lambda x, dim=None, keepdim=False: apply(name, x, axis=axes_or_all(dim), keepdims=keepdim)


def in_accumulation_dtype(x: Tensor, dtype: DType | None) -> Tensor:
    """The operand of a sum or product in the dtype that accumulates it: int64 for bools and integers."""
    return as_dtype(x, dtype or (x.dtype if x.dtype.is_float else int64))


def variance(x: Tensor, dim: Dim = None, correction: float | None = 1, keepdim: bool = False) -> Tensor:
    """The variance over axes; the divisor is the number of elements minus ``correction`` (1: Bessel's correction)."""
    centered = x - apply("mean", x, axis=axes_or_all(dim), keepdims=True)
    squares = apply("sum", centered * centered, axis=axes_or_all(dim), keepdims=keepdim)
    return squares / max(x.size // max(squares.size, 1) - (1 if correction is None else correction), 0)


def root(x: Tensor) -> Tensor:
    """The square root, whose gradient at zero is zero, as torch's norms and standard deviations define it."""
    zero = x == 0
    return apply("where", zero, 0, apply("sqrt", apply("where", zero, 1, x)))


def vector_norm(
    x: Tensor, ord: float = 2, dim: Dim = None, keepdim: bool = False, dtype: DType | None = None
) -> Tensor:
    """The norm over axes, whose gradient at zero is zero.

    >>> print(vector_norm(Tensor([3.0, 4.0])))
    5.0
    """
    x = as_dtype(magnitude(x) if x.dtype.kind == "c" else x, dtype)
    if not 0 < ord < np.inf or ord == 1:
        return ops.vector_norm(x, ord, axes_or_all(dim), keepdim)
    if ord == 2:
        return root(apply("sum", x * x, axis=axes_or_all(dim), keepdims=keepdim))
    zero = x == 0
    powers = apply("where", zero, 0, apply("abs", apply("where", zero, 1, x)) ** float(ord))
    total = apply("sum", powers, axis=axes_or_all(dim), keepdims=keepdim)
    return apply("where", total == 0, 0, apply("where", total == 0, 1, total) ** (1 / float(ord)))


def clamp(x: Tensor, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """Elements limited to bounds; at a number no gradient passes, a tensor gets half of it, as in torch from 2.14 on.

    >>> print(clamp(Tensor([-1.0, 0.5, 2.0]), 0, 1))
    [0.  0.5 1. ]
    """
    if min is not None:
        x = apply("maximum", x, min) if isinstance(min, Tensor) else apply("where", x <= min, min, x)
    if max is not None:
        x = apply("minimum", x, max) if isinstance(max, Tensor) else apply("where", x >= max, max, x)
    return x


def median(x: Tensor) -> Tensor:
    """The median of all elements, the lower of two; equal elements share its gradient."""
    value: Tensor = ops.median(x.reshape(-1))[0]
    return apply("max", apply("where", x > value, -np.inf, x)) if x.dtype.is_float else value


def sinc(x: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    angle = apply("where", x == 0, 1, x) * np.pi
    return apply("where", x == 0, 1, apply("sin", angle) / angle)


def xlogy(x: Tensor | float, y: Tensor) -> Tensor:
    """x log(y), and 0 where x is 0, with no gradient there if y is not positive."""
    undefined = apply("logical_and", apply("equal", x, 0), apply("logical_or", y <= 0, y == np.inf))
    return x * apply("log", apply("where", undefined, 1, y))


def atan2(y: Tensor, x: Tensor) -> Tensor:
    """The angle of the point (x, y), with no gradient at the origin."""
    origin = apply("logical_and", y == 0, x == 0)
    fixed = apply("atan2", *(apply("stop_gradient", value) for value in (y, x)))
    return apply("where", origin, fixed, apply("atan2", y, apply("where", origin, 1, x)))


def kth_value(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The ``k``-th smallest elements along an axis, counted from 1, and their indices."""
    axis = dim % x.ndim
    item = slice(k - 1, k) if keepdim else k - 1
    return tuple(result[(slice(None),) * axis + (item,)] for result in ops.sort(x, axis))


# ---- converters -------------------------------------------------------------------------------------

SAME_NAME = (  # operators that ATen and minigraph call by the same name
    "acos acosh asin asinh atan atanh bitwise_and bitwise_or bitwise_xor ceil cos cosh erf erfinv exp exp2 "
    "expm1 floor fmod isfinite isinf isnan log log10 log1p log2 logical_and logical_not logical_or logical_xor maximum "
    "minimum mul neg reciprocal relu round rsqrt sigmoid sign silu sin sinh sqrt square tan tanh trunc"
)
CONVERTERS: dict[str, Function] = {
    **{name: partial(apply, name) for name in SAME_NAME.split()},
    # arithmetic and comparison
    "add": lambda x, y, alpha=1: x + (y if alpha == 1 else y * alpha),
    "sub": lambda x, y, alpha=1: x - (y if alpha == 1 else y * alpha),
    "rsub": lambda x, y, alpha=1: y - (x if alpha == 1 else x * alpha),
    "div": lambda x, y, rounding_mode=None: ops.div(x, y, rounding_mode=rounding_mode),
    "floor_divide": lambda x, y: apply("floor_div", x, y),
    "remainder": lambda x, y: apply("floor_mod", x, y),
    "pow": operator.pow,
    "eq": partial(apply, "equal"),
    "ne": partial(apply, "not_equal"),
    "lt": partial(apply, "less"),
    "le": partial(apply, "less_equal"),
    "gt": partial(apply, "greater"),
    "ge": partial(apply, "greater_equal"),
    "bitwise_not": ops.invert,
    "__lshift__": partial(apply, "bitwise_left_shift"),
    "__rshift__": partial(apply, "bitwise_right_shift"),
    "hypot": ops.hypot,
    "atan2": atan2,
    "sinc": sinc,
    "xlogy": xlogy,
    "copysign": lambda x, y: apply("abs", x) * ops.copysign(ops.ones_like(x), y),  # no gradient at 0
    "nextafter": ops.nextafter,
    "ldexp": ops.ldexp,
    # special functions
    "erfc": ops.erfc,
    "lgamma": ops.lgamma,
    "digamma": ops.digamma,
    "polygamma": lambda n, x: ops.polygamma(Tensor(n), x),
    "i0": ops.i0,
    "_cdist_forward": lambda a, b, p, mode=None: ops.cdist(a, b, p),
    "clamp": clamp,
    "where": lambda condition, x, y: apply("where", condition, x, y),
    "masked_fill": lambda x, mask, value: apply("where", mask, value, x),
    "addcmul": lambda x, a, b, value=1: x + a * b * value,
    "addcdiv": lambda x, a, b, value=1: x + a / b * value,
    "lerp": lambda x, end, weight: x + (end - x) * weight,
    "nan_to_num": ops.nan_to_num,
    # products
    "mm": partial(apply, "matmul"),
    "bmm": partial(apply, "matmul"),
    "matmul": partial(apply, "matmul"),
    "mv": partial(apply, "matmul"),
    "dot": partial(apply, "matmul"),
    "addmm": lambda c, a, b, beta=1, alpha=1: (
        apply("matmul", a, b) * alpha + c * beta if (beta, alpha) != (1, 1) else apply("matmul", a, b) + c
    ),
    "baddbmm": lambda c, a, b, beta=1, alpha=1: apply("matmul", a, b) * alpha + c * beta,
    "linear": lambda x, w, b=None: x @ w.T if b is None else x @ w.T + b,
    "einsum": lambda equation, tensors, path=None: apply("einsum", *tensors, equation=equation),
    # reductions
    "sum": lambda x, dim=None, keepdim=False, dtype=None: reduction("sum")(
        in_accumulation_dtype(x, dtype), dim, keepdim
    ),
    "mean": lambda x, dim=None, keepdim=False, dtype=None: reduction("mean")(as_dtype(x, dtype), dim, keepdim),
    "prod": lambda x, dim=None, keepdim=False, dtype=None: reduction("prod")(
        in_accumulation_dtype(x, dtype), dim, keepdim
    ),
    "amax": reduction("max"),
    "amin": reduction("min"),
    "any": reduction("any"),
    "all": reduction("all"),
    "max": lambda x: apply("max", x),
    "min": lambda x: apply("min", x),
    "max.dim": lambda x, dim, keepdim=False: ops.max(x, dim, keepdim),
    "min.dim": lambda x, dim, keepdim=False: ops.min(x, dim, keepdim),
    "argmax": lambda x, dim=None, keepdim=False: ops.argmax(x, dim, keepdim),
    "argmin": lambda x, dim=None, keepdim=False: ops.argmin(x, dim, keepdim),
    "var": variance,
    "var_mean": lambda x, dim=None, correction=1, keepdim=False: (
        variance(x, dim, correction, keepdim),
        apply("mean", x, axis=axes_or_all(dim), keepdims=keepdim),
    ),
    "logsumexp": lambda x, dim, keepdim=False: apply("logsumexp", x, axis=axes_or_all(dim), keepdims=keepdim),
    "std": lambda x, dim=None, correction=1, keepdim=False: root(variance(x, dim, correction, keepdim)),
    "linalg_vector_norm": vector_norm,
    "cumsum": lambda x, dim, dtype=None: apply("cumsum", in_accumulation_dtype(x, dtype), axis=dim),
    "logcumsumexp": lambda x, dim: ops.logcumsumexp(x, dim),
    "cummax": lambda x, dim: ops.cummax(x, dim),
    "cummin": lambda x, dim: ops.cummin(x, dim),
    "cumprod": lambda x, dim, dtype=None: apply("cumprod", in_accumulation_dtype(x, dtype), axis=dim),
    # order
    "sort": lambda x, dim=-1, descending=False: ops.sort(x, dim, descending),
    "sort.stable": lambda x, stable=None, dim=-1, descending=False: ops.sort(x, dim, descending),
    "topk": lambda x, k, dim=-1, largest=True, sorted=True: ops.topk(x, k, dim, largest, sorted),
    "median": median,
    "median.dim": lambda x, dim, keepdim=False: ops.median(x, dim, keepdim),
    "kthvalue": kth_value,
    "searchsorted": ops.searchsorted,
    "bucketize": lambda x, boundaries, out_int32=False, right=False: ops.searchsorted(
        boundaries, x, out_int32=out_int32, right=right
    ),
    "histc": lambda x, bins=100, min=0, max=0: ops.histc(x, bins, min, max),
}
