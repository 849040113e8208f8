"""The fallback for calls that no graph can represent: they run op by op, with one warning that gives the reason."""

from __future__ import annotations

from minigraph.core.aliases import Function
from minigraph.core.deprecated_names import op_by_op_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.errors import CaptureError, MinigraphError
from minigraph.core.location import expression_text, raise_location, with_location, with_location_once
from minigraph.core.python_stack import is_stack_short
from minigraph.core.scope_guard import raise_external_error


class OpByOpWarning(UserWarning):
    """A jitted function runs op by op, because no single graph can represent it."""


def eager_function(fn: Function, is_own: bool) -> Function:
    """The function that runs a jitted function op by op: ``construct`` of a Cell, whose call would run as a graph.

    ``is_own``: the Cell calls its own program, and applies a ``bprop`` itself.
    """
    construct = getattr(fn, "construct", None)
    if construct is None or not (is_own or getattr(fn, "bprop", None) is None):
        return fn
    return getattr(fn, "construct_with_hooks", construct)  # with hooks and casts


def with_user_line(error: Exception) -> Exception:
    """The error with the user's line, without a traceback, which would keep the graph alive.

    >>> with_user_line(ValueError("no such layer"))
    CaptureError('ValueError: no such layer')
    """
    if isinstance(error, MinigraphError):
        return with_location_once(error, raise_location(error)).with_traceback(None)
    return CaptureError(f"{type(error).__name__}: {error}{expression_text(raise_location(error))}")


def short_stack_error(title: str) -> CaptureError:
    """The error of a capture whose callers have left too little of Python's stack; a later call may have more."""
    text = f"'{title}': capture needs more of Python's stack than is left here"
    error = CaptureError(f"{text}; call it from fewer nested functions, or see sys.setrecursionlimit")
    error.is_transient = True  # type: ignore[attr-defined]
    with_location(error)
    return error


def nesting_error(title: str) -> CaptureError:
    """The error of a call whose arguments are nested too deeply, perhaps because one contains itself."""
    if is_stack_short():
        return short_stack_error(title)
    error = CaptureError(f"'{title}': an argument contains itself, or is nested too deeply; pass its parts")
    with_location(error)
    return error


def printable(error: Exception) -> Exception:
    """The error, or the one that its text raises: a string with a traced tensor has no text yet."""
    try:
        str(error)
    except MinigraphError as reason:
        return reason
    except Exception as reason:
        raise_external_error(reason)
        return CaptureError(f"{type(error).__name__}: its text cannot be made during tracing")
    return error


def is_transient(error: Exception) -> bool:
    """Whether a later call may be captured: the function changed state, perhaps to initialise it, or the stack of its
    callers was deep.
    """
    return bool(getattr(error, "is_transient", False))
