"""Where in the user's program a call stands: file, line and the expression itself."""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from numpy.lib import mixins

from minigraph.core.errors import MinigraphError

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = tuple(os.path.join(os.path.dirname(_ROOT), room) + os.sep for room in ("minigraph", "passes", "viz"))
_OURS += (mixins.__file__,)  # numpy's operators in Python: what they call, the user wrote
_OURS += (contextlib.__file__,)  # stands between a decorated function of ours and its caller
# Who calls the command, as ``minigraph`` or ``python -m minigraph``, is no program of the user's.
_COMMANDS = (os.path.join(_ROOT, "cli", "main.py"), os.path.join(_ROOT, "__main__.py"))
_EXAMPLES = os.path.join(_ROOT, "examples") + os.sep  # user programs that happen to be shipped with us
_INSTALLED = tuple(
    {os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)

_PLACE = re.compile(r"\([^()]+:\d+\)")  # what ``in_expression`` ends with


SCOPE: ContextVar[str] = ContextVar("scope", default="")  # the Cells whose code runs now, as "net/blocks/0"


class Loc(NamedTuple):
    """A place in a source file; prints as ``net.py:12``. ``scope`` names the Cells around it, outermost first."""

    file: str
    line: int
    start: int = 0
    end: int = 0
    function: str = ""
    scope: str = ""

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"

    @property
    def text(self) -> str:
        """The expression as written, or the whole line when its columns are not known."""
        try:
            line = linecache.getline(self.file, self.line).rstrip("\n")
        except (ValueError, OSError):  # a name read from a graph's text need not be one a file system takes
            return ""
        piece = line.encode()[self.start : self.end].decode(errors="replace") if self.end > self.start else line
        return piece.strip()


# (id of a code object, instruction) -> (the code object, kept so that its id stays its own; its place).
# By identity, because equal code may stand in two files, and because hashing code takes microseconds.
_cache: dict[tuple[int, int], tuple[CodeType, Loc]] = {}
_CACHED = 100_000
_told: dict[str, dict[Any, Any]] = {}  # by file, what Python remembers of warnings it has shown


def user_loc(ours: int = 0) -> Loc | None:
    """The innermost frame outside of minigraph's own rooms, or ``None``.

    An interactive prompt has one too; the script that starts the ``minigraph`` command is none. ``ours``: of so many
    callers it is known already that they are minigraph's, which spares a look at them.
    """
    frame = inner = sys._getframe(1 + ours)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame, inner = frame.f_back, frame  # type: ignore[assignment]
    if frame is None or inner.f_code.co_filename in _COMMANDS:
        return None
    key = (id(frame.f_code), frame.f_lasti)
    found = _cache.get(key)
    if found is None:
        if len(_cache) >= _CACHED:
            _cache.clear()
        found = _cache[key] = (frame.f_code, _loc_of(frame.f_code, frame.f_lasti))
    return found[1]


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the user's line; each line is told once, as Python's filters say."""
    place = user_loc()
    if place is None:
        warnings.warn(text, category, stacklevel=3)
    else:
        warnings.warn_explicit(text, category, place.file, place.line, registry=_told.setdefault(place.file, {}))


def raised_at(error: BaseException) -> Loc | None:
    """Where in the user's program an error comes from: the innermost frame of a file of the user's."""
    places = [(traceback.tb_frame.f_code, traceback.tb_lasti) for traceback in _tracebacks(error)]
    users = [place for place in places if is_users(place[0].co_filename)]
    return _loc_of(*users[-1]) if users else None


def _tracebacks(error: BaseException) -> Iterator[TracebackType]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


@lru_cache(maxsize=4096)
def is_ours(file: str) -> bool:
    """Whether a source file is minigraph's own, so that the user's line is further up the stack."""
    return file.startswith(_OURS) and not file.startswith(_EXAMPLES)


@lru_cache(maxsize=4096)
def is_users(file: str) -> bool:
    """Whether a source file is the user's own: neither ours nor installed."""
    return not is_ours(file) and not os.path.realpath(file).startswith(_INSTALLED)


def _loc_of(code: CodeType, lasti: int) -> Loc:
    positions = list(code.co_positions())
    line, last, start, end = positions[lasti // 2] if lasti >= 0 else (code.co_firstlineno, None, None, None)
    if line is None:
        line, start = code.co_firstlineno, None
    if start is None or last != line:
        start = end = 0
    return Loc(code.co_filename, line, start, end or 0, code.co_name)


def in_expression(loc: Loc | None) -> str:
    """The ending of an error text: `` in `x @ w` (net.py:12)``, or nothing when the place is unknown."""
    if loc is None:
        return ""
    return f" in `{loc.text}` ({loc})" if loc.text else f" ({loc})"


def located(error: MinigraphError, loc: Loc | None = None) -> MinigraphError:
    """The same error, its text naming the user's expression and line, once, before what is to be done.

    ``loc`` is the place (``None``: where the user's code is now). A first line that is MindSpore's own
    (``error.ported``) stays as it is; the place goes on the next one.
    """
    place = in_expression(loc or user_loc())
    text = str(error)
    if not place or place.strip() in text:
        return error
    if error.ported and "\n" not in text:
        error.args = (f"{text}\n{place.strip()}",)
        return error
    first, newline, last = text.rpartition("\n")
    body, semicolon, remedy = last.partition("; ")
    error.args = (first + newline + body + place + semicolon + remedy,)
    return error


def placed(error: MinigraphError) -> MinigraphError:
    """The same error, naming the user's line now unless it names one already: in its text, which programs print
    if it is MindSpore's own, and then in a note, which tracebacks show below it.

    >>> str(placed(MinigraphError("no such layer in `Dnse(3)` (net.py:12); use Dense")))
    'no such layer in `Dnse(3)` (net.py:12); use Dense'
    """
    known = "\n".join([str(error), *getattr(error, "__notes__", ())])
    if _PLACE.search(known):
        return error
    if not error.ported:
        return located(error)
    if place := in_expression(user_loc()).strip():
        error.add_note(place)
    return error
