"""The scope: the path of the Cell that runs; nodes captured during its call record it."""

from __future__ import annotations

from collections import Counter
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from minigraph.core.aliases import Function
from minigraph.core.location import CELL_SCOPE
from minigraph.core.op import current_interpreter
from minigraph.core.scope_guard import VariableBlock, call_with_variables

# by interpreter (a tracer, or eager while scopes are tracked): how often each path was called
_call_counts: WeakKeyDictionary[Any, Counter[str]] = WeakKeyDictionary()
# the Cells below the running one: id -> path
_names: ContextVar[dict[int, str] | None] = ContextVar("names", default=None)


def track_scopes() -> VariableBlock:
    """Makes Cells that run op by op in the block set the scope, too; otherwise they skip this."""
    _call_counts.pop(current_interpreter(), None)
    return VariableBlock(_names, {})


def is_tracking() -> bool:
    """Whether a Cell that runs op by op sets the scope."""
    return _names.get() is not None


def with_scope(cell: object, run: Function) -> Function:
    """``run`` with ``CELL_SCOPE`` set to the path of ``cell``: names from the outermost Cell, joined by ``/``.

    A Cell that is not below its caller is named after its class. A scope is a call: further calls of a Cell by the same
    caller are ``relu#2``, ``relu#3``, and so on.
    """

    def run_in_scope(*inputs: object, **kwargs: object) -> Any:
        name = (_names.get() or {}).get(id(cell)) or type(cell).__name__
        outer = CELL_SCOPE.get()
        path = _number_call(f"{outer}/{name}" if outer else name)
        return call_with_variables({CELL_SCOPE: path, _names: _names_below(cell)}, run, *inputs, **kwargs)

    return run_in_scope


def _number_call(path: str) -> str:
    """The path, with the number of the call if it is not the first of the running interpreter."""
    calls = _call_counts.setdefault(current_interpreter(), Counter())
    calls[path] += 1
    return path if calls[path] == 1 else f"{path}#{calls[path]}"


def _names_below(cell: Any) -> dict[int, str]:
    """The paths of a Cell's children, and of the Cells in its lists, by identity."""
    names = {}
    for name, child in cell._cells.items():
        names[id(child)] = name
        names |= {
            id(below): f"{name}/{child_name}" for child_name, below in child._cells.items() if id(below) not in names
        }
    return names
