"""Searches the bytecode of a user's functions for instructions that assign, mutate or load a name, or test identity."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from inspect import CO_COROUTINE, iscoroutinefunction
from itertools import pairwise
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from minigraph.capture.container_contents import MUTABLE_TYPES, is_a, read_plainly
from minigraph.capture.guards import MISSING, value_at
from minigraph.capture.names_in_code import codes_in
from minigraph.capture.pure_calls import HEAP_TYPE
from minigraph.capture.readable_attributes import is_users_module
from minigraph.core import bytecode
from minigraph.core.bytecode import (
    ATTRIBUTE_LOAD_OPCODES,
    IN_PLACE_OPERATORS,
    ITEM_STORE_OPCODES,
    STORE_OPCODES,
    instructions_of,
)
from minigraph.core.location import Loc

IMMUTABLE_METHODS = {name for kind in (tuple, frozenset) for name in dir(kind)}
MUTATORS = {name for kind in MUTABLE_TYPES for name in dir(kind)} - IMMUTABLE_METHODS  # methods: append, update, ...

NAME_LOADS = (*ATTRIBUTE_LOAD_OPCODES, "LOAD_GLOBAL", "LOAD_NAME")  # opcodes
COMPUTED_STORES = {"setattr", "delattr", "vars", "globals", "exec", "__setattr__", "__delattr__", "__dict__"}
IDENTITY_NAMES = {"is_", "is_not", "id", "index", "remove", "count"}  # functions and methods that may test identity


class UserInstruction(NamedTuple):
    """A bytecode instruction: the ``name`` of its opcode, the ``names`` that it uses, source line and code object.

    ``is_called``: whether it loads a function that is called at once.
    """

    name: str
    names: tuple[Any, ...]
    line: int
    is_called: bool
    code: CodeType

    @property
    def loc(self) -> Loc:
        """The location in the user's file."""
        return Loc(self.code.co_filename, self.line, function=self.code.co_name)


def find_assignment(functions: Iterable[FunctionType], name: str) -> Loc | None:
    """The first source line that assigns a global, a closure variable or an attribute of this name; else the first one
    that may assign it by a computed name.
    """
    known = list(functions)
    stores = (instr.loc for instr in _instructions(known) if instr.name in STORE_OPCODES and name in instr.names)
    return next(stores, None) or _find_computed_store(known)


def _find_computed_store(functions: Iterable[FunctionType]) -> Loc | None:
    return next((i.loc for i in _instructions(functions) if not COMPUTED_STORES.isdisjoint(i.names)), None)


def find_mutation(functions: Iterable[FunctionType], name: str) -> Loc | None:
    """The first source line that names a container and mutates something; else the first line that names it; else the
    first one that may assign it by a computed name.
    """
    functions = list(functions)
    instrs = list(_instructions(functions))
    naming = [instr.loc for instr in instrs if name in instr.names]
    mutating = {
        instr.loc for instr in instrs if instr.name in ITEM_STORE_OPCODES or not MUTATORS.isdisjoint(instr.names)
    }
    named = next((loc for loc in naming if loc in mutating), naming[0] if naming else None)
    return named or _find_computed_store(functions)


def find_load(functions: Iterable[FunctionType], predicate: Callable[[str, Any], bool]) -> Loc | None:
    """The first source line that loads a name for which ``predicate(name, value)`` holds.

    Names whose value cannot be determined are skipped.
    """
    loaded = (pair for function in functions for pair in loads_of(function))
    return next((i.loc for i, value in loaded if value is not MISSING and predicate(str(i.names[-1]), value)), None)


def loads_of(function: FunctionType) -> Iterator[tuple[UserInstruction, Any]]:
    """The instructions of a function, each with the value that it loads, or ``MISSING`` if that is not known.

    With instructions that are not known, one for each value that a name in the code may stand for, at its first line.
    """
    if not bytecode.IS_SUPPORTED:
        yield from _possible_loads(function)
        return
    value: Any = MISSING
    for instr in _instructions([function]):
        value = _loaded_value(function, instr, value)
        yield instr, value


def _possible_loads(function: FunctionType) -> Iterator[tuple[UserInstruction, Any]]:
    """The values of ``loads_of`` by the names in the code alone: first those that are not known, then the others."""
    for code in codes_in(function.__code__):
        names = (*code.co_names, *code.co_freevars)
        loads = [("LOAD_ATTR", name, MISSING) for name in code.co_names]
        loads += [("LOAD_NAME", name, MISSING) for name in (*code.co_varnames, *code.co_cellvars)]
        loads += [("LOAD_NAME", name, value) for name, value in _possible_values(function, names)]
        for opcode, name, value in loads:
            yield UserInstruction(opcode, (name,), code.co_firstlineno, False, code), value


