"""What fields of an operator's record hold: work, effects, and gradients of any number of operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple


class Macs(NamedTuple):
    """One batch of matrix products: ``b`` times (m,k) @ (k,n).

    ``window`` > 1 marks a convolution read through img2col: the left operand is expanded on its way into the
    cube, kernel height times width. Its images are read in bands: ``height`` rows of kernel over result rows of
    ``width`` pixels (0 when not known), which are ``down`` and ``across`` pixels of the image apart.
    """

    b: int
    m: int
    k: int
    n: int
    window: int = 1
    height: int = 0
    width: int = 0
    down: int = 1
    across: int = 1

    @property
    def total(self) -> int:
        """Multiply-accumulates in all."""
        return self.b * self.m * self.k * self.n


@dataclass(frozen=True, slots=True)
class Work:
    """*What* an operator does, for the chip's data file to say *how fast*; addable.

    ``macs``: products for the cube. ``lanes``: elements per vector-instruction class, as pairs such as
    ``("simple", n)``; the classes are ``simple`` (add, mul, max, compare, select), ``special`` (exp, ln,
    sqrt, div), ``cast``, ``reduce``, ``transpose``, ``gather``. ``rows``: (count, length) when one row
    has to be seen whole (reductions, softmax, norms); ``passes``: sweeps over global memory when a row
    does not fit the unified buffer. ``read`` and ``written``: bytes of operands and results.
    ``exact`` is False when the figures are only a bandwidth estimate. ``run``: elements that lie together in
    what is read, 0 for all of them (else a row seen whole lies across memory, or is picked from a table).

    >>> Work(lanes=(("simple", 6),), read=24, written=24) + Work(lanes=(("simple", 6), ("special", 6)))
    Work(macs=(), lanes=(('simple', 12), ('special', 6)), rows=None, passes=1, read=24, written=24, exact=True, run=0)
    """

    macs: tuple[Macs, ...] = ()
    lanes: tuple[tuple[str, int], ...] = ()
    rows: tuple[int, int] | None = None
    passes: int = 1
    read: int = 0
    written: int = 0
    exact: bool = True
    run: int = 0

    @property
    def guessed(self) -> Work:
        """The same work as an estimate, for operators whose instructions are not known.

        >>> Work(read=8).guessed.exact
        False
        """
        return replace(self, exact=False)

    def times(self, rounds: int) -> Work:
        """The work of doing it again and again; traffic is not counted."""
        macs = tuple(one._replace(b=one.b * rounds) for one in self.macs)
        return replace(self, macs=macs, lanes=tuple((name, count * rounds) for name, count in self.lanes))

    def __add__(self, other: Work) -> Work:
        lanes = dict(self.lanes)
        for name, count in other.lanes:
            lanes[name] = lanes.get(name, 0) + count
        return Work(
            macs=self.macs + other.macs,
            lanes=tuple(sorted(lanes.items())),
            rows=self.rows if other.rows is None else other.rows if self.rows is None else max(self.rows, other.rows),
            passes=max(self.passes, other.passes),
            read=self.read + other.read,
            written=self.written + other.written,
            exact=self.exact and other.exact,
            run=min(filter(None, (self.run, other.run)), default=0),
        )


class Effect(NamedTuple):
    """What an operator does beside computing: ``kind`` is ``read`` or ``write``, on ``resource``."""

    kind: str
    resource: str

    @property
    def writes(self) -> bool:
        """Whether the resource is changed, so that the node must not be dropped or moved past readers."""
        return self.kind == "write"


@lru_cache(maxsize=4096)
def effect_of(text: str) -> Effect:
    """An effect from its text, ``kind:resource``; a bare resource is written.

    >>> effect_of("read:w"), effect_of("io")
    (Effect(kind='read', resource='w'), Effect(kind='write', resource='io'))
    """
    kind, _, resource = text.partition(":")
    return Effect(kind, resource) if resource else Effect("write", kind)


@dataclass(frozen=True)
class EachOperand:
    """One gradient function for operators with any number of operands: ``fn(position, g, out, *ins, **attrs)``."""

    fn: Callable[..., Any]

    def at(self, position: int) -> Callable[..., Any]:
        """The gradient function of one operand."""
        return partial(self.fn, position)
