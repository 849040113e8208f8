"""The settings of a process: mode, device, pipeline, dumps. Other packages are named by strings until first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from minigraph.core.errors import ArgValueError, nearest
from minigraph.core.lazy import resolve as resolve
from minigraph.core.missing_names import context_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.scope_guard import reraise_handler_error, settings_lock
from minigraph.core.settings import (
    ASCEND_CONFIG,
    COMPATIBLE,
    DEBUG,
    ENVIRONMENT,
    GRAPH_MODE,
    IGNORED,
    KEYS,
    LAX,
    PYNATIVE_MODE,
    RELEASE,
    REMOVED,
    STRICT,
    Check,
)

__all__ = [
    "COMPATIBLE", "DEBUG", "GRAPH_MODE", "KEYS", "LAX", "PYNATIVE_MODE", "RELEASE", "STORED_SETTINGS", "STRICT",
    "ParallelMode", "cycle_cost", "get_context", "reset", "resolve", "set_context", "svg_of",
]  # fmt: skip

INITIALIZER = "minigraph.nn.initializers:initializer"  # fills a tensor given by shape, dtype and initializer
CHIP_NAMED = "minigraph.npu:chip_named"  # validates a chip name when it is set, not at the first simulation
GRAPH_KERNEL = "graph_kernel"  # the pipeline of ``enable_graph_kernel`` and of ``jit_level`` "O1"
# part of a compiled program's cache key
COMPILE_KEY_SETTINGS = ("pipeline", "accel", "kernel_backend", "runtime_num_threads", "nondifferentiable")
_values: dict[str, Any] = {}  # filled by ``reset`` below
_interned_keys: dict[tuple[object, ...], tuple[object, ...]] = {}
MAX_INTERNED_KEYS = 1024  # cleared when full: calls of older keys are then looked up by value once


class ParallelMode:
    """MindSpore's parallel modes; minigraph has one device and runs as ``STAND_ALONE``."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]  # noqa: RUF012 - as in MindSpore


def set_context(**settings: object) -> None:
    """Change settings of the process, that is of all threads; all or none of them.

    Keys: ``mode`` (``GRAPH_MODE`` or ``PYNATIVE_MODE``), ``device_target`` ("Ascend" is simulated),
    ``device_id``, ``pipeline``, ``validate`` (check every pass by running the graph), ``chip``, ``save_graphs``,
    ``save_graphs_path``, ``enable_graph_kernel`` and
    those of ``context.KEYS``. Raises ``TypeError`` or ``ValueError`` for an unknown key or a wrong value, and
    ``UnknownNameError`` for a pass or a chip that does not exist, with nothing changed.

    >>> set_context(mode=PYNATIVE_MODE, device_target="CPU")
    >>> get_context("mode")
    1
    """
    for key in settings:
        _check_key(key)
    checked = {key: KEYS[key][1](value) for key, value in settings.items() if key not in IGNORED}
    if "pipeline" in checked:
        resolve(str(checked.get("pass_manager", _values["pass_manager"])))(checked["pipeline"])
    if "chip" in checked:
        resolve(CHIP_NAMED)(checked["chip"])
    _update(_add_implied_pipeline(checked))


def _update(changed: dict[str, object]) -> None:
    """Change settings; equal values of ``COMPILE_KEY_SETTINGS`` are one object: every compiled call compares it."""
    with settings_lock:
        key = tuple(changed.get(name, _values.get(name)) for name in COMPILE_KEY_SETTINGS)
        if len(_interned_keys) >= MAX_INTERNED_KEYS:
            _interned_keys.clear()
        _values.update(changed, compiled_for=_interned_keys.setdefault(key, key))  # in C: all or none, if interrupted


def _add_implied_pipeline(checked: dict[str, object]) -> dict[str, Any]:
    """The settings with the pipeline that they imply, ``GRAPH_KERNEL`` or the default, unless another was chosen."""
    if checked.keys() & {"enable_graph_kernel", "jit_config"} and "pipeline" not in checked:
        new = _values | checked
        is_enabled = new["enable_graph_kernel"] or new["jit_config"].get("jit_level") == "O1"
        if new["pipeline"] == (KEYS["pipeline"][0] if is_enabled else GRAPH_KERNEL):
            return checked | {"pipeline": GRAPH_KERNEL if is_enabled else KEYS["pipeline"][0]}
    return checked


def get_context(attr_key: str) -> Any:
    """The value of one setting; raises ``ValueError`` for an unknown key.

    ``MS_DEV_SAVE_GRAPHS``, ``MS_DEV_SAVE_GRAPHS_PATH``, ``MINIGRAPH_PIPELINE``, ``MINIGRAPH_VALIDATE`` override some.
    """
    if attr_key in ENVIRONMENT:
        variable, read = ENVIRONMENT[attr_key]
        if text := os.environ.get(variable):
            return _read(variable, text, read)
    try:
        return _values[attr_key]
    except KeyError:
        text = f"For 'context.get_context', the argument {attr_key} is not recognized!{_suggestion(attr_key)}"
        raise ArgValueError(text) from None


# The settings, without a look at the environment: cheap enough for every call. ``"compiled_for"`` is the tuple of the
# values of ``COMPILE_KEY_SETTINGS``.
STORED_SETTINGS: Mapping[str, Any] = _values


def _read(variable: str, text: str, read: Check) -> Any:
    try:
        return read(text)
    except ValueError as error:
        raise ArgValueError(f"{variable}: {error}") from None


def reset() -> None:
    """Reset every setting to its default (tests use it)."""
    _update({key: default for key, (default, _) in KEYS.items()})


reset()


def cycle_cost(chip: str) -> Callable[[Any], int]:
    """The cost function of a graph in cycles of a chip; raises ``UnknownNameError`` with the nearest name."""
    return partial(resolve("minigraph.npu:cycles"), chip=resolve(CHIP_NAMED)(chip))


def svg_of(thing: object) -> str | None:
    """A picture of a graph or report as SVG text, for notebooks; ``None`` if it cannot be drawn.

    Pictures are optional: after any error the caller shows text instead.
    """
    try:
        return str(resolve("viz:svg")(thing))
    except Exception as error:
        reraise_handler_error(error)
        return None


def _check_key(key: str) -> None:
    """Raise ``ValueError`` for a key that is unknown or was removed from MindSpore."""
    prefix = "For 'context.set_context', the "
    if key in REMOVED:
        text = f"{prefix}parameter '{key}' has been removed since MindSpore 2.10 version. Please use the {REMOVED[key]}"
        raise ArgValueError(f"{text} instead.")
    if key in ASCEND_CONFIG:
        raise ArgValueError(f"Please set '{key}' through parameter ascend_config")
    if key not in KEYS and key not in IGNORED:
        raise ArgValueError(f"{prefix}keyword argument {key} is not recognized!{_suggestion(key)}")


def _suggestion(key: str) -> str:
    suggestion = nearest(key, KEYS)
    return f" Did you mean '{suggestion}'?" if suggestion else " help(set_context) lists all keys."
