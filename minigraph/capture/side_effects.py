"""Detection of side effects on Python during tracing, by comparing the reachable state before and after.

A compiled call does not run Python code, so changes to globals, lists or the screen would happen during tracing only.
Each side effect is reported once. If a later call could depend on it, every call is traced again: slow, but correct.
"""

from __future__ import annotations

import builtins
import datetime
import os
import random
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.argument_mutation import set_contents
from minigraph.capture.bytecode import find_assignment, find_load, find_mutation
from minigraph.capture.guards import (
    MISSING,
    Condition,
    ContentsGuard,
    ElementsGuard,
    FailingGuard,
    Guard,
    array_of,
    restore,
    value_at,
)
from minigraph.capture.reachable_state import ReachableState
from minigraph.capture.structure import is_tensor
from minigraph.core.location import Loc, expression_text
from minigraph.core.pytree import flatten
from minigraph.core.tensor import Tensor

MUTATION_ADVICE = "Python runs only during tracing, so every call is traced; assign a Parameter by ops.assign"
READ_ADVICE = "a graph would repeat it, so every call is traced; read it outside of @jit, and pass it as a tensor"
RANDOM_ADVICE = "a graph would repeat them, so every call is traced; draw with ops.rand or ms.numpy.rand"
PRINT_ADVICE = "it prints only during tracing; ops.Print() prints at every run"
NUMPY, PYTHON = "numpy's global generator", "Python's global generator"
CLOCK = "the time, a file or the system is read"
CLOCKS = (
    time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic, time.monotonic_ns,
    time.process_time, time.process_time_ns, datetime.datetime.now, datetime.datetime.utcnow, datetime.datetime.today,
    datetime.date.today, os.urandom, uuid.uuid1, uuid.uuid4, os.getenv, os.environ, open, np.load, np.loadtxt,
)  # fmt: skip
GENERATORS: dict[str, tuple[Any, Any]] = {  # name -> the module and the generator behind its functions
    NUMPY: (np.random, np.random.mtrand._rand),
    PYTHON: (random, random._inst),
}


GENERATOR_TYPES = (np.random.Generator, np.random.RandomState, random.Random)


class SideEffect(UserWarning):
    """A function changes Python state, draws random numbers or prints during tracing."""


class PythonEffect(NamedTuple):
    """One side effect: what happened, where in the user's program, and what to do."""

    what: str
    loc: Loc | None
    advice: str


class Outcome(NamedTuple):
    """The side effects of tracing, and the guards of the code.

    If tracing changed any state that the code depends on, one of the ``guards`` never holds.
    """

    effects: list[PythonEffect]
    guards: list[Condition]


class Watch:
    """The state that a function can change, recorded before tracing."""

    def __init__(self, fn: Callable[..., Any], arguments: Iterable[Any] = ()) -> None:
        self.state = ReachableState(fn, arguments)
        self._before = self.state.guards()
        self._random = self._generators()
        may_read = not self.state.names.isdisjoint(getattr(clock, "__name__", "environ") for clock in CLOCKS)
        self._clock = find_load(self.state.functions, _is_clock) if may_read else None  # clocks have no state
        self._deferred: list[Any] = []  # guards of the state that is filled when the graph has run

    def finish(self, prints: bool = False) -> Outcome:
        """Compare the state after tracing; ``prints``: calls of ``print`` are side effects, too."""
        changed, drawn = self._changed(), self._drawn()
        effects = self._effects(changed, drawn) + (self._prints() if prints else [])
        return Outcome(effects, self._guards(changed, drawn))

    def _prints(self) -> list[PythonEffect]:
        """The first use of ``print``, found in the code: replacing ``builtins.print`` would concern all threads."""
        if "print" not in self.state.names:
            return []
        loc = find_load(self.state.functions, lambda _, value: value is builtins.print)
        return [PythonEffect("print is called", loc, PRINT_ADVICE)] if loc else []

    def _guards(self, changed: list[Any], drawn: list[str]) -> list[Condition]:
        never = [FailingGuard(guard.place) for guard in changed]
        never += [FailingGuard("the random numbers") for _ in drawn]
        never += [FailingGuard("the time, a file or the system")] * (self._clock is not None)
        never += [FailingGuard(f"the next item of {_text(guard)}") for guard in self._iterators()]
        return [*changed, *never, *self.state.without_unset(self._before)]

    def _effects(self, changed: list[Any], drawn: list[str]) -> list[PythonEffect]:
        mutations = [_mutation(guard, self.state) for guard in changed if getattr(guard, "name", "") != "_version"]
        draws = [PythonEffect(f"numbers are drawn from {it}", self._draw_line(it), RANDOM_ADVICE) for it in drawn]
        reads = [PythonEffect(CLOCK, self._clock, READ_ADVICE)] * (self._clock is not None)
        items = [self._next_item(guard) for guard in self._iterators()]
        return [*mutations, *draws, *reads, *items]

    def _next_item(self, guard: Guard) -> PythonEffect:
        loc = find_load(self.state.functions, lambda name, _: name == (guard.label or guard.name))
        return PythonEffect(f"{_text(guard)} is an iterator, which gives another item at each call", loc, READ_ADVICE)

    def _iterators(self) -> list[Guard]:
        """The guards whose values are iterators."""
        return [g for g in self._before if isinstance(g, Guard) and isinstance(g.value, Iterator)]

    def deferred_values(self) -> tuple[Any, ...]:
        """The values with tracers that the code left in outer state, such as a list to which it appended a loss.

        They become results of the graph; ``fill`` stores their values when the graph has run.
        """
        self._deferred = [guard for guard in self._changed() if _has_tracers(_current(guard))]
        return tuple(map(_current, self._deferred))

    def fill(self, values: Sequence[Any]) -> None:
        """Store values where the code left tracers."""
        for guard, value in zip(self._deferred, values, strict=True):
            if isinstance(guard, ContentsGuard):
                set_contents(guard.container, tuple(value), value.values() if isinstance(value, dict) else value)
            elif isinstance(guard.owner, dict):
                guard.owner[guard.name] = value
            else:
                setattr(guard.owner, guard.name, value)

    def undo(self) -> None:
        """Restore all state: tracing that fails leaves nothing behind."""
        for guard in sorted(self._changed(), key=lambda guard: getattr(guard, "name", "") == "_version"):
            _restore(guard)
        for name, (generator, state) in self._random.items():
            if name in self._drawn():
                _set_state(generator, state)

    def _changed(self) -> list[Any]:
        return [guard for guard in self._before if not guard.holds]

    def _drawn(self) -> list[str]:
        """The random generators whose state has changed."""
        return [name for name, (it, state) in self._random.items() if _comparable(_state_of(it)) != _comparable(state)]

    def _generators(self) -> dict[str, tuple[Any, Any]]:
        """The global random generators and those that the function reaches, with their states."""
        named = {f"'{g.label or g.name}'": g.value for g in self._before if isinstance(g, Guard)}
        candidates = {name: generator for name, (_, generator) in GENERATORS.items()} | named
        return {name: (it, _state_of(it)) for name, it in candidates.items() if isinstance(it, GENERATOR_TYPES)}

    def _draw_line(self, name: str) -> Loc | None:
        if name not in GENERATORS:
            return find_load(self.state.functions, lambda loaded, _: f"'{loaded}'" == name)
        module, generator = GENERATORS[name]
        return find_load(
            self.state.functions,
            lambda _, value: value is module or value is generator or getattr(value, "__self__", None) is generator,
        )


