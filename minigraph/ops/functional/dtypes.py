"""Data types: casts and queries."""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType
from minigraph.operators import elementwise
from minigraph.operators.families import check_tensors
from minigraph.ops.functional.forms import export

FORMS = """
method: is_complex is_floating_point type_as
function: cast deepcopy dtype:DType is_tensor typeof
"""
export(globals())


def cast(input: Tensor, dtype: DType) -> Tensor:
    """The same values in another dtype."""
    return apply(elementwise.CAST, input, dtype=dtype)


def as_dtype(dtype: DType, x: Tensor) -> Tensor:
    """``x`` in a dtype, without a cast if it already has it."""
    return x if x.dtype is dtype else cast(x, dtype)


def dtype(x: Tensor) -> DType:
    """The dtype of a tensor."""
    return x.dtype


def typeof(x: Tensor) -> str:
    """The type of a tensor as text, such as ``Tensor[Float32]``."""
    return f"Tensor[{x.dtype}]"


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The same values in the dtype of another tensor."""
    check_tensors("type_as", other)
    return cast(input, other.dtype)


def is_tensor(obj: Tensor) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floats."""
    return bool(input.dtype.kind == "f")


def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers."""
    return bool(input.dtype.kind == "c")


def deepcopy(input_x: Tensor) -> Tensor:
    """A copy of a tensor."""
    return cast(input_x, input_x.dtype)
