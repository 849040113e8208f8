"""Types of the fields of an operator record: work, effects, and the VJP of any number of operands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

from minigraph.core.aliases import Function


class Macs(NamedTuple):
    """One batch of matrix products: ``b`` times (m,k) @ (k,n).

    ``window`` > 1 (kernel height times width) marks a convolution lowered by im2col, which expands the left operand
    on its way into the cube. The image is read in bands of rows: ``height`` is the height of the kernel, ``width`` the
    width of the output in pixels (0: unknown), ``stride_y`` and ``stride_x`` are the vertical and horizontal stride.
    """

    b: int
    m: int
    k: int
    n: int
    window: int = 1
    height: int = 0
    width: int = 0
    stride_y: int = 1
    stride_x: int = 1

    @property
    def total(self) -> int:
        """The total number of multiply-accumulate operations."""
        return self.b * self.m * self.k * self.n


@dataclass(frozen=True, slots=True)
class Work:
    """*What* an operator does, for the chip's data file to say *how fast*; addable.

    ``macs``: matrix products for the cube. ``lanes``: elements per vector-instruction class, as pairs such as
    ``("simple", n)``; the classes are ``simple`` (add, mul, max, compare, select), ``special`` (exp, ln,
    sqrt, div), ``cast``, ``reduce``, ``transpose``, ``gather``. ``rows``: (count, length) when a whole row is
    needed at once (reductions, softmax, norms); ``passes``: sweeps over global memory when a row
    does not fit into the unified buffer. ``read`` and ``written``: bytes of operands and results.
    ``exact`` is False when the figures are only a bandwidth estimate. ``run``: length in elements of the contiguous
    runs that are read; 0: everything is contiguous (else rows are strided, or gathered from a table).

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
    def as_estimate(self) -> Work:
        """The same work as an estimate, for operators whose instructions are not known.

        >>> Work(read=8).as_estimate.exact
        False
        """
        return replace(self, exact=False)

    def times(self, iterations: int) -> Work:
        """The work of several iterations; memory traffic is not multiplied."""
        macs = tuple(batch._replace(b=batch.b * iterations) for batch in self.macs)
        return replace(self, macs=macs, lanes=tuple((name, count * iterations) for name, count in self.lanes))

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
    """A side effect of an operator: ``kind`` is ``read`` or ``write``, on ``resource``."""

    kind: str
    resource: str

    @property
    def writes(self) -> bool:
        """Whether it changes the resource, so that the node must not be removed or reordered with readers."""
        return self.kind == "write"


@lru_cache(maxsize=4096)
def effect_of(text: str) -> Effect:
    """Parse an effect, ``kind:resource``; a bare resource means a write.

    >>> effect_of("read:w"), effect_of("io")
    (Effect(kind='read', resource='w'), Effect(kind='write', resource='io'))
    """
    kind, _, resource = text.partition(":")
    return Effect(kind, resource) if resource else Effect("write", kind)


@dataclass(frozen=True)
class EachOperand:
    """The VJP of an operator with any number of operands: ``fn(position, g, out, *ins, **attrs)``."""

    fn: Function

    def vjp_at(self, position: int) -> Function:
        """The VJP of one operand."""
        return partial(self.fn, position)


@dataclass(frozen=True)
class JointVJP(EachOperand):
    """A VJP of several operands at once: takes a tuple of positions and returns a list of cotangents.

    It adds to the cotangents that the operands have accumulated, so that bodies sum in the order of eager mode. A
    result without a cotangent has ``None``, since the products of zeros with infinities are not zero. ``flows`` gives
    the ``GradientFlow`` into each operand from the positions of the results with cotangents and the attributes.
    """

    flows: Function
