"""The operators that a Tensor has as methods; each is one call of ``apply``, defined by the operator's record."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minigraph.core.aliases import DTypeLike, Index, IntOrTuple, TensorLike
from minigraph.core.errors import ArgIndexError, AxisError, UsageError
from minigraph.core.location import with_location
from minigraph.core.op import apply
from minigraph.core.types import dtype_named

if TYPE_CHECKING:
    from minigraph.core.tensor import Tensor


class Slice(NamedTuple):
    """A Python slice as a hashable attribute value."""

    start: int | None
    stop: int | None
    step: int | None


class Operand(NamedTuple):
    """A tensor in an index, by its operand position (the indexed tensor is operand 0)."""

    position: int


Key = tuple[int | Slice | Operand | EllipsisType | None, ...]


class Operators:
    """Arithmetic, comparison, indexing and reshaping: a mixin of ``Tensor``; ``ops.methods`` attaches the rest."""

    __slots__ = ()

    __hash__ = object.__hash__

    def __add__(self, other: TensorLike) -> Tensor:
        return apply("add", self, other)

    def __radd__(self, other: TensorLike) -> Tensor:
        return apply("add", other, self)

    def __sub__(self, other: TensorLike) -> Tensor:
        return apply("sub", self, other)

    def __rsub__(self, other: TensorLike) -> Tensor:
        return apply("sub", other, self)

    def __mul__(self, other: TensorLike) -> Tensor:
        return apply("mul", self, other)

    def __rmul__(self, other: TensorLike) -> Tensor:
        return apply("mul", other, self)

    def __truediv__(self, other: TensorLike) -> Tensor:
        return apply("div", self, other)

    def __rtruediv__(self, other: TensorLike) -> Tensor:
        return apply("div", other, self)

    def __floordiv__(self, other: TensorLike) -> Tensor:
        return apply("floor_div", self, other)

    def __rfloordiv__(self, other: TensorLike) -> Tensor:
        return apply("floor_div", other, self)

    def __mod__(self, other: TensorLike) -> Tensor:
        return apply("floor_mod", self, other)

    def __rmod__(self, other: TensorLike) -> Tensor:
        return apply("floor_mod", other, self)

    def __pow__(self, other: TensorLike) -> Tensor:
        return apply("pow", self, other)

    def __rpow__(self, other: TensorLike) -> Tensor:
        return apply("pow", other, self)

    def __matmul__(self, other: TensorLike) -> Tensor:
        return apply("matmul", self, other)

    def __rmatmul__(self, other: TensorLike) -> Tensor:
        return apply("matmul", other, self)

    def __neg__(self) -> Tensor:
        return apply("neg", self)

    def __pos__(self) -> Tensor:
        return self  # type: ignore[return-value]

    def __abs__(self) -> Tensor:
        return apply("abs", self)

    def __invert__(self) -> Tensor:
        return apply("logical_not", self)

    def __and__(self, other: TensorLike) -> Tensor:
        return apply("bitwise_and", self, other)

    __rand__ = __and__

    def __or__(self, other: TensorLike) -> Tensor:
        return apply("bitwise_or", self, other)

    __ror__ = __or__

    def __xor__(self, other: TensorLike) -> Tensor:
        return apply("bitwise_xor", self, other)

    __rxor__ = __xor__

    def __eq__(self, other: object) -> Any:
        return False if other is None or isinstance(other, str) else apply("equal", self, other)

    def __ne__(self, other: object) -> Any:
        return True if other is None or isinstance(other, str) else apply("not_equal", self, other)

    def __lt__(self, other: TensorLike) -> Tensor:
        return apply("less", self, other)

    def __le__(self, other: TensorLike) -> Tensor:
        return apply("less_equal", self, other)

    def __gt__(self, other: TensorLike) -> Tensor:
        return apply("greater", self, other)

    def __ge__(self, other: TensorLike) -> Tensor:
        return apply("greater_equal", self, other)

    def __getitem__(self, key: Index) -> Tensor:
        operands, encoded = index_key(key)
        return apply("index", self, *operands, key=encoded)

    # ---- elementwise -------------------------------------------------------------------------------

    def abs(self) -> Tensor:
        """Absolute values."""
        return apply("abs", self)

    def exp(self) -> Tensor:
        """e to the power of each element."""
        return apply("exp", self)

    def log(self) -> Tensor:
        """Natural logarithms."""
        return apply("log", self)

    def sqrt(self) -> Tensor:
        """Square roots."""
        return apply("sqrt", self)

    def tanh(self) -> Tensor:
        """Hyperbolic tangents."""
        return apply("tanh", self)

    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-x))."""
        return apply("sigmoid", self)

    def pow(self, exponent: TensorLike) -> Tensor:
        """Each element to a power."""
        return apply("pow", self, exponent)

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Tensor:
        """The tensor cast to another dtype (also numpy's, or a name); without ``copy``, the tensor itself if equal.

        Raises ``AttributeError`` for an unknown dtype name.
        """
        name = np.dtype(dtype).name if isinstance(dtype, type) and issubclass(dtype, np.generic) else dtype
        target = dtype_named(name) if isinstance(name, str) else name
        if not copy and target is self.dtype:  # type: ignore[attr-defined]
            return self  # type: ignore[return-value]
        return apply("cast", self, dtype=target)

    def __round__(self, decimals: int = 0) -> Tensor:
        return self.round(decimals)  # type: ignore[attr-defined]

    # ---- shape -------------------------------------------------------------------------------------

    def reshape(self, *shape: int | Sequence[int]) -> Tensor:
        """The same elements in another shape; one size may be -1."""
        return apply("reshape", self, shape=_ints(shape))

    view = reshape

    def flatten(self, order: int | str = "C", end: int = -1, *, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """The axes from ``start_dim`` to ``end_dim`` merged into one; both may also be given by position.

        With ``order`` "F" the first axis varies fastest.
        """
        if isinstance(order, int):
            start_dim, end_dim = order, end
        elif order not in ("C", "F"):
            raise UsageError(f"flatten: order is 'C' or 'F', got {order!r}")
        return apply("flatten", self.transpose() if order == "F" else self, start=start_dim, end=end_dim)

    def transpose(self, *axes: int | Sequence[int], dim0: int | None = None, dim1: int | None = None) -> Tensor:
        """Axes permuted; without arguments reversed; with two numbers (``dim0``, ``dim1``) these two swapped."""
        if dim0 is not None and dim1 is not None:
            return self.swapaxes(dim0, dim1)
        swaps = len(axes) == 2 and all(isinstance(axis, int) for axis in axes)
        return self.swapaxes(*_ints(axes)) if swaps else apply("transpose", self, axes=_ints(axes) or None)

    def permute(self, *axes: int | Sequence[int]) -> Tensor:
        """Axes in the given order."""
        return apply("transpose", self, axes=_ints(axes))

    def swapaxes(self, axis0: int, axis1: int) -> Tensor:
        """Two axes swapped."""
        return apply("transpose", self, axes=_swap_permutation(self.ndim, axis0, axis1))  # type: ignore[attr-defined]

    @property
    def T(self) -> Tensor:
        """All axes reversed."""
        return apply("transpose", self, axes=None)

    @property
    def mT(self) -> Tensor:
        """The last two axes swapped."""
        return self.swapaxes(-2, -1)

    def broadcast_to(self, *shape: int | Sequence[int]) -> Tensor:
        """Repeated along axes of size 1; -1 keeps a size."""
        return apply("broadcast_to", self, shape=_ints(shape))

    expand = broadcast_to

    def expand_dims(self, axis: int) -> Tensor:
        """A new axis of size 1."""
        return apply("expand_dims", self, axis=axis)

    unsqueeze = expand_dims

    def squeeze(self, axis: IntOrTuple | None = None) -> Tensor:
        """Axes of size 1 removed."""
        return apply("squeeze", self, axis=axis)


def index_key(key: Index) -> tuple[list[Tensor | Sequence[Index]], Key]:
    """The tensor operands of an index, and its hashable encoding.

    >>> index_key((0, slice(1, None), ...))
    ([], (0, Slice(start=1, stop=None, step=None), Ellipsis))
    """
    if key.__class__ is int:
        return [], (key,)
    operands: list[Tensor | Sequence[Index]] = []
    encoded: list[int | Slice | Operand | EllipsisType | None] = []
    for item in _replace_true(key if isinstance(key, tuple) else (key,)):
        if item is None or item is Ellipsis or isinstance(item, slice):
            encoded.append(Slice(item.start, item.stop, item.step) if isinstance(item, slice) else item)
        elif isinstance(item, bool | np.bool_ | float | str | np.ndarray):
            text = f"an index consists of ints, slices, None, ..., True, lists and tensors, got {item!r:.40}"
            raise with_location(ArgIndexError(f"{text}; wrap an array in Tensor(...)"))
        elif isinstance(item, int | np.integer):
            encoded.append(int(item))
        else:
            operands.append(item)
            encoded.append(Operand(len(operands)))
    return operands, tuple(encoded)


def _replace_true(key: tuple[Any, ...]) -> list[Any]:
    """The items of a key without True, which numpy treats as an index of an axis of size 1 in front of the axes."""
    rest = [item for item in key if not (isinstance(item, bool | np.bool_) and item)]
    if len(rest) == len(key):
        return rest
    indices = [k for k, item in enumerate(key) if not isinstance(item, slice | EllipsisType | None)]
    gaps = indices[-1] - indices[0] + 1 - len(indices)
    if all(isinstance(key[k], int | np.integer | np.bool_) for k in indices):
        rest.insert(0 if gaps else indices[0], None)
    elif gaps:
        raise with_location(ArgIndexError("index: True is not next to the tensors of the index; move it there"))
    return rest


def _swap_permutation(rank: int, axis0: int, axis1: int) -> tuple[int, ...]:
    axes = [*range(rank)]
    for axis in (axis0, axis1):
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise with_location(UsageError(f"swapaxes: an axis is an int, got {axis!r}"))
        if not -rank <= axis < rank:
            text = f"swapaxes: axis {axis} does not exist in a tensor of rank {rank}; use {-rank} to {rank - 1}"
            raise with_location(AxisError(text))
    axes[axis0], axes[axis1] = axes[axis1], axes[axis0]
    return tuple(axes)


def _ints(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes or axes, passed one by one or as one tuple or list."""
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], tuple | list) else args
