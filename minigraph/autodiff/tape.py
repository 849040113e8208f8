"""The tape: a list of operator calls, played backwards for gradients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from minigraph.autodiff.entry import Entry as Entry
from minigraph.autodiff.pulls import PULLS
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
        self._calls: list[tuple[Any, ...]] = []  # what entries are made of, flat: that takes the least time and memory
        self._known: dict[Tensor, Any] = {}  # what matters, and while the tape is played: what has arrived there
        self._assigned: dict[Tensor, Tensor] = {}  # a tensor -> the value assigned to it
        self._turned: dict[Tensor, Tensor] = {}  # a tensor -> the one it is, its last two axes swapped

    @property
    def entries(self) -> list[Entry]:
        """The recorded calls, in their order."""
        return list(map(_entry_of, self._calls))

    def __repr__(self) -> str:
        return f"<tape of {len(self._calls)} calls>"

    def _repr_svg_(self) -> str | None:
        return drawn(self)

    def watch(self, tensor: Tensor) -> None:
        """Record what is computed from ``tensor`` from now on."""
        self._known[tensor] = None

    def knows(self, tensor: Tensor) -> bool:
        """Whether a tensor is watched, or computed from one that is."""
        return tensor in self._known

    def hear(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: Any) -> None:
        """Record a call if any operand depends on a watched tensor."""
        known = self._known
        keys: Sequence[Tensor] = self._keys(op, args, out) if op.stores or self._assigned else args
        if out.__class__ is Tensor and len(args) == 2:  # nearly always, so without a loop
            one, other = keys
            if one in known or other in known:
                known[out] = None
                one, other = args
                form = out.form
                alike = form is one.form and form is other.form and form is not None and form.plain
                self._calls.append((op, args, attrs, out, keys, alike, out.array, one.array, other.array))
            return
        for key in keys:
            if key in known:
                break
        else:
            return
        several = out.__class__ is tuple
        if several:
            known.update(dict.fromkeys(out))
        else:
            known[out] = None
        if op.turns is not None and op.turns(**attrs):
            self._turned[out] = keys[0]
        if args[0].traced:
            self._calls.append((op, args, attrs, out, keys, False))
        else:
            made = tuple(_arrays(out)) if several else out.array
            alike = out.__class__ is Tensor and _alike(out, args)
            self._calls.append((op, args, attrs, out, keys, alike, made, *_arrays(args)))

    def _keys(self, op: Op, args: tuple[Tensor, ...], out: Any) -> list[Tensor]:
        """The operands, for an assigned tensor its value; notes what this call assigns."""
        keys = [self._assigned.get(arg, arg) for arg in args]
        if op.stores and computing_now():  # while capturing, the tensor stays what it was and has a successor
            self._assigned[args[0]] = out
        return keys

    def stands_for(self, made: Tensor, tensor: Tensor, array: Any) -> None:
        """Take ``made`` for the value that ``tensor`` had while its array was ``array``; ``None``: as captured."""
        owner = tensor if array is None else self._owner_of(array)
        if owner is not None and owner in self._known:
            self._assigned[made] = owner

    def _owner_of(self, array: Any) -> Tensor | None:
        """The tensor whose value an array was in a recorded call."""
        for entry in map(_entry_of, reversed(self._calls)):
            several = entry.out.__class__ is tuple
            arrays = entry.read[0] if several else entry.read[:1]
            for found, one in zip((*arrays, *entry.read[1:]), (*entry.outs, *entry.keys), strict=False):
                if found is array:
                    return one
        return None

    def now(self, tensor: Tensor) -> Tensor:
        """What a tensor has been given as its value since the tape listens; itself when nothing."""
        current: Tensor = current_interpreter().lift(op_named("identity"), (tensor,))[0]
        return self._assigned.get(current, current)

    def gradient(self, seeds: Iterable[tuple[Tensor, Tensor]], wrt: Sequence[Tensor]) -> list[Tensor | None]:
        """Gradients of the seeded outputs: one per tensor of ``wrt``, ``None`` where nothing arrived.

        ``seeds`` pairs an output with its cotangent. The entries are used up, operands freed on the way.
        The work goes through the door where anybody listens there, so open tapes differentiate it again.
        """
        for out, cotangent in seeds:
            self._add(self.now(out), cotangent)
        with np.errstate(all="ignore"):  # inf and nan are values here
            if self.on_arrays and open_now() is None:
                self._play_on_arrays()
            while self._calls:
                self._take(_entry_of(self._calls.pop()))
        found = [_as_tensor(self._known.get(tensor)) for tensor in wrt]
        self._known = dict.fromkeys(self._known)
        return found

    def _play_on_arrays(self) -> None:
        """Take the calls from the last to the first, on arrays where the operator allows.

        What has arrived is a tensor, or an array of floats in C order.
        """
        calls, known = self._calls, self._known
        while calls:
            call = calls.pop()
            pulls = PULLS[call[0]]
            if pulls is None:
                self._take(_entry_of(call))
                continue
            arrived = known.pop(call[3], None)
            if arrived.__class__ is _ndarray and call[5]:
                pulls.alike(arrived, call, known)
            elif arrived is not None:
                g = arrived if arrived.__class__ is _ndarray else _float_array(arrived)
                if g is not None and g.dtype is call[7].dtype:
                    pulls.general(g, call, known)
                else:
                    known[call[3]] = arrived
                    self._take(_entry_of(call))

    def _take(self, entry: Entry) -> None:
        """Take what has arrived at the results of a call and hand it on; all who use them have been played."""
        g = _arrived(entry.out, self._known)
        if g is not None:  # so there are results: a print has none
            first = entry.outs[0]
            with first.deriving() if first.traced else nullcontext():
                self._pull(entry, g)

    def _pull(self, entry: Entry, g: Any) -> None:
        """Hand on to the operands of a call what has arrived at its results."""
        keys, known = entry.keys, self._known
        positions = [i for i, key in enumerate(keys) if key in known]
        if entry.op.turned:
            positions = [i for i in positions if not self._pull_turned(entry, g, i)]
        for i, cotangent in zip(positions, cotangents(entry, g, positions), strict=True):
            if cotangent is not None:
                self._add(keys[i], unbroadcast(cotangent, entry.args[i]))

    def _pull_turned(self, entry: Entry, g: Any, i: int) -> bool:
        """Hand on to the tensor that an operand is, its axes swapped: whether that is one.

        A product with a transposed matrix has its gradient in the order of the matrix at once, without a detour by one
        that would be read by columns.
        """
        source = self._turned.get(entry.keys[i])
        if source is None:
            return False
        cotangent = entry.op.turned[i](g, entry.result(), *entry.operands(), **entry.attrs)
        if cotangent is not None:
            self._add(source, unbroadcast(cotangent, source))
        return cotangent is not None

    def _add(self, key: Tensor, cotangent: Tensor) -> None:
        before = self._known.get(key)
        self._known[key] = cotangent if before is None else _as_tensor(before) + cotangent


def _entry_of(call: tuple[Any, ...]) -> Entry:
    op, args, attrs, out, keys, _, *read = call
    return Entry(op, args, attrs, out, keys, tuple(read))


def _alike(out: Tensor, args: tuple[Tensor, ...]) -> bool:
    """Whether a result and its operands are arrays of one shape and dtype, all in C order."""
    form = out.form
    return form is not None and form.plain and all(arg.form is form for arg in args)


def _arrays(tensors: Iterable[Tensor]) -> list[np.ndarray]:
    return [tensor.array for tensor in tensors]


def _arrived(out: Any, known: dict[Tensor, Any]) -> Any:
    """What has arrived at a result, or at several, zeros where nothing has; ``None`` when nothing has at all."""
    if out.__class__ is not tuple:
        return _as_tensor(known.pop(out, None))
    parts = [_as_tensor(known.pop(o, None)) for o in out]
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


def _as_tensor(value: Any) -> Any:
    """An array as a tensor; a tensor, or ``None``, as it is."""
    return wrap(value) if value.__class__ is _ndarray else value


def _float_array(value: Any) -> Any:
    """The array of a tensor of floats, in C order; ``None`` for anything else."""
    return np.asarray(value.array, order="C") if value is not None and value.dtype.is_float else None