def _possible_values(function: FunctionType, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The values that names have as variables, or as attributes of modules and classes that are values of others."""
    worklist: list[tuple[str, Any]] = [
        (name, find(function, name)) for name in names for find in (_global, _closure_variable)
    ]
    searched: dict[int, object] = {}
    while worklist:
        name, value = worklist.pop()
        yield name, value
        if is_a(value, (ModuleType, type)) and id(value) not in searched:
            searched[id(value)] = value
            find = vars(value).get if is_a(value, ModuleType) else partial(getattr, value)
            worklist += [(other, find(other, MISSING)) for other in names]


def find_coroutine(functions: Iterable[FunctionType]) -> Loc | None:
    """The first source line that loads a coroutine function, of those that functions are or define."""
    known = list(functions)
    codes = (code for function in known for code in codes_in(function.__code__))
    names = {code.co_name for code in codes if code.co_flags & CO_COROUTINE}
    for instr, value in (pair for function in known if names for pair in loads_of(function)):
        is_named = instr.name.startswith("LOAD_") and instr.name != "LOAD_CONST" and not names.isdisjoint(instr.names)
        if is_named or (is_a(value, FunctionType) and iscoroutinefunction(value)):
            return instr.loc
    return None


def asks_identity(functions: Iterable[FunctionType]) -> bool:
    """Whether code may test the identity of two objects: by ``a is b``, ``a in b``, ``items.index(a)``.

    Always ``True`` for a version of Python whose bytecode is not reviewed.

    >>> asks_identity([lambda a, b: a is b]), asks_identity([lambda a: a is None]), asks_identity([lambda a: a == 1])
    (True, False, False)
    """
    if not bytecode.IS_SUPPORTED:
        return True
    instrs = [instr for function in functions for instr in _instructions([function])]
    names = {name for instr in instrs if instr.name in NAME_LOADS for name in instr.names}
    assigned = {
        name for instr in instrs if instr.name == "STORE_ATTR" for name in instr.names
    }  # such as ``self.count``
    compares = (
        instr.name in ("IS_OP", "CONTAINS_OP") and before.name != "LOAD_CONST" for before, instr in pairwise(instrs)
    )
    return not IDENTITY_NAMES.isdisjoint(names - assigned) or any(compares)


def may_change_objects(functions: Iterable[FunctionType]) -> bool:
    """Whether code may change or store objects: by an assignment to an item, an attribute or a global, or a method.

    Always ``True`` for a version of Python whose bytecode is not reviewed.

    >>> may_change_objects([lambda a: a.append(1)]), may_change_objects([lambda a: a[0] + 1])
    (True, False)
    """
    if not bytecode.IS_SUPPORTED:
        return True
    instrs = [instr for function in functions for instr in _instructions([function])]
    stores = (*ITEM_STORE_OPCODES, "STORE_ATTR", "STORE_GLOBAL", "DELETE_ATTR")
    return any(
        instr.name in stores or (instr.name in NAME_LOADS and not MUTATORS.isdisjoint(instr.names))
        or (instr.name == "BINARY_OP" and instr.names[0] in IN_PLACE_OPERATORS)
        for instr in instrs
    )  # fmt: skip


def _loaded_value(function: FunctionType, instr: UserInstruction, before: object) -> object:
    """The value that an instruction loads: of a global, a closure variable, or an attribute of ``before``."""
    if instr.name in ("LOAD_GLOBAL", "LOAD_NAME"):  # a class statement loads by name
        return _global(function, instr.names[-1])
    if instr.name == "LOAD_DEREF":
        return _closure_variable(function, instr.names[-1])
    if instr.name in ATTRIBUTE_LOAD_OPCODES and is_a(before, (ModuleType, type)):
        if is_a(before, ModuleType) and is_users_module(before):
            return vars(before).get(instr.names[-1], MISSING)  # its own __getattr__ is not called
        name = instr.names[-1]
        return getattr(before, name, MISSING) if is_a(before, ModuleType) else _member(before, name)
    return MISSING


def _member(cls: Any, name: str) -> object:
    """The member of a class that ``getattr`` gives, if that runs no code of the program: its descriptors, metaclass."""
    entry: Any = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), MISSING)
    if read_plainly(type(entry), "__get__") is None:
        return entry
    is_in_c = not type(entry).__flags__ & HEAP_TYPE
    return entry.__get__(None, cls) if is_in_c else MISSING


def _global(function: FunctionType, name: str) -> object:
    """The value of a global or a builtin."""
    return function.__globals__.get(name, vars(builtins).get(name, MISSING))


def _closure_variable(function: FunctionType, name: str) -> object:
    if name not in function.__code__.co_freevars:
        return MISSING
    return value_at((function.__closure__ or ())[function.__code__.co_freevars.index(name)], "cell_contents")


def _instructions(functions: Iterable[FunctionType]) -> Iterator[UserInstruction]:
    for code in (code for function in functions for code in codes_in(function.__code__)):
        yield from (UserInstruction(*instr, code) for instr in instructions_of(code))
