"""The tape: a list of operator calls, played backwards for gradients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from minigraph.context import drawn
from minigraph.lift import constant
from minigraph.op import Attrs, EachOperand, Op, apply, computing_now, current_interpreter, listening, op_named
from minigraph.tensor import Tensor

NO_ATTRS: Attrs = {}  # one for all entries, because most operators have none


class Together(EachOperand):
    """A gradient function that is given all wanted positions at once, as a tuple, and answers with a list."""


class Entry:
    """One recorded call. It holds its tensors, so their ids stay valid while it lives.

    ``keys`` are the identities of the operands as the tape knows them (``None``: their own); ``read`` are the arrays
    that operands and results had, for a tensor may be assigned before the tape is played (empty while capturing).
    """

    __slots__ = ("args", "attrs", "keys", "op", "out", "read")

    def __init__(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: Any, keys: Any = None) -> None:
        self.op, self.args, self.attrs, self.out, self.keys = op, args, attrs or NO_ATTRS, out, keys
        if not computing_now():
            self.read: tuple[Any, ...] = ()
        elif out.__class__ is tuple:
            self.read = tuple([tensor.array for tensor in (*args, *out)])
        else:
            self.read = (*[arg.array for arg in args], out.array)

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
        for arg, read in zip(self.args, self.read, strict=False):
            if arg.array is not read:
                return tuple(map(_as_read, self.args, self.read))
        return self.args

    def result(self) -> Any:
        """The result, one or several, with the value it had when the call was made."""
        if not self.read:
            return self.out
        if self.out.__class__ is tuple:
            return tuple(map(_as_read, self.out, self.read[len(self.args) :]))
        return _as_read(self.out, self.read[-1])


def _as_read(tensor: Tensor, array: Any) -> Tensor:
    """The tensor, or a stand-in with the array it had."""
    return tensor if tensor.array is array else Tensor.from_numpy(array)


class Tape:
    """Listens to operator calls and records those that depend on a watched tensor.

    >>> from minigraph import Tensor
    >>> from minigraph.op import listening
    >>> tape, x = Tape(), Tensor(3.0)
    >>> tape.watch(x)
    >>> with listening(tape):
    ...     y = x * x
    >>> tape.entries
    [mul(f32[], f32[]) -> f32[]]
    >>> print(tape.gradient([(y, Tensor(1.0))], [x])[0])
    6.0
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._known: dict[int, Tensor] = {}  # id -> tensor, kept so that the id stays its own
        self._assigned: dict[int, tuple[Tensor, Tensor]] = {}  # id of a tensor -> it, and the value assigned to it

    def __repr__(self) -> str:
        return f"<tape of {len(self.entries)} calls>"

    def _repr_svg_(self) -> str | None:
        return drawn(self)

    def watch(self, tensor: Tensor) -> None:
        """Record what is computed from ``tensor`` from now on."""
        self._known[id(tensor)] = tensor

    def knows(self, tensor: Tensor) -> bool:
        """Whether a tensor is watched, or computed from one that is."""
        return id(tensor) in self._known

    def hear(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: Any) -> None:
        """Record a call if any operand depends on a watched tensor."""
        known, assigned = self._known, self._assigned
        keys = [id(arg) for arg in args]
        if assigned:
            keys = [id(assigned[key][1]) if key in assigned else key for key in keys]
        if op.stores and computing_now():  # while capturing, the tensor stays what it was and has a successor
            assigned[id(args[0])] = args[0], out
        for key in keys:
            if key in known:
                break
        else:
            return
        self.entries.append(Entry(op, args, attrs, out, keys if assigned else None))
        if out.__class__ is tuple:
            known.update((id(o), o) for o in out)
        else:
            known[id(out)] = out

    def now(self, tensor: Tensor) -> Tensor:
        """What a tensor has been given as its value since the tape listens; itself when nothing."""
        current: Tensor = current_interpreter().lift(op_named("identity"), (tensor,))[0]
        return self._assigned.get(id(current), (current, current))[1]

    def gradient(self, seeds: Iterable[tuple[Tensor, Tensor]], wrt: Sequence[Tensor]) -> list[Tensor | None]:
        """Gradients of the seeded outputs: one per tensor of ``wrt``, ``None`` where nothing arrived.

        ``seeds`` pairs an output with its cotangent. The entries are used up, operands freed on the way.
        The work goes through the door, so tapes that are still open differentiate it again.
        """
        pending: dict[int, Tensor] = {}
        for out, cotangent in seeds:
            _add(pending, id(self.now(out)), cotangent)
        while self.entries:
            entry = self.entries.pop()
            g = _arrived(entry.out, pending)
            if g is not None and entry.outs[0].traced:
                with entry.outs[0].deriving():  # type: ignore[attr-defined]
                    self._pull(entry, g, pending)
            elif g is not None:
                self._pull(entry, g, pending)
            for out in entry.outs:  # all who use it have been played
                self._known.pop(id(out), None)
        return [pending.get(id(tensor)) for tensor in wrt]

    def _pull(self, entry: Entry, g: Any, pending: dict[int, Tensor]) -> None:
        keys, known = entry.keys or [id(arg) for arg in entry.args], self._known
        positions = [i for i, key in enumerate(keys) if key in known]
        for i, cotangent in zip(positions, cotangents(entry, g, positions), strict=True):
            if cotangent is not None:
                _add(pending, keys[i], unbroadcast(cotangent, entry.args[i]))