# ---- messages ------------------------------------------------------------------------------------------


def warn_of_side_effects(title: str, effects: Iterable[PythonEffect], warned: set[str]) -> None:
    """Warn at the user's line of each side effect whose message is not in ``warned``."""
    for effect in effects:
        text = f"jit '{title}': {effect.what}{expression_text(effect.loc)}: {effect.advice}"
        if text not in warned:
            warned.add(text)
            location = (effect.loc.file, effect.loc.line) if effect.loc else ("<unknown>", 1)
            warnings.warn_explicit(text, SideEffect, *location)


def _current(guard: Any) -> Any:
    """The current value of guarded state."""
    return value_at(guard.owner, guard.name) if isinstance(guard, Guard) else getattr(guard, "container", None)


def _has_tracers(value: Any) -> bool:
    return any(leaf.is_traced for leaf in flatten(value, is_tensor)[0])


def _mutation(guard: Condition, state: ReachableState) -> PythonEffect:
    """The side effect that made a guard fail."""
    if isinstance(guard, Guard):
        name = guard.label or guard.name
        return PythonEffect(f"{_text(guard)} is set", find_assignment(state.functions, name), MUTATION_ADVICE)
    assert isinstance(guard, ContentsGuard | ElementsGuard)
    thing = guard.container if isinstance(guard, ContentsGuard) else guard.thing()
    kind = "tensor" if isinstance(thing, Tensor) else type(thing).__name__
    what = f"the {kind} '{guard.label}' is changed in place"
    return PythonEffect(what, find_mutation(state.functions, guard.label), MUTATION_ADVICE)


def _text(guard: Guard) -> str:
    if isinstance(guard.owner, dict):
        return f"global '{guard.name}'"
    return f"the variable '{guard.label}'" if guard.label else f"'{guard.name}' of a {type(guard.owner).__name__}"


def _restore(guard: Any) -> None:
    """Restore the state that a guard recorded."""
    if isinstance(guard, ContentsGuard):
        restore(guard.container, guard.items)
    elif isinstance(guard, ElementsGuard):
        array_of(guard.thing())[...] = guard.before
    elif isinstance(guard.owner, dict):
        guard.owner.update({guard.name: guard.value})
        if guard.value is MISSING:
            del guard.owner[guard.name]
    elif guard.value is MISSING:
        delattr(guard.owner, guard.name)
    else:
        setattr(guard.owner, guard.name, guard.value)


def _state_of(generator: Any) -> Any:
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.get_state(legacy=False) if isinstance(generator, np.random.RandomState) else generator.getstate()


def _set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        (generator.set_state if isinstance(generator, np.random.RandomState) else generator.setstate)(state)


def _is_clock(name: str, value: Any) -> bool:
    return any(value is clock or (callable(value) and _is_bound_as(value, clock)) for clock in CLOCKS)


def _is_bound_as(value: Any, clock: Any) -> bool:
    """Whether both are the same class method; each access creates a new method object."""
    owner = getattr(clock, "__self__", None)
    return isinstance(owner, type) and getattr(value, "__self__", None) is owner and value.__name__ == clock.__name__


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return tuple((key, _comparable(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state
