"""An entry of a tape: one operator call, with the values that its tensors had at the time of the call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter, is_
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.aliases import Array, CallResult
from minigraph.core.op import Attrs, Op, active_observers
from minigraph.core.tensor import Tensor

array_of = attrgetter("array")


class Entry(NamedTuple):
    """One recorded call.

    ``sources`` are the tensors to which the cotangents of the operands belong: the operands themselves, or the values
    that were assigned to them before the call. A tensor may be assigned again before the tape is replayed; so ``read``
    keeps the arrays of the operands at the time of the call, and ``written`` the array of the result (or a tuple).
    Both are ``None`` during tracing.
    """

    op: Op
    args: tuple[Tensor, ...]
    attrs: Attrs
    out: CallResult
    sources: Sequence[Tensor]
    read: tuple[np.ndarray, ...] | None = None
    written: Any = None

    @classmethod
    def of_call(
        cls, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: CallResult, sources: Sequence[Tensor]
    ) -> Entry:
        """The entry of the call that was just made."""
        if args[0].is_traced:
            return cls(op, args, attrs, out, sources)
        written = tuple(map(array_of, out)) if isinstance(out, tuple) else out.array
        return cls(op, args, attrs, out, sources, tuple(map(array_of, args)), written)

    def __repr__(self) -> str:
        ins = ", ".join(str(arg.type) for arg in self.args)
        out = ", ".join(str(o.type) for o in self.outs)
        return f"{self.op}({ins}) -> {out}"

    @property
    def outs(self) -> tuple[Tensor, ...]:
        """The results as a tuple, for one result or many."""
        return self.out if isinstance(self.out, tuple) else (self.out,)

    def operands(self) -> tuple[Tensor, ...]:
        """The operands, with their values at the time of the call."""
        return _as_traced(self.args) if self.read is None else _as_read(self.args, self.read)

    def result(self) -> CallResult:
        """The result, or a tuple of results, with the value that the call computed."""
        if self.read is None:
            return _as_traced(self.out) if isinstance(self.out, tuple) else _as_traced((self.out,))[0]
        if isinstance(self.out, tuple):
            return _as_read(self.out, self.written)
        return self.out if self.out.array is self.written else _as_read((self.out,), (self.written,))[0]

    def arrays(self) -> Iterator[tuple[Array, Tensor]]:
        """The arrays that the call wrote and read, each with the tensor whose value it was."""
        if self.read is not None:
            written = self.written if isinstance(self.out, tuple) else (self.written,)
            yield from zip((*written, *self.read), (*self.outs, *self.sources), strict=True)


def _as_traced(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The tensors as they were when the call was traced, before later writes to tracers."""
    return tuple([_stand_in(x.original_value(), x, None) if x.is_traced else x for x in tensors])


def _as_read(tensors: tuple[Tensor, ...], arrays: Sequence[np.ndarray]) -> tuple[Tensor, ...]:
    """The tensors; one that was assigned since is replaced by a stand-in with its earlier array."""
    if all(map(is_, map(array_of, tensors), arrays)):
        return tensors
    pairs = zip(tensors, arrays, strict=True)
    return tuple([t if t.array is array else _stand_in(Tensor.from_numpy(array), t, array) for t, array in pairs])


def _stand_in(stand_in: Tensor, tensor: Tensor, array: Array | None) -> Tensor:
    """The stand-in for a tensor's earlier value, registered with active tapes, which may differentiate it again."""
    if stand_in is not tensor:
        for observer in active_observers():
            getattr(observer, "add_stand_in", _ignore)(stand_in, tensor, array)
    return stand_in


def _ignore(stand_in: Tensor, tensor: Tensor, array: Array | None) -> None:
    """The default for observers that record calls but compute no gradients."""
