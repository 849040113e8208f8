"""Generators of random numbers: the state of the global one, read and set."""

from __future__ import annotations

import secrets

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, CaptureError
from minigraph.core.location import with_location
from minigraph.core.op import is_eager
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import int64, uint8
from minigraph.operators import random

STATE_SHAPE = (16,)  # the bytes of (seed, number of draws)


class Generator:
    """A seed and the number of draws since; ``default_generator`` is the one that operators use.

    >>> generator = Generator().manual_seed(3)
    >>> generator.initial_seed(), generator.get_state().shape
    (3, (16,))
    """

    def __init__(self) -> None:
        self._state = Parameter(Tensor([0, 0]), requires_grad=False)

    def manual_seed(self, seed: int) -> Generator:
        """Restarts from a seed, and returns the generator; raises ``TypeError`` unless it is an int of 64 bits."""
        if isinstance(seed, bool) or not isinstance(seed, int) or not -(2**63) <= seed < 2**63:
            raise ArgTypeError(f"Seed must be an integer. It must fit into 64 bits, but got {seed!r}.")
        _check_outside_of_graphs("manual_seed")
        self._state.set_data(Tensor([seed, 0], int64))
        return self

    def seed(self) -> int:
        """Restarts from a random seed, and returns it."""
        seed = secrets.randbelow(2**32)
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed."""
        _check_outside_of_graphs("initial_seed")
        return int(self._state.array[0])

    def get_state(self) -> Tensor:
        """The state, UInt8[16], for ``set_state``."""
        _check_outside_of_graphs("get_state")
        return Tensor(np.frombuffer(self._state.array.tobytes(), np.uint8))

    def set_state(self, state: Tensor) -> None:
        """Continues from a state of ``get_state``; raises ``RuntimeError`` for other values."""
        _check_outside_of_graphs("set_state")
        if not isinstance(state, Tensor) or state.dtype is not uint8 or state.shape != STATE_SHAPE:
            got = state.type if isinstance(state, Tensor) else type(state).__name__
            raise ArgRuntimeError(f"set_state: needs a state of get_state, u8[16], but got {got}")
        self._state.set_data(Tensor(np.frombuffer(state.asnumpy().tobytes(), np.int64)))


class _DefaultGenerator(Generator):
    """The generator of all operators."""

    def __init__(self) -> None:
        self._state = random.STATE

    def manual_seed(self, seed: int) -> Generator:
        """Set the seed of all random operators; returns the generator."""
        super().manual_seed(seed)
        random.set_seed(seed)  # also the sequences of draws with a seed of their own
        return self


default_generator = _DefaultGenerator()


def manual_seed(seed: int) -> Generator:
    """Restarts the random numbers of operators; unlike ``set_seed`` not those of datasets.

    >>> from minigraph import ops
    >>> generator = manual_seed(7)
    >>> first = ops.standard_normal((2,))
    >>> bool((ops.standard_normal((2,)) == first).asnumpy().all())
    False
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Restarts the random numbers of operators from a random seed, and returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the random numbers of operators, by ``manual_seed`` or ``set_seed``; 0 before.

    >>> manual_seed(7).initial_seed() == initial_seed()
    True
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the random numbers of operators, UInt8[16].

    >>> from minigraph import ops
    >>> state = get_rng_state()
    >>> first = ops.standard_normal((2,))
    >>> set_rng_state(state)
    >>> bool((ops.standard_normal((2,)) == first).asnumpy().all())
    True
    """
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Continues from a state of ``get_rng_state``; raises ``RuntimeError`` for other values."""
    default_generator.set_state(state)


def _check_outside_of_graphs(name: str) -> None:
    if not is_eager():
        text = f"{name}: a graph continues the random stream of its last run; call {name} outside of @jit"
        raise with_location(CaptureError(text))
