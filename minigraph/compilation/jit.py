"""``@jit``: trace, optimise and compile a function once per combination of types, run it, and inspect each stage."""

from __future__ import annotations

import functools
from collections.abc import Callable
from html import escape
from typing import Any
from weakref import WeakValueDictionary

from minigraph.capture.argument_mutation import Changed, apply_changes
from minigraph.capture.captured import kept_results
from minigraph.capture.side_effects import warn_of_side_effects
from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import Captured, guard_reachable_state, is_tracing
from minigraph.capture.value_details import detail_of
from minigraph.compilation.cache_entry import NOT_HANDLED, CacheInfo, Entry, make_entry
from minigraph.compilation.capture_call import capture_call
from minigraph.compilation.disk_cache import optimize
from minigraph.compilation.entry_table import WARN_AFTER, EntryTable
from minigraph.compilation.function_attributes import FunctionAttributes
from minigraph.compilation.method_binding import MethodBinding
from minigraph.compilation.op_by_op import nesting_error, printable, short_stack_error
from minigraph.compilation.options import DEFAULT_SETTINGS, Settings, check_function, settings_of
from minigraph.compilation.recompile_reasons import (
    Key,
    RecompileWarning,
    argument_names,
    argument_types,
    recompile_reason,
    recompile_warning,
    unhashable_message,
)
from minigraph.compilation.segments import Fallback, Fallbacks
from minigraph.core.aliases import Function, PyTree
from minigraph.core.context import STORED_SETTINGS, get_context, resolve, svg_of
from minigraph.core.errors import CallError, CaptureError, InfiniteCaptureError, UsageError
from minigraph.core.location import shorten_traceback, warn, with_location
from minigraph.core.op import active_context, active_observers
from minigraph.core.python_stack import is_stack_short
from minigraph.core.pytree import Spec, flatten_call, unflatten
from minigraph.core.scope_guard import raise_external_error
from minigraph.core.tensor import wrap
from minigraph.core.tensor.inplace import write_back
from minigraph.core.tensor.promotion import converted_function
from minigraph.execute.compile import Program
from minigraph.execute.interpret import interpret_atomically
from minigraph.ir.graph import Graph
from minigraph.ir.snapshot import Snapshot

OF_CALLS = ("_newest", "_latest", "last_report")  # attributes that calls set
WRITTEN_ALIAS = "a changed argument is also another argument, or state that the function reads; pass a copy"


