"""Operations on the values of waveforms: loudness, distortion, companding, decibels, complex numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.audio.checks import as_audio, check_count, check_enum, check_number
from minigraph.dataset.audio.enums import FadeShape, GainType, ScaleType
from minigraph.dataset.audio.filters import filter_waveform
from minigraph.dataset.operation_table import OperationTable, operation_classes


def gain(waveform: np.ndarray, factor: float) -> np.ndarray:
    """The waveform times an amplitude factor, which ``gain_db`` states in decibels."""
    audio = as_audio("Gain", waveform)
    return audio * audio.dtype.type(factor)


def volume(waveform: np.ndarray, factor: float) -> np.ndarray:
    """The waveform times an amplitude factor, clipped to [-1, 1]; ``gain`` is an amplitude, a power or decibels."""
    audio = as_audio("Vol", waveform)
    return np.clip(audio * audio.dtype.type(factor), -1, 1)


AMPLITUDE_FACTORS: dict[GainType, Callable[[float], float]] = {
    GainType.AMPLITUDE: float, GainType.POWER: math.sqrt, GainType.DB: lambda decibels: 10 ** (decibels / 20),
}  # fmt: skip


def _volume_arguments(gain: float, gain_type: GainType = GainType.AMPLITUDE) -> dict[str, Any]:
    check_number("gain", gain)
    check_enum("gain_type", gain_type, GainType)
    if gain_type is not GainType.DB:
        check_number("gain", gain, 0, excludes_low=gain_type is GainType.POWER)
    return {"factor": AMPLITUDE_FACTORS[gain_type](gain)}


def _gain_arguments(gain_db: float = 1.0) -> dict[str, Any]:
    check_number("gain_db", gain_db)
    return {"factor": 10 ** (gain_db / 20)}


def contrast(waveform: np.ndarray, enhancement_amount: float) -> np.ndarray:
    """The waveform with more contrast, which sounds louder (SoX's effect ``contrast``); the amount is in [0, 100]."""
    angle = as_audio("Contrast", waveform) * (math.pi / 2)
    return np.sin(angle + np.sin(4 * angle) * (enhancement_amount / 750))


def _contrast_arguments(enhancement_amount: float = 75.0) -> dict[str, Any]:
    check_number("enhancement_amount", enhancement_amount, 0, 100)
    return {"enhancement_amount": enhancement_amount}


def dc_shift(waveform: np.ndarray, shift: float, limiter_gain: float | None) -> np.ndarray:
    """The waveform plus a number, clipped to [-1, 1].

    With ``limiter_gain``, values above the threshold 1 - (abs(shift) - limiter_gain) are set to it; for a negative
    shift, values below minus the threshold.
    """
    audio = as_audio("DCShift", waveform)
    shifted = audio + audio.dtype.type(shift)
    if limiter_gain is not None and shift != 0:
        threshold, sign = 1 - (abs(shift) - limiter_gain), math.copysign(1, shift)
        shifted = np.where(audio * sign > threshold, audio.dtype.type(threshold * sign), shifted)
    return np.clip(shifted, -1, 1)


def _dc_shift_arguments(shift: float, limiter_gain: float | None = None) -> dict[str, Any]:
    check_number("shift", shift, -2.0, 2.0)
    if limiter_gain is not None:
        check_number("limiter_gain", limiter_gain)
    return {"shift": shift, "limiter_gain": limiter_gain}


def overdrive(waveform: np.ndarray, gain: float, color: float) -> np.ndarray:
    """Distortion as by an overdriven amplifier (SoX's effect ``overdrive``); both arguments are in [0, 100]."""
    audio = as_audio("Overdrive", waveform)
    driven = np.clip(audio * 10 ** (gain / 20) + color / 200, -1, 1)
    driven = driven - driven**3 / 3  # soft clipping
    without_dc = filter_waveform(driven, (1, -1), (1, -0.995), clamp=False, caller="Overdrive")
    return np.clip(audio * 0.5 + without_dc * 0.75, -1, 1).astype(audio.dtype)


def _overdrive_arguments(gain: float = 20.0, color: float = 20.0) -> dict[str, Any]:
    check_number("gain", gain, 0, 100)
    check_number("color", color, 0, 100)
    return {"gain": gain, "color": color}


# ---- fading ----------------------------------------------------------------------------------------

FADE_CURVES: dict[FadeShape, Callable[[np.ndarray], np.ndarray]] = {
    FadeShape.LINEAR: lambda t: t,
    FadeShape.EXPONENTIAL: lambda t: np.exp2(t - 1) * t,
    FadeShape.LOGARITHMIC: lambda t: np.log10(0.1 + t) + 1,
    FadeShape.QUARTER_SINE: lambda t: np.sin(t * math.pi / 2),
    FadeShape.HALF_SINE: lambda t: np.sin(t * math.pi - math.pi / 2) / 2 + 0.5,
}


def fade(waveform: np.ndarray, fade_in_len: int, fade_out_len: int, fade_shape: FadeShape) -> np.ndarray:
    """The waveform faded in over its first and out over its last samples, along a curve; the lengths are in samples."""
    audio = as_audio("Fade", waveform)
    size = audio.shape[-1]
    if max(fade_in_len, fade_out_len) > size:
        raise ArgRuntimeError(f"Fade: lengths {fade_in_len} and {fade_out_len} of a waveform of {size} samples")
    curve, factors = FADE_CURVES[fade_shape], np.ones(size)
    factors[:fade_in_len] *= curve(np.linspace(0, 1, fade_in_len))
    factors[size - fade_out_len :] *= curve(1 - np.linspace(0, 1, fade_out_len))
    return audio * factors.astype(audio.dtype)


def _fade_arguments(
    fade_in_len: int = 0, fade_out_len: int = 0, fade_shape: FadeShape = FadeShape.LINEAR
) -> dict[str, Any]:
    check_count("fade_in_len", fade_in_len)
    check_count("fade_out_len", fade_out_len)
    check_enum("fade_shape", fade_shape, FadeShape)
    return {"fade_in_len": fade_in_len, "fade_out_len": fade_out_len, "fade_shape": fade_shape}


# ---- companding and decibels -----------------------------------------------------------------------


def mu_law_encode(waveform: np.ndarray, quantization_channels: int) -> np.ndarray:
    """A waveform in [-1, 1] as int32 codes from 0 to ``quantization_channels`` - 1, by the mu law."""
    audio, mu = as_audio("MuLawEncoding", waveform), quantization_channels - 1
    scaled = np.sign(audio) * np.log1p(mu * np.abs(audio)) / np.log1p(audio.dtype.type(mu))
    return ((scaled + 1) / 2 * mu + 0.5).astype(np.int32)


def mu_law_decode(codes: np.ndarray, quantization_channels: int) -> np.ndarray:
    """The waveform in [-1, 1] of codes of the mu law."""
    mu = quantization_channels - 1
    scaled = as_audio("MuLawDecoding", codes) / mu * 2 - 1
    return np.sign(scaled) * np.expm1(np.abs(scaled) * math.log1p(mu)) / mu


def _mu_law_arguments(quantization_channels: int = 256) -> dict[str, Any]:
    check_count("quantization_channels", quantization_channels, 1)
    return {"quantization_channels": quantization_channels}


def amplitude_to_db(spectrum: np.ndarray, stype: ScaleType, ref_value: float, amin: float, top_db: float) -> np.ndarray:
    """A spectrum [..., frequency, time] of powers or magnitudes in decibels relative to ``ref_value``.

    Values below ``amin`` count as ``amin``. Results are at most ``top_db`` below the maximum of their block
    [channel, frequency, time].
    """
    values = as_audio("AmplitudeToDB", spectrum, 2)
    factor = 10 if stype is ScaleType.POWER else 20
    decibels = factor * (np.log10(np.maximum(values, amin)) - math.log10(max(amin, ref_value)))
    highest = decibels.max((-3, -2, -1) if values.ndim > 2 else None, keepdims=True)
    return np.maximum(decibels, highest - top_db).astype(values.dtype)


def _amplitude_to_db_arguments(
    stype: ScaleType = ScaleType.POWER, ref_value: float = 1.0, amin: float = 1e-10, top_db: float = 80.0
) -> dict[str, Any]:
    check_enum("stype", stype, ScaleType)
    for name, value in (("ref_value", ref_value), ("amin", amin), ("top_db", top_db)):
        check_number(name, value, 0, excludes_low=True)
    return {"stype": stype, "ref_value": ref_value, "amin": amin, "top_db": top_db}


def db_to_amplitude(decibels: np.ndarray, ref: float, power: float) -> np.ndarray:
    """``ref`` * (10 ** (0.1 * decibels)) ** ``power``; ``power`` is 1 for powers, 0.5 for amplitudes."""
    values = as_audio("DBToAmplitude", decibels)
    return values.dtype.type(ref) * np.power(values.dtype.type(10), values * values.dtype.type(0.1 * power))


def _db_to_amplitude_arguments(ref: float, power: float) -> dict[str, Any]:
    check_number("ref", ref)
    check_number("power", power)
    return {"ref": ref, "power": power}


# ---- complex numbers -------------------------------------------------------------------------------


def angle(values: np.ndarray) -> np.ndarray:
    """The angles of complex numbers [..., 2], real and imaginary parts."""
    parts = as_audio("Angle", values, 1, 2)
    return np.arctan2(parts[..., 1], parts[..., 0])


def complex_norm(values: np.ndarray, power: float) -> np.ndarray:
    """The absolute values of complex numbers [..., 2], raised to ``power``."""
    parts = as_audio("ComplexNorm", values, 1, 2)
    return np.power((parts * parts).sum(-1), parts.dtype.type(power / 2))


def magphase(values: np.ndarray, power: float) -> tuple[np.ndarray, np.ndarray]:
    """(the absolute values raised to ``power``, the angles) of complex numbers [..., 2]."""
    return complex_norm(values, power), angle(values)


def _power_argument(power: float = 1.0) -> dict[str, Any]:
    check_number("power", power, 0)
    return {"power": power}


OPERATION_TABLE: OperationTable = {
    "AmplitudeToDB": (amplitude_to_db, _amplitude_to_db_arguments),
    "Angle": (angle, dict),
    "ComplexNorm": (complex_norm, _power_argument),
    "Contrast": (contrast, _contrast_arguments),
    "DBToAmplitude": (db_to_amplitude, _db_to_amplitude_arguments),
    "DCShift": (dc_shift, _dc_shift_arguments),
    "Fade": (fade, _fade_arguments),
    "Gain": (gain, _gain_arguments),
    "Magphase": (magphase, _power_argument),
    "MuLawDecoding": (mu_law_decode, _mu_law_arguments),
    "MuLawEncoding": (mu_law_encode, _mu_law_arguments),
    "Overdrive": (overdrive, _overdrive_arguments),
    "Vol": (volume, _volume_arguments),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.audio")
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
