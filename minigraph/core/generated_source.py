"""Execution of generated source text, registered so that debuggers and tracebacks show its lines."""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable
from typing import Any

_count = itertools.count(1)


def exec_with_source(text: str, namespace: dict[str, Any], function: str, kind: str = "program") -> Callable[..., Any]:
    """Execute generated text in a namespace and take its function out; the source is registered while that lives.

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
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    defined: Callable[..., Any] = namespace.pop(function)  # else it would be in its own globals, a reference cycle
    weakref.finalize(defined, linecache.cache.pop, file, None).atexit = False
    return defined
