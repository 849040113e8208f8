"""One compiled call of a jitted function, and how often each was found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minigraph.capture.argument_mutation import Changed
from minigraph.capture.guards import Condition, once
from minigraph.capture.trace import Captured
from minigraph.compilation.recompile_reasons import Key
from minigraph.core.context import get_context, resolve
from minigraph.core.pytree import Spec, flatten_call
from minigraph.core.seams import switched
from minigraph.core.tensor import Tensor
from minigraph.execute.compile import Program, compile_graph
from minigraph.ir.graph import Graph
from minigraph.ir.snapshot import Kept
from minigraph.operators.registry import as_registered

NO_ANSWER = object()


class RunsOpByOp(UserWarning):
    """A jitted function runs op by op, because no graph can stand for it."""


class CacheInfo(NamedTuple):
    """How often a compiled call found its program, and why each compile happened."""

    hits: int
    misses: int
    entries: int
    reasons: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Entry:
    """One compiled combination of types: the graph before and after the pipeline, its program and its pass records.

    ``answers`` gives the result for the arguments of a call that this entry surely serves, ``NO_ANSWER`` if it takes a
    key to know, or more than to run the program. ``out_spec``, ``written`` and ``fill`` are those of ``Captured``.
    """

    captured: Kept
    graph: Graph
    program: Program
    records: list[Any]
    guards: list[Condition]
    answers: Callable[[tuple[Any, ...]], Any]
    out_spec: Spec
    written: tuple[int | Tensor, ...]
    fill: Callable[[Sequence[Any]], None]
    reports: dict[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether everything that the code depended on is still the same."""
        return all(guard.holds for guard in self.guards)

    @property
    def changed(self) -> str:
        """The first thing that the code depended on and that is no longer the same."""
        return next(f"{guard.place} changed" for guard in self.guards if not guard.holds)

    def report_on(self, chip: str) -> Any:
        """The simulated run on a chip; the same types cost the same, so it is simulated once."""
        if chip not in self.reports:
            self.reports[chip] = resolve(get_context("simulator"))(self.graph, chip=chip)
        return self.reports[chip]


def entry_of(captured: Captured, before: Kept, graph: Graph, records: list[Any], key: Key) -> Entry:
    """The entry of what was captured for a key: the graph after the pipeline, compiled, and what it depends on."""
    program, (types, spec, _), outs = compile_graph(graph), key, captured.out_spec
    guards = once([*captured.guards, *program.guards, as_registered()])
    by_position = spec is flatten_call(types, {}, lambda leaf: True)[1]
    plain = by_position and not captured.written and getattr(outs, "kind", None) is not Changed
    answering = switched("call", unanswered) if plain else unanswered
    answers = answering(key, guards, program, outs)
    return Entry(before, graph, program, records, guards, answers, outs, captured.written, captured.fill)


def unanswered(key: Key, guards: Sequence[Condition], program: Program, out_spec: Spec) -> Callable[..., Any]:
    """What answers no call, so that each is looked up by its key: the plain way."""
    return _looked_up


def _looked_up(args: tuple[Any, ...]) -> Any:
    return NO_ANSWER
