"""Where in a user's functions something happens to a name, read from their bytecode."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from minigraph.capture.guards import CHANGEABLE, MISSING, found
from minigraph.capture.reachable_state import codes_in
from minigraph.core.location import Loc

SETTING = ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "DELETE_GLOBAL", "DELETE_DEREF", "DELETE_ATTR")
ITEMS = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
FIXED = {name for kind in (tuple, frozenset) for name in dir(kind)}
CHANGING = {name for kind in CHANGEABLE for name in dir(kind)} - FIXED  # append, update, ..., __setitem__


class Step(NamedTuple):
    """One instruction: its operation, the names in it, its line, and the code it is of."""

    name: str
    names: tuple[Any, ...]
    line: int
    code: CodeType

    @property
    def loc(self) -> Loc:
        """The place in the user's file."""
        return Loc(self.code.co_filename, self.line, function=self.code.co_name)


def line_setting(functions: Iterable[FunctionType], name: str) -> Loc | None:
    """The first line that gives a value to a global, a closed-over variable or an attribute of this name."""
    return next((step.loc for step in _steps(functions) if step.name in SETTING and name in step.names), None)


def line_changing(functions: Iterable[FunctionType], name: str) -> Loc | None:
    """The first line that names a container and changes something in place; else the first that names it."""
    steps = list(_steps(functions))
    naming = [step.loc for step in steps if name in step.names]
    changing = {step.loc for step in steps if step.name in ITEMS or not CHANGING.isdisjoint(step.names)}
    return next((loc for loc in naming if loc in changing), naming[0] if naming else None)


def line_loading(functions: Iterable[FunctionType], wanted: Callable[[str, Any], bool]) -> Loc | None:
    """The first line that loads a name whose value, as far as it can be told, is wanted."""
    for function in functions:
        value: Any = MISSING
        for step in _steps([function]):
            value = _loaded(function, step, value)
            if value is not MISSING and wanted(str(step.names[-1]), value):
                return step.loc
    return None


def _loaded(function: FunctionType, step: Step, before: Any) -> Any:
    """The value an instruction loads: a global, a closed-over variable, an attribute of the module or class before."""
    if step.name == "LOAD_GLOBAL":
        given = vars(builtins).get(step.names[-1], MISSING)
        return function.__globals__.get(step.names[-1], given)
    if step.name == "LOAD_DEREF" and step.names[-1] in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(step.names[-1])]
        return found(cell, "cell_contents")
    if step.name in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(before, ModuleType | type):
        return getattr(before, step.names[-1], MISSING)
    return MISSING


def _steps(functions: Iterable[FunctionType]) -> Iterator[Step]:
    for code in (code for function in functions for code in codes_in(function.__code__)):
        for step in dis.get_instructions(code):
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            yield Step(step.opname, names, (step.positions and step.positions.lineno) or code.co_firstlineno, code)
