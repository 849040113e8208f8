"""The settings of datasets: the seed, and MindSpore's settings of threads, which have no effect here."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from minigraph.capture.trace import add_guard
from minigraph.core.errors import TypeArgument, ValueArgument
from minigraph.core.missing_names import missing_name_getattr
from minigraph.dataset.arguments import check_interval

DEFAULT_SEED = 5489
MAX_SEED = 2**32 - 1
# rows are computed in the caller's thread; name: argument, default value, and the least value of an int
SETTINGS: dict[str, tuple[str, bool | int, int]] = {
    "auto_num_workers": ("enable", False, 0),
    "auto_offload": ("offload", False, 0),
    "autotune_interval": ("interval", 0, 0),
    "callback_timeout": ("timeout", 60, 1),
    "enable_shared_mem": ("enable", True, 0),
    "enable_watchdog": ("enable", True, 0),
    "fast_recovery": ("fast_recovery", True, 0),
    "monitor_sampling_interval": ("interval", 1000, 1),
    "multiprocessing_timeout_interval": ("interval", 300, 1),
    "num_parallel_workers": ("num", 8, 1),
    "numa_enable": ("numa_enable", False, 0),
    "prefetch_size": ("size", 16, 1),
}
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


def _accessors(name: str, argument: str, default: bool | int, minimum: int) -> dict[str, Callable[..., Any]]:
    """``set_name`` and ``get_name``."""
    value = [default]

    def setter(*args: bool | int, **kwargs: bool | int) -> None:
        (given,) = args or (kwargs[argument],)
        if not isinstance(default, bool):
            check_interval(argument, given, minimum)
        elif not isinstance(given, bool):
            raise TypeArgument(f"{argument} must be of type bool.")
        value[0] = given

    def getter() -> bool | int:
        return value[0]

    setter.__doc__ = f"Sets ``{name}``, which has no effect here."
    getter.__doc__ = f"The value of ``{name}``, {default} by default."
    for function, kind in ((setter, "set"), (getter, "get")):
        function.__name__ = function.__qualname__ = f"{kind}_{name}"
    return {setter.__name__: setter, getter.__name__: getter}


FUNCTIONS = {
    function: accessor for name, row in SETTINGS.items() for function, accessor in _accessors(name, *row).items()
}
globals().update(FUNCTIONS)
_missing = missing_name_getattr("dataset.config")


def __getattr__(name: str) -> Any:  # for type checkers, too, which do not see the names of the table
    return _missing(name)


__all__ = ["get_seed", "set_seed", *FUNCTIONS]  # noqa: PLE0604 - strings of a table
