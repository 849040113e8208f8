"""Detection of side effects on Python during tracing, by comparing the reachable state before and after.

A compiled call does not run Python code, so changes to globals, lists or the screen would happen during tracing only.
Each side effect is reported once. If a later call could depend on it, every call is traced again: slow, but correct.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.bytecode import asks_identity, find_assignment, find_coroutine, find_load, find_mutation
from minigraph.capture.call_monitor import CallMonitor
from minigraph.capture.clocks import find_clock
from minigraph.capture.container_contents import is_a, nested_values, read_plainly
from minigraph.capture.functions_in_c import refusals
from minigraph.capture.guards import Condition, ContentsGuard, ElementsGuard, Guard
from minigraph.capture.numpy_errors import guards_of_error_state
from minigraph.capture.object_state import GENERATOR_TYPES, mark_state, restore_guarded, set_state, state_of
from minigraph.capture.pure_calls import has_hidden_state, is_unknown_class
from minigraph.capture.query_guards import ClassGuard, ClassNamesGuard, guards_of_field_names, is_change_count
from minigraph.capture.random_generators import (
    GENERATORS,
    SEEDING,
    SPAWNING,
    STATE_READS,
    guards_of_generators,
    refuse_spawning,
)  # fmt: skip
from minigraph.capture.reachable_state import ReachableState
from minigraph.capture.structure import unknown_state
from minigraph.core.aliases import Function
from minigraph.core.deprecated_names import side_effects_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.location import Loc, expression_text
from minigraph.core.tensor import Tensor

MUTATION_ADVICE = "a graph changes no Python state; assign a Parameter by ops.assign"
READ_ADVICE = "a graph would repeat the value: read it outside of @jit, and pass it as a tensor"
RANDOM_ADVICE = "a graph would repeat them: draw with ops.rand or ms.numpy.rand"
TYPE_ADVICE = "ask isinstance(x, Tensor)"
ALIAS_ADVICE = "pass it, or read it, but not both"
COROUTINE_ADVICE = "await it outside of @jit"
PRINT_ADVICE = "it prints only during tracing; ops.Print() prints at every run"
CLOCK = "the function reads a clock, a file or the system"
HIDDEN_STATE = "an object whose changes are unknown"


class SideEffectWarning(UserWarning):
    """A function changes Python state, draws random numbers or prints during tracing."""


class PythonEffect(NamedTuple):
    """One side effect: a description, the place in the user's program, and a remedy."""

    description: str
    loc: Loc | None
    advice: str
    is_transient: bool = False  # whether later calls may lack the effect, as with a function that fills a cache

    @property
    def is_refused(self) -> bool:
        """Whether the effect rules out a graph: all do except ``print`` in trace mode, which prints while tracing."""
        return self.advice is not PRINT_ADVICE

    def error(self) -> Exception:
        """The error for an effect that no graph can have."""
        error = unknown_state(self.description, self.advice, self.loc)
        error.is_transient = self.is_transient
        return error


class Outcome(NamedTuple):
    """The side effects of tracing, and the guards of the code."""

    effects: list[PythonEffect]
    guards: list[Condition]