def _arrived(out: Any, pending: dict[int, Tensor]) -> Any:
    """What has arrived at a result, or at several, zeros where nothing has; ``None`` when nothing has at all."""
    if out.__class__ is not tuple:
        return pending.pop(id(out), None)
    parts = [pending.pop(id(o), None) for o in out]
    if all(part is None for part in parts):
        return None
    return tuple(full_like(o, 0.0) if part is None else part for o, part in zip(out, parts, strict=True))


def cotangents(entry: Entry, g: Any, positions: Sequence[int]) -> list[Tensor | None]:
    """What arrives at the operands in ``positions`` when ``g`` arrives at the result."""
    op, out, args, attrs = entry.op, entry.result(), entry.operands(), entry.attrs
    if not op.vjp and op.expand is not None:
        return _through_expansion(entry, g, positions)
    if isinstance(op.vjp, Together):
        return list(op.vjp.fn(tuple(positions), g, out, *args, **attrs))
    found: list[Tensor | None] = []
    for i in positions:
        rule = op.vjp_of(i)
        found.append(rule(g, out, *args, **attrs) if rule is not None else None)
    return found


def _through_expansion(entry: Entry, g: Any, positions: Sequence[int]) -> list[Tensor | None]:
    """The gradient of an operator made of others: its expansion run on a tape of its own."""
    tape, args = Tape(), [apply("identity", arg) for arg in entry.operands()]
    for i in positions:
        tape.watch(args[i])
    with listening(tape):
        out = entry.op.expand(*args, **entry.attrs)  # type: ignore[misc]
    seeds = zip(out, g, strict=True) if isinstance(out, tuple) else [(out, g)]
    return tape.gradient(seeds, [args[i] for i in positions])


def unbroadcast(cotangent: Tensor, operand: Tensor) -> Tensor:
    """Summed back to the operand's shape where broadcasting had repeated it."""
    if cotangent.shape == operand.shape:
        return cotangent
    return apply("sum_to", cotangent, shape=operand.shape)


def full_like(tensor: Tensor, value: float) -> Tensor:
    """A tensor of one value with the shape and dtype of another."""
    number = constant(value if tensor.dtype.is_float else int(value), tensor.dtype)
    return apply("broadcast_to", number, shape=tensor.shape) if tensor.shape else number


def _add(pending: dict[int, Tensor], key: int, cotangent: Tensor) -> None:
    before = pending.get(key)
    pending[key] = cotangent if before is None else before + cotangent
