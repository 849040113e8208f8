"""Operations for ``map``: casts, one-hot rows, and compositions of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.missing_names import transforms_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType
from minigraph.dataset import array_operations
from minigraph.dataset.arguments import Operation, as_array, check_callables
from minigraph.dataset.array_operations import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.config import get_seed

__all__ = ["Bernoulli", "Compose", "OneHot", "RandomApply", "RandomChoice", "TypeCast", "not_random"]
__all__ = [*__all__, *array_operations.__all__]  # noqa: PLE0604 - strings


class Compose:
    """Several operations applied in sequence.

    >>> Compose([lambda x: x + 1, lambda x: x * 10])(np.array([1, 2]))
    array([20, 30])
    """

    def __init__(self, transforms: Sequence[Operation]) -> None:
        check_callables(transforms)
        self.transforms = list(transforms)

    def __call__(self, *values: object) -> Any:
        """The last result."""
        for operation in self.transforms:
            result = operation(*values)
            values = result if isinstance(result, tuple) else (result,)
        return values if len(values) > 1 else values[0]


class TypeCast:
    """The same values in a dtype, of MindSpore or of numpy.

    >>> import minigraph as ms
    >>> TypeCast(ms.float16)(np.array([1, 2])).dtype
    dtype('float16')
    """

    def __init__(self, data_type: DType | type | np.dtype[Any]) -> None:
        try:
            self.dtype = np.dtype(data_type.numpy if isinstance(data_type, DType) else data_type)
        except TypeError:
            raise ArgTypeError(f"TypeCast: expected a dtype such as ms.float32, got {data_type!r}") from None

    def __call__(self, value: Tensor) -> np.ndarray:
        """The values, cast."""
        return as_array(value).astype(self.dtype)


class OneHot:
    """Class indices as one-hot rows of ``num_classes``; dtype kept.

    With ``smoothing_rate`` s the rows are float64: 1 - s at the class, plus s / num_classes everywhere. Raises
    ``RuntimeError`` for a class out of range.

    >>> OneHot(3)(np.array(1))
    array([0, 1, 0])
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        if isinstance(num_classes, bool) or not isinstance(num_classes, int) or num_classes < 1:
            raise ArgValueError(f"OneHot: num_classes must be an int of at least 1, got {num_classes!r}")
        if not 0.0 <= smoothing_rate <= 1.0:
            raise ArgValueError(f"OneHot: smoothing_rate must be in [0, 1], got {smoothing_rate}")
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def __call__(self, value: np.ndarray) -> np.ndarray:
        """Rows of ``num_classes`` along a new last axis."""
        classes = as_array(value)
        is_integer = classes.dtype.kind in "iu"
        if not is_integer or (classes.size and not 0 <= classes.min() <= classes.max() < self.num_classes):
            raise ArgRuntimeError(f"OneHot: classes are ints from 0 to {self.num_classes - 1}, got {classes}")
        rows = np.eye(self.num_classes, dtype=classes.dtype)[classes]
        rate = self.smoothing_rate
        return rows if rate == 0.0 else rows * (1.0 - rate) + rate / self.num_classes


class RandomApply:
    """All operations of a list with probability ``prob``, else none."""

    def __init__(self, transforms: Sequence[Operation], prob: float = 0.5) -> None:
        self.composed, self.bernoulli = Compose(transforms), Bernoulli(prob)

    def __call__(self, value: int) -> int:
        """The value, changed or not."""
        return self.composed(value) if self.bernoulli() else value


class RandomChoice:
    """One operation of a list, chosen anew each time."""

    def __init__(self, transforms: Sequence[Operation]) -> None:
        check_callables(transforms)
        self.transforms, self.rng = list(transforms), np.random.default_rng(get_seed())

    def __call__(self, value: int) -> int:
        """The value, changed by one of the operations."""
        return self.transforms[int(self.rng.integers(len(self.transforms)))](value)


class Bernoulli:
    """Samples that are true with probability ``prob``, from the dataset seed; raises ``ValueError`` unless in [0, 1].

    >>> Bernoulli(1.0)()
    True
    """

    def __init__(self, prob: float) -> None:
        if isinstance(prob, bool) or not isinstance(prob, int | float) or not 0.0 <= prob <= 1.0:
            raise ArgValueError(f"Input prob is not within the required interval of [0.0, 1.0], got {prob!r}.")
        self.prob, self.rng = prob, np.random.default_rng(get_seed())

    def __call__(self) -> bool:
        """The next sample."""
        return bool(self.rng.random() < self.prob)


def not_random(function: Operation) -> Operation:
    """Marks a user's operation as not random, which is for readers; it returns the function."""
    return function
