"""Functions in C that code passes on, to be called by other functions in C: ``map(os.stat, names)``.

Python reports no such call, so ``call_monitor`` cannot refuse it. It is refused before: where code loads a function
that reads state without calling it at once, where an object holds one (a partial, a table, a class with a special
method in C), and where code gives away a module from which it may take one by a computed name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any

from minigraph.capture.bytecode import UserInstruction, loads_of
from minigraph.capture.call_monitor import REMEDY, name_of
from minigraph.capture.container_contents import is_a, nested_values
from minigraph.capture.guards import MISSING, Guard
from minigraph.capture.names_in_code import codes_in, names_in
from minigraph.capture.pure_calls import is_pure_builtin, is_standard_file
from minigraph.capture.reachable_state import ReachableState
from minigraph.capture.readable_attributes import (
    classes_of,
    is_external_class,
    is_internal_class,
    is_internal_module,
    is_users_module,
)
from minigraph.capture.structure import UnknownStateError, unknown_state
from minigraph.core import bytecode
from minigraph.core.bytecode import ATTRIBUTE_LOAD_OPCODES
from minigraph.core.location import Loc


def reads_state(fn: object) -> bool:
    """Whether an object is a function in C that may read or change state.

    >>> import os
    >>> reads_state(os.getcwd), reads_state(len), reads_state(lambda: 1)
    (True, False, False)
    """
    return is_a(fn, BuiltinFunctionType) and not is_pure_builtin(fn)


def refusals(state: ReachableState, guards: Iterable[Any], arguments: Sequence[object]) -> Iterator[UnknownStateError]:
    """The errors for functions in C that code may have called unseen."""
    for function in state.functions:
        if _is_user_function(function):
            yield from _unknown_loads(state, function, arguments)
    for guard in guards:
        value = getattr(guard, "value", None)
        is_direct = is_a(guard, Guard) and is_a(guard.owner, (dict, CellType)) and bytecode.IS_SUPPORTED
        for item in nested_values(value):
            if reads_state(item) and not (is_direct and item is value):  # the code that loads it was checked
                yield _refusal(item)
    for item in (*nested_values(arguments), *_special_methods(state)):
        if reads_state(item):
            yield _refusal(item)


def _unknown_loads(
    state: ReachableState, function: FunctionType, arguments: Sequence[object]
) -> Iterator[UnknownStateError]:
    """The refusals for what a function loads, but does not call."""
    modules = [item for item in nested_values(arguments) if is_a(item, ModuleType)]
    imports = (name_import for code in codes_in(function.__code__) for name_import in names_in(code).imports)
    modules += [sys.modules[name_import.name] for name_import in imports if name_import.name in sys.modules]
    instructions = [*loads_of(function), (UserInstruction("", (), 0, False, function.__code__), MISSING)]
    for (instr, value), (following, _) in pairwise(instructions):
        if is_a(value, ModuleType) and not (
            following.name in ATTRIBUTE_LOAD_OPCODES and "__dict__" not in following.names
        ):
            names = vars(value).keys() if state.computes_names else state.queried
            functions = _functions_of([value], names)
        elif value is MISSING and instr.name in (*ATTRIBUTE_LOAD_OPCODES, "IMPORT_FROM"):
            functions = _functions_of(modules, instr.names)
        else:
            functions = [value]
        yield from (_refusal(fn, instr.loc) for fn in functions if reads_state(fn) and not instr.is_called)


def _functions_of(modules: Iterable[ModuleType], names: Iterable[Any]) -> list[object]:
    """What modules of the standard library and of installed packages have under these names."""
    outer = (module for module in modules if not (is_internal_module(module) or is_users_module(module)))
    return [vars(module).get(name) for module in outer for name in names]


def _special_methods(state: ReachableState) -> Iterator[object]:
    """The special methods of the reached classes of the user, unwrapped."""
    classes = {id(base): base for obj in state.objects.values() for base in classes_of(obj)}
    for base in classes.values():
        if not (is_external_class(base) or is_internal_class(base)):
            for name, entry in vars(base).items():
                if name.startswith("__") and name.endswith("__"):
                    yield from nested_values(getattr(entry, "__func__", entry))


def _is_user_function(function: FunctionType) -> bool:
    """Whether a function belongs to the program, not to the standard library."""
    file = function.__code__.co_filename
    return file.startswith("<") or not is_standard_file(file)


def _refusal(fn: object, loc: Loc | None = None) -> UnknownStateError:
    text = f"{name_of(fn)} may read or change state that cannot be guarded, when a function in C calls it"
    return unknown_state(text, REMEDY, loc)
