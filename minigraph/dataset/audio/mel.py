"""Spectra in bands of the mel scale or of equal width, and their cepstral coefficients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.dataset.audio.checks import as_audio, check_count, check_enum, check_number
from minigraph.dataset.audio.enums import BorderType, MelType, NormMode, NormType, ScaleType, WindowType
from minigraph.dataset.audio.spectra import spectrogram, spectrogram_arguments
from minigraph.dataset.audio.waveforms import amplitude_to_db
from minigraph.dataset.operation_table import OperationTable, operation_classes
from minigraph.dataset.readers.reader_arguments import check_instance

LOG_OFFSET = 1e-6
BREAK_HZ, LINEAR_HZ_PER_MEL = 1000.0, 200.0 / 3  # of Slaney's scale: linear below the break, logarithmic above
BREAK_MEL, LOG_STEP = BREAK_HZ / LINEAR_HZ_PER_MEL, math.log(6.4) / 27


# ---- filter banks ----------------------------------------------------------------------------------


def hertz_to_mel(frequency: float, mel_type: MelType) -> float:
    """A frequency on the mel scale of HTK or of Slaney.

    >>> round(hertz_to_mel(1000, MelType.HTK)), round(hertz_to_mel(1000, MelType.SLANEY))
    (1000, 15)
    """
    if mel_type is MelType.HTK:
        return 2595 * math.log10(1 + frequency / 700)
    if frequency < BREAK_HZ:
        return frequency / LINEAR_HZ_PER_MEL
    return BREAK_MEL + math.log(frequency / BREAK_HZ) / LOG_STEP


def mel_to_hertz(mels: np.ndarray, mel_type: MelType) -> np.ndarray:
    """The frequencies of values on the mel scale."""
    if mel_type is MelType.HTK:
        return 700 * (np.power(10, mels / 2595) - 1)
    above = BREAK_HZ * np.exp(LOG_STEP * (mels - BREAK_MEL))
    return np.where(mels >= BREAK_MEL, above, mels * LINEAR_HZ_PER_MEL)


def _triangles(n_freqs: int, sample_rate: int, corners: np.ndarray) -> np.ndarray:
    """[n_freqs, n]: triangles between every second corner, with the height 1 at the corner between them."""
    frequencies = np.linspace(0, sample_rate / 2, n_freqs)[:, None]
    widths, slopes = np.diff(corners), corners[None] - frequencies
    return np.maximum(0, np.minimum(-slopes[:, :-2] / widths[:-1], slopes[:, 2:] / widths[1:])) + 0.0  # no -0.0


def _check_bank(n_freqs: int, f_min: float, f_max: float, count: int, sample_rate: int) -> None:
    check_count("n_freqs", n_freqs)
    check_number("f_min", f_min, 0)
    check_number("f_max", f_max, 0)
    check_count("n_mels", count, 1)
    check_count("sample_rate", sample_rate, 1)
    if f_min > f_max:
        raise ArgValueError(f"Input f_min should be no more than f_max, but got f_min: {f_min} and f_max: {f_max}.")


def melscale_fbanks(
    n_freqs: int,
    f_min: float,
    f_max: float,
    n_mels: int,
    sample_rate: int,
    norm: NormType = NormType.NONE,
    mel_type: MelType = MelType.HTK,
) -> np.ndarray:
    """Triangular filters of equal width on the mel scale, float32 [n_freqs, n_mels].

    >>> melscale_fbanks(5, 0.0, 50.0, 2, 100).shape
    (5, 2)
    """
    _check_bank(n_freqs, f_min, f_max, n_mels, sample_rate)
    check_enum("norm", norm, NormType)
    check_enum("mel_type", mel_type, MelType)
    first, last = hertz_to_mel(f_min, mel_type), hertz_to_mel(f_max, mel_type)
    corners = mel_to_hertz(np.linspace(first, last, n_mels + 2), mel_type)
    bank = _triangles(n_freqs, sample_rate, corners)
    if norm is NormType.SLANEY:
        bank = bank * (2 / (corners[2:] - corners[:-2]))
    return bank.astype(np.float32)


def linear_fbanks(n_freqs: int, f_min: float, f_max: float, n_filter: int, sample_rate: int) -> np.ndarray:
    """Triangular filters of equal width, float32 [n_freqs, n_filter].

    >>> linear_fbanks(3, 0.0, 50.0, 1, 100).tolist()
    [[0.0], [1.0], [0.0]]
    """
    _check_bank(n_freqs, f_min, f_max, n_filter, sample_rate)
    return _triangles(n_freqs, sample_rate, np.linspace(f_min, f_max, n_filter + 2)).astype(np.float32)


def create_dct(n_mfcc: int, n_mels: int, norm: NormMode = NormMode.NONE) -> np.ndarray:
    """The discrete cosine transform of type 2, float32 [n_mels, n_mfcc].

    >>> create_dct(1, 2).tolist()
    [[2.0], [2.0]]
    """
    for name, value in (("n_mfcc", n_mfcc), ("n_mels", n_mels)):
        check_instance(name, value, (int,))
        if value < 1:
            raise ArgValueError(f"{name} must be greater than 0, but got {value}.")
    if not isinstance(norm, NormMode):
        raise ArgTypeError(f"norm with value {norm} is not of type {NormMode!r}, but got {type(norm)}.")
    table = np.cos(math.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc))
    if norm is NormMode.NONE:
        return (2 * table).astype(np.float32)
    table[:, 0] /= math.sqrt(2)
    return (table * math.sqrt(2 / n_mels)).astype(np.float32)


# ---- operations ------------------------------------------------------------------------------------


def apply_bank(spectrum: np.ndarray, bank: np.ndarray, caller: str) -> np.ndarray:
    """A spectrum [..., frequency, time] in the bands of a filter bank [frequency, bands]."""
    values = as_audio(caller, spectrum, 2)
    if values.shape[-2] != len(bank):
        raise ArgRuntimeError(f"{caller}: 'n_stft' should be equal to 'freq', got {len(bank)} and {values.shape[-2]}")
    return bank.T.astype(values.dtype) @ values


def mel_scale(spectrum: np.ndarray, bank: np.ndarray) -> np.ndarray:
    """A spectrum [..., frequency, time] in bands of equal width on the mel scale, [..., n_mels, time]."""
    return apply_bank(spectrum, bank, "MelScale")


def _scale_arguments(
    n_mels: int = 128,
    sample_rate: int = 16000,
    f_min: float = 0.0,
    f_max: float | None = None,
    n_stft: int = 201,
    norm: NormType = NormType.NONE,
    mel_type: MelType = MelType.HTK,
) -> dict[str, Any]:
    check_count("n_stft", n_stft, 1)
    check_count("sample_rate", sample_rate, 1)
    highest = sample_rate // 2 if f_max is None else f_max
    return {"bank": melscale_fbanks(n_stft, f_min, highest, n_mels, sample_rate, norm, mel_type)}


def mel_spectrogram(waveform: np.ndarray, bank: np.ndarray, **options: Any) -> np.ndarray:
    """``Spectrogram`` and ``MelScale`` of a waveform [..., time]: [..., n_mels, time]."""
    return apply_bank(spectrogram(waveform, **options), bank, "MelSpectrogram")


def _mel_arguments(
    sample_rate: int = 16000,
    n_fft: int = 400,
    win_length: int | None = None,
    hop_length: int | None = None,
    f_min: float = 0.0,
    f_max: float | None = None,
    pad: int = 0,
    n_mels: int = 128,
    window: WindowType = WindowType.HANN,
    power: float = 2.0,
    normalized: bool = False,
    center: bool = True,
    pad_mode: BorderType = BorderType.REFLECT,
    onesided: bool = True,
    norm: NormType = NormType.NONE,
    mel_scale: MelType = MelType.HTK,
) -> dict[str, Any]:
    options = spectrogram_arguments(
        n_fft, win_length, hop_length, pad, window, power, normalized, center, pad_mode, onesided
    )
    size = n_fft // 2 + 1 if onesided else n_fft
    return _scale_arguments(n_mels, sample_rate, f_min, f_max, size, norm, mel_scale) | options


def cepstrum(waveform: np.ndarray, bank: np.ndarray, transform: np.ndarray, log: bool, **options: Any) -> np.ndarray:
    """The cosine transform [..., coefficients, time] of the logarithms of bands, in decibels unless ``log``."""
    bands = apply_bank(spectrogram(waveform, **options), bank, "MFCC")
    scaled = np.log(bands + LOG_OFFSET) if log else amplitude_to_db(bands, ScaleType.POWER, 1.0, 1e-10, 80.0)
    return transform.T.astype(bands.dtype) @ scaled


def _check_transform(dct_type: int, count: int, bands: int, log: bool) -> None:
    check_instance("dct_type", dct_type, (int,))
    if dct_type != 2:
        raise ArgValueError(f"Input dct_type must be 2, but got : {dct_type}.")
    check_instance("log", log, (bool,))
    if count > bands:
        raise ArgValueError(f"{count} coefficients of {bands} bands; ask for at most as many as there are bands.")


def _mfcc_arguments(
    sample_rate: int = 16000,
    n_mfcc: int = 40,
    dct_type: int = 2,
    norm: NormMode = NormMode.ORTHO,
    log_mels: bool = False,
    melkwargs: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    options = _mel_arguments(sample_rate, **(melkwargs or {}))
    bands = options["bank"].shape[1]
    _check_transform(dct_type, n_mfcc, bands, log_mels)
    return {**options, "transform": create_dct(n_mfcc, bands, norm), "log": log_mels}


def _lfcc_arguments(
    sample_rate: int = 16000,
    n_filter: int = 128,
    n_lfcc: int = 40,
    f_min: float = 0.0,
    f_max: float | None = None,
    dct_type: int = 2,
    norm: NormMode = NormMode.ORTHO,
    log_lf: bool = False,
    speckwargs: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    options = spectrogram_arguments(**(speckwargs or {}))
    _check_transform(dct_type, n_lfcc, n_filter, log_lf)
    highest = sample_rate // 2 if f_max is None else f_max
    bank = linear_fbanks(options["n_fft"] // 2 + 1, f_min, highest, n_filter, sample_rate)
    return {**options, "bank": bank, "transform": create_dct(n_lfcc, n_filter, norm), "log": log_lf}


OPERATION_TABLE: OperationTable = {
    "LFCC": (cepstrum, _lfcc_arguments),
    "MFCC": (cepstrum, _mfcc_arguments),
    "MelScale": (mel_scale, _scale_arguments),
    "MelSpectrogram": (mel_spectrogram, _mel_arguments),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.audio")
globals().update(OPERATIONS)
__all__ = ["create_dct", "linear_fbanks", "melscale_fbanks", *OPERATIONS]  # noqa: PLE0604 - strings
