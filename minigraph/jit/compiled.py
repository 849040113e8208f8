"""One compiled call of a jitted function, and how often each was found again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.guards import Condition, all_hold, once
from minigraph.capture.reasons import Key
from minigraph.capture.trace import Captured
from minigraph.context import chosen, get_context, resolve
from minigraph.ground.tree import flatten_call
from minigraph.ir.graph import Graph
from minigraph.ops.registry import as_registered
from minigraph.run.compile import Program, compile_graph
from minigraph.tensor import Parameter, Tensor


class CacheInfo(NamedTuple):
    """How often a compiled call found its program, and why each compile happened."""

    hits: int
    misses: int
    entries: int
    reasons: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Entry:
    """One compiled combination of types: the graph after the pipeline, its program and its pass records.

    ``arrays_of`` gives the arrays of a call that this entry surely serves, ``None`` if it takes a key to know.
    """

    captured: Captured
    graph: Graph
    program: Program
    records: list[Any]
    guards: list[Condition]
    all_hold: Callable[[], bool]
    arrays_of: Callable[[tuple[Any, ...]], list[np.ndarray] | None]
    reports: dict[str, Any] = field(default_factory=dict)

    @property
    def changed(self) -> str:
        """The first thing that the code depended on and that is no longer the same."""
        return next(f"{guard.place} changed" for guard in self.guards if not guard.holds)

    def report_on(self, chip: str) -> Any:
        """The simulated run on a chip; the same types cost the same, so it is simulated once."""
        if chip not in self.reports:
            self.reports[chip] = resolve(get_context("simulator"))(self.graph, chip=chip)
        return self.reports[chip]


def entry_of(captured: Captured, graph: Graph, records: list[Any], key: Key) -> Entry:
    """The entry of what was captured for a key: the graph after the pipeline, compiled, and what it depends on."""
    program, (types, spec, way) = compile_graph(graph), key
    guards = once([*captured.guards, *program.guards, as_registered()])
    by_position = spec is flatten_call(types, {}, lambda leaf: True)[1]
    holds = all_hold(guards)
    looks = arrays_by_type(types, holds, way) if by_position else lambda args: None
    return Entry(captured, graph, program, records, guards, holds, looks)


def arrays_by_type(types: Any, holds: Callable[[], bool], way: Any) -> Callable[..., list[np.ndarray] | None]:
    """A look at a call's arguments: the arrays of tensors of these shapes and dtypes, else ``None``.

    It runs before every compiled call, so each argument has a line of its own in place of a loop. ``None``, too, where
    ``holds()`` does not, and where the context says by now to compile in another way.

    >>> look = arrays_by_type([((2,), np.dtype("float32"))], lambda: True, chosen("compiled_for"))
    >>> look((Tensor([1.0, 2.0]),)), look((Tensor([1.0]),)), look((1.0,))
    ([array([1., 2.], dtype=float32)], None, None)
    """
    lines = ["def look(args):", f"    if len(args) != {len(types)}: return None"]
    names: dict[str, Any] = {"kinds": (Tensor, Parameter), "holds": holds, "chosen": chosen, "way": way}
    for k, (shape, dtype) in enumerate(types):
        names |= {f"s{k}": shape, f"d{k}": dtype}
        lines.append(f"    if args[{k}].__class__ not in kinds: return None")
        lines.append(f"    x{k} = args[{k}].array")
        lines.append(f"    if x{k}.dtype is not d{k} or x{k}.shape != s{k}: return None")
    arrays = ", ".join(f"x{k}" for k in range(len(types)))
    lines.append(f"    return [{arrays}] if holds() and chosen('compiled_for') is way else None")
    exec(compile("\n".join(lines), "<look>", "exec"), names)
    look: Callable[..., list[np.ndarray] | None] = names["look"]
    return look
