"""Python data as numpy arrays of MindSpore's dtypes: what ``Tensor(...)`` takes, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import DTypeError, TypeArgument
from minigraph.core.tensor.operator_methods import Operators
from minigraph.core.types import BY_NUMPY, DType, float32


def array_of(source: Any, dtype: DType | None) -> np.ndarray:
    """The data as an array of its own; ``dtype`` ``None``: the one MindSpore infers.

    Raises ``TypeError`` for what is not numeric, ``DTypeError`` for a number that does not fit.

    >>> array_of([1.0, 2.0], None).dtype, array_of(1, None).dtype
    (dtype('float32'), dtype('int64'))
    """
    if dtype is not None and not isinstance(dtype, DType):
        raise TypeArgument(f"Tensor: dtype must be a minigraph dtype such as ms.float32, got {dtype!r}")
    make = _array_of_numpy if isinstance(source, np.ndarray | np.generic) else _array_of_python
    try:
        return make(source, dtype)
    except RuntimeWarning:  # the user's filters make warnings errors; inf and nan are values here all the same
        with np.errstate(all="ignore"):
            return make(source, dtype)


def checked(array: Any, source: Any = None) -> Any:
    """The array itself if there is a dtype for its numbers; ``source`` is what the error shows.

    Raises ``TypeError`` otherwise.
    """
    if array.dtype not in BY_NUMPY:
        told = shown(array if source is None else source)
        raise TypeArgument(f"For Tensor, the input_data is {told} that contain unsupported element.")
    return array


def _array_of_numpy(source: Any, dtype: DType | None) -> np.ndarray:
    """A copy; of complex numbers made real, the real parts, as the operator ``cast`` takes them."""
    if dtype is None:
        return np.array(checked(source))
    cut = checked(source).dtype.kind == "c" and dtype.kind != "c"
    return np.array(source.real if cut else source, dtype=dtype.numpy)


def _array_of_python(source: Any, dtype: DType | None) -> np.ndarray:
    if isinstance(source, str | bytes | dict) or source is None:
        raise TypeArgument(
            "For 'Tensor', the type of 'input_data' should be one of '['TensorPy', 'Tensor', 'ndarray', 'str_', "
            "'list', 'tuple', 'float', 'int', 'bool', 'complex', 'bytes_']', "
            f"but got {shown(source)} of type {type(source).__name__}."
        )
    if isinstance(source, list | tuple):
        source = _plain(source)
    try:
        array = np.array(source, dtype=dtype.numpy if dtype else None)
    except OverflowError:
        wide = dtype or "int64"
        raise DTypeError(f"Tensor: {shown(source)} does not fit into {wide}; give a wider dtype") from None
    except (ValueError, TypeError):
        array = np.array(None)
    checked(array, source)
    return array.astype(float32.numpy) if dtype is None and array.dtype == np.float64 else array


def _plain(items: Any) -> Any:
    """Nested lists with the tensors in them as arrays."""
    return [_plain(item) if isinstance(item, list | tuple) else _array_in(item) for item in items]


def _array_in(item: Any) -> Any:
    return item.known() if isinstance(item, Operators) else item  # type: ignore[attr-defined]


def shown(value: object) -> str:
    """A value as an error text shows it: its ``repr``, cut to 80 characters.

    >>> shown([1.0, 2.0]), shown(10**5000)
    ('[1.0, 2.0]', 'a number of thousands of digits')
    """
    try:
        return f"{value!r:.80}"
    except ValueError:  # Python writes no ints of more than sys.get_int_max_str_digits()
        return "a number of thousands of digits"
