"""Source locations: the file, line and expression of a call in the user's program, and the text of generated code."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from functools import lru_cache, partial
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from numpy.lib import mixins

from minigraph.core.aliases import Function
from minigraph.core.errors import MinigraphError
from minigraph.core.lazy import DEPENDENCY_PATHS, resolve
from minigraph.core.scope_guard import AttachedList, reraise_handler_error

# The folder of minigraph, and the one where it was compiled: in an installation without source (``.pyc`` files only),
# code names the files from which it was compiled.
_ROOTS = {
    os.path.dirname(os.path.dirname(file)) for file in (os.path.abspath(__file__), (lambda: None).__code__.co_filename)
}
_OWN_PATHS = tuple(
    os.path.join(os.path.dirname(root), package) + os.sep
    for root in _ROOTS
    for package in ("minigraph", "passes", "viz")
)
_OWN_PATHS += (mixins.__file__, contextlib.__file__)  # numpy's operators in Python, and what calls a decorated function
# The caller of these, as ``minigraph`` or ``python -m minigraph``, is not a user program.
_SCRIPTS = tuple(os.path.join(root, *file) for root in _ROOTS for file in (("cli", "main.py"), ("__main__.py",)))
_EXAMPLES = tuple(os.path.join(root, "examples") + os.sep for root in _ROOTS)  # user programs shipped with minigraph
_INSTALLED = tuple(
    {os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)

_FILE_LINE = re.compile(r"\([^()]+:\d+\)")  # the end of the result of ``expression_text``


CELL_SCOPE: ContextVar[str] = ContextVar("scope", default="")  # the Cells whose code is running, such as "net/blocks/0"
# the node of an imported model that is being computed; errors name it in place of the user's line
IMPORTED_LOCATION: ContextVar[Loc | None] = ContextVar("imported", default=None)


class Loc(NamedTuple):
    """A location in a source file; prints as ``net.py:12``, in a notebook as ``In[3]:12``.

    ``scope`` names the enclosing Cells, outermost first.
    """

    file: str
    line: int
    start: int = 0
    end: int = 0
    function: str = ""
    scope: str = ""

    def __str__(self) -> str:
        return f"{source_name(self.file)}:{self.line}"

    @property
    def text(self) -> str:
        """The expression as written, or the whole line when its columns are not known."""
        try:
            line = linecache.getline(self.file, self.line).rstrip("\n")
        except (ValueError, OSError) as error:  # a file name parsed from a graph's text may be invalid
            reraise_handler_error(error)
            return ""
        excerpt = line.encode()[self.start : self.end].decode(errors="replace") if self.end > self.start else line
        return excerpt.strip()


def source_name(file: str) -> str:
    """The name of a source file without its folder; of a notebook's cell, ``In[3]`` with its number."""
    shell = _notebook()
    kind, name = shell.compile.format_code_name(file) or ("", "") if shell is not None else ("", "")
    return name.replace(" ", "") if kind == "Cell" else os.path.basename(file)


