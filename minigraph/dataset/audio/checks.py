"""Argument checks of audio operations, and waveforms as arrays of floats."""

from __future__ import annotations

from enum import Enum

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.readers.reader_arguments import check_instance

MAX_FLOAT = 2.0**24  # of float arguments in MindSpore


def check_number(
    name: str, value: object, low: float = -MAX_FLOAT, high: float = MAX_FLOAT, excludes_low: bool = False
) -> None:
    """Raises ``TypeError`` unless the value is a number, ``ValueError`` unless in [low, high], or (low, high]."""
    check_instance(name, value, (float, int))
    if not low <= value <= high or (excludes_low and value == low):  # type: ignore[operator]
        interval = f"{'(' if excludes_low else '['}{low}, {high}]"
        raise ArgValueError(f"Input {name} is not within the required interval of {interval}, got {value}.")


def check_count(name: str, value: object, minimum: int = 0) -> None:
    """Raises ``TypeError`` unless the value is an int, ``ValueError`` unless it is in [minimum, 2147483647]."""
    check_instance(name, value, (int,))
    check_interval(name, value, minimum)


def check_enum(name: str, value: object, kind: type[Enum]) -> None:
    """Raises ``TypeError`` unless the value is a member."""
    if not isinstance(value, kind):
        raise ArgTypeError(f"Argument {name} with value {value} is not of type [{kind!r}], but got {type(value)}.")


def as_audio(
    caller: str, array: np.ndarray, rank: int = 1, last: int | None = None, only_floats: bool = False
) -> np.ndarray:
    """Numbers as float64 or float32; raises ``RuntimeError`` for other values, or fewer axes than ``rank``.

    ``last`` is the size of the last axis; ``only_floats`` refuses ints, and keeps float16.

    >>> as_audio("Gain", np.array([1, 2])).dtype
    dtype('float32')
    """
    kinds = "f" if only_floats else "iuf"
    if array.dtype.kind not in kinds or array.ndim < rank or (last is not None and array.shape[-1] != last):
        expected = "floats" if only_floats else "numbers"
        axes = f"{rank} axes or more" if last is None else f"a last axis of size {last}"
        raise ArgRuntimeError(
            f"{caller}: expected {expected} with {axes}, got {array.dtype} of shape {list(array.shape)}"
        )
    keeps = array.dtype == np.float64 or (only_floats and array.dtype == np.float16)
    return array if keeps else array.astype(np.float32)
