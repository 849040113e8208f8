"""The options of ``@jit``, their meaning here, and MindSpore's errors for wrong ones."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, NamedTuple

from minigraph.core.context import GRAPH_KERNEL
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, UsageError, did_you_mean
from minigraph.core.location import expression_text, user_loc, warn, with_location

CAPTURE_MODES = ("ast", "bytecode", "trace")
BACKENDS = ("", "ms_backend", "GE")
# Optimisation level -> its pipeline; all compute the same bits.
LEVELS = {
    "O0": "lower_depend,canonicalize,constant_fold,cse,dce",  # without fusion
    "O1": GRAPH_KERNEL,  # fuses neighbouring elementwise operators
    "O2": GRAPH_KERNEL,  # in older MindSpore: whole-graph execution, which every level has here
}
# MindSpore's hints for hardware: checked, without effect.
HINTS: dict[str, tuple[type, tuple[object, ...]]] = {
    "disable_format_transform": (bool, ()),
    "exec_order": (str, ("bfs", "dfs")),
    "infer_boost": (str, ("on", "off")),
    "auto_offload": (str, ("weight", "activation", "all")),
    "ge_options": (dict, ()),
}
RENAMED = {
    "mode": "capture_mode", "input_signature": "dynamic", "jit_config": "jit_level or fullgraph", "hash_args": "",
    "compile_once": "",
}  # fmt: skip


class UnknownOptionWarning(UserWarning):
    """``@jit`` was called with an unknown or removed option."""


class Settings(NamedTuple):
    """How a function is captured and compiled.

    ``capture_mode`` is "ast" (translate the source; "bytecode" means "ast") or "trace" (run it as written).
    ``pipeline`` is the pass pipeline (``None``: the context's). Without ``auto_depend`` an effect is live only if
    a node depends on it. ``fullgraph`` forbids everything outside of the graph: numpy on the host, running op by op.
    ``result_lines``: of a segment of a function whose results other segments need, the line that binds each of them.
    ``is_segment``: the function is a segment of another one.
    ``is_cell_program``: a Cell calls it; a ``__call__`` that overrides the one of ``Cell`` is then running already.
    """

    capture_mode: str = "ast"
    pipeline: Any = None
    auto_depend: bool = True
    fullgraph: bool = False
    result_lines: tuple[int, ...] | None = None
    is_segment: bool = False
    is_cell_program: bool = False


DEFAULT_SETTINGS = Settings()
CELL_PROGRAM = Settings(is_cell_program=True)


def settings_of(
    capture_mode: str = "ast", jit_level: str | None = None, dynamic: object = 0, fullgraph: object = False,
    backend: object = "", pipeline: object = None, auto_depend: bool = True, **hints: object,
) -> Settings:  # fmt: skip
    """The settings of the options of ``@jit``; raises ``ValueError`` or ``TypeError`` as MindSpore does.

    >>> settings_of(jit_level="O1").pipeline
    'graph_kernel'
    """
    _check_choice("capture_mode", capture_mode, CAPTURE_MODES)
    if jit_level is not None:
        _check_choice("jit_level", jit_level, tuple(LEVELS))
    if jit_level is not None and pipeline is not None:
        raise with_location(UsageError("jit: jit_level and pipeline both say which passes run; give one of them"))
    _check_dynamic(dynamic)
    if not isinstance(fullgraph, bool):
        raise with_location(
            ArgTypeError(f"For 'jit', the 'fullgraph' must be a bool, but got {type(fullgraph).__name__}.")
        )
    _check_backend(backend)
    for name, value in hints.items():
        _check_hint(name, value)
    return Settings(capture_mode, pipeline if jit_level is None else LEVELS[jit_level], auto_depend, fullgraph)


def check_function(function: object) -> None:
    """Raise ``TypeError`` for an object that ``@jit`` cannot run: not callable, a coroutine or a generator function."""
    where = expression_text(user_loc())
    if not callable(function):
        raise ArgTypeError(f"jit: {type(function).__name__} cannot be called{where}; give a function")
    code = next((f for f in _functions_of(function) if inspect.iscoroutinefunction(f) or _yields(f)), None)
    if code is not None:
        kind = "generator" if inspect.isgeneratorfunction(code) else "async"
        description = f"'{code.__name__}' is {'a' if kind == 'generator' else 'an'} {kind} function"
        raise ArgTypeError(f"jit: {description}{where}; a graph runs to its end: pass the plain function that it calls")


def _functions_of(function: object) -> list[Any]:
    """The functions that may run when an object is called: itself, or methods of its class."""
    while isinstance(function, partial | staticmethod | classmethod):
        function = function.func if isinstance(function, partial) else function.__func__
    methods = [getattr(function, name, None) for name in ("construct", "__call__")]
    return [
        candidate for candidate in (function, *methods) if inspect.isfunction(candidate) or inspect.ismethod(candidate)
    ]


def _yields(function: object) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        text = f"For 'jit', the '{name}' must be str and must be in '{list(choices)}', but got '{value}'."
        raise with_location(ArgValueError(text))


def _check_dynamic(dynamic: object) -> None:
    kind = type(dynamic).__name__
    if kind != "int":
        raise with_location(ArgTypeError(f"For 'jit', the 'dynamic' must be 'int',  but got '{kind}'."))
    if dynamic not in (0, 1):
        text = f"For 'jit', the 'dynamic' must be in range of [0, 1], but got {dynamic} with type 'int'."
        raise with_location(ArgValueError(text))


def _check_backend(backend: object) -> None:
    if not isinstance(backend, str):
        raise with_location(ArgTypeError(f"For 'jit', the 'backend' must be str, but got {type(backend).__name__}."))
    if backend not in BACKENDS:
        text = f"Invalid backend name: {backend}, you should register custom backend first"
        raise with_location(ArgRuntimeError(text))


def _check_hint(name: str, value: object) -> None:
    if name not in HINTS:
        warn(_unknown_option_message(name), UnknownOptionWarning)
        return
    kind, allowed = HINTS[name]
    if not isinstance(value, kind):
        text = f"For 'jit(options)', the type of '{name}' must be {kind.__name__}, but got {type(value)}."
        raise with_location(ArgTypeError(text))
    if allowed and value not in allowed:
        text = f"For '{name}', the value of '{name}' must be one of {list(allowed)}, but got '{value}'."
        raise with_location(ArgValueError(text))


def _unknown_option_message(name: str) -> str:
    if name not in RENAMED:
        known = ("capture_mode", "jit_level", "dynamic", "fullgraph", "backend", "pipeline", "auto_depend", *HINTS)
        return f"jit: unknown option '{name}'{did_you_mean(name, known)}"
    remedy = f"; use {RENAMED[name]}" if RENAMED[name] else ""
    return f"jit: the option '{name}' was removed{remedy}"