class Watch:
    """The state that a function can change, recorded before tracing."""

    def __init__(self, fn: Function, arguments: Iterable[object] = ()) -> None:
        self._roots = (fn, *arguments)
        self.state = ReachableState(fn, self._roots[1:])
        self._before = self.state.guards()
        self._random = self._generators()
        read = not self.state.names.isdisjoint(STATE_READS)
        unread = [rng for name, (_, rng) in GENERATORS.items() if not (read and self._draw_line(name))]
        generators = [rng for _, rng in GENERATORS.values()]
        values = [*map(_value_of, self._before)]
        self._states = [*guards_of_generators(values, generators, unread), *guards_of_field_names(values)]
        self._states += guards_of_error_state(self.state.names, (*values, *self._roots))
        self._rng_states: dict[str, Any] = {}
        self._monitor: CallMonitor | None = None
        self._clock = find_clock(self.state.functions, self.state.names)  # clocks have no state

    def refuse_unknown_reads(self, runs_as_written: Callable[[FunctionType], bool]) -> None:
        """Raise ``UnknownStateError`` if the code reads state that differs at every call: clocks, files, iterators.

        A function that ``runs_as_written`` may not ask for ``type(x)`` either, which no tracer can intercept.
        """
        for effect in self._read_effects():
            raise effect.error()
        for guard in self._before:
            if isinstance(guard, Guard | ClassGuard) and (kind := _hidden_kind(guard.value)):
                loc = self._line_of(guard) or self._line_that_reaches(guard.owner)
                raise unknown_state(f"{_text(guard)} holds {HIDDEN_STATE} ({kind})", READ_ADVICE, loc)
        if loc := find_load(self.state.functions, lambda _, value: is_a(value, type) and is_unknown_class(value)):
            raise unknown_state("a class of an extension type is used, whose state is unknown", READ_ADVICE, loc)
        if self.state.has_finalizers:
            loc = find_load(self.state.functions, lambda _, value: is_a(value, type) and read_plainly(value, "__del__"))
            raise unknown_state("an object is created whose '__del__' runs when it is released", MUTATION_ADVICE, loc)
        if kind := _hidden_kind(self._roots):
            text = "the function" if _hidden_kind(self._roots[0]) else "an argument"
            raise unknown_state(f"{text} is, or holds, {HIDDEN_STATE} ({kind})", READ_ADVICE)
        if self._may_load(SPAWNING):
            refuse_spawning(self.state.functions, (self._roots, *map(_value_of, self._before)))
        if loc := find_coroutine(self.state.functions):
            raise unknown_state("a coroutine is created, which no graph awaits", COROUTINE_ADVICE, loc)
        for refusal in refusals(self.state, self._before, self._roots):
            raise refusal
        for function in self.state.functions:
            if (loc := find_load([function], lambda _, value: value is type)) and runs_as_written(function):
                raise unknown_state("'type' may show the tracer of a tensor during tracing", TYPE_ADVICE, loc)

    def compared_tensors(self, is_hashed: bool) -> tuple[Tensor, ...] | None:
        """The outer tensors with which the code may compare an argument by identity; ``None`` if it never does.

        ``is_hashed``: it uses the hash of an argument.
        """
        if not is_hashed and not asks_identity(self.state.functions):
            return None
        values = (getattr(guard, "value", None) for guard in self._before)
        tensors = (item for value in values for item in nested_values(value) if isinstance(item, Tensor))
        return tuple({id(tensor): tensor for tensor in tensors}.values())

    def finish(self, others: Sequence[tuple[str, Loc | None]] = (), prints: bool = False) -> Outcome:
        """Compare the state after tracing; ``others`` are further changes with their lines, ``prints`` counts calls of
        ``print``.
        """
        effects = self._effects(self._failed_guards(), self._used_generators())
        effects += self._print_effects() if prints else []
        if others and not any(effect.is_refused for effect in effects):
            effects = [*effects, PythonEffect(*others[0], MUTATION_ADVICE, True)]
        monitored = self._monitor.guards if self._monitor is not None else []
        return Outcome(effects, [*self.state.of_graph(self._before), *monitored, *self._states])

    def _print_effects(self) -> list[PythonEffect]:
        """The first use of ``print``, found in the code: replacing ``builtins.print`` would affect all threads."""
        if "print" not in self.state.names:
            return []
        loc = find_load(self.state.functions, lambda _, value: value is builtins.print)
        return [PythonEffect("print is called", loc, PRINT_ADVICE)] if loc else []

    def monitor(self, prints: bool = False) -> CallMonitor:
        """The monitor of calls during tracing; with ``prints``, a ``print`` found in the code is allowed."""
        self._monitor = CallMonitor(self.state.functions, self.state.codes, prints and bool(self._print_effects()))
        return self._monitor

    def _read_effects(self) -> list[PythonEffect]:
        clocks = [PythonEffect(CLOCK, self._clock, READ_ADVICE)] * (self._clock is not None)
        return [*clocks, *(self._next_item(guard) for guard in self._iterators())]

    def _effects(self, changed: list[Any], drawn: list[str]) -> list[PythonEffect]:
        mutations = [_mutation(guard, self.state) for guard in changed if not is_change_count(guard)]
        draws = [PythonEffect(f"numbers are drawn from {name}", self._draw_line(name), RANDOM_ADVICE) for name in drawn]
        return [*mutations, *draws, *self._read_effects()]

    def _next_item(self, guard: Guard) -> PythonEffect:
        text = f"{_text(guard)} is an iterator, which gives another item at each call"
        return PythonEffect(text, self._line_of(guard), READ_ADVICE)

    def _line_of(self, guard: Guard | ClassGuard) -> Loc | None:
        return find_load(self.state.functions, lambda name, _: name == (getattr(guard, "label", "") or guard.name))

    def _line_that_reaches(self, obj: object) -> Loc | None:
        """The first line that loads something through which the code may reach an object."""
        return find_load(self.state.functions, lambda _, value: id(obj) in ReachableState(value).objects)

    def _iterators(self) -> list[Guard]:
        """The guards whose values are iterators."""
        return [g for g in self._before if isinstance(g, Guard) and is_a(g.value, Iterator)]

    def undo(self) -> None:
        """Restore all state: tracing that fails leaves nothing behind."""
        for guard in sorted(self._failed_guards(), key=is_change_count):
            restore_guarded(guard)
        for generator, state in self._random.values():
            if _comparable(state_of(generator)) != _comparable(state):
                set_state(generator, state)

    def _failed_guards(self) -> list[Any]:
        return [guard for guard in self._before if not guard.holds]

    def _used_generators(self) -> list[str]:
        """The random generators whose state has changed."""
        states = self._rng_states.items()
        return [name for name, state in states if _comparable(state_of(self._random[name][0])) != state]

    def note_generators(self, is_marked: bool) -> None:
        """Record the state of the generators; if ``is_marked`` and the code may seed them, mark it first, so that
        seeding with the same seed is detected. Otherwise they stay unchanged: other threads may draw from them.
        """
        for generator, _ in self._random.values() if is_marked and self._may_load(SEEDING) else ():
            mark_state(generator)
        self._rng_states = {name: _comparable(state_of(rng)) for name, (rng, _) in self._random.items()}

    def _generators(self) -> dict[str, tuple[Any, Any]]:
        """The global random generators and the generators that the function reaches, with their states."""
        named = {f"'{g.label or g.name}'": g.value for g in self._before if isinstance(g, Guard)}
        candidates = {name: rng for name, (_, rng) in GENERATORS.items() if self._may_draw_from(rng)} | named
        return {name: (rng, state_of(rng)) for name, rng in candidates.items() if is_a(rng, GENERATOR_TYPES)}

    def _may_draw_from(self, generator: object) -> bool:
        """Whether the code may call a method of a generator, by its name or under another."""
        values = (part for guard in self._before for part in nested_values(_value_of(guard)))
        methods = [value for value in (*values, *nested_values(self._roots)) if read_plainly(type(value), "__self__")]
        names = {name for name in dir(generator) if not name.startswith("_")}
        return self._may_load(names) or any(method.__self__ is generator for method in methods)

    def _may_load(self, names: set[str]) -> bool:
        """Whether the code may read an attribute or variable of one of these names."""
        return self.state.computes_names or not names.isdisjoint(self.state.names | self.state.queried)

    def _draw_line(self, name: str) -> Loc | None:
        if name not in GENERATORS:
            return find_load(self.state.functions, lambda loaded, _: f"'{loaded}'" == name)
        module, generator = GENERATORS[name]
        return find_load(
            self.state.functions,
            lambda _, value: value is module or value is generator or getattr(value, "__self__", None) is generator,
        )


