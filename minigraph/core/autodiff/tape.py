"""The tape: a list of operator calls (a Wengert list), and the loop that replays it in reverse for gradients.

This is reverse-mode automatic differentiation (Griewank and Walther, *Evaluating Derivatives*). The forward pass
records every call that depends on a watched tensor. The backward pass visits the calls from the last to the first: the
operator's vector-Jacobian products (VJPs) map the cotangent of its result to cotangents of its operands, and
cotangents that reach one tensor through several calls are summed. VJPs are themselves written with operators, so an
outer tape records them; that is all higher-order gradients need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from minigraph.core.aliases import Array, CallResult
from minigraph.core.autodiff.entry import Entry
from minigraph.core.context import svg_of
from minigraph.core.op import Attrs, Op, apply, current_interpreter, is_eager, op_named, record_on
from minigraph.core.op_fields import JointVJP
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import constant

Sums = Sequence[Tensor | None]


class Tape:
    """Records the operator calls that depend on a watched tensor.

    >>> from minigraph import Tensor
    >>> from minigraph.core.op import record_on
    >>> tape, x = Tape(), Tensor(3.0)
    >>> tape.watch(x)
    >>> with record_on(tape):
    ...     y = x * x
    >>> tape.entries
    [mul(f32[], f32[]) -> f32[]]
    >>> print(tape.gradient([(y, Tensor(1.0))], [x])[0])
    6.0
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._cotangents: dict[Tensor, CallResult] = {}  # of all that depend on a watched tensor; None: none yet
        self._assigned: dict[Tensor, Tensor] = {}  # tensor -> the value last assigned to it

    @property
    def entries(self) -> list[Entry]:
        """The recorded calls, in order."""
        return list(self._entries)

    def __repr__(self) -> str:
        return f"<tape of {len(self.entries)} calls>"

    def _repr_svg_(self) -> str | None:
        return svg_of(self)

    def watch(self, tensor: Tensor) -> None:
        """Record the calls that depend on ``tensor`` from now on."""
        self._cotangents[tensor] = None

    def is_tracked(self, tensor: Tensor) -> bool:
        """Whether a tensor is watched or depends on a watched one."""
        return tensor in self._cotangents

    def record(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: CallResult) -> None:
        """Record a call if any operand depends on a watched tensor."""
        sources = self._sources(op, args, out) if self._assigned or op.stores else args
        if not self._cotangents.keys().isdisjoint(sources):
            self._entries.append(Entry.of_call(op, args, attrs, out, sources))
            for result in out if isinstance(out, tuple) else (out,):
                self._add_result(result)

    def _add_result(self, result: Tensor) -> None:
        """Note the result of a recorded call, on which later calls may depend."""
        self._cotangents[result] = None

    def gradient(self, seeds: Iterable[tuple[Tensor, Tensor]], wrt: Sequence[Tensor]) -> list[Tensor | None]:
        """The gradients of the seeded outputs, one per tensor of ``wrt``; ``None`` if no cotangent reached it.

        ``seeds`` pairs each output with its cotangent; ``wrt`` are watched tensors or recorded results. The entries are
        consumed, and their operands freed on the way. VJPs are operator calls, which other active tapes record.
        """
        wrt_set = set(wrt)
        for out, cotangent in seeds:
            self._accumulate(self.current_value(out), cotangent)
        for entry in self._pop_entries():
            g = self._cotangent_of(entry.out, wrt_set)
            for i, part in self._operand_cotangents(entry, g):
                if part is not None:
                    self._accumulate(entry.sources[i], unbroadcast(part, entry.args[i]))
        gradients = [self._cotangents.get(tensor) for tensor in wrt]
        self._cotangents = dict.fromkeys(self._cotangents)
        return gradients

    def _pop_entries(self) -> Iterator[Entry]:
        """The entries from the last to the first; during tracing, nodes added meanwhile get its line."""
        while self._entries:
            entry = self._entries.pop()
            if entry.read is None and entry.outs:
                with entry.outs[0].mark_gradient_nodes():
                    yield entry
            else:
                yield entry

    def _accumulate(self, tensor: Tensor, cotangent: Tensor) -> None:
        """Add a cotangent to the sum of a tensor's cotangents."""
        before = self._cotangents.get(tensor)
        self._cotangents[tensor] = cotangent if before is None else before + cotangent

    def _operand_cotangents(self, entry: Entry, g: CallResult) -> list[tuple[int, Tensor | None]]:
        """The cotangents of a call's operands, with their positions, given the cotangent ``g`` of its result."""
        if g is None:
            return []
        positions = [i for i, source in enumerate(entry.sources) if source in self._cotangents]
        parts = (self._joint_vjp if isinstance(entry.op.vjp, JointVJP) else vjps)(entry, g, positions)
        return list(zip(positions, parts, strict=True))

    def _joint_vjp(self, entry: Entry, g: CallResult, positions: Sequence[int]) -> list[Tensor | None]:
        """The cotangents of operands whose ``JointVJP`` continues the sums of their earlier cotangents."""
        sums = self._sums(entry, positions)
        parts: list[Tensor | None] = entry.op.vjp.fn(  # type: ignore[union-attr]
            tuple(positions), tuple(sums), g, entry.result(), *entry.operands(), **entry.attrs
        )
        for i, before, part in zip(positions, sums, parts, strict=True):
            if before is not None and part is not None:  # the VJP has added to the sum itself
                self._cotangents[entry.sources[i]] = None
        return parts

    def _sums(self, entry: Entry, positions: Sequence[int]) -> Sums:
        """The sums that a ``JointVJP`` continues: of the operands' types, and once for each tensor."""
        first = {id(entry.sources[i]): i for i in reversed(positions)}
        sums = [self.sum_of(entry.sources[i]) if first[id(entry.sources[i])] == i else None for i in positions]
        types = [entry.args[i].type for i in positions]
        return [s if s is not None and s.type == type else None for s, type in zip(sums, types, strict=True)]

    def sum_of(self, tensor: Tensor) -> Tensor | None:
        """The sum of the cotangents that have reached a tensor so far."""
        return self._cotangents.get(tensor)

    def _cotangent_of(self, out: CallResult, wrt_set: set[Tensor]) -> CallResult:
        """The accumulated cotangent of a call's result, or ``None``; a tuple of them with several results."""
        # all users of the result have been visited, so its cotangent is dropped unless the gradient is wanted
        if isinstance(out, tuple):
            cotangents = [self._cotangent_of(result, wrt_set) for result in out]
            return None if all(cotangent is None for cotangent in cotangents) else tuple(cotangents)
        return self._cotangents.get(out) if out in wrt_set else self._cotangents.pop(out, None)

    # ---- assigned tensors ----------------------------------------------------------------------------

    def _sources(self, op: Op, args: tuple[Tensor, ...], out: CallResult) -> Sequence[Tensor]:
        """The operands, or for assigned ones their current values; notes which tensor this call assigns."""
        sources = [self._assigned.get(arg, arg) for arg in args] if self._assigned else args
        if op.stores and is_eager():  # during tracing, an assignment makes a new tracer instead
            self._assigned[args[0]] = out
        return sources

    def current_value(self, tensor: Tensor) -> Tensor:
        """The value last assigned to a tensor while the tape was recording; the tensor itself if there was none."""
        current: Tensor = current_interpreter().lift(op_named("identity"), (tensor,))[0]
        return self._assigned.get(current, current)

    def add_stand_in(self, stand_in: Tensor, tensor: Tensor, array: Array) -> None:
        """Treat ``stand_in`` as the value that ``tensor`` had when its array was ``array`` (``None``: when traced)."""
        owner = tensor if array is None else self._owner_of(array)
        if owner is not None and owner in self._cotangents:
            self._assigned[stand_in] = owner

    def _owner_of(self, array: Array) -> Tensor | None:
        """The tensor whose value an array was in a recorded call."""
        for entry in reversed(self.entries):
            for known, tensor in entry.arrays():
                if known is array:
                    return tensor
        return None


