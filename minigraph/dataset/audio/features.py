"""Numbers that describe waveforms and spectra."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.dataset.audio.checks import as_audio, check_count, check_enum, check_number
from minigraph.dataset.audio.enums import BorderType, WindowType
from minigraph.dataset.audio.spectra import spectrogram, spectrogram_arguments
from minigraph.dataset.operation_table import OperationTable, operation_classes


def _compute_deltas(spectrum: np.ndarray, win_length: int, pad_mode: BorderType) -> np.ndarray:
    """The slope at each time of the line that fits ``win_length`` times best."""
    values = as_audio("ComputeDeltas", spectrum)
    reach = (win_length - 1) // 2
    padded = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(reach, reach)], pad_mode.value)
    steps = np.arange(-reach, reach + 1, dtype=np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(padded, len(steps), -1)
    return (windows @ (steps / (steps**2).sum())).astype(values.dtype)


def _deltas_arguments(win_length: int = 5, pad_mode: BorderType = BorderType.EDGE) -> dict[str, Any]:
    check_count("win_length", win_length, 3)
    check_enum("pad_mode", pad_mode, BorderType)
    return {"win_length": win_length, "pad_mode": pad_mode}


def _spectral_centroid(waveform: np.ndarray, sample_rate: int, **settings: Any) -> np.ndarray:
    """The mean frequency [..., 1, time] of a waveform [..., time], weighted by the absolute spectrum."""
    magnitudes = spectrogram(waveform, **settings).astype(np.float64)
    frequencies = np.linspace(0, sample_rate // 2, magnitudes.shape[-2])[:, None]
    centroid = (frequencies * magnitudes).sum(-2, keepdims=True) / magnitudes.sum(-2, keepdims=True)
    return centroid.astype(np.asarray(waveform).dtype)


def _centroid_arguments(
    sample_rate: int,
    n_fft: int = 400,
    win_length: int | None = None,
    hop_length: int | None = None,
    pad: int = 0,
    window: WindowType = WindowType.HANN,
) -> dict[str, Any]:
    check_number("sample_rate", sample_rate, 0)
    settings = spectrogram_arguments(n_fft, win_length, hop_length, pad, window, power=1.0)
    return {"sample_rate": sample_rate, **settings}


OPERATION_TABLE: OperationTable = {
    "ComputeDeltas": (_compute_deltas, _deltas_arguments),
    "SpectralCentroid": (_spectral_centroid, _centroid_arguments),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.audio")
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
