"""Spectra of waveforms by the short-time Fourier transform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError
from minigraph.dataset.audio.checks import as_audio, check_count, check_enum, check_number
from minigraph.dataset.audio.enums import BorderType, WindowType
from minigraph.dataset.operation_table import operation_classes
from minigraph.dataset.readers.reader_arguments import check_instance

KAISER_BETA = 12.0


def window_of(kind: WindowType, length: int) -> np.ndarray:
    """A periodic window: one period of a symmetric window that is longer by one sample.

    >>> window_of(WindowType.HANN, 4).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    size = length + 1
    if kind is WindowType.KAISER:
        return np.kaiser(size, KAISER_BETA)[:-1]
    named = {WindowType.BARTLETT: np.bartlett, WindowType.BLACKMAN: np.blackman, WindowType.HAMMING: np.hamming,
             WindowType.HANN: np.hanning}  # fmt: skip
    return named[kind](size)[:-1]


def spectrogram(
    waveform: np.ndarray,
    n_fft: int,
    win_length: int,
    hop_length: int,
    pad: int,
    window: WindowType,
    power: float,
    normalized: bool,
    center: bool,
    pad_mode: BorderType,
    onesided: bool,
) -> np.ndarray:
    """The spectrum [..., frequency, time] of a waveform [..., time], or of complex numbers [..., 2] for ``power`` 0."""
    audio = as_audio("Spectrogram", waveform)
    ends = [(0, 0)] * (audio.ndim - 1)
    padded = np.pad(audio, [*ends, (pad, pad)])
    if center:
        padded = np.pad(padded, [*ends, (n_fft // 2, n_fft // 2)], pad_mode.value)
    weights = np.zeros(n_fft)
    first = (n_fft - win_length) // 2
    weights[first : first + win_length] = window_of(window, win_length)
    frames = np.lib.stride_tricks.sliding_window_view(padded, n_fft, -1)[..., ::hop_length, :] * weights
    values = (np.fft.rfft if onesided else np.fft.fft)(frames).swapaxes(-1, -2)
    if normalized:
        values = values / math.sqrt(float((weights**2).sum()))
    if power == 0:
        return np.stack([values.real, values.imag], -1).astype(audio.dtype)
    return (np.abs(values) ** power).astype(audio.dtype)


def spectrogram_arguments(
    n_fft: int = 400,
    win_length: int | None = None,
    hop_length: int | None = None,
    pad: int = 0,
    window: WindowType = WindowType.HANN,
    power: float = 2.0,
    normalized: bool = False,
    center: bool = True,
    pad_mode: BorderType = BorderType.REFLECT,
    onesided: bool = True,
) -> dict[str, Any]:
    """The arguments of ``Spectrogram``, checked; raises ``TypeError`` or ``ValueError``."""
    check_count("n_fft", n_fft, 1)
    width = n_fft if win_length is None else win_length
    check_count("win_length", width, 1)
    if width > n_fft:
        raise ArgValueError(
            f"Input win_length should be no more than n_fft, but got win_length: {width} and n_fft: {n_fft}."
        )
    hop = width // 2 if hop_length is None else hop_length
    check_count("hop_length", hop, 1)
    check_count("pad", pad)
    check_enum("window", window, WindowType)
    check_enum("pad_mode", pad_mode, BorderType)
    check_number("power", power, 0)
    for name, value in (("normalized", normalized), ("center", center), ("onesided", onesided)):
        check_instance(name, value, (bool,))
    return {"n_fft": n_fft, "win_length": width, "hop_length": hop, "pad": pad, "window": window, "power": power,
            "normalized": normalized, "center": center, "pad_mode": pad_mode, "onesided": onesided}  # fmt: skip


OPERATIONS = operation_classes({"Spectrogram": (spectrogram, spectrogram_arguments)}, "minigraph.dataset.audio")
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
