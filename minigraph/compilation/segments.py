"""Fallbacks of functions that one graph cannot represent: graph breaks, or execution op by op.

At a graph break, the function is split at the statement at which its capture failed (``translate.graph_breaks``). The
segments before and after it are jitted functions. A segment whose capture fails is split in turn.
"""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterable, Iterator
from functools import partial
from operator import is_
from types import CellType, FunctionType, MethodType
from typing import Any, NamedTuple

from minigraph.capture.names_in_code import codes_in
from minigraph.capture.pure_calls import is_standard_file
from minigraph.capture.reachable_state import ReachableState
from minigraph.compilation.op_by_op import OpByOpWarning, eager_function, is_transient, with_user_line
from minigraph.compilation.recompile_reasons import argument_names, largest_change
from minigraph.core.aliases import Function
from minigraph.core.errors import CaptureError
from minigraph.core.location import warn
from minigraph.translate.graph_breaks import SegmentSource, split_function
from minigraph.translate.liveness import names_read
from minigraph.translate.source import function_of_tree
from minigraph.translate.syntax_trees import tree_of
from minigraph.translate.unsupported_syntax import is_translatable

Lines = tuple[int, int]  # the first and the last
SEGMENTS_ADVICE = "cache_info().segments lists the graphs and reasons of each call"
MAX_SEGMENT_COMPILATIONS = 4  # programs per segment; one that needs more depends on values that differ at every call


class Fallback(NamedTuple):
    """How a function runs that one graph cannot represent, and why: in ``segments``, or op by op if there are none.

    ``python_parts``: the other statements with operators: first and last line, and why they are no segment.
    """

    error: Exception
    run: Function
    line: int = 0  # at which capture failed
    segments: tuple[Any, ...] = ()  # jitted functions
    python_parts: tuple[tuple[int, int, str], ...] = ()
    version: tuple[object, ...] = ()  # of the function

    def statements(self) -> Iterator[Lines | None]:
        """The lines of the statements that have run op by op, ``None`` for the whole function."""
        python_lines = ((first, last) for first, last, _ in self.python_parts)
        yield from ((self.line, self.line), *python_lines) if self.segments else (None,)
        for segment in self.segments:
            for fallback in list(segment.fallbacks.used.values()):
                yield from (lines or segment.lines for lines in fallback.statements())

    def description(self, title: str) -> Iterator[str]:
        """How the parts of the function run, one line each, in the order of the program."""
        name = f"line {self.line}" if self.segments else f"'{title}'"
        reason = " ".join(str(self.error).splitlines()[:2])
        here = f"op by op: {name}, because {reason.rpartition('; ')[0] or reason}"
        parts: dict[int, Iterable[str]] = {}
        for first, last, why in self.python_parts:
            parts[first] = [f"op by op: line{'s' * (first < last)} {_range((first, last))}, because of {why}"]
        parts |= {segment.lines[0]: _description(segment) for segment in self.segments} | {self.line: [here]}
        for _, lines in sorted(parts.items()):
            yield from lines


def _range(lines: Lines) -> str:
    return "-".join(map(str, dict.fromkeys(lines)))


def _description(segment: Any) -> Iterator[str]:
    """How a segment runs."""
    latest = segment.fallbacks.latest
    return iter([f"graph: '{segment.__name__}'"]) if latest is None else latest.description(segment.__name__)


class Fallbacks:
    """The fallbacks of one jitted function, with its splits by line; ``latest`` is the one of the last call, if any."""

    def __init__(self) -> None:
        self.latest: Fallback | None = None
        self._has_warned = False
        self.used: dict[int, Fallback] = {}  # by the line of the statement
        self._recompilation_fallback: Fallback | None = None
        self._splits: dict[int, Fallback | None] = {}
        self._version: tuple[object, ...] = ()  # of the function that is split

    def is_current(self, fallback: Fallback, jitted: Any) -> bool:
        """Whether the function is still the one that could not be captured."""
        return _are_identical(fallback.version, _version_of(jitted))

    def record_use(self, fallback: Fallback) -> None:
        """Record that a call uses a fallback."""
        self.latest = self.used[fallback.line] = fallback

    def warn(self, title: str) -> None:
        """Warn once that the function runs op by op, with the reason and the statements of the latest call."""
        if self.latest is None or self._has_warned:
            return
        self._has_warned = True
        lines = sorted({lines for lines in self.latest.statements() if lines is not None})
        ranges = ", ".join(_range(pair) for pair in lines)
        where = f" at line{'s' * (len(lines) > 1)} {ranges}; {SEGMENTS_ADVICE}" if lines else ""
        subject = f"this call of '{title}'" if is_transient(self.latest.error) else f"'{title}'"
        warn("\n".join([*str(self.latest.error).splitlines()[:2], f"{subject} runs op by op{where}"]), OpByOpWarning)

    def after_capture_error(self, jitted: Any, error: Exception, may_split: bool) -> Fallback:
        """The fallback after an error of capture: split at its line, or op by op."""
        run = _eager_function(jitted)
        function, owner = (run.__func__, run.__self__) if isinstance(run, MethodType) else (run, None)
        tree = (
            tree_of(function)
            if may_split and isinstance(function, FunctionType) and _is_user_function(function)
            else None
        )
        line = 0 if tree is None else _line_of(error, function.__code__.co_filename, tree)
        version = _version_of(jitted)
        fallback = Fallback(with_user_line(error), partial(_run_eagerly, jitted), version=version)
        if tree is None or not line or not isinstance(function, FunctionType):
            return fallback
        if not _are_identical(version, self._version):
            self._splits, self._version = {}, version
        if line not in self._splits:
            self._splits[line] = _split(jitted, function, owner, tree, line)
        split = self._splits[line]
        return fallback if split is None else split._replace(error=fallback.error, version=version)

    def after_recompilations(
        self, jitted: Any, table: Any, args: tuple[object, ...], kwargs: dict[str, Any]
    ) -> Fallback | None:
        """The fallback of a segment compiled often, in which the statement that reads a changing value runs in Python.

        ``None`` if shapes or structures of arguments change, as for a whole function. ``table``: its ``EntryTable``.
        """
        if self._recompilation_fallback is None and table.misses >= MAX_SEGMENT_COMPILATIONS:
            keys, names = table.keys(), argument_names(jitted.fn, args, kwargs)
            value_change = largest_change(keys, names, ("numbers", "values"))
            if value_change is None and largest_change(keys, names, ("shapes", "structures")) is not None:
                return None
            text = f"'{value_change.argument}'" if value_change else "a value that it reads"
            text += " changes at every call, and each value needs a program of its own; pass a Tensor"
            error = CaptureError(text)
            error.variable = value_change.argument if value_change else ""  # type: ignore[attr-defined]
            self._recompilation_fallback = self.after_capture_error(jitted, error, may_split=True)
        return self._recompilation_fallback


