"""Capturing a call of a jitted function, without a trace of it in Python's state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from minigraph.capture.argument_mutation import returning_changes
from minigraph.capture.heap import Heap
from minigraph.capture.side_effects import PythonEffect, Watch
from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import Captured, capture
from minigraph.capture.unknown_state import unknown_state
from minigraph.compilation.options import Settings
from minigraph.core.errors import TraceError
from minigraph.core.pytree import flatten, statics_of
from minigraph.translate.range_loops import TensorRange, register_tensor_range
from minigraph.translate.source import AstMode, check_translatable


class CapturedCall(NamedTuple):
    """A captured call, and what the function did to Python's state, all of which is undone."""

    captured: Captured
    effects: list[PythonEffect]


def capture_call(
    fn: Callable[..., Any], args: Any, kwargs: Any, settings: Settings, title: str, may_have_effects: bool = False
) -> CapturedCall:  # fmt: skip
    """The captured graph of a call; traced again for each ``range`` that turns out to have tensor bounds.

    Python's state is afterwards as it was. Raises ``UnknownState`` for a function that changes it, unless it
    ``may_have_effects``, and for one that reads what differs at every call.
    """
    while True:
        try:
            return _capture_once(fn, args, kwargs, settings, title, may_have_effects)
        except TensorRange as error:
            if settings.capture_mode == "trace" or not register_tensor_range(error):
                raise TraceError(str(error)) from None


def _capture_once(
    fn: Callable[..., Any], args: Any, kwargs: Any, settings: Settings, title: str, may_have_effects: bool
) -> CapturedCall:  # fmt: skip
    """The captured graph of a call, traced once."""
    mode = None if settings.capture_mode == "trace" else AstMode(settings.fullgraph, fn)
    if mode:
        check_translatable(fn)
    watch = Watch(fn, statics_of(flatten((args, kwargs), is_tensor)[1]))
    if not may_have_effects:
        watch.refuse_unknown_reads(as_written=mode is None)
    compared = watch.compared_tensors()
    if compared is not None and not may_have_effects:
        _refuse_outer_tensors(flatten((args, kwargs), is_tensor)[0], compared)
    heap = Heap([fn, args, kwargs])
    recording = (nullcontext() if mode else watch.recording_prints()) if may_have_effects else watch.monitor.watching()
    try:
        with recording:
            run, keep_identity = returning_changes(fn), compared is not None
            captured = capture(run, args, kwargs, settings.auto_depend, title, mode, keep_identity)
        effects, guards = watch.finish(heap.changes())
        if effects and not may_have_effects:
            raise effects[0].error()
    finally:
        watch.undo()
        heap.undo()
    compared = captured.compared if compared is None else compared
    return CapturedCall(captured._replace(guards=guards + captured.guards, compared=compared), effects)


def _refuse_outer_tensors(leaves: Sequence[Any], compared: Sequence[Any]) -> None:
    """Raise ``UnknownState`` for an argument that the code may find to be one of its outer tensors."""
    if any(leaf is tensor for leaf in leaves for tensor in compared):
        text = "an argument is also a tensor that the function reads from elsewhere"
        raise unknown_state(text, "pass it, or read it, but not both")
