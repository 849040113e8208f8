"""Loads the function that a command runs: from a Python file, a model file, or an example of minigraph."""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import NamedTuple

import numpy as np

from minigraph.compilation import Jitted, jit
from minigraph.core.context import resolve
from minigraph.core.errors import MinigraphError, UsageError, did_you_mean
from minigraph.core.files import decode_surrogates
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Tensor
from minigraph.examples import digits
from minigraph.importers.onnx.load import load_onnx
from minigraph.importers.torch.load import from_torch

EXAMPLES = {name: f"minigraph.examples.{name}" for name in ("digits", "vit")}  # define train_step and example_inputs

MODEL_FILES = (".onnx", ".pt2")
LoadedModules = dict[Path, ModuleType]  # modules of user files by resolved path


class Target(NamedTuple):
    """A jitted function with example arguments, its source text, and the module that defines it."""

    name: str
    function: Jitted
    inputs: tuple[object, ...]
    source: str
    module: ModuleType

    @property
    def is_digits(self) -> bool:
        """Whether this is the digits example, which is trained first."""
        return self.module is digits


def load_target(text: str | None, loaded: LoadedModules | None = None, dims: Mapping[str, int] | None = None) -> Target:
    """Load ``FILE.py:function``, ``FILE.onnx``, ``FILE.pt2`` or the training step of an example (``None``: digits).

    Files whose modules are in ``loaded`` are not run again. ``dims`` are sizes of symbolic dimensions of a model file.

    Raises ``UsageError`` with the closest valid name for an unknown file, function or example.
    """
    if text is None:
        return _target(digits, "train_step", "the digits example")
    if text in EXAMPLES:
        step = resolve(f"{EXAMPLES[text]}:train_step")
        return _target(sys.modules[step.fn.__module__], "train_step", f"the {text} example")
    if text.endswith(MODEL_FILES):
        return _model_target(text, dims)
    if dims:
        raise UsageError(f"--dim is for model files such as net.onnx, and '{text}' is not one; leave it out")
    if text.endswith(".py") and Path(text).is_file():
        functions = did_you_mean("", _functions(load_module(Path(text), loaded)))
        raise UsageError(f"'{text}' names no function; write {text}:FUNCTION{functions}")
    file, colon, name = text.rpartition(":")
    if not colon or not file.endswith(".py"):
        forms = f"FILE.py:function such as net.py:train_step, FILE.onnx, FILE.pt2, or an example: {', '.join(EXAMPLES)}"
        raise UsageError(f"'{text}' is not a program; expected {forms}")
    return _target(load_module(Path(file), loaded), decode_surrogates(name), file)


def _model_target(file: str, dims: Mapping[str, int] | None) -> Target:
    """The network of a model file, with random arguments."""
    network = from_torch(file, dims) if file.endswith(".pt2") else load_onnx(file, dims)
    module = ModuleType("network")
    module.__file__ = file
    return Target("network", jit(network), network.example_inputs(), network.listing.text, module)


def parse_dims(texts: list[str]) -> dict[str, int]:
    """Sizes of symbolic dimensions by name, from texts such as "batch=8"; raises ``UsageError`` for malformed text.

    >>> parse_dims(["batch=8", "height=224"])
    {'batch': 8, 'height': 224}
    """
    pairs = [decode_surrogates(text).partition("=") for text in texts]
    for text, (name, _, size) in zip(texts, pairs, strict=True):
        if not name or not size.isascii() or not size.isdecimal() or len(size) > 12 or int(size) < 1:
            raise UsageError(f"--dim {text}: expected a name and a size; write --dim batch=8")
    return {name: int(size) for name, _, size in pairs}