def _eager_function(jitted: Any) -> Function:
    return eager_function(jitted.fn, getattr(jitted.fn, "_compiled", None) is jitted)


def _run_eagerly(jitted: Any, *args: Any, **kwargs: Any) -> Any:
    """Run the function op by op, as it is now: a Cell may have another ``construct`` or other hooks."""
    return _eager_function(jitted)(*args, **kwargs)


def _version_of(jitted: Any) -> tuple[object, ...]:
    """A function, its code and its defaults, which a program may replace; for a Cell, also whether it has hooks."""
    function = getattr(jitted.fn, "construct", jitted.fn)
    function = function.__func__ if isinstance(function, MethodType) else function
    parts = [getattr(function, name, None) for name in ("__code__", "__defaults__", "__kwdefaults__")]
    return (function, type(_eager_function(jitted)), *parts)


def _are_identical(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    return len(left) == len(right) and all(map(is_, left, right))


def _is_user_function(function: Function) -> bool:
    file = function.__code__.co_filename if isinstance(function, FunctionType) else ""
    return file.startswith("<") or bool(file and not is_standard_file(file))


def _line_of(error: Exception, file: str, tree: ast.FunctionDef) -> int:
    """The line of a function at which its capture failed; 0 if that is not known."""
    spans = [(s.lineno, s.end_lineno or s.lineno) for s in tree.body if not isinstance(s, ast.Global | ast.Nonlocal)]

    def is_own_frame(name: str, line: int) -> bool:
        return name == file and any(first <= line <= last for first, last in spans)

    if hasattr(error, "variable"):
        return next((s.lineno for s in tree.body if error.variable in names_read(s)), 0)
    if hasattr(error, "line"):  # of unsupported syntax
        return int(error.line) if is_own_frame(file, error.line) else 0
    if (loc := getattr(error, "loc", None)) is not None and is_own_frame(loc.file, loc.line):
        return int(loc.line)
    raised = [(frame.f_code, number) for frame, number in traceback.walk_tb(error.__traceback__)]
    frames = getattr(error, "frames", ()) or raised
    frames = [(code, line) for code, line in frames if is_own_frame(code.co_filename, line)]
    codes = [code for code in codes_in(frames[0][0]) if code.co_name == tree.name] if frames else []
    lines = [line for code, line in frames if code in codes[1:]]  # generated functions: branches, bodies of loops
    return lines[-1] if lines else frames[0][1] if frames else 0


def _split(jitted: Any, function: FunctionType, owner: object, tree: ast.FunctionDef, line: int) -> Fallback | None:
    """The function split at a line; ``None`` if that leaves nothing to capture."""
    can_capture = is_translatable if jitted.settings.capture_mode != "trace" else lambda statement: True
    split = split_function(tree, line, can_capture, owner is not None)
    if split is None or ReachableState(function, () if owner is None else (owner,)).sees_releases:
        return None  # objects live longer where a segment's caller refers to them, too
    segments = tuple(_jitted_segment(jitted, function, owner, source) for source in split.segments)
    driver = _as_method(function_of_tree(function, split.function, CellType(segments)), owner)
    return Fallback(CaptureError(), driver, line, segments, python_parts=tuple(split.python_parts))


def _jitted_segment(jitted: Any, function: FunctionType, owner: object, source: SegmentSource) -> Any:
    """A segment as a jitted function, named after its lines."""
    lines = jitted.settings.result_lines if source.result_lines is None else source.result_lines  # of the last segment
    settings = jitted.settings._replace(result_lines=lines, is_segment=True, is_cell_program=False)
    first, last = source.lines
    title = f"{jitted.__name__.partition(':')[0]}:{first}" + (f"-{last}" if last > first else "")
    segment = type(jitted)(_as_method(function_of_tree(function, source.function), owner), settings, title)
    segment.lines = source.lines
    return segment


def _as_method(function: FunctionType, owner: object) -> Function:
    return function if owner is None else MethodType(function, owner)
