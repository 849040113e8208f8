"""Captures a call of a jitted function and restores Python's state afterwards."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import StringIO
from operator import call as call_plainly
from traceback import clear_frames
from types import BuiltinFunctionType, FunctionType
from typing import Any, NamedTuple

from minigraph.capture.argument_mutation import Changed, with_argument_changes
from minigraph.capture.container_contents import is_a, is_plain_value, nested_values
from minigraph.capture.fork_locks import capture_lock
from minigraph.capture.garbage_collection import last_collection
from minigraph.capture.heap import Heap
from minigraph.capture.numpy_errors import ErrorLog, ErrorState, call_with_error_log
from minigraph.capture.pure_calls import has_hidden_state
from minigraph.capture.shared_results import check_class, check_contents, check_shared, may_share
from minigraph.capture.side_effects import PythonEffect, Watch
from minigraph.capture.structure import UnknownStateError, is_tensor, unknown_state
from minigraph.capture.trace import Captured, capture
from minigraph.compilation.options import Settings
from minigraph.core.aliases import Function
from minigraph.core.errors import TraceError
from minigraph.core.location import Loc
from minigraph.core.output import call_printing_to
from minigraph.core.pytree import flatten, statics_of
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType
from minigraph.translate.range_loops import TensorRangeError, register_tensor_range
from minigraph.translate.source import AstMode, check_translatable, runs_as_written


class CapturedCall(NamedTuple):
    """A captured call, and the function's changes of Python state, all of which have been undone."""

    captured: Captured
    effects: list[PythonEffect]
    printed: str  # during tracing, to be written when the call runs as this graph


class _Call(NamedTuple):
    """A call to capture; with ``may_have_effects``, the function may change Python's state.

    ``hashes_arguments``: it uses the hash of a tensor among them, as it has turned out.
    """

    fn: Function
    args: object
    kwargs: object
    settings: Settings
    title: str
    may_have_effects: bool
    hashes_arguments: bool = False


def capture_call(
    fn: Function, args: object, kwargs: object, settings: Settings, title: str, may_have_effects: bool = False
) -> CapturedCall:  # fmt: skip
    """The captured graph of a call; traced again for each ``range`` that turns out to have tensor bounds, and
    once if the hash of an argument is used.

    Python's state is afterwards as it was. Raises ``UnknownStateError`` for a function that changes it, unless it
    ``may_have_effects``, and for one that reads state that differs at every call.
    """
    call = _Call(fn, args, kwargs, settings, title, may_have_effects)
    collection, is_first = last_collection(), True
    while True:
        try:
            with capture_lock:  # Python's state, which all threads share, is watched, changed and undone
                return _capture_once(call)
        except UnknownStateError as error:
            if error.is_retried:
                call = call._replace(hashes_arguments=True)
                continue
            if not is_first or collection is last_collection():
                raise
            is_first = False  # finalizers may have changed the state; they have run by now
        except TensorRangeError as error:
            if settings.capture_mode == "trace" or not register_tensor_range(error):
                raise TraceError(str(error)) from None


def _capture_once(call: _Call) -> CapturedCall:
    """The captured graph of a call, traced once."""
    arguments, settings = (call.args, call.kwargs), call.settings
    mode = None if settings.capture_mode == "trace" else AstMode(settings.fullgraph, call.fn)
    if mode:
        check_translatable(call.fn)
    watch = Watch(call.fn, statics_of(flatten(arguments, is_tensor)[1]))
    if not call.may_have_effects:
        _refuse_arguments(arguments)
        watch.refuse_unknown_reads(partial(runs_as_written, translates=mode is not None))
    compared = watch.compared_tensors(call.hashes_arguments)
    if compared is not None and not call.may_have_effects:
        _refuse_outer_tensors(flatten(arguments, is_tensor)[0], compared)
    watch.note_generators(is_marked=not call.may_have_effects)
    try:
        result = _trace_watched(call, watch, mode, keep_identity=compared is not None)
    finally:
        watch.undo()
    return result if compared is None else result._replace(captured=result.captured._replace(compared=compared))


def _trace_watched(call: _Call, watch: Watch, mode: AstMode | None, keep_identity: bool) -> CapturedCall:
    """The captured graph with all guards, and the effects; the heap is restored."""
    settings, may_have_effects = call.settings, call.may_have_effects
    heap = Heap(call.fn, (call.args, call.kwargs))
    prints = mode is None and not settings.is_segment  # in segments, ``print`` stays ``print``
    monitor = None if may_have_effects else watch.monitor(prints)
    run: Callable[..., Captured] = call_plainly if monitor is None else monitor.call
    printed = StringIO()
    if mode is None and (monitor is None or monitor.may_print):  # the monitor refuses every other ``print``
        run = partial(call_printing_to, printed, run)
    try:
        called: Any = call.fn
        if settings.is_cell_program and type(called).__call__ is not type(called).call_as_cell:  # it is overridden
            called = called.call_as_cell
        fn = with_argument_changes(called)
        if not may_have_effects:
            fn = _checking_result(fn, heap, settings.result_lines)
        log = ErrorLog(ErrorState.current())
        functions = None if settings.is_segment else watch.state.functions  # other code of the function uses results
        options = (settings.auto_depend, call.title, mode, keep_identity, functions)
        captured = run(call_with_error_log, log, capture, fn, call.args, call.kwargs, *options)
        if log.first is not None and not may_have_effects:
            raise log.error()
        changes = [(str(change), heap.line_of(change)) for change in heap.changes()[:1]]
        effects, guards = watch.finish(changes, prints)
        if not may_have_effects and (refused := [effect for effect in effects if effect.is_refused]):
            raise refused[0].error()
        if (refusal := captured.refused) is not None and (refusal.is_retried or not may_have_effects):
            raise refusal
    except BaseException as error:
        _release_frames(error)
        raise
    finally:
        watch.undo()  # first, so that attributes are written to an object of its own class
        heap.undo()
    return CapturedCall(captured._replace(guards=guards + captured.guards), effects, printed.getvalue())