def add_dim_option(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--dim``, which gives sizes to symbolic dimensions of model files."""
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="size of a symbolic dimension "
                        "of a model file, such as batch=8; may be repeated")  # fmt: skip


def load_module(path: Path, loaded: LoadedModules | None = None) -> ModuleType:
    """Run a user's file unless ``loaded`` has its module; raises ``UsageError`` if it is missing or fails."""
    loaded = {} if loaded is None else loaded
    if path.resolve() not in loaded:
        loaded[path.resolve()] = _run(path)
    return loaded[path.resolve()]


def _run(path: Path) -> ModuleType:
    if not path.is_file():
        suggestion = did_you_mean(path.name, [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else [])
        raise UsageError(f"no file '{path}'{suggestion}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"'{path}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))  # for its own imports, as in a script
    try:
        with user_code_errors(str(path), f"{path} does not run"):
            spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


@contextmanager
def user_code_errors(file: str | None, prefix: str) -> Iterator[None]:
    """Convert exceptions of user code to a ``UsageError``: ``prefix``, the error, the innermost line of ``file``."""
    try:
        yield
    except MinigraphError:
        raise
    except (Exception, SystemExit) as error:
        reraise_handler_error(error)
        message = f"{prefix}: {type(error).__name__}: {error}{_innermost_line(file, error)}"
        raise UsageError(message.replace("\n", " ")) from None


def _innermost_line(file: str | None, error: BaseException) -> str:
    """The innermost line of the user's file in a traceback, such as " (net.py:12)"; "" if there is none."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return f" ({Path(file).name}:{lines[-1]})" if file and lines else ""


def _target(module: ModuleType, name: str, where: str) -> Target:
    function = getattr(module, name, None)
    if inspect.isclass(function):
        raise UsageError(f"'{name}' in {where} is a class; name a function or an instance of it")
    if not callable(function):
        raise UsageError(f"no function '{name}' in {where}{did_you_mean(name, _functions(module))}")
    jitted = function if isinstance(function, Jitted) else jit(function)
    inputs = _inputs(module, where)
    _check_arguments(name, jitted, inputs, where)
    return Target(name, jitted, inputs, _source(jitted), module)


def _functions(module: ModuleType) -> list[str]:
    """The functions of a module that can be explained: public callables except classes and ``example_inputs``."""
    public = {name: value for name, value in vars(module).items() if callable(value) and not name.startswith("_")}
    return [name for name, value in public.items() if not inspect.isclass(value) and name != "example_inputs"]


def _inputs(module: ModuleType, where: str) -> tuple[object, ...]:
    """The arguments that ``example_inputs()`` of a module returns; ``where`` names the module in messages."""
    example_inputs: Callable[[], object] | None = getattr(module, "example_inputs", None)
    if not callable(example_inputs):
        raise UsageError(
            f"{where} has no example_inputs(); add `def example_inputs(): return Tensor(...), ...` "
            "that returns arguments for the function"
        )
    with user_code_errors(module.__file__, f"example_inputs() of {where} fails"):
        value_or_values = example_inputs()
    inputs = tuple(value_or_values) if isinstance(value_or_values, tuple | list) else (value_or_values,)
    for position, value in enumerate(inputs):
        if isinstance(value, np.ndarray):
            raise UsageError(f"example_inputs() of {where} returns an array at position {position}; use Tensor(...)")
    return inputs


def _check_arguments(name: str, function: Jitted, inputs: tuple[object, ...], where: str) -> None:
    try:
        signature = inspect.signature(getattr(function.fn, "construct", function.fn))
    except ValueError:  # some builtins have none
        return
    try:
        signature.bind(*inputs)
    except TypeError as error:
        count = f"{len(inputs)} argument" + "s" * (len(inputs) != 1)
        raise UsageError(f"example_inputs() of {where} returns {count} for '{name}': {error}") from None


def _source(function: Jitted) -> str:
    try:
        return inspect.getsource(function.fn)
    except (OSError, TypeError) as error:
        reraise_handler_error(error)
        return f"# the source of {function!r} is not available\n"


def argument_types(inputs: tuple[object, ...]) -> str:
    """The types of Tensors and the values of other arguments as text, such as ``f32[64,64], i32[64]``."""
    return ", ".join(str(value.type) if isinstance(value, Tensor) else repr(value) for value in inputs)
