"""The enumerations of audio operations."""

from __future__ import annotations

from enum import StrEnum


class BorderType(StrEnum):
    """How a waveform is padded."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class FadeShape(StrEnum):
    """The curve of ``Fade``."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(StrEnum):
    """The unit of the gain of ``Vol``."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class MelType(StrEnum):
    """The formula of the mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class NormMode(StrEnum):
    """The norm of a discrete cosine transform."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(StrEnum):
    """The norm of mel filters: each has the area 1, or the height 1."""

    SLANEY = "slaney"
    NONE = "none"


class ScaleType(StrEnum):
    """What decibels are computed from."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(StrEnum):
    """The window of a short-time Fourier transform."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"


__all__ = [
    "BorderType", "FadeShape", "GainType", "MelType", "NormMode", "NormType", "ScaleType", "WindowType",
]  # fmt: skip
