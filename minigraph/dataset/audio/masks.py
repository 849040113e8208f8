"""Masks of spectra [..., frequency, time]."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.audio.checks import as_audio, check_count, check_number
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes
from minigraph.dataset.readers.reader_arguments import check_instance


def mask_along_axis(spectrum: np.ndarray, mask_start: int, mask_width: int, mask_value: float, axis: int) -> np.ndarray:
    """The spectrum with a value in a range of frequencies (axis 1) or times (axis 2)."""
    values = as_audio("MaskAlongAxis", spectrum, 2).copy()
    size = values.shape[axis - 3]
    if not mask_start < size or mask_start + mask_width > size:
        raise ArgRuntimeError(f"MaskAlongAxis: a mask from {mask_start} to {mask_start + mask_width} on size {size}")
    np.moveaxis(values, axis - 3, -1)[..., mask_start : mask_start + mask_width] = mask_value
    return values


def _check_axis(axis: int) -> None:
    check_count("axis", axis, 1)
    if axis > 2:
        raise ArgValueError(f"Input axis is not within the required interval of [1, 2], got {axis}.")


def _axis_arguments(mask_start: int, mask_width: int, mask_value: float, axis: int) -> dict[str, Any]:
    check_count("mask_start", mask_start)
    check_count("mask_width", mask_width, 1)
    check_number("mask_value", mask_value)
    _check_axis(axis)
    return {"mask_start": mask_start, "mask_width": mask_width, "mask_value": mask_value, "axis": axis}


def mask_each(
    rng: np.random.Generator, spectrum: np.ndarray, mask_param: int, mask_value: float, axis: int
) -> np.ndarray:
    """Each spectrum with a value in a random range of frequencies (axis 1) or times (axis 2), up to a size."""
    values = np.array(as_audio("MaskAlongAxisIID", spectrum, 2), order="C")
    size = values.shape[axis - 3]
    if mask_param > size:
        raise ArgRuntimeError(f"MaskAlongAxisIID: masks of {mask_param} on an axis of size {size}")
    for spectrogram in values.reshape(-1, *values.shape[-2:]) if mask_param else ():  # views: the copy is contiguous
        width = int(rng.integers(mask_param + 1))
        start = int(rng.integers(size - width + 1))
        np.moveaxis(spectrogram, axis - 3, -1)[..., start : start + width] = mask_value
    return values


def _each_arguments(mask_param: int, mask_value: float, axis: int) -> dict[str, Any]:
    check_count("mask_param", mask_param)
    check_number("mask_value", mask_value)
    _check_axis(axis)
    return {"mask_param": mask_param, "mask_value": mask_value, "axis": axis}


def mask_spectrum(
    rng: np.random.Generator, spectrum: np.ndarray, each: bool, width: int, start: int, value: float, axis: int
) -> np.ndarray:
    """The spectrum with a value in a range of an axis; ``iid_masks``: each spectrum in a random one, up to the size."""
    values = as_audio("FrequencyMasking" if axis == 1 else "TimeMasking", spectrum, 2)
    if width > values.shape[axis - 3]:
        raise ArgRuntimeError(f"the mask has the size {width}, its axis {values.shape[axis - 3]}; choose a smaller one")
    if each:
        return mask_each(rng, values, width, value, axis)
    return mask_along_axis(values, start, width, value, axis) if width else values


def _mask_arguments(iid_masks: bool, width: int, start: int, value: float, axis: int) -> dict[str, Any]:
    check_instance("iid_masks", iid_masks, (bool,))
    check_count("mask_param", width)
    check_count("mask_start", start)
    check_number("mask_value", value)
    return {"each": iid_masks, "width": width, "start": start, "value": value, "axis": axis}


def _frequency_arguments(
    iid_masks: bool = False, freq_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
) -> dict[str, Any]:
    return _mask_arguments(iid_masks, freq_mask_param, mask_start, mask_value, 1)


def _time_arguments(
    iid_masks: bool = False, time_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
) -> dict[str, Any]:
    return _mask_arguments(iid_masks, time_mask_param, mask_start, mask_value, 2)


RANDOM_OPERATION_TABLE: OperationTable = {
    "FrequencyMasking": (mask_spectrum, _frequency_arguments),
    "MaskAlongAxisIID": (mask_each, _each_arguments),
    "TimeMasking": (mask_spectrum, _time_arguments),
}
OPERATIONS = operation_classes({"MaskAlongAxis": (mask_along_axis, _axis_arguments)}, "minigraph.dataset.audio")
OPERATIONS |= operation_classes(RANDOM_OPERATION_TABLE, "minigraph.dataset.audio", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
