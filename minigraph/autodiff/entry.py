"""One call on a tape, with its tensors as they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minigraph.op import Attrs, Op, listeners
from minigraph.tensor import Tensor


class Entry(NamedTuple):
    """One recorded call.

    ``keys`` are the operands as the tape knows them: of one that was assigned, the value it was given. ``read`` are
    the arrays of the result and of the operands at the time of the call, for a tensor may be assigned before the tape
    is played (empty while capturing).
    """

    op: Op
    args: tuple[Tensor, ...]
    attrs: Attrs
    out: Any
    keys: Sequence[Tensor]
    read: tuple[Any, ...] = ()

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
        return _as_read(self.args, self.read[1:]) if self.read else _as_made(self.args)

    def result(self) -> Any:
        """The result, or a tuple of them, with the value it was given by the call."""
        out, read = self.out, self.read
        if not read:
            return _as_made(out) if out.__class__ is tuple else _as_made((out,))[0]
        if out.__class__ is tuple:
            return _as_read(out, read[0])
        return out if out.array is read[0] else _stand_in(out, read[0])


def _as_made(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Tensors as they were when a call was captured, whatever was written to tracers among them since."""
    return tuple([_told(one.as_made(), one, None) if one.traced else one for one in tensors])


def _as_read(tensors: tuple[Tensor, ...], arrays: Sequence[Any]) -> tuple[Tensor, ...]:
    """The tensors, or a stand-in with the array it had for each that was assigned since."""
    for tensor, array in zip(tensors, arrays, strict=False):
        if tensor.array is not array:
            pairs = zip(tensors, arrays, strict=True)
            return tuple(t if t.array is array else _stand_in(t, array) for t, array in pairs)
    return tensors


def _stand_in(tensor: Tensor, array: Any) -> Tensor:
    return _told(Tensor.from_numpy(array), tensor, array)


def _told(made: Tensor, tensor: Tensor, array: Any) -> Tensor:
    """A stand-in, of which open tapes know from now on what it stands for: they may differentiate it again."""
    if made is not tensor:
        for listener in listeners():
            getattr(listener, "stands_for", _nothing)(made, tensor, array)
    return made


def _nothing(made: Tensor, tensor: Tensor, array: Any) -> None:
    """Who is no tape does not mind."""
