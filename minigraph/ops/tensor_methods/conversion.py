"""Methods of a Tensor that convert it, copy it, or tell what it is; ``x`` is the tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.core.errors import TypeArgument
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bool_, float16, float32, float64, int8, int16, int32, int64, uint8
from minigraph.ops.functional.arguments import listed
from minigraph.ops.functional.creation import full
from minigraph.ops.functional.dtypes import cast

# ---- other dtypes ----------------------------------------------------------------------------------


def _converted(dtype: DType) -> Callable[[Any], Any]:
    def convert(x: Any) -> Any:
        return cast(x, dtype)

    convert.__doc__ = f"The same values as {dtype}."
    return convert


DTYPES = {
    "bool": bool_, "byte": uint8, "char": int8, "double": float64, "float": float32, "half": float16, "int": int32,
    "long": int64, "short": int16,
}  # fmt: skip
DEVICES = ("CPU", "GPU", "Ascend")
CONVERSIONS = {name: _converted(dtype) for name, dtype in DTYPES.items()}


def to(x: Any, *given: Any, copy: bool = False, non_blocking: bool = False, **words: Any) -> Any:
    """``to(dtype)``, ``to(device, dtype)`` or ``to(other)``, as another tensor: the same values in another dtype.

    Every value is in the memory of the CPU, so ``device`` and ``non_blocking`` change nothing. Without ``copy`` the
    tensor itself comes back where nothing changes. Raises ``ValueError`` for a device that does not exist.
    """
    unknown = sorted(set(words) - {"dtype", "device", "other"})
    if unknown:
        raise TypeArgument(f"to: no argument '{unknown[0]}'; there are dtype, device, other, copy and non_blocking")
    wanted = x.dtype
    for one in (*given, *words.values()):
        if isinstance(one, Tensor):
            wanted = one.dtype
        elif isinstance(one, str) and one.partition(":")[0] in DEVICES:
            continue
        elif one is not None:
            wanted = one
    return x.astype(wanted, copy)


# ---- copies and new ones ---------------------------------------------------------------------------


def copy(x: Any) -> Any:
    """A tensor of its own with the same values; gradients pass."""
    return cast(x, x.dtype)


def identity(x: Any) -> Any:
    """The tensor itself: its elements are where they should be."""
    return x


def new_ones(x: Any, *size: Any, dtype: DType | None = None) -> Any:
    """Ones of a shape in the dtype of the tensor."""
    return full(listed(size), 1, dtype=dtype or x.dtype)


def new_zeros(x: Any, *size: Any, dtype: DType | None = None) -> Any:
    """Zeros of a shape in the dtype of the tensor."""
    return full(listed(size), 0, dtype=dtype or x.dtype)


def new_full(x: Any, size: Any, fill_value: Any, dtype: DType | None = None) -> Any:
    """One number everywhere, of a shape, in the dtype of the tensor."""
    return full(size, fill_value, dtype=dtype or x.dtype)


def fill(x: Any, value: Any) -> Any:
    """One number in the shape and dtype of the tensor."""
    return full(x.shape, value, dtype=x.dtype)


# ---- what it is ------------------------------------------------------------------------------------


def dim(x: Any) -> int:
    """The number of axes."""
    return len(x.shape)


def is_signed(x: Any) -> bool:
    """Whether the dtype has numbers below 0."""
    return bool(x.dtype.kind in "fc" or x.dtype.numpy.kind == "i")


def strides(x: Any) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis."""
    return tuple(step * x.dtype.itemsize for step in _steps(x))


def stride(x: Any, dim: int | None = None) -> list[int] | int:
    """Elements from one to the next along each axis, or along ``dim`` alone."""
    return _steps(x) if dim is None else _steps(x)[dim]


def _steps(x: Any) -> list[int]:
    steps: list[int] = []
    count = 1
    for size in reversed(x.shape):
        steps.insert(0, count)
        count *= size
    return steps


def device(x: Any) -> str:
    """Where the values are: in the memory of the CPU, on whatever chip the time is simulated."""
    return "CPU"
