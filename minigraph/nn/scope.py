"""The scope: the path of the Cell that runs; nodes captured meanwhile record it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.location import CELL_SCOPE

# the Cells below the running one: id -> path
_names: ContextVar[dict[int, str] | None] = ContextVar("names", default=None)


@contextmanager
def track_scopes() -> Iterator[None]:
    """Makes Cells that run op by op in the block set the scope, too; otherwise they skip this."""
    token = _names.set({})
    try:
        yield
    finally:
        _names.reset(token)


def is_tracking() -> bool:
    """Whether a Cell that runs op by op sets the scope."""
    return _names.get() is not None


def with_scope(cell: Any, run: Function) -> Function:
    """``run`` with ``CELL_SCOPE`` set to the path of ``cell``: names from the outermost Cell, joined by ``/``.

    A Cell that is not below its caller is named after its class.
    """

    def run_in_scope(*inputs: Any, **kwargs: Any) -> Any:
        name = (_names.get() or {}).get(id(cell)) or type(cell).__name__
        outer = CELL_SCOPE.get()
        path, names = CELL_SCOPE.set(f"{outer}/{name}" if outer else name), _names.set(_names_below(cell))
        try:
            return run(*inputs, **kwargs)
        finally:
            _names.reset(names)
            CELL_SCOPE.reset(path)

    return run_in_scope


def _names_below(cell: Any) -> dict[int, str]:
    """The paths of a Cell's children, and of the Cells in its lists, by identity."""
    names = {}
    for name, child in cell._cells.items():
        names[id(child)] = name
        names |= {id(below): f"{name}/{own}" for own, below in child._cells.items() if id(below) not in names}
    return names
