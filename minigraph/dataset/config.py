"""The seed of datasets."""

from __future__ import annotations

from types import SimpleNamespace

from minigraph.capture.trace import add_guard
from minigraph.core.errors import TypeArgument, ValueArgument

DEFAULT_SEED = 5489
MAX_SEED = 2**32 - 1
_state = SimpleNamespace(seed=DEFAULT_SEED)


def set_seed(seed: int) -> None:
    """Seeds the shuffling of epochs that start from now on.

    Raises ``TypeError`` for other types and ``ValueError`` outside of [0, 4294967295].

    >>> set_seed(7)
    >>> get_seed()
    7
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeArgument(f"set_seed: the seed must be an int, got {type(seed).__name__} {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueArgument(f"Input seed is not within the required interval of [0, {MAX_SEED}], got {seed}.")
    _state.seed = seed


def get_seed() -> int:
    """The current seed; 5489 until ``set_seed`` is called, so that runs are reproducible."""
    add_guard(_state, "seed")
    return int(_state.seed)
