"""Functions that are written when a rule is defined and compiled when they are first needed.

A program uses few of the rules there are, and compiling takes most of what defining one takes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any


class LazyFunction:
    """A function of some source that defines ``search`` and runs in ``space``; called as the function itself.

    >>> twice = Written("def search(x):\\n    return x + x", {})
    >>> twice(3), ready(twice)(4)
    (6, 8)
    """

    def __init__(self, source: str, space: dict[str, Any]) -> None:
        self.source, self.namespace = source, space

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The compiled function."""
        exec(compile(self.source, "<matcher>", "exec"), self.namespace)
        found: Callable[..., Any] = self.namespace["search"]
        return found

    def __call__(self, *args: Any, **rest: Any) -> Any:
        """What the function returns."""
        return self.function(*args, **rest)


def compiled_function(search: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, for whoever calls it often."""
    return search.function if isinstance(search, LazyFunction) else search
