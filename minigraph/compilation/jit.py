"""``@jit``: capture once per combination of types, optimise, compile, run; and look at every stage."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from html import escape
from types import MethodType
from typing import Any

from minigraph.capture.argument_mutation import Changed, following_changes, put_back
from minigraph.capture.side_effects import Watch, tell
from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import Captured, capture, guard_reads, tracing_now
from minigraph.compilation.cache_entry import NO_ANSWER, CacheInfo, Entry, RunsOpByOp, entry_of
from minigraph.compilation.disk_cache import optimised
from minigraph.compilation.options import USUAL, Settings, settings_of
from minigraph.compilation.recompile_reasons import Key, reason, unhashable
from minigraph.core.context import chosen, drawn, get_context, resolve
from minigraph.core.errors import (
    BranchShapeError,
    CallError,
    CaptureError,
    EndlessCapture,
    MinigraphError,
    TraceError,
    TypeArgument,
    UsageError,
)
from minigraph.core.garbage_collection import collector_paused
from minigraph.core.location import in_expression, located, user_loc, warn
from minigraph.core.op import listeners, open_now
from minigraph.core.pytree import Spec, flatten, flatten_call, statics_of, unflatten
from minigraph.core.tensor import wrap
from minigraph.core.tensor.inplace import shares_memory, write_back
from minigraph.core.tensor.promotion import as_captured
from minigraph.execute.compile import Program
from minigraph.execute.interpret import interpret_whole
from minigraph.ir.graph import Graph
from minigraph.ir.snapshot import Kept
from minigraph.translate.range_loops import CountsByTensor, counts_from_now_on
from minigraph.translate.source import Translating, check_translatable

KEPT = 8  # programs per combination of types; older ones hang on Python values that have changed since


class Jitted:
    """A function that runs as a graph. Make one with ``jit``."""

    __name__: str

    def __init__(self, fn: Callable[..., Any], settings: Settings = USUAL, title: str | None = None) -> None:
        functools.update_wrapper(self, fn, updated=())  # a Cell's attributes stay its own
        self.__name__ = str(title or getattr(fn, "__name__", type(fn).__name__))
        self.fn, self.settings = fn, settings
        self.attribute = self.__name__  # of the class, when it is a method
        self.owner: Any = None  # the object, when it is a bound method
        self.last_report: Any = None  # of the last call with device_target="Ascend"
        self._entries: dict[Key, list[Entry]] = {}
        self._newest: Entry | None = None  # the one compiled last
        self._latest: Entry | None = None  # the one called last
        self._unjoined: dict[Key, MinigraphError] = {}  # calls that no graph can stand for, and why
        self._told: set[str] = set()  # the side effects that were warned of
        self._hits = 0
        self._reasons: list[str] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a graph; inside another capture, become part of that graph."""
        entry = self._latest
        try:
            result = NO_ANSWER if entry is None or kwargs or open_now() is not None else entry.answers(args)
            if result is NO_ANSWER:
                return self._answered(args, kwargs)
        except CallError as error:
            raise error.users() from None
        self._hits += 1
        return result

    def _answered(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call that is not as simple as the last one."""
        if tracing_now():
            guard_reads(self.fn)
            return as_captured(self.fn)(*args, **kwargs)
        leaves, spec = flatten_call(args, kwargs, is_tensor)
        entry = self._latest = self._entry(args, kwargs, leaves, spec)
        if entry is None or (entry.written and self._meets_itself(entry, leaves)):
            return self.fn(*args, **kwargs)
        if listeners():
            outs = interpret_whole(entry.captured.graph, *leaves)  # as captured: gradients are eager mode's bits
        else:
            outs = tuple(map(wrap, entry.program(*[leaf.array for leaf in leaves])))
        if entry.written:
            outs = write_back(entry.written, leaves, outs)
        if chosen("device_target") == "Ascend":
            self.last_report = entry.report_on(get_context("chip"))
        result = unflatten(entry.out_spec, outs)
        if result.__class__ is Changed:
            entry.fill(result.left)
            result = put_back(result, (args, kwargs))
        return result

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute = name

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """A jitted method: one compiled function per object, which lives as long as the object."""
        if owner is None:
            return self
        if isinstance(owner, type) or not hasattr(owner, "__dict__"):  # nowhere to keep one: an argument like others
            return MethodType(self, owner)
        bound = vars(owner).get(self.attribute)
        if bound is None or getattr(bound, "owner", owner) is not owner:  # a copied object brings its model's along
            bound = Jitted(self.fn.__get__(owner, kind), self.settings)
            bound.owner = owner
            vars(owner)[self.attribute] = bound
        return bound

    def __set__(self, owner: Any, value: Any) -> None:
        vars(owner)[self.attribute] = value

    def __getstate__(self) -> dict[str, Any]:
        """For copy and pickle: everything but compiled programs, which are made anew."""
        return vars(self) | {"_entries": {}, "_newest": None, "_latest": None, "last_report": None}

    def __repr__(self) -> str:
        return f"<jit {self.__name__}, {len(self._entries)} compiled>"

    def _repr_svg_(self) -> str | None:
        """The graph that was compiled last, for notebooks."""
        return drawn(self._newest.graph) if self._newest else None

    def _repr_html_(self) -> str:
        """The picture; before the first call, when there is none, the text: some notebooks would show nothing."""
        return self._repr_svg_() or f"<pre>{escape(repr(self))}</pre>"

    # ---- looking inside ----------------------------------------------------------------------------

    def graph(self, *args: Any, pipeline: Any = None, **kwargs: Any) -> Graph:
        """The graph for these arguments, after the pipeline; ``pipeline=()`` gives it as captured.

        Nothing is computed and nothing is cached.
        """
        captured = self._capture(args, kwargs)
        self._pipeline(pipeline).run(captured.graph)
        return captured.graph

    def records(self, *args: Any, pipeline: Any = None, cost: Any = None, **kwargs: Any) -> list[Any]:
        """One PassRecord per pass, with the graph before and after; ``cost`` prices both (graph -> cycles)."""
        captured = self._capture(args, kwargs)
        return self._pipeline(pipeline).run(captured.graph, snapshots=True, cost=cost)

    def report(self, *args: Any, chip: str | None = None, **kwargs: Any) -> Any:
        """The simulated run on an Ascend chip (``None``: the one in the context)."""
        graph = self.graph(*args, **kwargs)
        return resolve(get_context("simulator"))(graph, chip=chip or get_context("chip"))

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The compiled program for these arguments; its ``source`` is readable."""
        entry = self._entry(args, kwargs, *flatten_call(args, kwargs, is_tensor))
        if entry is None:
            raise next(reversed(self._unjoined.values()))
        return entry.program

    @property
    def source(self) -> str:
        """The Python text of the program that was compiled last; raises ``UsageError`` before the first call."""
        if self._newest is None:
            raise located(UsageError(f"jit '{self.__name__}': there is no program yet; call it first"))
        return self._newest.program.source

    def cache_info(self) -> CacheInfo:
        """Hits, misses, entries, and the reason of every compile."""
        entries = sum(map(len, self._entries.values()))
        return CacheInfo(self._hits, len(self._reasons), entries, tuple(self._reasons))

    # ---- how ---------------------------------------------------------------------------------------

    def _entry(self, args: Any, kwargs: Any, leaves: list[Any], spec: Spec) -> Entry | None:
        """The compiled call; ``None`` when branches leave different shapes, so that it has to run op by op."""
        key = (tuple([(leaf.array.shape, leaf.array.dtype) for leaf in leaves]), spec, chosen("compiled_for"))
        try:
            known = self._entries.get(key, [])
        except TypeError:
            raise CaptureError(f"jit '{self.__name__}': {unhashable(spec)}") from None
        for entry in known:
            if entry.holds:
                self._hits += 1
                return entry
        if key in self._unjoined:
            return None
        try:
            entry = self._compiled(args, kwargs, key)
        except (BranchShapeError, EndlessCapture) as error:
            if self.settings.fullgraph:
                raise
            self._unjoined[key] = error
            warn(f"{error}\n'{self.__name__}' runs op by op", RunsOpByOp)
            return None
        why = known[-1].changed if known else reason(key, self._entries.keys())
        self._reasons.append(f"{why} ({', '.join(str(leaf.type) for leaf in leaves)})")
        self._entries.setdefault(key, []).append(entry)
        self._newest = entry
        del self._entries[key][:-KEPT]
        return entry

    @collector_paused()
    def _compiled(self, args: Any, kwargs: Any, key: Key) -> Entry:
        captured = self._capture(args, kwargs)
        before, level = Kept(captured.graph), get_context("save_graphs")
        graph, records = optimised(captured.graph, self._chosen(None), snapshots=bool(level))
        if level:
            resolve(get_context("graph_dump"))(before.graph, graph, records, get_context("save_graphs_path"), level)
        return entry_of(captured, before, graph, records, key)

    def _capture(self, args: Any, kwargs: Any) -> Captured:
        """The graph as captured; once more for each loop of which it shows that it counts by tensors."""
        while True:
            try:
                return self._captured_once(args, kwargs)
            except CountsByTensor as error:
                if self.settings.capture_mode == "trace" or not counts_from_now_on(error):
                    raise TraceError(str(error)) from None

    def _captured_once(self, args: Any, kwargs: Any) -> Captured:
        """What the function did to Python meanwhile is told, or undone if it fails."""
        reads = None if self.settings.capture_mode == "trace" else Translating(self.settings.fullgraph, self.fn)
        if reads:
            check_translatable(self.fn)
        watch = Watch(self.fn, statics_of(flatten((args, kwargs), is_tensor)[1]))
        fn = following_changes(self.fn, watch.leave)
        try:
            with nullcontext() if reads else watch.prints():
                captured = capture(fn, args, kwargs, self.settings.auto_depend, self.__name__, reads)
        except BaseException:
            watch.undo()
            raise
        happened, guards = watch.ended()
        tell(self.__name__, happened, self._told)
        return captured._replace(guards=guards + captured.guards, fill=watch.fill)

    def _pipeline(self, pipeline: Any) -> Any:
        return resolve(get_context("pass_manager"))(self._chosen(pipeline))

    def _chosen(self, pipeline: Any) -> Any:
        return next(p for p in (pipeline, self.settings.pipeline, get_context("pipeline")) if p is not None)

    def _meets_itself(self, entry: Entry, leaves: Any) -> bool:
        """Whether a call writes into a tensor whose memory an argument shows, which no graph can know; it warns."""
        if meets := shares_memory(entry.written, leaves):
            text = f"an argument shows the memory of a tensor that is written to{in_expression(user_loc())}"
            warn(f"{text}\n'{self.__name__}' runs op by op", RunsOpByOp)
        return meets


def jit(
    function: Callable[..., Any] | None = None, *, capture_mode: str = "ast", jit_level: str | None = None,
    dynamic: int = 0, fullgraph: bool = False, backend: str = "", pipeline: Any = None, auto_depend: bool = True,
    **options: Any,
) -> Any:  # fmt: skip
    """Run a function (or a method, a Cell, or every Cell of a class) as a graph.

    The first call with new types captures it, runs the ``pipeline`` (``None``: the context's) and compiles; later
    calls run the program. Raises ``TypeError`` for what cannot be called, ``ValueError`` for another option.

    ``capture_mode``: "ast" translates the source, so that ``if`` and ``while`` may ask tensors and numpy computes on
    the host at every call (what has no source runs as written); "trace" runs the function as written, on tensors
    without values. "bytecode" is read as "ast".
    ``jit_level``: "O0" runs passes that fuse nothing, "O1" (and "O2") those that fuse, whatever the context says.
    ``dynamic``: accepted; every new shape compiles, with 1 as with 0, because a program's memory is planned by shape.
    ``fullgraph``: nothing beside the graph: numpy on the host and running op by op are errors.
    ``backend``: "", "ms_backend" or "GE", all numpy; ``options``: MindSpore's hints for hardware, which are checked
    and have no effect (``minigraph.compilation.options.HINTS``).
    ``auto_depend=False`` keeps an effect only if something asks for it by ``ops.depend``: then dead-code
    elimination may remove an optimizer's update, visibly.

    >>> from minigraph import Tensor
    >>> @jit
    ... def square_plus(x):
    ...     return x * x + x
    >>> print(square_plus(Tensor([1.0, 2.0])))
    [2. 6.]
    """
    settings = settings_of(capture_mode, jit_level, dynamic, fullgraph, backend, pipeline, auto_depend, **options)
    return _jitted(settings) if function is None else _jitted(settings)(function)


def _jitted(settings: Settings) -> Callable[[Any], Any]:
    """What makes compiled functions with these settings."""

    def make(function: Any) -> Any:
        if isinstance(function, type) and hasattr(function, "construct"):  # the class stays a class
            function.construct = Jitted(function.construct, settings)
            return function
        if not callable(function):
            text = f"jit: {type(function).__name__} cannot be called{in_expression(user_loc())}; give a function"
            raise TypeArgument(text)
        return Jitted(function, settings)

    return make
