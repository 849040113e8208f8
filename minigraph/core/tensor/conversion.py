"""Conversion of Python and numpy data to arrays of MindSpore's dtypes, as ``Tensor(...)`` does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgTypeError, DTypeError
from minigraph.core.lazy import resolve
from minigraph.core.scope_guard import call_ignoring_float_errors, reraise_handler_error
from minigraph.core.tensor.operator_methods import Operators
from minigraph.core.types import DType, find_dtype

AS_ABSTRACT = "minigraph.core.tensor.abstract:as_abstract"  # late-bound: few programs have arrays without strides
PYTHON_TYPES = {"float64": "float32", "int32": "int64"}  # numpy's and MindSpore's types of numbers and lists


def array_of(source: ArrayLike | None, dtype: DType | None) -> np.ndarray:
    """The data as a new array; ``dtype`` ``None``: the one that MindSpore infers.

    Raises ``TypeError`` for data that is not numeric, ``DTypeError`` for a number out of range.

    >>> array_of([1.0, 2.0], None).dtype, array_of(1, None).dtype
    (dtype('float32'), dtype('int64'))
    """
    if dtype is not None and not isinstance(dtype, DType):
        raise ArgTypeError(f"Tensor: dtype must be a minigraph dtype such as ms.float32, got {dtype!r}")
    convert = _array_of_numpy if isinstance(source, np.ndarray | np.generic) else _array_of_python
    try:
        return convert(source, dtype)
    except RuntimeWarning:  # the user's filters turn warnings into errors, but inf and nan are ordinary values here
        return call_ignoring_float_errors(convert, source, dtype)


def check_dtype(array: np.ndarray, source: object = None) -> np.ndarray:
    """The array, if its dtype is supported; ``source`` is what the error shows.

    Raises ``TypeError`` if it is not.
    """
    if find_dtype(array.dtype) is None:
        text = short_repr(array if source is None else source)
        raise ArgTypeError(f"For Tensor, the input_data is {text} that contain unsupported element.")
    return array


def _array_of_numpy(source: Any, dtype: DType | None) -> np.ndarray:
    """A copy; a cast from complex to real keeps the real part, as the operator ``cast`` does."""
    has_strides = source.size < 2 or any(source.strides)
    if not has_strides and (array := resolve(AS_ABSTRACT)(source, dtype)) is not None:
        return np.asarray(array)
    if dtype is None:
        return np.array(check_dtype(source))
    drops_imaginary = check_dtype(source).dtype.kind == "c" and dtype.kind != "c"
    return np.array(source.real if drops_imaginary else source, dtype=dtype.numpy)


def _array_of_python(source: object, dtype: DType | None) -> np.ndarray:
    if isinstance(source, str | bytes | dict) or source is None:
        raise ArgTypeError(
            "For 'Tensor', the type of 'input_data' should be one of '['TensorPy', 'Tensor', 'ndarray', 'str_', "
            "'list', 'tuple', 'float', 'int', 'bool', 'complex', 'bytes_']', "
            f"but got {short_repr(source)} of type {type(source).__name__}."
        )
    source = _replace_tensors(source) if isinstance(source, list | tuple) else source
    try:
        array = np.array(source, dtype=dtype.numpy if dtype else None)
    except OverflowError:
        target = dtype or "int64"
        raise DTypeError(f"Tensor: {short_repr(source)} does not fit into {target}; give a wider dtype") from None
    except (ValueError, TypeError) as error:
        reraise_handler_error(error)
        array = np.array(None)
    check_dtype(array, source)
    return array if dtype else array.astype(PYTHON_TYPES.get(array.dtype.name, array.dtype), copy=False)


def _replace_tensors(items: Sequence[object]) -> list[object]:
    """Nested lists, with tensors replaced by their arrays."""
    return [_replace_tensors(item) if isinstance(item, list | tuple) else _array_or_number(item) for item in items]


def _array_or_number(item: object) -> object:
    return item.concrete_array() if isinstance(item, Operators) else item  # type: ignore[attr-defined]


def short_repr(value: object) -> str:
    """A value as error messages show it: its ``repr``, cut to 80 characters.

    >>> short_repr([1.0, 2.0]), short_repr(10**5000)
    ('[1.0, 2.0]', 'a number of thousands of digits')
    """
    try:
        return f"{value!r:.80}"
    except ValueError:  # Python does not print ints of more than sys.get_int_max_str_digits() digits
        return "a number of thousands of digits"