def vjps(entry: Entry, g: CallResult, positions: Sequence[int]) -> list[Tensor | None]:
    """The cotangents of the operands in ``positions``, given the cotangent ``g`` of the result."""
    op, out, args, attrs = entry.op, entry.result(), entry.operands(), entry.attrs
    if isinstance(g, tuple):  # VJP rules take zeros for results without a cotangent
        g = tuple(full_like(o, 0.0) if part is None else part for o, part in zip(entry.outs, g, strict=True))
    if not op.vjp and op.expand is not None:
        return _through_expansion(entry, g, positions)
    return [None if rule is None else rule(g, out, *args, **attrs) for rule in map(op.vjp_of, positions)]


def _through_expansion(entry: Entry, g: Tensor, positions: Sequence[int]) -> list[Tensor | None]:
    """The cotangents through a composite operator: its expansion, differentiated on a tape of its own."""
    tape, args = Tape(), [apply("identity", arg) for arg in entry.operands()]
    for i in positions:
        tape.watch(args[i])
    out = record_on(tape).call(entry.op.expand, *args, **entry.attrs)  # type: ignore[arg-type]
    seeds = zip(out, g, strict=True) if isinstance(out, tuple) else [(out, g)]
    return tape.gradient(seeds, [args[i] for i in positions])


def unbroadcast(cotangent: Tensor, operand: Tensor) -> Tensor:
    """The cotangent summed over broadcast axes, so that it has the operand's shape: the VJP of broadcasting."""
    if cotangent.shape == operand.shape:
        return cotangent
    summed: Tensor = apply("sum_to", cotangent, shape=operand.shape)
    return summed


def full_like(tensor: Tensor, value: float) -> Tensor:
    """A tensor of one repeated value, with the shape and dtype of another."""
    number = constant(value if tensor.dtype.is_float else int(value), tensor.dtype)
    return apply("broadcast_to", number, shape=tensor.shape) if tensor.shape else number
