"""The global seed: operators in both modes, initial weights, and the shuffling of datasets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from minigraph.capture.trace import add_guard
from minigraph.core.errors import ArgTypeError, ArgValueError, CaptureError
from minigraph.core.location import with_location
from minigraph.core.op import is_eager
from minigraph.dataset import config
from minigraph.operators import random

_state = SimpleNamespace(seed=None)  # the last one that was set


def set_seed(seed: int) -> None:
    """Seeds all random numbers; raises ``TypeError`` or ``ValueError`` for an invalid seed.

    Raises ``RuntimeError`` while a graph is captured.

    >>> from minigraph import ops
    >>> set_seed(7)
    >>> first = ops.standard_normal((2,))
    >>> set_seed(7)
    >>> bool((ops.standard_normal((2,)) == first).asnumpy().all())
    True
    """
    if not isinstance(seed, int):
        raise ArgTypeError(f"The argument 'seed' must be type of int, but got {type(seed)}.")
    if isinstance(seed, bool) or seed < 0:
        kind = type(seed).__name__
        text = f"For 'global_seed', the 'seed' must be int and must >= 0, but got '{seed}' with type '{kind}'."
        raise (ArgTypeError if isinstance(seed, bool) else ArgValueError)(text)
    if seed > config.MAX_SEED:
        raise ArgValueError("Seed must be between 0 and 2**32 - 1")
    if not is_eager():
        text = "set_seed: a graph continues the random stream of its last run; call set_seed outside of @jit"
        raise with_location(CaptureError(text))
    config.set_seed(seed)
    random.set_seed(seed)
    _state.seed = seed


def get_seed() -> int | None:
    """The last seed passed to ``set_seed``; ``None`` before.

    >>> set_seed(7)
    >>> get_seed()
    7
    """
    add_guard(_state, "seed")
    return cast("int | None", _state.seed)
