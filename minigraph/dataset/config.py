"""The settings of datasets: the seed, debug mode, and MindSpore's settings of threads, which have no effect here."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from minigraph.capture.trace import add_guard
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.missing_names import missing_name_getattr
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.debug import DebugHook, PrintMetaDataHook

DEFAULT_SEED = 5489
MAX_SEED = 2**32 - 1
# Settings without effect, as rows are computed in the caller's thread, each with ``set_NAME`` and ``get_NAME``:
# name -> the argument of the setter, the default value, the least value of an int
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
DEBUG_SEED = 1  # of debug mode, unless a seed was set
_state = SimpleNamespace(seed=DEFAULT_SEED)
_debug = SimpleNamespace(hooks=[], is_enabled=False)
_autotune = SimpleNamespace(is_enabled=False)


def set_seed(seed: int) -> None:
    """Seeds the shuffling of epochs that start from now on.

    Raises ``TypeError`` for other types and ``ValueError`` outside of [0, 4294967295].

    >>> set_seed(7)
    >>> get_seed()
    7
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ArgTypeError(f"set_seed: the seed must be an int, got {type(seed).__name__} {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ArgValueError(f"Input seed is not within the required interval of [0, {MAX_SEED}], got {seed}.")
    _state.seed = seed


def get_seed() -> int:
    """The current seed; 5489 until ``set_seed`` is called, so that runs are reproducible."""
    add_guard(_state, "seed")
    return int(_state.seed)


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list[DebugHook] | None = None) -> None:
    """Calls hooks before and after each operation of every ``map``, in epochs that start from now on.

    Without ``debug_hook_list`` a hook prints dtypes and shapes; an empty list keeps the hooks of the last call. The
    seed becomes 1 unless one was set. Raises ``TypeError`` for other types.

    >>> set_debug_mode(True)
    >>> get_debug_mode(), set_debug_mode(False)
    (True, None)
    """
    if not isinstance(debug_mode_flag, bool):
        raise ArgTypeError("debug_mode_flag isn't of type boolean.")
    if debug_hook_list is not None and not isinstance(debug_hook_list, list):
        raise ArgTypeError("debug_hook_list is not a list.")
    hooks = [PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    if not all(isinstance(hook, DebugHook) for hook in hooks):
        raise ArgTypeError("All items in debug_hook_list must be of type DebugHook.")
    _debug.hooks = hooks or _debug.hooks
    _debug.is_enabled = debug_mode_flag
    if debug_mode_flag and _state.seed == DEFAULT_SEED:
        set_seed(DEBUG_SEED)


def get_debug_mode() -> bool:
    """Whether debug mode is enabled, false by default."""
    return bool(_debug.is_enabled)


def debug_hooks() -> Sequence[DebugHook]:
    """The hooks of ``map``: none unless debug mode is enabled."""
    return tuple(_debug.hooks) if _debug.is_enabled else ()


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Sets ``enable_autotune``, which has no effect here: rows are computed in the caller's thread.

    Warns that no file is written if one is named. Raises ``TypeError`` for other types, ``RuntimeError`` for a path
    that is empty, a folder, or in none.
    """
    if not isinstance(enable, bool):
        raise ArgTypeError("enable must be of type bool.")
    if filepath_prefix and not isinstance(filepath_prefix, str):
        raise ArgTypeError(f"json_filepath must be a str value but was: {filepath_prefix}.")
    if enable and filepath_prefix is not None:
        _check_file("json_filepath", filepath_prefix)
        text = f"set_enable_autotune: nothing is tuned, so that {filepath_prefix!r} is not written"
        warnings.warn(f"{text}; leave filepath_prefix out", UserWarning, stacklevel=2)
    _autotune.is_enabled = enable


def get_enable_autotune() -> bool:
    """The value of ``enable_autotune``, false by default."""
    return bool(_autotune.is_enabled)


def _check_file(name: str, path: str) -> None:
    if not path:
        raise ArgRuntimeError(f"The value of {name} cannot be the empty string.")
    if os.path.isdir(path):
        raise ArgRuntimeError(f"Invalid {name} parameter. <{path}> is a directory, not filename.")
    if not os.path.isdir(folder := os.path.dirname(path) or "."):
        raise ArgRuntimeError(f"Invalid {name} parameter. Directory <{folder}> does not exist.")


def _accessors(name: str, argument: str, default: bool | int, minimum: int) -> dict[str, Callable[..., Any]]:
    """``set_name`` and ``get_name``."""
    value = [default]

    def setter(*args: bool | int, **kwargs: bool | int) -> None:
        (given,) = args or (kwargs[argument],)
        if not isinstance(default, bool):
            check_interval(argument, given, minimum)
        elif not isinstance(given, bool):
            raise ArgTypeError(f"{argument} must be of type bool.")
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


__all__ = [  # noqa: PLE0604 - strings of a table
    "get_debug_mode", "get_enable_autotune", "get_seed", "set_debug_mode", "set_enable_autotune", "set_seed",
    *FUNCTIONS,
]  # fmt: skip
