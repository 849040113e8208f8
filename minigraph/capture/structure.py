"""The structure of arguments and results of a traced function, and how the functions it calls are run."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import CodeType
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.errors import CaptureError
from minigraph.core.location import Loc, with_location
from minigraph.core.pytree import flatten
from minigraph.core.tensor import Tensor


def is_tensor(item: object) -> bool:
    """Whether a leaf of an argument or result structure is a tensor."""
    return isinstance(item, Tensor)


def input_names(fn: Function, args: Sequence[object], kwargs: dict[str, object]) -> list[str]:
    """The names of a function's parameters, one per tensor: ``x``, or ``pair.0`` inside a structure."""
    try:
        inner = inspect.unwrap(fn)
        names = getattr(inner, "argument_names", None)  # of a network that was read from a file
        parameters = names or list(inspect.signature(getattr(inner, "construct", inner)).parameters)  # also of a Cell
    except (TypeError, ValueError):
        parameters = []
    positional = [parameters[i] if i < len(parameters) else f"x{i}" for i in range(len(args))]
    names = []
    for name, argument in [*zip(positional, args, strict=True), *kwargs.items()]:
        count = len(flatten(argument, is_tensor)[0])
        names += [name] if is_tensor(argument) else [f"{name}.{i}" for i in range(count)]
    return names


class TraceMode:
    """``capture_mode="trace"``: functions run as written, and the values of tensors are unavailable.

    ``remedy`` ends the messages of errors for code that needs a value.
    """

    remedy = (
        "use ops.where or another operator, @jit(capture_mode='ast') for if, while and numpy, or compute it outside of "
        "@jit"
    )

    def __call__(self, fn: Function) -> Any:
        """The function that is called instead of ``fn``."""
        return fn

    def to_numpy(self, tracer: Any) -> Any:
        """The result of ``asnumpy()`` of a tracer; raises ``TraceError``."""
        return tracer.array


class UnknownStateError(CaptureError):
    """Python state that a graph cannot represent: it is changed in a branch, or differs at every call.

    Example: ``a list is changed in place, in a branch that depends on a tensor in `if x.max() > 2` (net.py:12); ...``.
    Fix: ``@jit`` runs such a function op by op and warns once; move the state out of the function to keep the graph.
    ``is_transient``: the next call may be another one, as of a function that fills a cache. ``is_retried``: this call
    is captured again, in another way. ``loc``: where, if that is known from the code; ``frames``: the user's, outermost
    first, if the error was found there, but not raised.
    """

    is_transient = is_retried = False
    loc: Loc | None = None
    frames: Sequence[tuple[CodeType, int]] = ()


def unknown_state(text: str, remedy: str, loc: Loc | None = None) -> UnknownStateError:
    """The error for state that a graph cannot represent, at the user's current line or at ``loc``."""
    error = UnknownStateError(f"{text}; {remedy}")
    error.loc = loc
    with_location(error, loc)
    return error