class Jitted(MethodBinding, FunctionAttributes):
    """A function that runs as a graph; created by ``jit``."""

    __name__: str

    def __init__(self, fn: Function, settings: Settings = DEFAULT_SETTINGS, title: str | None = None) -> None:
        functools.update_wrapper(self, fn, updated=())  # without a Cell's attributes
        self.__name__ = str(title or getattr(fn, "__name__", type(fn).__name__))
        self.fn, self.settings = fn, settings
        self.attribute = self.__name__  # of the class, when it is a method
        self.owner: Any = None  # the object, when it is a bound method
        self.last_report: Any = None  # of the last call with device_target="Ascend"
        self._entries = EntryTable()
        self._newest: Entry | None = None  # the entry compiled last
        self._latest: Entry | None = None  # the entry called last
        self._compared: WeakValueDictionary[int, Any] | None = None  # by id: outer tensors that ``is`` may find
        self._warned: set[str] = set()  # the warnings of side effects shown so far
        self.fallbacks = Fallbacks()
        self.lines: tuple[int, int] | None = None  # of a segment of a function

    def __call__(self, *args: object, **kwargs: object) -> PyTree:
        """Run as a graph; inside another capture, become part of that graph."""
        entry = self._latest
        try:
            result = NOT_HANDLED if entry is None or kwargs or active_context() is not None else entry.answers(args)
            if result is NOT_HANDLED:
                return self._run(args, kwargs)
        except CallError as error:
            raise error.user_error() from None
        except Exception as error:
            shorten_traceback(error)
            raise
        self._entries.hits += 1
        return result

    def _run(self, args: tuple[object, ...], kwargs: dict[str, object]) -> PyTree:
        """The result of a call that the fast path does not handle."""
        if is_tracing():
            guard_reachable_state(self.fn)
            return converted_function(self.fn)(*args, **kwargs)
        try:
            leaves, spec = flatten_call(args, kwargs, is_tensor, detail_of)
        except RecursionError:
            return self._run_fallback(args, kwargs, self._fallback(nesting_error(self.title)))
        entry = self._entry(args, kwargs, leaves, spec)
        if isinstance(entry, Fallback):
            return self._run_fallback(args, kwargs, entry)
        self._latest, self.fallbacks.latest = entry, None
        if entry.changes_aliases((args, kwargs), leaves):
            return self._run_fallback(args, kwargs, self._fallback(with_location(CaptureError(WRITTEN_ALIAS))))
        if active_observers():
            constants = dict(entry.constants)  # as captured: same gradients as in eager mode
            outs = interpret_atomically(entry.captured.graph, *leaves, constants=constants)
        else:
            outs = tuple(map(wrap, entry.program(*[leaf.array for leaf in leaves])))
        if entry.written:
            outs = write_back(entry.written, leaves, outs)
        if STORED_SETTINGS["device_target"] == "Ascend":
            self.last_report = entry.report_on(get_context("chip"))
        if entry.kept:  # results that are arguments or outer tensors themselves
            outs = kept_results(outs, entry.kept, leaves)
        result = unflatten(entry.out_spec, outs)
        return apply_changes(result, (args, kwargs)) if result.__class__ is Changed else result

    def _run_fallback(self, args: tuple[object, ...], kwargs: dict[str, object], fallback: Fallback) -> PyTree:
        """The result of a call that no graph can represent; warns when it is known that eager mode runs it."""
        try:
            result = fallback.run(*args, **kwargs)
        except Exception:  # an error of the function itself, which does not concern other calls
            self._entries.forget(fallback)
            raise
        self._latest = None  # the next program notes that it has run
        self.fallbacks.record_use(fallback)
        if self.lines is None:  # of a segment, the whole function warns
            self.fallbacks.warn(self.title)
        return result

    def __getstate__(self) -> dict[str, Any]:
        """The state for copy and pickle, without compiled programs, which are compiled again."""
        return vars(self) | {"_entries": EntryTable(), "fallbacks": Fallbacks()} | dict.fromkeys(OF_CALLS)

    def __repr__(self) -> str:
        return f"<jit {self.__name__}, {len(self._entries)} compiled>"

    def _repr_svg_(self) -> str | None:
        """The picture of the graph compiled last, for notebooks."""
        return svg_of(self._newest.graph) if self._newest else None

    def _repr_html_(self) -> str:
        """The picture; before the first call the text, because some notebooks show nothing without HTML."""
        return self._repr_svg_() or f"<pre>{escape(repr(self))}</pre>"

    # ---- inspection --------------------------------------------------------------------------------

    def graph(self, *args: object, pipeline: object = None, **kwargs: object) -> Graph:
        """The graph for these arguments after the pipeline; with ``pipeline=()``, as captured.

        Nothing is computed or cached.
        """
        captured = self._capture(args, kwargs)
        self._pipeline(pipeline).run(captured.graph)
        return captured.graph

    def records(self, *args: object, pipeline: object = None, cost: object = None, **kwargs: object) -> list[Any]:
        """One PassRecord per pass, with the graph before and after; ``cost`` (graph -> cycles) is applied to both."""
        captured = self._capture(args, kwargs)
        return self._pipeline(pipeline).run(captured.graph, snapshots=True, cost=cost)

    def report(self, *args: object, chip: str | None = None, **kwargs: object) -> Any:
        """The simulated run on an Ascend chip (``None``: the one in the context)."""
        graph = self.graph(*args, **kwargs)
        return resolve(get_context("simulator"))(graph, chip=chip or get_context("chip"))

    def program(self, *args: object, **kwargs: object) -> Program:
        """The compiled program for these arguments; ``source`` is its text."""
        entry = self._entry(args, kwargs, *flatten_call(args, kwargs, is_tensor, detail_of))
        if isinstance(entry, Fallback):
            raise entry.error
        return entry.program

    @property
    def source(self) -> str:
        """The Python source of the program compiled last; raises ``UsageError`` before the first call."""
        if self._newest is None:
            raise with_location(UsageError(f"jit '{self.title}': there is no program yet; call it first"))
        return self._newest.program.source

    def cache_info(self) -> CacheInfo:
        """Hits, misses, entries, the reasons of the newest compilations, and the segments of the latest call."""
        latest = self.fallbacks.latest
        return self._entries.info(() if latest is None else latest.description(self.title))

    # ---- compilation -------------------------------------------------------------------------------

    def _entry(self, args: PyTree, kwargs: PyTree, leaves: list[Any], spec: Spec) -> Entry | Fallback:
        """The cache entry of a call, compiled if new; the reason if no graph can represent it."""
        key = (argument_types(leaves, self._compared), spec, STORED_SETTINGS["compiled_for"])
        table = self._entries
        try:
            known = table.of_key(key)
        except TypeError:
            return self._fallback(CaptureError(f"jit '{self.title}': {unhashable_message(spec)}"))
        entry = table.find(known, self._latest)
        if entry is not None:
            return entry
        if (fallback := table.uncompilable.get(key)) is not None:
            if self.fallbacks.is_current(fallback, self):
                return fallback
            table.forget(fallback)
        if self.lines is not None and (fallback := self.fallbacks.after_recompilations(self, table, args, kwargs)):
            return fallback
        try:
            captured, effects, printed = capture_call(self.fn, args, kwargs, self.settings, self.__name__)
        except Exception as error:
            raise_external_error(error)
            if isinstance(error, RecursionError | InfiniteCaptureError) and is_stack_short():
                return self._fallback(short_stack_error(self.title))
            return self._fallback(error, key)
        if captured.compared is not None:
            self._compared = WeakValueDictionary() if self._compared is None else self._compared
            self._compared.update((id(tensor), tensor) for tensor in captured.compared)
            key = (argument_types(leaves, self._compared), *key[1:])
        warn_of_side_effects(self.title, effects, self._warned)
        entry = self._compile(captured, key)
        why = known[-1].failed_guard if known else recompile_reason(key, table.keys())
        table.add(key, entry, f"{why} ({', '.join(str(leaf.type) for leaf in leaves)})")
        self._newest = entry
        print(end="" if entry.changes_aliases((args, kwargs), leaves) else printed)  # such a call runs op by op
        if table.misses == WARN_AFTER:
            text = recompile_warning(why, table.keys(), argument_names(self.fn, args, kwargs))
            warn(f"jit '{self.title}': compiled {WARN_AFTER} times, {text}", RecompileWarning)
        return entry

    def _fallback(self, error: Exception, key: Key | None = None) -> Fallback:
        """How a call runs that no graph can represent; raises the reason with ``fullgraph=True``."""
        error = printable(error)
        if self.settings.fullgraph:
            raise error
        fallback = self.fallbacks.after_capture_error(self, error, may_split=key is not None)
        if key is not None:
            self._entries.add_failure(key, fallback)
        return fallback

    def _compile(self, captured: Captured, key: Key) -> Entry:
        before, level = Snapshot(captured.graph), get_context("save_graphs")
        graph, records = optimize(captured.graph, self._pipeline_spec(None), snapshots=bool(level))
        if level:
            resolve(get_context("graph_dump"))(before.graph, graph, records, get_context("save_graphs_path"), level)
        return make_entry(captured, before, graph, records, key)

    def _capture(self, args: object, kwargs: object) -> Captured:
        """The captured graph, for inspection; the function's changes of Python state are undone and reported."""
        call = capture_call(self.fn, args, kwargs, self.settings, self.__name__, may_have_effects=True)
        warn_of_side_effects(self.title, call.effects, self._warned)
        return call.captured

    def _pipeline(self, pipeline: object) -> Any:
        return resolve(get_context("pass_manager"))(self._pipeline_spec(pipeline))

    def _pipeline_spec(self, pipeline: object) -> object:
        return next(p for p in (pipeline, self.settings.pipeline, get_context("pipeline")) if p is not None)


