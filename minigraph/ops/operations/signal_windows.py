"""Primitives of window functions."""

from __future__ import annotations

from minigraph.core.types import float32
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["BartlettWindow", "BlackmanWindow", "HammingWindow"]

BartlettWindow = primitive("BartlettWindow", F.bartlett_window, periodic=True, dtype=float32)
BlackmanWindow = primitive("BlackmanWindow", F.blackman_window, periodic=True, dtype=float32)
HammingWindow = primitive("HammingWindow", F.hamming_window, periodic=True, alpha=0.54, beta=0.46, dtype=float32)
