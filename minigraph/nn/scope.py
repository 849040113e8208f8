"""Which Cell's code runs now: nodes captured meanwhile carry its path as the scope of their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from minigraph.core.location import SCOPE

_names: ContextVar[dict[int, str] | None] = ContextVar("names", default=None)  # below the Cell that runs: id -> path


@contextmanager
def following_scopes() -> Iterator[None]:
    """Let Cells that run op by op inside the block say so as well; otherwise they do not spend time on it."""
    token = _names.set({})
    try:
        yield
    finally:
        _names.reset(token)


def followed() -> bool:
    """Whether a Cell that runs op by op has to say so."""
    return _names.get() is not None


def scoped(cell: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    """``run``, during which ``SCOPE`` is the path of ``cell``: names from the outermost Cell, joined by ``/``.

    A Cell that is not below the one that calls it goes by its class.
    """

    def inside(*inputs: Any, **kwargs: Any) -> Any:
        name = (_names.get() or {}).get(id(cell)) or type(cell).__name__
        around = SCOPE.get()
        path, names = SCOPE.set(f"{around}/{name}" if around else name), _names.set(_names_below(cell))
        try:
            return run(*inputs, **kwargs)
        finally:
            _names.reset(names)
            SCOPE.reset(path)

    return inside


def _names_below(cell: Any) -> dict[int, str]:
    """The paths of a Cell's children, and of those in its lists, by identity."""
    found = {}
    for name, child in cell._cells.items():
        found[id(child)] = name
        found |= {id(inner): f"{name}/{own}" for own, inner in child._cells.items() if id(inner) not in found}
    return found
