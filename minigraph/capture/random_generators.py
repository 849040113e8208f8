"""The random generators of Python and numpy: those that all code shares, and guards of the states of others."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from minigraph.capture.bytecode import find_load
from minigraph.capture.container_contents import is_a, nested_values
from minigraph.capture.object_state import GENERATOR_TYPES, read_random
from minigraph.capture.query_guards import QueryGuard
from minigraph.capture.structure import unknown_state

NUMPY, PYTHON = "numpy's global generator", "Python's global generator"
GENERATORS: dict[str, tuple[Any, Any]] = {  # name -> the module and the generator behind its functions
    NUMPY: (np.random, np.random.mtrand._rand),
    PYTHON: (random, random._inst),
}
SEEDING = {"seed", "set_state", "setstate", "__setstate__", "bit_generator", "state", "__init__"}
SPAWNING = {"spawn", "seed_seq", "_seed_seq", "n_children_spawned"}  # the count of children cannot be restored
STATE_READS = {"get_state", "get_bit_generator", "_rand"}  # of numpy's global generator


def refuse_spawning(functions: Iterable[FunctionType], values: Iterable[object]) -> None:
    """Raise ``UnknownStateError`` if ``values`` contain a generator or seed of numpy, which counts its children.

    ``functions`` load a name of ``SPAWNING``.
    """
    seeded = (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)
    if any(is_a(item, seeded) for value in values for item in nested_values(value)):
        loc = find_load(functions, lambda name, _: name in SPAWNING)
        raise unknown_state("a random generator's children are spawned or counted", "spawn them outside of @jit", loc)


def guards_of_generators(
    values: Iterable[object], shared: Iterable[object], unread: Iterable[object]
) -> list[QueryGuard]:  # fmt: skip
    """The guards of the states of generators in values and of the ``shared`` ones, without the ``unread``.

    Code that draws from a generator is not captured; other code may read its state, or copy it.
    """
    nested = [rng for value in values for rng in nested_values(value) if is_a(rng, GENERATOR_TYPES)]
    generators: dict[int, Any] = {id(rng): rng for rng in (*nested, *shared)}
    for generator in unread:
        generators.pop(id(generator), None)
    states = [(partial(read_random, rng), f"the state of a {type(rng).__name__}") for rng in generators.values()]
    return [QueryGuard(state, state(), text) for state, text in states]
