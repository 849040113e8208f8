"""How an operator of one element is written for compilers that see elements instead of arrays."""

from __future__ import annotations

from typing import NamedTuple


class Scalar(NamedTuple):
    """An elementwise operator as an expression of one element each of its operands, ``x``, ``y`` and ``z``.

    ``text`` is Python that numba compiles; it is brought to the result's dtype afterwards, and gives the bits of
    ``forward`` for operands of ``kinds``, letters of ``DType.kind``; of NaNs, a NaN.
    """

    text: str
    kinds: str = "if"
