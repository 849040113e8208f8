"""The fallback for calls that no graph can represent: they run op by op, with one warning that gives the reason."""

from __future__ import annotations

import signal
import traceback
from types import FunctionType, MethodType

from minigraph.capture.structure import UnknownState
from minigraph.core.aliases import Function
from minigraph.core.errors import CaptureError, MinigraphError
from minigraph.core.location import expression_text, raise_location, with_location_once


class RunsOpByOp(UserWarning):
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


def is_from_signal_handler(error: BaseException) -> bool:
    """Whether a handler of a signal raised an error, such as a deadline, which is then not the traced code's own."""
    handlers = map(signal.getsignal, signal.valid_signals())
    codes = {handler.__code__ for handler in handlers if isinstance(handler, FunctionType | MethodType)}
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))


def may_settle(error: Exception) -> bool:
    """Whether a later call may be captured: the function changed state, perhaps to initialise it."""
    return isinstance(error, UnknownState) and error.may_settle