def _release_frames(error: BaseException | None) -> None:
    """Release the objects of the frames of a failed capture, whose finalizers may change state that is then undone."""
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__context__


def _refuse_arguments(arguments: object) -> None:
    """Raise ``UnknownStateError`` for a list or dict that is given twice, and for objects whose changes are unknown."""
    seen = set[int]()
    worklist = [arguments]
    while worklist:
        item = worklist.pop()
        if is_a(item, (list, dict)):
            if id(item) in seen:
                raise unknown_state(f"one {type(item).__name__} is given twice", "give a copy")
            seen.add(id(item))
            if type(item) not in (list, dict):  # which a graph would see as a list or dict
                raise unknown_state(f"an argument is a {type(item).__name__}", "give a list or a dict")
        if is_a(item, tuple) and getattr(item, "__dict__", None):  # which a copy of its items does not have
            raise unknown_state(f"an argument is a {type(item).__name__} with attributes", "give a tuple")
        if is_a(item, (tuple, list, dict)):
            worklist += item.values() if is_a(item, dict) else item
        elif is_a(item, Iterator) or has_hidden_state(item):
            remedy = "give a list" if is_a(item, Iterator) else "pass what the function reads of it"
            raise unknown_state(f"an argument is a {type(item).__name__}, whose changes are unknown", remedy)
        elif is_a(item, Tensor) and type(item) not in (Tensor, Parameter):
            raise unknown_state(f"an argument is a {type(item).__name__}, a subclass", "give a Tensor")


def _checking_result(fn: Function, heap: Heap, lines: tuple[int, ...] | None) -> Function:
    """The function, which raises ``UnknownStateError`` for a result that a graph cannot create anew at every call.

    ``lines``: of a segment of a function, the line that binds each of its results, which later segments use.
    """

    @functools.wraps(fn)
    def call(*args: object, **kwargs: object) -> Any:
        out = fn(*args, **kwargs)
        check_contents([container.items for container in out.containers] if type(out) is Changed else [])
        argument_ids = set(map(id, nested_values((args, kwargs))))
        parts = [*out.out, out.containers] if lines and type(out) is Changed else out if lines else [out]
        seen, containers = set[int](), set[int]()
        for k, part in sorted(enumerate(parts), key=lambda pair: may_share(pair[1])):
            loc = Loc(inspect.unwrap(fn).__code__.co_filename, lines[k]) if lines and k < len(lines) else None
            _check_result(part, argument_ids, heap, containers, loc)
            if lines is not None:
                check_shared(part, seen, loc)
        return out

    return call


def _check_result(out: Any, argument_ids: set[int], heap: Heap, seen: set[int], loc: Loc | None) -> None:
    """Raise ``UnknownStateError`` for a container that existed before the call (in an argument: ``argument_ids``), that
    is in two results, or of another type.
    """
    worklist = [out]
    while worklist:
        item = worklist.pop()
        kind = type(item)
        if kind in (list, dict) and (id(item) in argument_ids or heap.contains(item)):
            raise unknown_state(f"the result is a {kind.__name__} that existed before", "return a new one", loc)
        if isinstance(item, Tensor):
            check_class(item, loc)
        if kind in (list, dict):
            if id(item) in seen:
                raise unknown_state(f"one {kind.__name__} is in two results", "return a copy", loc)
            seen.add(id(item))
        if kind is dict:
            worklist += item.values()
        elif kind in (list, tuple) or isinstance(item, tuple) or kind is Changed:
            worklist += item
        elif not (isinstance(item, Tensor) or is_plain_value(item) or hasattr(kind, "tree_flatten")) and not (
            heap.contains(item) or isinstance(item, BuiltinFunctionType | DType) or _is_outer_definition(item)
        ):
            text = f"the result is a new {kind.__name__}"
            raise unknown_state(text, "return tensors, numbers, strings, or tuples, lists and dicts of them", loc)


def _is_outer_definition(item: object) -> bool:
    """Whether an item is a function or class that no function has made: those are new ones at every call."""
    return isinstance(item, type | FunctionType) and "<locals>" not in item.__qualname__


def _refuse_outer_tensors(leaves: Sequence[object], compared: Sequence[object]) -> None:
    """Raise ``UnknownStateError`` for an argument that is also an outer tensor, if the code may test that."""
    if any(leaf is tensor for leaf in leaves for tensor in compared):
        text = "an argument is also a tensor that the function reads from elsewhere"
        raise unknown_state(text, "pass it, or read it, but not both")
