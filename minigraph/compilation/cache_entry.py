"""The cache entries of a jitted function: one compiled program each; and the statistics of the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.argument_mutation import Changed, items_in_order
from minigraph.capture.captured import Kept
from minigraph.capture.container_contents import nested_values
from minigraph.capture.guards import Condition, ContentsGuard, ElementsGuard, Guard, unique_guards
from minigraph.capture.query_guards import is_change_count
from minigraph.capture.trace import Captured
from minigraph.compilation.recompile_reasons import Key
from minigraph.compilation.written_aliases import is_alias_written, may_alias
from minigraph.core.aliases import Function
from minigraph.core.context import get_context, resolve
from minigraph.core.pytree import Spec, flatten_call
from minigraph.core.seams import current_implementation
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.inplace import root_of
from minigraph.execute.compile import Program, compile_graph
from minigraph.ir.graph import Graph
from minigraph.ir.snapshot import Snapshot
from minigraph.operators.registry import registration_guard

NOT_HANDLED = object()
_holds = attrgetter("holds")


class CacheInfo(NamedTuple):
    """The statistics of a jitted function's cache, and the reasons of its newest compilations.

    ``segments``: how the latest call ran that no single graph could represent, one line for each part, with the reason.
    """

    hits: int
    misses: int
    entries: int
    reasons: tuple[str, ...]
    segments: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Entry:
    """One compiled combination of types: the graph before and after the pipeline, its program and its pass records.

    ``answers`` is the fast path of a call: it returns the result if the arguments suffice to show that this entry is
    valid, else ``NOT_HANDLED``. ``out_spec``, ``written``, ``kept`` and ``constants`` are those of ``Captured``.
    """

    captured: Snapshot
    graph: Graph
    program: Program
    records: list[Any]
    guards: list[Condition]
    answers: Callable[[tuple[Any, ...]], Any]
    out_spec: Spec
    written: tuple[int | Tensor, ...]
    kept: Sequence[Kept]
    constants: Sequence[tuple[int, Tensor]]
    reports: dict[str, Any] = field(default_factory=dict)
    used: int = 0  # the time of the last use, by the clock of its table

    @property
    def holds(self) -> bool:
        """Whether all guards hold: everything that the traced code depended on is unchanged."""
        return all(map(_holds, self.guards))

    @property
    def failed_guard(self) -> str:
        """The first guard that fails, in words; a Cell's count of changes, if nothing else tells what changed."""
        failed = [guard for guard in self.guards if not guard.holds]
        return f"{min(failed, key=is_change_count).description} changed"

    def changes_aliases(self, arguments: object, leaves: Sequence[Tensor]) -> bool:
        """Whether a call would change an argument or Parameter that is also another argument or state that is read."""
        stored = {id(parameter) for parameter in self.program.stored_parameters}
        if stored and any(id(root_of(leaf)) in stored for leaf in leaves):
            return True
        if not (self.written or self.changes_containers):
            return False
        state = [part for guard in self.guards for part in _guarded_objects(guard)]
        written = [leaves[target] for target in self.written if isinstance(target, int)]
        if is_alias_written(self.written, leaves) or any(
            may_alias(leaf, part) for leaf in written for part in state if not _is_container(part)
        ):
            return True
        containers = {id(part) for part in state if _is_container(part)}
        return self.changes_containers and any(id(item) in containers for item in items_in_order(arguments))

    @property
    def changes_containers(self) -> bool:
        """Whether a call changes lists or dicts among its arguments."""
        return getattr(self.out_spec, "kind", None) is Changed

    def report_on(self, chip: str) -> Any:
        """The simulated run on a chip; it depends on the types only, so it is simulated once."""
        if chip not in self.reports:
            self.reports[chip] = resolve(get_context("simulator"))(self.graph, chip=chip)
        return self.reports[chip]


def make_entry(captured: Captured, before: Snapshot, graph: Graph, records: list[object], key: Key) -> Entry:
    """Compile the optimised graph; the entry holds its program and the guards on which it depends."""
    program, (types, spec, _), outs = compile_graph(graph), key, captured.out_spec
    guards = unique_guards([*captured.guards, *program.guards, registration_guard()])
    by_position = spec is flatten_call(types, {}, lambda leaf: True)[1]
    is_simple = by_position and not captured.written and getattr(outs, "kind", None) is not Changed
    kept = captured.kept if any(item is not None for item in captured.kept) else ()
    is_simple = is_simple and not kept
    is_simple = is_simple and all(isinstance(tensor, Parameter) for tensor in captured.compared or ())
    is_simple = is_simple and all(type[2:] in ((), (Tensor, k)) for k, type in enumerate(types))
    fast_path = current_implementation("call", no_fast_path) if is_simple else no_fast_path
    answers = fast_path(key, guards, program, outs)
    return Entry(before, graph, program, records, guards, answers, outs, captured.written, kept, captured.constants)


def _guarded_objects(guard: Condition) -> Iterator[Any]:
    """The containers, tensors and arrays that a guard checks."""
    if isinstance(guard, ContentsGuard):
        yield guard.container
    elif isinstance(guard, ElementsGuard):
        yield from () if guard.target() is None else (guard.target(),)
    elif isinstance(guard, Guard):
        yield from (part for part in nested_values(guard.value) if isinstance(part, Tensor) and not part.is_traced)


def _is_container(part: object) -> bool:
    return not isinstance(part, Tensor | np.ndarray)


def no_fast_path(key: Key, guards: Sequence[Condition], program: Program, out_spec: Spec) -> Function:
    """The default without a fast path: every call is looked up by its key."""
    return _no_answer


def _no_answer(args: tuple[object, ...]) -> object:
    return NOT_HANDLED
