"""Functions whose source is generated when a rule is defined and compiled at the first call.

A program uses few of the rules, and compilation takes most of the time of a rule's definition.
"""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.lazy import cached_property
from minigraph.core.location import exec_with_source


class LazyFunction:
    """The function ``search`` that a source defines, run in ``namespace``.

    >>> twice = LazyFunction("def search(x):\\n    return x + x", {})
    >>> twice(3), compiled_function(twice)(4)
    (6, 8)
    """

    def __init__(self, source: str, namespace: dict[str, object]) -> None:
        self.source, self.namespace = source, namespace

    @cached_property
    def function(self) -> Function:
        """The compiled function."""
        return exec_with_source(self.source, self.namespace, "search", "matcher")

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function."""
        return self.function(*args, **kwargs)


def compiled_function(search: Function) -> Function:
    """The compiled function, for callers that call it often."""
    return search.function if isinstance(search, LazyFunction) else search
