"""What to explain: a function in a file, with example inputs, or the digits program."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from minigraph.errors import MinigraphError, UsageError, did_you_mean
from minigraph.examples import digits
from minigraph.jit import Jitted, jit
from minigraph.tensor import Tensor


class Target(NamedTuple):
    """A jitted function with example arguments; ``source`` is its text, ``module`` where it was found."""

    name: str
    function: Jitted
    inputs: tuple[Any, ...]
    source: str
    module: ModuleType

    @property
    def is_digits(self) -> bool:
        """Whether this is the program shipped with minigraph, which is trained first."""
        return self.module is digits


def target_named(text: str | None) -> Target:
    """The target of ``FILE.py:function``, or the digits training step for ``None``.

    Raises ``UsageError``, naming the nearest right name, for a wrong file, function or example.
    """
    if text is None:
        return _target(digits, "train_step", "the digits example")
    file, colon, name = text.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise UsageError(f"explain: '{text}' is not FILE.py:function; for example net.py:train_step")
    return _target(_module(Path(file)), name, file)


def _module(path: Path) -> ModuleType:
    if not path.is_file():
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else [])
        raise UsageError(f"explain: no file '{path}'{near}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"explain: '{path}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))  # its own imports, as if it were run as a script
    try:
        spec.loader.exec_module(module)
    except MinigraphError:
        raise
    except Exception as error:
        raise UsageError(
            f"explain: {path} does not run: {type(error).__name__}: {error}{_line_in(path, error)}"
        ) from None
    finally:
        sys.path.pop(0)
    return module


def _line_in(path: Path, error: BaseException) -> str:
    """`` (net.py:12)``: the innermost line of the user's file in a traceback."""
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f" ({path.name}:{lines[-1]})" if lines else ""


def _target(module: ModuleType, name: str, where: str) -> Target:
    function = getattr(module, name, None)
    if not callable(function):
        known = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_") and not inspect.isclass(v)]
        raise UsageError(f"explain: no function '{name}' in {where}{did_you_mean(name, known)}")
    jitted = function if isinstance(function, Jitted) else jit(function)
    return Target(name, jitted, _inputs(module, where), _source(jitted), module)


def _inputs(module: ModuleType, where: str) -> tuple[Any, ...]:
    make: Callable[[], Any] | None = getattr(module, "example_inputs", None)
    if make is None:
        raise UsageError(
            f"explain: {where} has no example_inputs(); add `def example_inputs(): return Tensor(...), ...` "
            "returning the arguments to explain the function with"
        )
    inputs = make()
    return tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)


def _source(function: Jitted) -> str:
    try:
        return inspect.getsource(function.fn)
    except (OSError, TypeError):
        return f"# the source of {function!r} is not available\n"


def shapes(inputs: tuple[Any, ...]) -> str:
    """The argument types in words, such as ``f32[64,64], i32[64]``."""
    return ", ".join(str(i.type) if isinstance(i, Tensor) else repr(i) for i in inputs)
