"""What the stages of a pipeline ask of their arguments, and the numpy form of a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import TypeArgument, ValueArgument
from minigraph.core.tensor import Tensor

Operation = Callable[..., Any]
LARGEST = 2**31 - 1


def as_array(value: Any) -> np.ndarray:
    """A value of a row as a numpy array: Tensors give their own, numbers become int64 or float64.

    >>> as_array(Tensor([1.0])).dtype, as_array(1.0).dtype
    (dtype('float32'), dtype('float64'))
    """
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def column_names_of(names: str | Sequence[str]) -> tuple[str, ...]:
    """Column names as a tuple; raises ``TypeError`` for other things, ``ValueError`` for a name given twice.

    >>> column_names_of("image"), column_names_of(["image", "label"])
    (('image',), ('image', 'label'))
    """
    listed = (names,) if isinstance(names, str) else tuple(names)
    if not listed or not all(isinstance(name, str) and name for name in listed):
        raise TypeArgument(f"dataset: column names must be strings, got {names!r}")
    if len(set(listed)) < len(listed):
        raise ValueArgument(f"dataset: a column name stands twice in {list(listed)}; rename one")
    return listed


def check_callables(operations: Sequence[Operation]) -> None:
    """Raise ``TypeError`` unless there is at least one operation and all can be called."""
    for operation in operations or (None,):
        if not callable(operation):
            raise TypeArgument(f"map: operations must be functions of numpy arrays, got {operation!r}")


def in_interval(what: str, value: object, least: int) -> None:
    """Raise ``TypeError`` unless ``value`` is an int, ``ValueError`` unless it is in [least, 2147483647]."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeArgument(f"Argument {what} with value {value!r} is not of type [<class 'int'>].")
    if not least <= value <= LARGEST:
        raise ValueArgument(f"Input {what} is not within the required interval of [{least}, {LARGEST}].")