def jit(
    function: Function | None = None, *, capture_mode: str = "ast", jit_level: str | None = None,
    dynamic: int = 0, fullgraph: bool = False, backend: str = "", pipeline: object = None, auto_depend: bool = True,
    **options: object,
) -> Any:  # fmt: skip
    """Run a function (or a method, a Cell, or every Cell of a class) as a graph.

    The first call with new types traces it, runs the ``pipeline`` (``None``: the context's) and compiles; later
    calls run the program. Raises ``TypeError`` for an object that is not callable, ``ValueError`` for a wrong option.

    ``capture_mode``: "ast" translates the source, so that ``if`` and ``while`` may depend on tensors, and numpy calls
    run on the host at every call (functions without source are traced as written); "trace" runs the function as
    written, on tensors without values. "bytecode" means "ast".
    ``jit_level``: "O0" runs a pipeline without fusion, "O1" (and "O2") one with fusion; overrides the context.
    ``dynamic``: 0 or 1, without effect: every new shape is compiled, because buffers are assigned by shape.
    ``fullgraph``: everything must be in the graph: numpy on the host and running op by op are errors.
    ``backend``: "", "ms_backend" or "GE", all numpy; ``options``: MindSpore's hints for hardware, which are checked
    and have no effect (``minigraph.compilation.options.HINTS``).
    ``auto_depend=False`` keeps an effect only if ``ops.depend`` uses it: dead-code elimination may then remove an
    optimizer's update, visibly.

    >>> from minigraph import Tensor
    >>> @jit
    ... def square_plus(x):
    ...     return x * x + x
    >>> print(square_plus(Tensor([1.0, 2.0])))
    [2. 6.]
    """
    settings = settings_of(capture_mode, jit_level, dynamic, fullgraph, backend, pipeline, auto_depend, **options)
    return _decorator(settings) if function is None else _decorator(settings)(function)


def _decorator(settings: Settings) -> Callable[[Any], Any]:
    """The decorator with these settings."""

    def decorate(function: Function) -> Any:
        check_function(function)
        if isinstance(function, type) and hasattr(function, "construct"):  # the class stays a class
            function.construct = Jitted(function.construct, settings)
            return function
        return Jitted(function, settings)

    return decorate
