"""The tape: a list of operator calls, and the loop that plays it backwards for gradients.

Reverse-mode differentiation as in every textbook: a call that depends on a watched tensor is recorded; afterwards the
calls are visited from the last to the first, each operator's vector-Jacobian products (VJPs) turn the cotangent of its
result into cotangents of its operands, and what arrives at one tensor from several calls is added. The VJPs are written
with operators, so an outer tape records them, which is all there is to gradients of gradients.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from minigraph.core.autodiff.entry import Entry
from minigraph.core.context import drawn
from minigraph.core.op import Attrs, EachOperand, Op, apply, computing_now, current_interpreter, listening, op_named
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import constant


class Together(EachOperand):
    """A gradient function that is given all wanted positions at once, as a tuple, and answers with a list."""


class Tape:
    """Records the operator calls that depend on a watched tensor.

    >>> from minigraph import Tensor
    >>> from minigraph.core.op import listening
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
        self._entries: list[Entry] = []
        self._cotangents: dict[Tensor, Any] = {}  # of all that depend on a watched tensor; None until one arrives
        self._assigned: dict[Tensor, Tensor] = {}  # a tensor -> the value assigned to it

    @property
    def entries(self) -> list[Entry]:
        """The recorded calls, in their order."""
        return list(self._entries)

    def __repr__(self) -> str:
        return f"<tape of {len(self.entries)} calls>"

    def _repr_svg_(self) -> str | None:
        return drawn(self)

    def watch(self, tensor: Tensor) -> None:
        """Record what is computed from ``tensor`` from now on."""
        self._cotangents[tensor] = None

    def knows(self, tensor: Tensor) -> bool:
        """Whether a tensor is watched, or computed from one that is."""
        return tensor in self._cotangents

    def record(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: Any) -> None:
        """Record a call if any operand depends on a watched tensor."""
        sources = self._sources(op, args, out)
        if not self._cotangents.keys().isdisjoint(sources):
            entry = Entry.of_call(op, args, attrs, out, sources)
            for result in entry.outs:
                self._cotangents[result] = None
            self._entries.append(entry)

    def gradient(self, seeds: Iterable[tuple[Tensor, Tensor]], wrt: Sequence[Tensor]) -> list[Tensor | None]:
        """Gradients of the seeded outputs: one per tensor of ``wrt``, ``None`` where nothing arrived.

        ``seeds`` pairs an output with its cotangent; ``wrt`` are watched tensors or recorded results. The entries are
        used up, their operands freed on the way. VJPs are operator calls, so open tapes differentiate them again.
        """
        wanted = set(wrt)
        for out, cotangent in seeds:
            self._accumulate(self.now(out), cotangent)
        with np.errstate(all="ignore"):  # inf and nan are values here
            while self._entries:
                entry = self._entries.pop()
                g = self._cotangent_of(entry.out, wanted)
                if g is None:
                    continue
                positions = [i for i, source in enumerate(entry.sources) if source in self._cotangents]
                with _deriving(entry):
                    for i, part in zip(positions, vjps(entry, g, positions), strict=True):
                        if part is not None:
                            self._accumulate(entry.sources[i], unbroadcast(part, entry.args[i]))
        gradients = [self._cotangents.get(tensor) for tensor in wrt]
        self._cotangents = dict.fromkeys(self._cotangents)
        return gradients

    def _accumulate(self, tensor: Tensor, cotangent: Tensor) -> None:
        """Add a cotangent to what has arrived at a tensor so far."""
        before = self._cotangents.get(tensor)
        self._cotangents[tensor] = cotangent if before is None else before + cotangent

    def _cotangent_of(self, out: Any, wanted: set[Tensor]) -> Any:
        """What has arrived at the result of a call, ``None`` if nothing; of several results, zeros where nothing has.

        All readers of the result have been visited, so it is forgotten unless its gradient is wanted.
        """
        if isinstance(out, tuple):
            arrived = [self._cotangent_of(result, wanted) for result in out]
            if all(cotangent is None for cotangent in arrived):
                return None
            return tuple(full_like(o, 0.0) if g is None else g for o, g in zip(out, arrived, strict=True))
        return self._cotangents.get(out) if out in wanted else self._cotangents.pop(out, None)

    # ---- tensors that are assigned -------------------------------------------------------------------

    def _sources(self, op: Op, args: tuple[Tensor, ...], out: Any) -> Sequence[Tensor]:
        """The operands, for an assigned tensor the value it has now; notes what this call assigns."""
        sources = [self._assigned.get(arg, arg) for arg in args] if self._assigned else args
        if op.stores and computing_now():  # while capturing, the tensor stays what it was and has a successor
            self._assigned[args[0]] = out
        return sources

    def now(self, tensor: Tensor) -> Tensor:
        """The value that a tensor was assigned since the tape began to record; itself when none."""
        current: Tensor = current_interpreter().lift(op_named("identity"), (tensor,))[0]
        return self._assigned.get(current, current)

    def stands_for(self, stand_in: Tensor, tensor: Tensor, array: Any) -> None:
        """Take ``stand_in`` for the value that ``tensor`` had while its array was ``array``; ``None``: as captured."""
        owner = tensor if array is None else self._owner_of(array)
        if owner is not None and owner in self._cotangents:
            self._assigned[stand_in] = owner

    def _owner_of(self, array: Any) -> Tensor | None:
        """The tensor whose value an array was in a recorded call."""
        for entry in reversed(self.entries):
            for known, tensor in entry.arrays():
                if known is array:
                    return tensor
        return None


def _deriving(entry: Entry) -> AbstractContextManager[None]:
    """While a function is captured, nodes of a gradient take the line of the call that they belong to."""
    first = entry.outs[0]
    deriving: AbstractContextManager[None] = first.deriving() if first.traced else _NO_CONTEXT
    return deriving


_NO_CONTEXT = nullcontext()


def vjps(entry: Entry, g: Any, positions: Sequence[int]) -> list[Tensor | None]:
    """The cotangents of the operands in ``positions``, given the cotangent ``g`` of the result."""
    op, out, args, attrs = entry.op, entry.result(), entry.operands(), entry.attrs
    rules = op.vjp
    if isinstance(rules, Together):
        return list(rules.fn(tuple(positions), g, out, *args, **attrs))
    if not rules and op.expand is not None:
        return _through_expansion(entry, g, positions)
    found = list[Tensor | None]()
    for i in positions:
        rule = op.vjp_of(i)
        found.append(None if rule is None else rule(g, out, *args, **attrs))
    return found


def _through_expansion(entry: Entry, g: Any, positions: Sequence[int]) -> list[Tensor | None]:
    """The cotangents through an operator made of others: its expansion, run on a tape of its own."""
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
    summed: Tensor = apply("sum_to", cotangent, shape=operand.shape)
    return summed


def full_like(tensor: Tensor, value: float) -> Tensor:
    """A tensor of one value with the shape and dtype of another."""
    number = constant(value if tensor.dtype.is_float else int(value), tensor.dtype)
    return apply("broadcast_to", number, shape=tensor.shape) if tensor.shape else number
