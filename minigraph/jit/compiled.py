"""One compiled call of a jitted function, and how often each was found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.arguments import Changed
from minigraph.capture.guards import Condition, all_hold, failing_of, once
from minigraph.capture.reasons import Key
from minigraph.capture.trace import Captured
from minigraph.context import chosen, get_context, resolve
from minigraph.ground.codes import code_of
from minigraph.ground.tree import Leaf, Spec, flatten_call, unflatten
from minigraph.ir.graph import Graph
from minigraph.ir.undo import Kept
from minigraph.ops.registry import as_registered
from minigraph.run.compile import Program, compile_graph
from minigraph.tensor import Parameter, Tensor, wrap
from minigraph.tensor.forms import form_of

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
    all_hold: Callable[[], bool]
    answers: Callable[[tuple[Any, ...]], Any]
    out_spec: Spec
    written: tuple[int | Tensor, ...]
    fill: Callable[[Sequence[Any]], None]
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


def entry_of(captured: Captured, before: Kept, graph: Graph, records: list[Any], key: Key) -> Entry:
    """The entry of what was captured for a key: the graph after the pipeline, compiled, and what it depends on."""
    program, (types, spec, _), outs = compile_graph(graph), key, captured.out_spec
    guards = once([*captured.guards, *program.guards, as_registered()])
    by_position = spec is flatten_call(types, {}, lambda leaf: True)[1]
    plain = by_position and not captured.written and getattr(outs, "kind", None) is not Changed
    answers, holds = answering(key, guards, program, outs) if plain else _to_no_call, all_hold(guards)
    return Entry(before, graph, program, records, guards, holds, answers, outs, captured.written, captured.fill)


def _to_no_call(args: tuple[Any, ...]) -> Any:
    return NO_ANSWER


# what is asked of a tensor and its array before a compiled call; of the form it had the last time, less
ARGUMENT = """\
    if x{k}.__class__ is not Tensor and x{k}.__class__ is not Parameter: return NO_ANSWER
    a{k} = x{k}.array
    if x{k}.form is not form{k} and (a{k}.dtype is not dtype{k} or a{k}.shape != shape{k}): return NO_ANSWER
"""
TENSOR = """\
    out = new(Tensor)
    out.array, = outs
    out.form = None
    return out
"""


def answering(key: Key, guards: Sequence[Condition], program: Program, out_spec: Spec) -> Callable[..., Any]:
    """What answers a call with tensors of a key's shapes and dtypes, as ``Entry.answers`` does.

    Every compiled call passes here, so all there is to ask has a line of its own: of arguments, of guards, of context.

    >>> from minigraph.capture.trace import trace
    >>> key, x = ((((2,), np.dtype("float32")),), None, chosen("compiled_for")), Tensor([1.0, 2.0])
    >>> call = answering(key, [], compile_graph(trace(lambda x: x * x, x)), Leaf(0))
    >>> call((x,)).tolist(), call((Tensor([1.0]),)) is call((1.0,)) is NO_ANSWER
    ([1.0, 4.0], True)
    """
    types, _, way = key
    names: dict[str, Any] = SPACE | {"way": way, "run": program.__call__, "spec": out_spec}
    text = f"def call(args):\n    if len(args) != {len(types)} or chosen('compiled_for') is not way: return NO_ANSWER\n"
    text += "    if chosen('device_target') == 'Ascend': return NO_ANSWER\n"
    text += "".join(f"    x{k} = args[{k}]\n" + ARGUMENT.format(k=k) for k in range(len(types)))
    for k, (shape, dtype) in enumerate(types):
        names |= {f"shape{k}": shape, f"dtype{k}": dtype, f"form{k}": form_of(wrap(np.empty(shape, dtype)))}
    text += "".join(f"    if {failing}: return NO_ANSWER\n" for failing in failing_of(guards, names))
    text += f"    outs = run({', '.join(f'a{k}' for k in range(len(types)))})\n"
    text += TENSOR if out_spec == Leaf(0) else "    return unflatten(spec, [*map(wrap, outs)])\n"
    exec(code_of(text, FILE), names)
    call: Callable[..., Any] = names.pop("call")  # it need not find itself, and would be garbage in a circle
    return call


FILE = str(Path(__file__).with_name("<compiled call>"))  # so that errors name the user's line, not one of ours
SPACE: dict[str, Any] = {
    "NO_ANSWER": NO_ANSWER, "Parameter": Parameter, "Tensor": Tensor, "chosen": chosen, "new": Tensor.__new__,
    "unflatten": unflatten, "wrap": wrap,
}  # fmt: skip
