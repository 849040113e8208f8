"""Recursive filters of waveforms [..., time].

The coefficients are those of the "Cookbook formulae for audio EQ biquad filter coefficients" of R. Bristow-Johnson; of
``BandBiquad``, ``DeemphBiquad`` and ``RiaaBiquad`` those of SoX.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.arguments import INT_MAX
from minigraph.dataset.audio.checks import as_audio, check_number
from minigraph.dataset.operation_table import operation_classes
from minigraph.dataset.readers.reader_arguments import check_instance

Coefficients = tuple[Sequence[float], Sequence[float]]  # of the input, of the output


def filter_waveform(
    waveform: np.ndarray, inputs: Sequence[float], outputs: Sequence[float], clamp: bool, caller: str
) -> np.ndarray:
    """The waveform filtered by a linear recurrence, clipped to [-1, 1] if ``clamp``.

    ``sum(outputs[k] * y[t - k]) = sum(inputs[k] * x[t - k])``.
    """
    audio = as_audio(caller, waveform, only_floats=True)
    scaled = [[float(value) / outputs[0] for value in values] for values in (inputs, outputs)]
    rows = [_filter_row(row, scaled[0], scaled[1][1:]) for row in audio.reshape(-1, audio.shape[-1]).tolist()]
    result = np.array(rows).reshape(audio.shape)
    return (np.clip(result, -1, 1) if clamp else result).astype(audio.dtype)


def _filter_row(row: Sequence[float], inputs: Sequence[float], outputs: Sequence[float]) -> list[float]:
    """The recurrence in plain numbers: an array per step would take longer."""
    result: list[float] = []
    past, feedback = [0.0] * len(inputs), [0.0] * len(outputs)
    for value in row:
        past = [value, *past[:-1]]
        total = sum(map(float.__mul__, inputs, past)) - sum(map(float.__mul__, outputs, feedback))
        feedback = [total, *feedback[:-1]]
        result.append(total)
    return result


def recurrence(waveform: np.ndarray, a_coeffs: Sequence[float], b_coeffs: Sequence[float], clamp: bool) -> np.ndarray:
    """The waveform filtered by ``sum(a[k] * y[t - k]) = sum(b[k] * x[t - k])``, clipped to [-1, 1] if ``clamp``."""
    return filter_waveform(waveform, b_coeffs, a_coeffs, clamp, "LFilter")


def _both_ways(waveform: np.ndarray, a_coeffs: Sequence[float], b_coeffs: Sequence[float], clamp: bool) -> np.ndarray:
    """The waveform filtered forwards and then backwards, which does not delay it; clipped to [-1, 1] if ``clamp``."""
    forwards = filter_waveform(waveform, b_coeffs, a_coeffs, False, "Filtfilt")
    return filter_waveform(forwards[..., ::-1], b_coeffs, a_coeffs, clamp, "Filtfilt")[..., ::-1]


def _recurrence_arguments(a_coeffs: Sequence[float], b_coeffs: Sequence[float], clamp: bool = True) -> dict[str, Any]:
    for name, values in (("a_coeffs", a_coeffs), ("b_coeffs", b_coeffs)):
        check_instance(name, values, (list, tuple))
        for index, value in enumerate(values):
            check_number(f"{name}[{index}]", value)
    check_instance("clamp", clamp, (bool,))
    if len(a_coeffs) != len(b_coeffs):
        raise ArgValueError("The size of a_coeffs should be the same as that of b_coeffs.")
    if not a_coeffs or a_coeffs[0] == 0:
        raise ArgRuntimeError("LFilter, Filtfilt: a_coeffs[0] can not be equal to zero; divide by another number")
    return {"a_coeffs": a_coeffs, "b_coeffs": b_coeffs, "clamp": clamp}


# ---- coefficients of order 2 -----------------------------------------------------------------------


def _biquad(b0: float, b1: float, b2: float, a0: float, a1: float, a2: float) -> Coefficients:
    """A filter of order 2 with these coefficients of the input (b) and output (a)."""
    for name, value in {"b0": b0, "b1": b1, "b2": b2, "a0": a0, "a1": a1, "a2": a2}.items():
        check_number(name, value)
    if a0 == 0:
        raise ArgValueError("Input a0 is not within the required interval of [-16777216, 0) and (0, 16777216].")
    return (b0, b1, b2), (a0, a1, a2)


def _wave(sample_rate: int, frequency: float, quality: float = 1.0) -> tuple[float, float]:
    """(the cosine of a frequency in radians per sample, half its sine divided by the quality)."""
    radians = 2 * math.pi * frequency / sample_rate
    return math.cos(radians), math.sin(radians) / 2 / quality


def _allpass(sample_rate: int, central_freq: float, Q: float = 0.707) -> Coefficients:
    """An all-pass filter of two poles: it changes phases only."""
    cosine, alpha = _wave(sample_rate, central_freq, Q)
    return (1 - alpha, -2 * cosine, 1 + alpha), (1 + alpha, -2 * cosine, 1 - alpha)


def _band(sample_rate: int, central_freq: float, Q: float = 0.707, noise: bool = False) -> Coefficients:
    """A band-pass filter of two poles; ``noise`` is its variant for sounds without pitch."""
    cosine, _ = _wave(sample_rate, central_freq)
    a2 = math.exp(-2 * math.pi * central_freq / Q / sample_rate)
    a1 = -4 * a2 / (1 + a2) * cosine
    b0 = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
    if noise:
        b0 = math.sqrt(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2))
    return (b0, 0, 0), (1, a1, a2)


def _bandpass(sample_rate: int, central_freq: float, Q: float = 0.707, const_skirt_gain: bool = False) -> Coefficients:
    """A band-pass filter of two poles, with a peak of 0 dB, or with a constant gain of the skirts."""
    cosine, alpha = _wave(sample_rate, central_freq, Q)
    peak = alpha * Q if const_skirt_gain else alpha
    return (peak, 0, -peak), (1 + alpha, -2 * cosine, 1 - alpha)


def _bandreject(sample_rate: int, central_freq: float, Q: float = 0.707) -> Coefficients:
    """A band-reject filter of two poles."""
    cosine, alpha = _wave(sample_rate, central_freq, Q)
    return (1, -2 * cosine, 1), (1 + alpha, -2 * cosine, 1 - alpha)


def _shelf(amplitude: float, cosine: float, alpha: float, sign: int) -> Coefficients:
    """A shelf of low (sign 1) or high (sign -1) frequencies."""
    plus, minus, root = amplitude + 1, amplitude - 1, 2 * math.sqrt(amplitude) * alpha
    cosine = sign * cosine
    inputs = [plus - minus * cosine + root, 2 * sign * (minus - plus * cosine), plus - minus * cosine - root]
    outputs = [plus + minus * cosine + root, -2 * sign * (minus + plus * cosine), plus + minus * cosine - root]
    return [amplitude * value for value in inputs], outputs


def _bass(sample_rate: int, gain: float, central_freq: float = 100.0, Q: float = 0.707) -> Coefficients:
    """A filter that changes low frequencies by a number of decibels."""
    return _shelf(10 ** (gain / 40), *_wave(sample_rate, central_freq, Q), 1)


def _treble(sample_rate: int, gain: float, central_freq: float = 3000, Q: float = 0.707) -> Coefficients:
    """A filter that changes high frequencies by a number of decibels."""
    return _shelf(10 ** (gain / 40), *_wave(sample_rate, central_freq, Q), -1)


def _equalizer(sample_rate: int, center_freq: float, gain: float, Q: float = 0.707) -> Coefficients:
    """A filter that changes frequencies near one by a number of decibels."""
    (cosine, alpha), amplitude = _wave(sample_rate, center_freq, Q), 10 ** (gain / 40)
    inputs = (1 + alpha * amplitude, -2 * cosine, 1 - alpha * amplitude)
    return inputs, (1 + alpha / amplitude, -2 * cosine, 1 - alpha / amplitude)


def _highpass(sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> Coefficients:
    """A high-pass filter of two poles."""
    cosine, alpha = _wave(sample_rate, cutoff_freq, Q)
    return ((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2), (1 + alpha, -2 * cosine, 1 - alpha)


def _lowpass(sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> Coefficients:
    """A low-pass filter of two poles."""
    cosine, alpha = _wave(sample_rate, cutoff_freq, Q)
    return ((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2), (1 + alpha, -2 * cosine, 1 - alpha)


DEEMPHASIS = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}  # frequency, slope, gain


def _deemph(sample_rate: int) -> Coefficients:
    """The de-emphasis of compact discs (IEC 60908), for 44,100 or 48,000 samples per second."""
    if sample_rate not in DEEMPHASIS:
        raise ArgValueError(f"Argument sample_rate should be 44100 or 48000, but got {sample_rate}.")
    frequency, slope, decibels = DEEMPHASIS[sample_rate]
    (cosine, half_sine), amplitude = _wave(sample_rate, frequency), 10 ** (decibels / 40)
    alpha = half_sine * math.sqrt((amplitude + 1 / amplitude) * (1 / slope - 1) + 2)
    return _shelf(amplitude, cosine, alpha, -1)


RIAA = {  # zeros, poles
    44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)), 48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
    88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)), 96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
}  # fmt: skip


def _riaa(sample_rate: int) -> Coefficients:
    """The equalisation of phonograph records (RIAA), with 0 dB at 1 kHz."""
    if sample_rate not in RIAA:
        raise ArgValueError(f"sample_rate should be one of {list(RIAA)}, but got {sample_rate}.")
    zeros, poles = ([1, -(first + second), first * second] for first, second in RIAA[sample_rate])
    step = np.exp(-2j * math.pi * 1000 / sample_rate * np.arange(3))
    scale = float(abs(np.dot(poles, step)) / abs(np.dot(zeros, step)))
    return [scale * value for value in zeros], poles


def _check_filter(arguments: dict[str, Any]) -> None:
    """Raises ``TypeError`` or ``ValueError`` for arguments of the filters above, by their names."""
    for name, value in arguments.items():
        if name == "sample_rate":
            check_instance(name, value, (int,))
            if value == 0 or abs(value) > INT_MAX:
                raise ArgValueError(f"Input {name} is not within the required interval of [-2147483648, 0) and above.")
        elif name == "Q":
            check_number(name, value, 0, 1, excludes_low=True)
        elif name in ("noise", "const_skirt_gain"):
            check_instance(name, value, (bool,))
        else:
            check_number(name, value)


def _row(name: str, design: Callable[..., Coefficients]) -> tuple[Any, Any]:
    """The row of a filter of order 2 for ``operations``, from the function of its coefficients."""

    def apply(waveform: np.ndarray, inputs: Sequence[float], outputs: Sequence[float]) -> np.ndarray:
        return filter_waveform(waveform, inputs, outputs, True, name)

    def configure(*args: Any, **kwargs: Any) -> dict[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        _check_filter(dict(bound.arguments))
        inputs, outputs = design(*bound.args, **bound.kwargs)
        return {"inputs": inputs, "outputs": outputs}

    signature = inspect.signature(design)
    configure.__signature__ = signature  # type: ignore[attr-defined]
    apply.__doc__ = f"{design.__doc__} The waveform [..., time] in floats; the result is clipped to [-1, 1]."
    return apply, configure


DESIGNS: dict[str, Callable[..., Coefficients]] = {
    "AllpassBiquad": _allpass, "BandBiquad": _band, "BandpassBiquad": _bandpass, "BandrejectBiquad": _bandreject,
    "BassBiquad": _bass, "Biquad": _biquad, "DeemphBiquad": _deemph, "EqualizerBiquad": _equalizer,
    "HighpassBiquad": _highpass, "LowpassBiquad": _lowpass, "RiaaBiquad": _riaa, "TrebleBiquad": _treble,
}  # fmt: skip
FILTER_TABLE = {name: _row(name, design) for name, design in DESIGNS.items()}
OPERATIONS = operation_classes(FILTER_TABLE, "minigraph.dataset.audio")
RECURRENCES = {"LFilter": (recurrence, _recurrence_arguments), "Filtfilt": (_both_ways, _recurrence_arguments)}
OPERATIONS |= operation_classes(RECURRENCES, "minigraph.dataset.audio")
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
