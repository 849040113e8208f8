"""Type aliases of values that flow through operators: arrays, attributes, and what can be converted to a tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from types import EllipsisType

    from minigraph.core.tensor import Tensor
    from minigraph.core.types import DType

Array = np.ndarray  # an operand or a result of a forward; of rank 0 also numpy's scalars
Attrs = Mapping[str, Any]  # the attributes of a call
AttrValue: TypeAlias = Any  # the value of an attribute
Number = bool | int | float | complex
IntOrTuple = int | tuple[int, ...]  # one for all axes, or one for each; an axis, or several
TensorLike: TypeAlias = "Tensor | bool | int | float | complex"  # what operators accept as an operand
ArrayLike: TypeAlias = "TensorLike | np.ndarray | np.generic | Sequence[ArrayLike]"  # converted by value
DTypeLike: TypeAlias = "DType | np.dtype | type | str | None"  # a dtype as minigraph, numpy or Python name it
Index: TypeAlias = "int | slice | EllipsisType | Tensor | Sequence[Index] | None"  # of a tensor, as in ``x[...]``
CallResult: TypeAlias = Any  # a tensor, or several: a tuple or a list of tensors
PyTree: TypeAlias = Any  # nested tuples, lists and dicts of tensors and static values
Function = Callable[..., Any]  # of any arguments
