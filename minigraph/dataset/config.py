"""The seed of every shuffle in this room."""

from __future__ import annotations

from minigraph.core.errors import TypeArgument, ValueArgument

DEFAULT_SEED = 5489
LARGEST_SEED = 2**32 - 1
_seed = [DEFAULT_SEED]


def set_seed(seed: int) -> None:
    """Seed the shuffles of epochs that start from now on.

    Raises ``TypeError`` for anything but an integer and ``ValueError`` outside of [0, 4294967295].

    >>> set_seed(7)
    >>> get_seed()
    7
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeArgument(f"set_seed: the seed must be an int, got {type(seed).__name__} {seed!r}")
    if not 0 <= seed <= LARGEST_SEED:
        raise ValueArgument(f"Input seed is not within the required interval of [0, {LARGEST_SEED}], got {seed}.")
    _seed[0] = seed


def get_seed() -> int:
    """The seed in force; 5489 until ``set_seed`` is called, so that a program's runs repeat."""
    return _seed[0]
