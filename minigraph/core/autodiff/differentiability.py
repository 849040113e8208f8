"""Detects and reports values through which no gradient flows, such as the result of ``argmax``.

A gradient is zero for three reasons. The loss does not depend on the tensor; the derivative is zero, as that of
``floor``; or all paths from the tensor to the loss lead through integers or bools computed from floats, which have
no derivative. The third is most often a mistake. So ``DiagnosticTape`` finds such values while it is replayed: a value
without a derivative is the *blocker* of the tensors that it is computed from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from minigraph.core.aliases import CallResult, Function
from minigraph.core.autodiff.entry import Entry
from minigraph.core.autodiff.tape import Tape
from minigraph.core.context import resolve
from minigraph.core.location import Loc, user_loc
from minigraph.core.op_fields import EachOperand, JointVJP
from minigraph.core.scope_guard import AttachedList, VariableBlock, call_ignoring_float_errors
from minigraph.core.tensor import Tensor

ENTRY_FLOWS = "minigraph.core.autodiff.flows:EntryFlows"

_is_replaying: ContextVar[bool] = ContextVar("is_replaying", default=False)


def use_replay_tapes(is_replaying: bool = True) -> VariableBlock:
    """A block in which a tape is replayed: other tapes then record calls of VJP rules."""
    return VariableBlock(_is_replaying, is_replaying)


class NonDifferentiableWarning(UserWarning):
    """A gradient is zero because a value between the argument and the result is not differentiable."""


class Blocker(NamedTuple):
    """A value through which no gradient passes: its type, and the location of the call that computed it."""

    type: str
    loc: Loc | None
    is_certain: bool = True  # False if it depends on which branch runs, or on the number of iterations


class Diagnostics:
    """What a tape knows of zero gradients: ``blockers`` by tensor, and the ``locations`` of integers and bools."""

    def __init__(self) -> None:
        self.uncertain: set[Tensor] = set()  # reached only through captured branches and loops that may pass nothing
        self.locations: dict[Tensor, Loc | None] = {}
        self.blockers: dict[Tensor, Blocker] = {}
        self._vjp_results: set[Tensor] = set()

    def record_location(self, out: Tensor) -> None:
        """Remember where a recorded call computed integers or bools; calls of VJP rules do not count.

        A mask in the gradient of ``relu`` is such a value: the second derivative is zero, and that is no mistake.
        """
        if _is_replaying.get():
            self._vjp_results.add(out)
        else:
            self.locations[out] = user_loc()

    def locate(self, out: Tensor, loc: Loc) -> None:
        """Replace the location of a recorded result by the location of its node, when a graph is interpreted."""
        if out in self.locations:
            self.locations[out] = loc

    def add_argument(self, argument: Tensor) -> None:
        """Add an argument whose type has no derivative."""
        self.blockers[argument] = self._value_at(argument)

    def propagate(self, entry: Entry, may_differ: bool = False) -> None:
        """Give the operands of a call the blocker of its result, or their own: the last value that is not a float.

        ``may_differ``: whether they are blocked depends on the run.
        """
        for out in entry.outs:
            blocker = self.blockers.pop(out, None)
            if blocker is not None:
                blocker = blocker._replace(is_certain=blocker.is_certain and not may_differ)
                for position, source in enumerate(entry.sources):
                    if not _stops_gradient(entry, position):
                        blocker_here = blocker if source.dtype.is_float else self._value_at(source)
                        self.blockers.setdefault(source, blocker_here._replace(is_certain=blocker.is_certain))

    def add_operand(self, entry: Entry, position: int) -> None:
        """Add an operand to which a call passes no cotangent, because the operand or the result is not a float."""
        source, out = entry.sources[position], entry.outs[0]
        value = out if not out.dtype.is_float else source
        if not value.dtype.is_float and value not in self._vjp_results:
            self.blockers.setdefault(source, self._value_at(value))

    def _value_at(self, value: Tensor) -> Blocker:
        return Blocker(str(value.type), self.locations.get(value))


class DiagnosticTape(Tape):
    """A tape that finds the reason of a zero gradient; its gradients equal those of ``Tape``.

    >>> from minigraph.core.op import apply, record_on
    >>> tape, x = DiagnosticTape(), Tensor([2.0, 1.0])
    >>> tape.watch(x)
    >>> with record_on(tape):
    ...     y = apply("cast", apply("argmax", x, axis=0), dtype=x.dtype)
    >>> tape.gradient([(y, Tensor(1.0))], [x]), tape.diagnostics.blockers[x].type
    ([None], 'i64[]')
    """

    def __init__(self) -> None:
        super().__init__()
        self.diagnostics = Diagnostics()

    def _add_result(self, result: Tensor) -> None:
        super()._add_result(result)
        if not result.dtype.is_float:
            self.diagnostics.record_location(result)

    def locate(self, results: Sequence[Tensor], locs: Sequence[Loc]) -> None:
        """Give recorded results the location of their node: captured graphs name the user's lines."""
        for result in results if locs else ():
            self.diagnostics.locate(result, locs[0])

    def gradient(self, seeds: Iterable[tuple[Tensor, Tensor]], wrt: Sequence[Tensor]) -> list[Tensor | None]:
        """The gradients of ``Tape.gradient``; calls recorded in between are known to be calls of VJP rules."""
        return use_replay_tapes().call(call_ignoring_float_errors, super().gradient, seeds, wrt)

    def _operand_cotangents(self, entry: Entry, g: CallResult) -> list[tuple[int, Tensor | None]]:
        is_captured_region = entry.read is None and isinstance(entry.op.vjp, JointVJP)
        flows = resolve(ENTRY_FLOWS)(self, entry, g) if is_captured_region or self.diagnostics.uncertain else None
        if self.diagnostics.blockers:
            self.diagnostics.propagate(entry, is_captured_region)
        parts = super()._operand_cotangents(entry, g)
        if flows is not None:
            parts = [(i, part) for i, part in parts if flows.record_flow(i, part)]
        for i, part in parts:
            if part is None:
                self.diagnostics.add_operand(entry, i)
        return parts


def _stops_gradient(entry: Entry, position: int) -> bool:
    """Whether a call of floats passes no gradient on purpose, such as ``stop_gradient``."""
    rules = entry.op.vjp
    is_listed = bool(rules) and not isinstance(rules, EachOperand)
    return is_listed and entry.outs[0].dtype.is_float and entry.op.vjp_of(position) is None


# Hooks of tensors that are not results of recorded calls: arguments and Parameters.
GRADIENT_HOOKS: dict[int, AttachedList[Function]] = {}  # by the identity of the tensor
CALL_HOOKS = "minigraph.core.autodiff.gradient_hooks:call_hooks"


def hooked_gradients(owners: Iterable[object], gradients: Iterable[Any]) -> list[Any]:
    """The gradients of arguments and Parameters, each replaced by the results of its owner's hooks."""
    hooks = [GRADIENT_HOOKS.get(id(owner)) for owner in owners]
    return [resolve(CALL_HOOKS)(h, gradient) if h else gradient for h, gradient in zip(hooks, gradients, strict=True)]
