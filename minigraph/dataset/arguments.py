"""Argument checks of pipeline stages, and values as numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.tensor import Tensor

Operation = Function
INT_MAX = 2**31 - 1


def as_array(value: object) -> np.ndarray:
    """A value of a row as a numpy array: a Tensor's own array, numbers as int64 or float64.

    >>> as_array(Tensor([1.0])).dtype, as_array(1.0).dtype
    (dtype('float32'), dtype('float64'))
    """
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def as_column_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Column names as a tuple; raises ``TypeError`` for other types, ``ValueError`` for a repeated name.

    >>> as_column_names("image"), as_column_names(["image", "label"])
    (('image',), ('image', 'label'))
    """
    columns = (names,) if isinstance(names, str) else tuple(names)
    if not columns or not all(isinstance(name, str) and name for name in columns):
        raise ArgTypeError(f"dataset: column names must be strings, got {names!r}")
    if len(set(columns)) < len(columns):
        raise ArgValueError(f"dataset: a column name occurs twice in {list(columns)}; rename one")
    return columns


def check_callables(operations: Sequence[Operation]) -> None:
    """Raises ``TypeError`` unless there is at least one operation and all are callable."""
    for operation in operations or (None,):
        if not callable(operation):
            raise ArgTypeError(f"map: operations must be functions of numpy arrays, got {operation!r}")


def check_interval(name: str, value: object, minimum: int) -> None:
    """Raises ``TypeError`` unless ``value`` is an int, ``ValueError`` unless it is in [minimum, 2147483647]."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgTypeError(f"Argument {name} with value {value!r} is not of type [<class 'int'>].")
    if not minimum <= value <= INT_MAX:
        raise ArgValueError(f"Input {name} is not within the required interval of [{minimum}, {INT_MAX}].")