def _value_of(guard: object) -> object:
    return getattr(guard, "value", None)


def _hidden_kind(value: object) -> str:
    """The type of the first object in a value whose changes cannot be detected or undone, if there is one."""
    hidden = next((item for item in nested_values(value) if is_a(item, Iterator) or has_hidden_state(item)), None)
    kind, of_objects = type(hidden), " of objects" if is_a(hidden, np.ndarray) else ""
    return "" if hidden is None else f"{kind.__module__}.{kind.__qualname__}{of_objects}"


# ---- messages ------------------------------------------------------------------------------------------


def warn_of_side_effects(title: str, effects: Iterable[PythonEffect], warned: set[str]) -> None:
    """Warn at the user's line of each side effect whose message is not in ``warned``."""
    for effect in effects:
        text = f"jit '{title}': {effect.description}{expression_text(effect.loc)}: {effect.advice}"
        if text not in warned:
            warned.add(text)
            location = (effect.loc.file, effect.loc.line) if effect.loc else ("<unknown>", 1)
            warnings.warn_explicit(text, SideEffectWarning, *location)


def _mutation(guard: Condition, state: ReachableState) -> PythonEffect:
    """The side effect that made a guard fail."""
    if isinstance(guard, Guard):
        name = guard.label or guard.name
        return PythonEffect(f"{_text(guard)} is set", find_assignment(state.functions, name), MUTATION_ADVICE, True)
    if isinstance(guard, ClassGuard | ClassNamesGuard):
        name = guard.name if isinstance(guard, ClassGuard) else guard.changed_name
        text = f"'{guard.owner.__name__}.{name}' is set"
        return PythonEffect(text, find_assignment(state.functions, name), MUTATION_ADVICE, True)
    assert isinstance(guard, ContentsGuard | ElementsGuard)
    obj = guard.container if isinstance(guard, ContentsGuard) else guard.target()
    kind = "tensor" if isinstance(obj, Tensor) else type(obj).__name__
    problem = f"the {kind} '{guard.label}' is changed in place"
    return PythonEffect(problem, find_mutation(state.functions, guard.label), MUTATION_ADVICE, True)


def _text(guard: Guard | ClassGuard) -> str:
    if isinstance(guard, ClassGuard):
        return guard.description
    if isinstance(guard.owner, dict):
        return f"global '{guard.name}'"
    if guard.label:
        return f"the variable '{guard.label}'"
    kind = guard.owner if isinstance(guard.owner, type) else type(guard.owner)
    return f"'{guard.name}' of {'class' if kind is guard.owner else 'a'} {kind.__name__}"


def _comparable(state: object) -> object:
    if isinstance(state, dict):
        return tuple((key, _comparable(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state
