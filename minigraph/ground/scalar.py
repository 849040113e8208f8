"""How operators are written for compilers that see elements instead of arrays."""

from __future__ import annotations

from typing import NamedTuple


class Scalar(NamedTuple):
    """An elementwise operator as an expression of one element each of its operands, ``x``, ``y`` and ``z``.

    ``text`` is Python that numba compiles; it is brought to the result's dtype afterwards, and gives the bits of
    ``forward`` for operands of ``kinds``, letters of ``DType.kind``; of NaNs, a NaN. One that is not ``exact`` is a
    polynomial of ``minigraph.run.bodies.polynomials``, for float32 only.
    """

    text: str
    kinds: str = "if"
    exact: bool = True


class Fold(NamedTuple):
    """A reduction as what is done with its elements, one after the other.

    ``text`` takes one more element ``y`` into what was found so far, ``x``; that begins as ``start`` ("0", "lowest" or
    "highest"). ``end`` makes the result of it and of how many there were, ``n``. ``kinds`` are letters of
    ``DType.kind``; for those that are not ``exact`` the order of elements shows in the bits. ``wide`` ones are folded
    in the widest dtype of their kind, and rounded once.
    """

    start: str
    text: str
    end: str = "x"
    kinds: str = "if"
    exact: str = "i"
    wide: bool = False
