"""The tape: a list of operator calls, played backwards for gradients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from minigraph.autodiff.arithmetic import ARRAY_RULES, same
from minigraph.autodiff.entry import Entry as Entry
from minigraph.autodiff.entry import read_of
from minigraph.context import drawn
from minigraph.op import (
    Attrs,
    EachOperand,
    Op,
    apply,
    computing_now,
    current_interpreter,
    listening,
    op_named,
    open_now,
)
from minigraph.tensor import Tensor, wrap
from minigraph.tensor.lift import constant

_ndarray = np.ndarray


class Together(EachOperand):
    """A gradient function that is given all wanted positions at once, as a tuple, and answers with a list."""


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

    on_arrays = True  # whether rules may be given arrays where nobody listens; a tape that looks on says no

    def __init__(self) -> None:
        self._calls: list[tuple[Any, ...]] = []  # what entries are made of: a bare tuple takes a third of the time
        self._known: dict[int, Tensor] = {}  # id -> tensor, kept so that the id stays its own
        self._assigned: dict[int, tuple[Tensor, Tensor]] = {}  # id of a tensor -> it, and the value assigned to it

    @property
    def entries(self) -> list[Entry]:
        """The recorded calls, in their order."""
        return [Entry(*call) for call in self._calls]

    def __repr__(self) -> str:
        return f"<tape of {len(self._calls)} calls>"

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
        known, keys = self._known, None
        if self._assigned or op.stores:
            keys = self._keys(op, args, out)
            if known.keys().isdisjoint(keys):
                return
        else:
            for arg in args:
                if id(arg) in known:
                    break
            else:
                return
        if out.__class__ is not tuple:
            known[id(out)] = out
        else:
            known.update((id(o), o) for o in out)
        self._calls.append((op, args, attrs, out, keys, () if args[0].traced else read_of(args, out)))

    def _keys(self, op: Op, args: tuple[Tensor, ...], out: Any) -> list[int]:
        """The operands' identities, an assigned tensor's being that of its value; notes what this call assigns."""
        assigned = self._assigned
        keys = [id(assigned[id(arg)][1] if id(arg) in assigned else arg) for arg in args]
        if op.stores and computing_now():  # while capturing, the tensor stays what it was and has a successor
            assigned[id(args[0])] = args[0], out
        return keys

    def stands_for(self, made: Tensor, tensor: Tensor, array: Any) -> None:
        """Take ``made`` for the value that ``tensor`` had while its array was ``array``; ``None``: as captured."""
        owner = tensor if array is None else self._owner_of(array)
        if owner is not None and id(owner) in self._known:
            self._assigned[id(made)] = made, owner

    def _owner_of(self, array: Any) -> Tensor | None:
        """The tensor whose value an array was in a recorded call."""
        for _, args, _, out, keys, read in reversed(self._calls):
            outs = out if out.__class__ is tuple else (out,)
            arrays = read[0] if out.__class__ is tuple else read[:1]
            for found, one in zip(arrays, outs, strict=False):
                if found is array:
                    return one
            for i, found in enumerate(read[1:]):
                if found is array:
                    return self._known.get(keys[i] if keys is not None else id(args[i]))
        return None

    def now(self, tensor: Tensor) -> Tensor:
        """What a tensor has been given as its value since the tape listens; itself when nothing."""
        current: Tensor = current_interpreter().lift(op_named("identity"), (tensor,))[0]
        return self._assigned.get(id(current), (current, current))[1]

    def gradient(self, seeds: Iterable[tuple[Tensor, Tensor]], wrt: Sequence[Tensor]) -> list[Tensor | None]:
        """Gradients of the seeded outputs: one per tensor of ``wrt``, ``None`` where nothing arrived.

        ``seeds`` pairs an output with its cotangent. The entries are used up, operands freed on the way.
        The work goes through the door where anybody listens there, so open tapes differentiate it again.
        """
        pending: dict[int, Any] = {}  # id of a tensor -> its cotangent so far, a tensor or a bare array
        for out, cotangent in seeds:
            _add(pending, id(self.now(out)), cotangent)
        with np.errstate(all="ignore"):  # inf and nan are values here
            self._play(pending, on_arrays=self.on_arrays and open_now() is None)
        return [_as_tensor(pending.get(id(tensor))) for tensor in wrt]

    def _play(self, pending: dict[int, Any], on_arrays: bool) -> None:
        """Take the calls from the last to the first and hand on what has arrived at their results.

        ``on_arrays``: rules that are mere arithmetic are given arrays. Arrays in ``pending`` are in C order.
        """
        calls, known = self._calls, self._known
        while calls:
            call = calls.pop()
            op, args, _, out, keys, read = call
            rules = ARRAY_RULES[op] if on_arrays else None
            this = id(out)
            g = pending.get(this) if rules is not None else None
            if g.__class__ is not _ndarray:
                g = _float_array(g)
            if g is None or rules is None or g.dtype is not read[1].dtype:
                self._take(Entry(*call), pending)
                continue
            del pending[this]
            known.pop(this, None)
            shape, i = g.shape, 0
            for rule in rules:
                key = id(args[i]) if keys is None else keys[i]
                i += 1
                if key not in known or rule is None:
                    continue
                cotangent = g
                if rule is not same:
                    cotangent = rule(g, *read)
                    if not cotangent.flags.c_contiguous:
                        cotangent = np.asarray(cotangent, order="C")
                if read[i].shape != shape:
                    cotangent = unbroadcast(wrap(np.asarray(cotangent)), args[i - 1]).array
                before = pending.get(key)
                if before is not None:
                    cotangent = (before if before.__class__ is _ndarray else before.array) + cotangent
                pending[key] = cotangent if cotangent.__class__ is _ndarray else np.asarray(cotangent)

    def _take(self, entry: Entry, pending: dict[int, Any]) -> None:
        """Take what has arrived at the results of a call and hand it on."""
        g, outs = _arrived(entry.out, pending), entry.outs
        if g is not None and outs[0].traced:
            with outs[0].deriving():
                self._pull(entry, g, pending)
        elif g is not None:
            self._pull(entry, g, pending)
        for out in outs:  # all who use it have been played
            self._known.pop(id(out), None)

    def _pull(self, entry: Entry, g: Any, pending: dict[int, Any]) -> None:
        """Hand on to the operands of a call what has arrived at its results."""
        keys, known = entry.keys or [id(arg) for arg in entry.args], self._known
        positions = [i for i, key in enumerate(keys) if key in known]
        for i, cotangent in zip(positions, cotangents(entry, g, positions), strict=True):
            if cotangent is not None:
                _add(pending, keys[i], unbroadcast(cotangent, entry.args[i]))


def _arrived(out: Any, pending: dict[int, Tensor]) -> Any:
    """What has arrived at a result, or at several, zeros where nothing has; ``None`` when nothing has at all."""
    if out.__class__ is not tuple:
        return _as_tensor(pending.pop(id(out), None))
    parts = [_as_tensor(pending.pop(id(o), None)) for o in out]
    if all(part is None for part in parts):
        return None
    return tuple(full_like(o, 0.0) if part is None else part for o, part in zip(out, parts, strict=True))


def cotangents(entry: Entry, g: Any, positions: Sequence[int]) -> list[Tensor | None]:
    """What arrives at the operands in ``positions`` when ``g`` arrives at the result."""
    op, out, args, attrs = entry.op, entry.result(), entry.operands(), entry.attrs
    rules = op.vjp
    if isinstance(rules, Together):
        return list(rules.fn(tuple(positions), g, out, *args, **attrs))
    if isinstance(rules, EachOperand):
        return [rules.fn(i, g, out, *args, **attrs) for i in positions]
    if not rules and op.expand is not None:
        return _through_expansion(entry, g, positions)
    chosen = [rules[i] if i < len(rules) else None for i in positions]
    return [rule(g, out, *args, **attrs) if rule is not None else None for rule in chosen]


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


def _add(pending: dict[int, Any], key: int, cotangent: Tensor) -> None:
    before = pending.get(key)
    pending[key] = cotangent if before is None else _as_tensor(before) + cotangent


def _as_tensor(value: Any) -> Any:
    """An array as a tensor; a tensor, or ``None``, as it is."""
    return wrap(value) if value.__class__ is _ndarray else value


def _float_array(value: Any) -> Any:
    """The array of a tensor of floats, in C order; ``None`` for anything else."""
    return np.asarray(value.array, order="C") if value is not None and value.dtype.is_float else None
