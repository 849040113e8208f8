"""Functions that assign, print, order, draw random numbers or stop gradients."""

from __future__ import annotations

from typing import Any

from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import tracing_now
from minigraph.core.op import apply
from minigraph.core.pytree import flatten, leaves_of, unflatten
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType, float32, int64
from minigraph.operators import compare, effects, elementwise, random, views
from minigraph.operators.random import draw, set_seed
from minigraph.ops.functional.axes import listed

__all__ = [
    "assign", "assign_add", "assign_sub", "depend", "dropout", "identity", "normal", "print_", "rand", "randint",
    "randn", "set_seed", "standard_normal", "stop_gradient", "uniform",
]  # fmt: skip

HOLE = "\0"  # no printed text has it

# ---- assigning -------------------------------------------------------------------------------------


def assign(variable: Any, value: Any) -> Any:
    """Give a Parameter (or a tensor) a new value, cast to its dtype; returns the value.

    Raises ``ShapeError`` for another shape, with nothing changed.
    """
    given = value if isinstance(value, Tensor) else Tensor(value)
    new = given if given.dtype is variable.dtype else apply(elementwise.CAST, given, dtype=variable.dtype)
    name = variable.name if isinstance(variable, Parameter) else "tensor"
    return apply(effects.ASSIGN, variable, new, name=name)


def assign_add(variable: Any, value: Any) -> Any:
    """Add to a Parameter (or a tensor) in place; returns the new value."""
    return assign(variable, variable + value)


def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract from a Parameter (or a tensor) in place; returns the new value."""
    return assign(variable, variable - value)


# ---- order -----------------------------------------------------------------------------------------


def depend(value: Any, expr: Any) -> Any:
    """``value``, not before everything in ``expr`` (a tensor or any structure of them) was computed.

    Eager code runs in order anyway and gets ``value`` back. While a graph is captured, the tensors in
    ``value`` (a number becomes one) are tied to those in ``expr``, so that no pass drops or moves them.
    """
    after = list(leaves_of(expr, is_tensor))
    if not after or not tracing_now():
        return value
    if isinstance(value, bool | int | float):
        return apply(effects.DEPEND, Tensor(value), *after)
    leaves, spec = flatten(value, is_tensor)
    return unflatten(spec, [apply(effects.DEPEND, leaf, *after) for leaf in leaves])


def print_(*values: Any) -> None:
    """Print one argument per line, tensors as their repr; inside ``@jit`` when the graph runs."""
    tensors = leaves_of(values, is_tensor)
    apply(effects.PRINT, *tensors, texts=tuple(map(_text_of, values)))


def _text_of(value: Any) -> str | tuple[str, ...] | None:
    """What is printed of a value: ``None`` for a tensor, the parts around its tensors for what holds some."""
    if isinstance(value, Tensor):
        return None
    inside, spec = flatten(value, is_tensor)
    return tuple(str(unflatten(spec, [_Hole()] * len(inside))).split(HOLE)) if inside else str(value)


class _Hole:
    """Where a tensor will stand in a printed line."""

    def __repr__(self) -> str:
        return HOLE


def stop_gradient(value: Any) -> Any:
    """The same value, through which no gradient flows."""
    return apply(views.STOP_GRADIENT, value)


def identity(x: Any) -> Any:
    """The same value."""
    return apply(views.IDENTITY, x)


# ---- random ----------------------------------------------------------------------------------------


def standard_normal(shape: Any, seed: int | None = None, *, dtype: DType = float32) -> Tensor:
    """Numbers from the normal distribution with mean 0 and deviation 1."""
    return draw(random.RANDOM_NORMAL, shape, dtype, seed)


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, *, dtype: DType = float32) -> Any:
    """Numbers from a normal distribution."""
    return draw(random.RANDOM_NORMAL, shape, dtype, seed) * stddev + mean


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, seed: int | None = None, dtype: DType = float32) -> Any:
    """Numbers from [minval, maxval), evenly distributed."""
    unit = draw(random.RANDOM_UNIFORM, shape, dtype, seed)
    bounds = (minval, maxval)
    plain = not any(isinstance(bound, Tensor) for bound in bounds) and bounds == (0.0, 1.0)
    return unit if plain else unit * (maxval - minval) + minval


def rand(*size: Any, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers from [0, 1), sizes one by one or as a tuple; Float32 unless ``dtype`` says otherwise."""
    return draw(random.RANDOM_UNIFORM, listed(size), dtype or float32, seed)


def randn(*size: Any, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers from the normal distribution, sizes one by one or as a tuple; Float32 unless ``dtype`` says otherwise."""
    return draw(random.RANDOM_NORMAL, listed(size), dtype or float32, seed)


def randint(low: int, high: int, size: Any, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Whole numbers from ``low`` up to, without, ``high``; Int64 unless ``dtype`` says otherwise."""
    return draw(random.RANDOM_INTEGER, size, dtype or int64, seed, low=low, high=high)


def dropout(input: Any, p: float = 0.5, training: bool = True, seed: int | None = None) -> Any:
    """Each element zero with probability p, else divided by (1 - p); the input itself when not training.

    ``seed`` is that of a sequence of draws of its own.
    """
    if not training or p == 0:
        return input
    kept = draw(random.RANDOM_UNIFORM, input.shape, float32, seed) >= p
    return apply(compare.WHERE, kept, input / (1 - p) if p < 1 else input, 0)