def _notebook() -> Any:
    """The running IPython shell, or ``None``."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


# (id of a code object, instruction) -> (the code object, kept alive so that its id is not reused; its location).
# By identity, because two files may hold equal code, and because hashing code takes microseconds.
_cache: dict[tuple[int, int], tuple[CodeType, Loc]] = {}
MAX_LOCATIONS = 1 << 14  # cleared when full, because they keep code objects
_warning_registries: dict[str, dict[Any, Any]] = {}  # by file: the warnings that Python has shown
MAX_WARNINGS = 1024  # files, and warnings of one file; cleared when full, so that some may be shown again


def user_loc(ours: int = 0) -> Loc | None:
    """The location of the innermost frame outside of minigraph's packages, or ``None``.

    An interactive prompt counts as user code; the script that starts the ``minigraph`` command does not. ``ours``: the
    number of callers that are known to be minigraph's and are skipped.
    """
    if (imported := IMPORTED_LOCATION.get()) is not None:
        return imported
    frame = inner = sys._getframe(1 + ours)
    while frame is not None and is_internal_file(frame.f_code.co_filename):
        frame, inner = frame.f_back, frame  # type: ignore[assignment]
    if frame is None or inner.f_code.co_filename in _SCRIPTS:
        return None
    key = (id(frame.f_code), frame.f_lasti)
    cached = _cache.get(key)
    if cached is None:
        if len(_cache) >= MAX_LOCATIONS:
            _cache.clear()
        cached = _cache[key] = (frame.f_code, _loc_of(frame.f_code, frame.f_lasti))
    return cached[1]


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the user's line; how often, Python's warning filters decide."""
    loc = user_loc()
    if loc is None:
        warnings.warn(text, category, stacklevel=3)
    else:
        if len(_warning_registries) >= MAX_WARNINGS:
            _warning_registries.clear()
        registry = _warning_registries.setdefault(loc.file, {})
        if len(registry) >= MAX_WARNINGS:
            registry.clear()
        file = source_name(loc.file) if str(loc).startswith("In[") else loc.file
        if file != loc.file and loc.file in linecache.cache:  # Python shows the line of a notebook's cell by this name
            linecache.cache[file] = linecache.cache[loc.file]
        warnings.warn_explicit(text, category, file, loc.line, registry=registry)


def raise_location(error: BaseException) -> Loc | None:
    """Where in the user's program an error was raised: the innermost frame in one of the user's files."""
    frames = [(entry.tb_frame.f_code, entry.tb_lasti) for entry in _tracebacks(error)]
    entries = [frame for frame in frames if is_user_file(frame[0].co_filename)]
    return _loc_of(*entries[-1]) if entries else None


def user_frames(limit: CodeType) -> list[tuple[CodeType, int]]:
    """The code and line of the user's running frames inside of the function with code ``limit``, outermost first."""
    frame, frames = sys._getframe(1), list[tuple[CodeType, int]]()
    while frame.f_back is not None and frame.f_code is not limit:
        if is_user_file(frame.f_code.co_filename):
            frames.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return frames[::-1]


def _tracebacks(error: BaseException) -> Iterator[TracebackType]:
    entry = error.__traceback__
    while entry is not None:
        yield entry
        entry = entry.tb_next


@lru_cache(maxsize=4096)
def is_internal_file(file: str) -> bool:
    """Whether a source file belongs to minigraph, so that the user's line is further up the stack."""
    return file.startswith(_OWN_PATHS) and not file.startswith(_EXAMPLES)


@lru_cache(maxsize=4096)
def is_user_file(file: str) -> bool:
    """Whether a source file is the user's: neither minigraph's nor installed."""
    return not is_internal_file(file) and not real_path(file).startswith(_INSTALLED + DEPENDENCY_PATHS)


def real_path(file: str) -> str:
    """The file without links; "<string>" and relative names as they are, because the working folder may be removed."""
    try:
        return os.path.realpath(file, strict=True) if os.path.isabs(file) else file
    except OSError as error:  # not ``strict``, ``realpath`` drops that of a signal handler
        reraise_handler_error(error)
        return os.path.realpath(file)


