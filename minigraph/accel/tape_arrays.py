"""A tape that computes the gradients of simple operators on bare arrays.

``Tape`` (``minigraph.core.autodiff.tape``) makes a tensor for every step of every vector-Jacobian product. Where no
other tape is open nobody can see those tensors. So this tape keeps its calls as flat tuples, which take the least time
and memory, and where the VJPs of an operator are nothing but + - * / it runs the function that
``minigraph.accel.array_vjps`` has written for it. The bits are the reference's; everything else goes its way.

A call is ``(op, args, attrs, out, sources, alike, result array, *operand arrays)``, without arrays while capturing;
``alike`` says that result and operands are arrays of one shape and dtype, all in C order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from minigraph.accel.array_vjps import ARRAY_VJPS
from minigraph.core.autodiff.entry import Entry
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import Attrs, Op, open_now
from minigraph.core.tensor import Tensor, wrap

_ndarray = np.ndarray


class ArrayTape(Tape):
    """A tape with the gradients of ``Tape``, bit for bit, in less time and memory.

    >>> from minigraph.core.op import listening
    >>> tape, x = ArrayTape(), Tensor(3.0)
    >>> tape.watch(x)
    >>> with listening(tape):
    ...     y = x * x
    >>> print(tape.gradient([(y, Tensor(1.0))], [x])[0])
    6.0
    """

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[tuple[Any, ...]] = []
        self._watched: set[Tensor] = set()

    @property
    def entries(self) -> list[Entry]:
        """The recorded calls, in their order."""
        return list(map(_entry_of, self._calls))

    def watch(self, tensor: Tensor) -> None:
        """Record what is computed from ``tensor`` from now on."""
        super().watch(tensor)
        self._watched.add(tensor)

    def record(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: Any) -> None:
        """Record a call if any operand depends on a watched tensor."""
        known = self._cotangents
        sources: Sequence[Tensor] = self._sources(op, args, out) if op.stores or self._assigned else args
        if out.__class__ is Tensor and len(args) == 2:  # nearly always, so without a loop
            one, other = sources
            if one in known or other in known:
                known[out] = None
                one, other = args
                form = out.form
                alike = form is one.form and form is other.form and form is not None and form.plain
                self._calls.append((op, args, attrs, out, sources, alike, out.array, one.array, other.array))
            return
        for source in sources:
            if source in known:
                entry = Entry.of_call(op, args, attrs, out, sources)
                known.update(dict.fromkeys(entry.outs))
                arrays = () if entry.read is None else (entry.written, *entry.read)
                self._calls.append((*entry[:5], out.__class__ is Tensor and _are_alike(out, args), *arrays))
                return

    def gradient(self, seeds: Iterable[tuple[Tensor, Tensor]], wrt: Sequence[Tensor]) -> list[Tensor | None]:
        """Gradients of the seeded outputs, as ``Tape.gradient`` gives them."""
        if open_now() is not None or not self._watched.issuperset(wrt):
            self._entries, self._calls = self.entries, []
            return super().gradient(seeds, wrt)
        for out, cotangent in seeds:
            self._accumulate(self.now(out), cotangent)
        with np.errstate(all="ignore"):
            self._play()
        gradients = [as_tensor(self._cotangents.get(tensor)) for tensor in wrt]
        self._cotangents = dict.fromkeys(self._cotangents)
        return gradients

    def _play(self) -> None:
        """Visit the calls from the last to the first, on arrays where the operator allows.

        What has arrived is a tensor, or an array of floats in C order. The reference visits the runs of calls between.
        """
        calls, known = self._calls, self._cotangents
        while calls:
            call = calls.pop()
            vjps = ARRAY_VJPS[call[0]]
            if vjps is not None:
                arrived = known.pop(call[3], None)
                if arrived.__class__ is _ndarray and call[5]:
                    vjps.alike(arrived, call, known)
                    continue
                if arrived is None:
                    continue
                g = arrived if arrived.__class__ is _ndarray else _float_array(arrived)
                if g is not None and g.dtype is call[7].dtype:
                    vjps.general(g, call, known)
                    continue
                known[call[3]] = arrived
            run = [call]
            while calls and ARRAY_VJPS[calls[-1][0]] is None:
                run.append(calls.pop())
            _Reference(run, known).gradient((), ())

    def _accumulate(self, tensor: Tensor, cotangent: Tensor) -> None:
        before = self._cotangents.get(tensor)
        self._cotangents[tensor] = cotangent if before is None else as_tensor(before) + cotangent


class _Reference(Tape):
    """The reference's loop over a run of calls, which come last first, where some cotangents are arrays."""

    def __init__(self, run: list[tuple[Any, ...]], cotangents: dict[Tensor, Any]) -> None:
        super().__init__()
        self._entries, self._cotangents = [_entry_of(call) for call in reversed(run)], cotangents

    def _accumulate(self, tensor: Tensor, cotangent: Tensor) -> None:
        before = self._cotangents.get(tensor)
        self._cotangents[tensor] = cotangent if before is None else as_tensor(before) + cotangent

    def _cotangent_of(self, out: Any, wanted: set[Tensor]) -> Any:
        return as_tensor(super()._cotangent_of(out, wanted))


def _entry_of(call: tuple[Any, ...]) -> Entry:
    if len(call) == 6:
        return Entry(*call[:5])
    op, args, attrs, out, sources, _, written, *read = call
    return Entry(op, args, attrs, out, sources, tuple(read), written)


def _are_alike(out: Tensor, args: tuple[Tensor, ...]) -> bool:
    """Whether a result and its operands are arrays of one shape and dtype, all in C order."""
    form = out.form
    return form is not None and form.plain and all(arg.form is form for arg in args)


def as_tensor(value: Any) -> Any:
    """An array as a tensor; a tensor, or ``None``, as it is."""
    return wrap(value) if value.__class__ is _ndarray else value


def _float_array(value: Tensor) -> np.ndarray | None:
    """The array of a tensor of floats, in C order; ``None`` for anything else."""
    return np.asarray(value.array, order="C") if value.dtype.is_float else None
