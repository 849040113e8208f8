"""One call on a tape, with its tensors as they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.op import Attrs, Op, listeners
from minigraph.core.tensor import Tensor


class Entry(NamedTuple):
    """One recorded call.

    ``sources`` are the tensors that cotangents of the operands belong to: the operands, or the value that an operand
    was assigned before the call. ``read`` are the operands' arrays at the time of the call, ``written`` is that of the
    result (a tuple for several), because a tensor may be assigned before the tape is played; ``None`` while
    capturing.
    """

    op: Op
    args: tuple[Tensor, ...]
    attrs: Attrs
    out: Any
    sources: Sequence[Tensor]
    read: tuple[np.ndarray, ...] | None = None
    written: Any = None

    @classmethod
    def of_call(cls, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: Any, sources: Sequence[Tensor]) -> Entry:
        """The entry of a call that was just made."""
        if args[0].traced:
            return cls(op, args, attrs, out, sources)
        written = tuple([result.array for result in out]) if isinstance(out, tuple) else out.array
        return cls(op, args, attrs, out, sources, tuple([arg.array for arg in args]), written)

    def __repr__(self) -> str:
        ins = ", ".join(str(arg.type) for arg in self.args)
        out = ", ".join(str(o.type) for o in self.outs)
        return f"{self.op}({ins}) -> {out}"

    @property
    def outs(self) -> tuple[Tensor, ...]:
        """The results as a tuple, one or many."""
        return self.out if isinstance(self.out, tuple) else (self.out,)

    def operands(self) -> tuple[Tensor, ...]:
        """The operands with the values they had when the call was made."""
        return _as_captured(self.args) if self.read is None else _as_read(self.args, self.read)

    def result(self) -> Any:
        """The result, or a tuple of them, with the value it was given by the call."""
        if self.read is None:
            return _as_captured(self.out) if isinstance(self.out, tuple) else _as_captured((self.out,))[0]
        if isinstance(self.out, tuple):
            return _as_read(self.out, self.written)
        return self.out if self.out.array is self.written else _as_read((self.out,), (self.written,))[0]

    def arrays(self) -> Iterator[tuple[Any, Tensor]]:
        """The arrays that the call wrote and read, each with the tensor that it was the value of."""
        if self.read is not None:
            written = self.written if isinstance(self.out, tuple) else (self.written,)
            yield from zip((*written, *self.read), (*self.outs, *self.sources), strict=True)


def _as_captured(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Tensors as they were when a call was captured, whatever was written to tracers among them since."""
    return tuple([_stand_in(one.as_made(), one, None) if one.traced else one for one in tensors])


def _as_read(tensors: tuple[Tensor, ...], arrays: Sequence[np.ndarray]) -> tuple[Tensor, ...]:
    """The tensors, or a stand-in with the array it had for each that was assigned since."""
    for tensor, array in zip(tensors, arrays, strict=True):
        if tensor.array is not array:
            break
    else:
        return tensors
    pairs = zip(tensors, arrays, strict=True)
    return tuple([t if t.array is array else _stand_in(Tensor.from_numpy(array), t, array) for t, array in pairs])


def _stand_in(stand_in: Tensor, tensor: Tensor, array: Any) -> Tensor:
    """A stand-in for a tensor's earlier value; open tapes learn whose it is, for they may differentiate it again."""
    if stand_in is not tensor:
        for listener in listeners():
            getattr(listener, "stands_for", _ignore)(stand_in, tensor, array)
    return stand_in


def _ignore(stand_in: Tensor, tensor: Tensor, array: Any) -> None:
    """What records calls but plays no gradients has nothing to learn."""