def _loc_of(code: CodeType, lasti: int) -> Loc:
    positions = list(code.co_positions())
    line, last, start, end = positions[lasti // 2] if lasti >= 0 else (code.co_firstlineno, None, None, None)
    if line is None:
        line, start = code.co_firstlineno, None
    if start is None or last != line:
        start = end = 0
    return Loc(code.co_filename, line, start, end or 0, code.co_name)


def expression_text(loc: Loc | None) -> str:
    """The end of an error message: `` in `x @ w` (net.py:12)``, or nothing if the location is unknown."""
    return "" if loc is None else f" in `{loc.text}` ({loc})" if loc.text else f" ({loc})"


def with_location(error: MinigraphError, loc: Loc | None = None) -> MinigraphError:
    """The error, with the user's expression and line inserted once into its message, before the remedy.

    ``loc`` is the location (``None``: the current one in the user's code). A first line that is MindSpore's own
    (``error.has_mindspore_text``) stays as it is; the location goes to the next one.
    """
    location = expression_text(loc or user_loc())
    text = str(error)
    if not location or location.strip() in text:
        return error
    if error.has_mindspore_text and "\n" not in text:
        error.args = (f"{text}\n{location.strip()}",)
        return error
    first, newline, last = text.rpartition("\n")
    body, semicolon, remedy = last.partition("; ")
    error.args = (first + newline + body + location + semicolon + remedy,)
    return error


def node_location(ours: int = 0) -> tuple[Loc, ...]:
    """The user's current line in the running Cells, as a graph's nodes keep it; empty if no line is the user's."""
    loc = user_loc(ours)
    return _scoped_location(loc, CELL_SCOPE.get()) if loc else ()


@lru_cache(maxsize=1 << 14)
def _scoped_location(loc: Loc, scope: str) -> tuple[Loc, ...]:
    """A location with a scope, as one object that all nodes of an expression share."""
    return (loc._replace(scope=scope) if scope else loc,)


def with_location_once(error: MinigraphError, loc: Loc | None = None) -> MinigraphError:
    """The error, with a location (``None``: the user's current line) unless it names one already.

    The line goes into the message; into a note, which tracebacks show below it, if the message is MindSpore's own.

    >>> str(with_location_once(MinigraphError("no such layer in `Dnse(3)` (net.py:12); use Dense")))
    'no such layer in `Dnse(3)` (net.py:12); use Dense'
    """
    texts = "\n".join([str(error), *getattr(error, "__notes__", ())])
    if _FILE_LINE.search(texts):
        return error
    if not error.has_mindspore_text:
        return with_location(error, loc)
    if location := expression_text(loc or user_loc()).strip():
        error.add_note(location)
    return error


def shorten_traceback(error: Exception) -> None:
    """In a notebook, show only the user's frames for an error of the user's function, as for minigraph's errors."""
    if _notebook() is not None:
        error._render_traceback_ = partial(_render_traceback, error)  # type: ignore[attr-defined]


def _render_traceback(error: BaseException) -> Any:
    return resolve("minigraph.core.short_tracebacks:short_traceback")(error)  # late: most programs print none


MinigraphError._render_traceback_ = _render_traceback  # type: ignore[attr-defined] # IPython asks for it


# ---- generated code --------------------------------------------------------------------------------

_count = itertools.count(1)
SOURCES: dict[str, AttachedList[str]] = {}  # lines of generated code that exists, by file


def register_source(file: str, lines: Iterable[str], owner: object) -> AttachedList[str]:
    """The lines, which ``linecache`` shows as a file's at least as long as ``owner`` exists.

    Those of code that is dropped leave at the next registration, not at once: Python's ``linecache.checkcache`` goes
    over a list of the names, and fails if a garbage collection meanwhile removes one.
    """
    for name, entry in linecache.cache.copy().items():  # a copy at once: other threads register, too
        if name not in SOURCES and any(isinstance(item, AttachedList) for item in entry):
            linecache.cache.pop(name, None)
    SOURCES[file] = attached = AttachedList(lines, owner, SOURCES, file)
    linecache.cache[file] = (len(attached), None, attached, file)
    return attached


def exec_with_source(text: str, namespace: dict[str, Any], function: str, kind: str = "program") -> Function:
    """Execute generated source and return its function; the source stays registered as long as the function exists.

    The file name is ``<minigraph KIND n>``, under which ``linecache`` has the lines, so that a debugger steps through
    them and ``inspect.getsource`` prints them.

    >>> import inspect
    >>> double = exec_with_source("def double(x):\\n    return x + x\\n", {}, "double")
    >>> double(2)
    4
    >>> print(inspect.getsource(double), end="")
    def double(x):
        return x + x
    """
    file = f"<minigraph {kind} {next(_count)}>"
    exec(compile(text, file, "exec"), namespace)
    defined: Function = namespace.pop(function)  # else it would be in its own globals, a reference cycle
    register_source(file, text.splitlines(keepends=True), defined)
    return defined
