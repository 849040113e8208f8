"""Programs where debuggers and tracebacks look for their lines."""

from __future__ import annotations

import itertools
import linecache
import weakref
from typing import Any

_count = itertools.count(1)


def run_listed(text: str, space: dict[str, Any], entry: str) -> None:
    """Run the text of a program in a namespace, and list it for as long as its function ``entry`` lives.

    A debugger that steps into the function shows its lines, and so do tracebacks and ``inspect.getsource``.

    >>> import inspect
    >>> space = {}
    >>> run_listed("def run(x):\\n    return x + 1\\n", space, "run")
    >>> print(inspect.getsource(space["run"]), end="")
    def run(x):
        return x + 1
    """
    file = f"<minigraph program {next(_count)}>"
    exec(compile(text, file, "exec"), space)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    weakref.finalize(space[entry], linecache.cache.pop, file, None).atexit = False
