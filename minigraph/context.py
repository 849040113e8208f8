"""Settings of a process: mode, device, pipeline, dumps. Names of other rooms stay strings until used."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from minigraph.errors import MinigraphError, TypeArgument, UnknownName, ValueArgument, did_you_mean
from minigraph.missing import in_context as __getattr__  # noqa: F401 - Python calls it

GRAPH_MODE = 0
PYNATIVE_MODE = 1
DEVICE_TARGETS = ("CPU", "GPU", "Ascend", "Davinci")


def _mode(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeArgument(f"For 'context.set_context', the argument 'mode' should be int, but got {value!r}.")
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueArgument(
            "For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0) or "
            f"context.PYNATIVE_MODE (1), but got {value}."
        )
    return value


def _device_target(value: object) -> object:
    if value not in DEVICE_TARGETS:
        raise ValueArgument(
            "For 'context.set_context', the argument 'device_target' must be one of "
            f"{list(DEVICE_TARGETS)}, but got {value}."
        )
    return value


def _save_graphs(value: object) -> object:
    level = {True: 2, False: 0}.get(value, value) if isinstance(value, bool) else value
    if level not in (0, 1, 2, 3):
        raise ValueArgument(f"value for save_graphs should be 0-3 but got '{value}'")
    return level


def _path(value: object) -> object:
    return os.path.abspath(str(value))


def _pipeline(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value  # compiled functions are kept by it


def _any(value: object) -> object:
    return value


CHIP_NAMED = "minigraph.npu:chip_named"  # refuses a wrong chip when it is set, not at the first simulation

# key -> (default, check); a check returns the value to store or raises before anything changes
KEYS: dict[str, tuple[object, Callable[[object], object]]] = {
    "mode": (PYNATIVE_MODE, _mode),
    "device_target": ("CPU", _device_target),
    "device_id": (0, _any),
    "pipeline": ("default", _pipeline),
    "pass_manager": ("passes:as_pipeline", _any),
    "chip": ("ascend910b1", _any),
    "save_graphs": (0, _save_graphs),
    "save_graphs_path": (os.path.abspath("."), _path),
    "graph_dump": ("viz:dump_records", _any),
    "simulator": ("minigraph.npu:simulate", _any),
    "enable_graph_kernel": (False, _any),
    "pynative_synchronize": (True, _any),
    "max_call_depth": (1000, _any),
}
_values: dict[str, object] = {key: default for key, (default, _) in KEYS.items()}


def set_context(**settings: object) -> None:
    """Change settings; all or none of them.

    Keys: ``mode`` (``GRAPH_MODE`` or ``PYNATIVE_MODE``), ``device_target`` ("Ascend" is simulated),
    ``device_id``, ``pipeline``, ``chip``, ``save_graphs``, ``save_graphs_path`` and those of ``KEYS``.
    Raises ``ValueError`` for an unknown key or value, and ``UnknownName`` for a pass or a chip that does not
    exist, with nothing changed.

    >>> set_context(mode=PYNATIVE_MODE, device_target="CPU")
    >>> get_context("mode")
    1
    """
    for key in settings:
        _known(key)
    checked = {key: KEYS[key][1](value) for key, value in settings.items()}
    if "pipeline" in checked:
        resolve(str(checked.get("pass_manager", _values["pass_manager"])))(checked["pipeline"])
    if "chip" in checked:
        resolve(CHIP_NAMED)(checked["chip"])
    _values.update(checked)


def get_context(key: str) -> Any:
    """The value of one setting; raises ``ValueError`` for an unknown key."""
    _known(key)
    return _values[key]


def reset() -> None:
    """Put every setting back to its default (tests use it)."""
    _values.update({key: default for key, (default, _) in KEYS.items()})


def resolve(name: str) -> Any:
    """The object behind a late-bound name ``"module:attribute"``.

    ``minigraph`` never imports ``passes`` or ``viz``; it names them here, at first use.
    Raises ``UnknownName`` when the module or the attribute does not exist.

    >>> resolve("math:sqrt")(9.0)
    3.0
    """
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except MinigraphError:
        raise
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        text = f"no module '{module}' behind the late-bound name '{name}'; install it or name another"
        raise UnknownName(text) from None
    except AttributeError:
        raise UnknownName(f"module '{module}' has no '{attribute}', late-bound as '{name}'") from None


def drawn(thing: object) -> str | None:
    """A picture of a graph or a report as SVG text, for notebooks; ``None`` where none can be had.

    A picture is a courtesy: whatever goes wrong, the caller shows text instead.
    """
    try:
        return str(resolve("viz:svg")(thing))
    except Exception:
        return None


def _known(key: str) -> None:
    if key not in KEYS:
        near = did_you_mean(key, KEYS)
        raise ValueArgument(f"For 'context.set_context', the keyword argument {key} is not recognized!{near}")
