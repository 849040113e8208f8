"""Methods of a Tensor that convert it, copy it, or query its properties; ``x`` is the tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigraph.core.aliases import Number
from minigraph.core.errors import ArgTypeError, TraceError
from minigraph.core.op import apply
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.types import DType, bfloat16, bool_, float16, float32, float64, int8, int16, int32, int64, uint8
from minigraph.ops.functional.arguments import as_tuple
from minigraph.ops.functional.creation import full
from minigraph.ops.functional.dtypes import cast

# ---- other dtypes ----------------------------------------------------------------------------------


def _conversion(dtype: DType) -> Callable[[Tensor], Tensor]:
    def convert(x: Tensor) -> Tensor:
        return cast(x, dtype)

    convert.__doc__ = f"The same values as {dtype}."
    return convert


DTYPES = {
    "bfloat16": bfloat16, "bool": bool_, "byte": uint8, "char": int8, "double": float64, "float": float32,
    "half": float16, "int": int32, "long": int64, "short": int16,
}  # fmt: skip
DEVICES = ("CPU", "GPU", "Ascend")
CONVERSIONS = {name: _conversion(dtype) for name, dtype in DTYPES.items()}


def to(x: Tensor, *targets: object, copy: bool = False, non_blocking: bool = False, **options: Any) -> Tensor:
    """``to(dtype)``, ``to(device, dtype)`` or ``to(other)``, as another tensor: the same values in another dtype.

    All values are in CPU memory, so ``device`` and ``non_blocking`` have no effect. Without ``copy`` the tensor itself
    is returned if nothing changes. Raises ``ValueError`` for an unknown device.
    """
    unknown = sorted(set(options) - {"dtype", "device", "other"})
    if unknown:
        raise ArgTypeError(f"to: no argument '{unknown[0]}'; there are dtype, device, other, copy and non_blocking")
    dtype = x.dtype
    for target in (*targets, *options.values()):
        if isinstance(target, Tensor):
            dtype = target.dtype
        elif isinstance(target, str) and target.partition(":")[0] in DEVICES:
            continue
        elif target is not None:
            dtype = target
    return x.astype(dtype, copy)


# ---- copies and new tensors ------------------------------------------------------------------------


def copy(x: Tensor) -> Tensor:
    """A copy of the tensor that gradients pass through."""
    return cast(x, x.dtype)


def clone(x: Tensor, *init: Any, **named: Any) -> Tensor:
    """A copy of the tensor that gradients pass through.

    Of a Parameter that is an argument of a captured function, a graph cannot give another Parameter: ``TraceError``.
    """
    if _is_traced_parameter(x):
        raise TraceError("clone: a graph cannot create a Parameter; use copy() for a Tensor")
    return copy(x, *init, **named)


def _is_traced_parameter(x: Tensor) -> bool:
    return x.is_traced and issubclass(x.class_in_eager_mode(), Parameter)


def identity(x: Tensor) -> Tensor:
    """The tensor itself: its elements are contiguous."""
    return x


def value(x: Tensor) -> Tensor:
    """The tensor itself; of a Parameter that is an argument of a captured function, a new Tensor, as in eager mode."""
    return apply("identity", x) if _is_traced_parameter(x) else x


def new_ones(x: Tensor, *size: int | Sequence[int], dtype: DType | None = None) -> Tensor:
    """Ones of a shape with the dtype of the tensor."""
    return full(as_tuple(size), 1, dtype=dtype or x.dtype)


def new_zeros(x: Tensor, *size: int | Sequence[int], dtype: DType | None = None) -> Tensor:
    """Zeros of a shape with the dtype of the tensor."""
    return full(as_tuple(size), 0, dtype=dtype or x.dtype)


def new_full(x: Tensor, size: int | Sequence[int], fill_value: Number, dtype: DType | None = None) -> Tensor:
    """A tensor of a shape filled with ``fill_value``, with the dtype of the tensor."""
    return full(size, fill_value, dtype=dtype or x.dtype)


def fill(x: Tensor, value: Number) -> Tensor:
    """A tensor filled with ``value``, with the shape and dtype of the tensor."""
    return full(x.shape, value, dtype=x.dtype)


# ---- properties ------------------------------------------------------------------------------------


def dim(x: Tensor) -> int:
    """The number of axes."""
    return len(x.shape)


def is_signed(x: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return bool(x.dtype.kind in "fc" or x.dtype.numpy.kind == "i")


def strides(x: Tensor) -> tuple[int, ...]:
    """The distance in bytes of neighbouring elements along each axis."""
    return tuple(step * x.dtype.itemsize for step in _strides(x))


def stride(x: Tensor, dim: int | None = None) -> list[int] | int:
    """The distance in elements of neighbouring elements along each axis, or along ``dim``."""
    return _strides(x) if dim is None else _strides(x)[dim]


def _strides(x: Tensor) -> list[int]:
    strides: list[int] = []
    count = 1
    for size in reversed(x.shape):
        strides.insert(0, count)
        count *= size
    return strides


def device(x: Tensor) -> str:
    """The device of the values: the CPU, whichever device the time is simulated for."""
    return "CPU"


def is_contiguous(x: Tensor) -> bool:
    """True: tensors have no gaps."""
    return True


def has_init(x: Tensor) -> bool:
    """False: tensors have values from the beginning."""
    return False


def move_to(x: Tensor, to: str = "CPU", blocking: bool = True) -> Tensor:
    """The tensor itself: values are in the process's memory, whichever device the time is simulated for."""
    return x


def requires_grad_(x: Tensor, requires_grad: bool = True) -> None:
    """No effect: what to differentiate is chosen in the call of ``grad``."""


# ---- Parameters ------------------------------------------------------------------------------------


def clone_parameter(x: Parameter, init: Any = "same") -> Parameter:
    """A Parameter of the same name and flags, with its values or those of an initializer.

    >>> Parameter(Tensor([1.0, 2.0]), name="w").clone("zeros").tolist()
    [0.0, 0.0]
    """
    value = Tensor(x.asnumpy()) if init == "same" else Tensor(shape=x.shape, dtype=x.dtype, init=init)
    flags = (x.requires_grad, x.layerwise_parallel, x.parallel_optimizer, x.storage_format)
    new = Parameter(value, x.name, *flags)
    new.explicit_name = x.explicit_name
    return new


def clone_parameters(parameters: ParameterTuple, prefix: str, init: Any = "same") -> ParameterTuple:
    """Clones of all Parameters, whose names begin with ``prefix`` and a dot."""
    clones = ParameterTuple(clone_parameter(parameter, init) for parameter in parameters)
    for clone in clones:
        clone.name, clone.explicit_name = f"{prefix}.{clone.name}", True
    return clones
