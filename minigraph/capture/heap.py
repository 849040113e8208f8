"""The heap: a copy of the state of all Python objects that code can reach, to detect and undo what the code changes.

Tracing runs a function's Python code once, including branches and loop bodies, which may run never or often. So
changes of Python state during tracing must be detected and undone. A ``Heap`` is a checkpoint for rollback (Gray and
Reuter, *Transaction Processing*, 1992): it walks from its roots through containers, attributes, closures, defaults, and
the globals that the code names, and copies what it finds. Comparing the copies afterwards finds every change in the
reached objects, however it was made: by a statement, a method, a helper, through a view, or by resuming an iterator. A
change by another thread in the meantime is undone as well.

Objects of installed packages and of the standard library (executors, loggers, clients of a cluster) are followed only
through attributes that the reached code names: such objects lead to the state of a whole program, which other threads
change meanwhile, and code that ``call_monitor`` lets run can name nothing else of them.

Tensors are not part of the heap, because the graph records writes to them. Not detected: state inside of extension
types.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from functools import partial
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from minigraph.capture.bytecode import find_assignment, find_load
from minigraph.capture.container_contents import PLAIN_TYPES, REFERRING_TYPES, items_of, read_plainly, restore
from minigraph.capture.guards import array_of, is_same_value
from minigraph.capture.names_in_code import codes_in
from minigraph.capture.object_state import (
    CONTAINER_TYPES,
    GENERATOR_TYPES,
    items_in,
    keep_iterator,
    read_array,
    read_attributes,
    read_cell,
    read_generator,
    read_iterator,
    read_random,
    read_slot,
    read_variable,
    set_array,
    set_attributes,
    set_cell,
    set_class,
    set_random,
    set_slot,
    set_variable,
    slots_of,
)
from minigraph.capture.pure_calls import intercepts_reads, is_pure_file
from minigraph.capture.reachable_state import ReachableState
from minigraph.capture.readable_attributes import EXTERNAL_PACKAGES, is_users_module
from minigraph.core.aliases import Function
from minigraph.core.lazy import cached_property
from minigraph.core.location import Loc, is_internal_file, is_user_file
from minigraph.core.op import Op
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, TensorType

SKIPPED_TYPES = (
    *PLAIN_TYPES, Tensor, DType, TensorType, Op, CodeType, np.dtype, np.ufunc, type(list.append),
)  # fmt: skip
OWN_CLASSES = ("minigraph.", "passes.", "viz.")
INTERNAL_STATE = (
    "minigraph.ir.", "minigraph.capture.", "minigraph.core.", "minigraph.execute.", "minigraph.compilation.", "passes.",
    "viz.", "networkx.",
)  # fmt: skip


class Change(NamedTuple):
    """A changed object, and the attribute or variable of it that changed (``""``: its contents)."""

    owner: Any
    name: str

    def __str__(self) -> str:
        is_class = isinstance(self.owner, type)
        kind = f"class {self.owner.__name__}" if is_class else f"a {type(self.owner).__name__}"
        if isinstance(self.owner, CellType) or (self.name and isinstance(self.owner, dict)):
            return f"the variable '{self.name}' is set" if self.name else "a variable is set"
        return f"'{self.name}' of {kind} is set" if self.name else f"{kind} is changed in place"


class _Copy(NamedTuple):
    """The state of one object: a function that reads it, its recorded value, and a function that restores it."""

    owner: Any
    name: str
    read: Callable[[], tuple[Any, ...]]
    before: tuple[object, ...]
    write: Callable[[tuple[Any, ...]], None]

    @property
    def is_changed(self) -> bool:
        """Whether the object's state differs from its copy, by identity and by value."""
        now = self.read()
        return len(now) != len(self.before) or not (
            all(map(is_, now, self.before)) or all(map(is_same_value, now, self.before))
        )


class Heap:
    """A copy of the state that a function and its arguments reach."""

    def __init__(self, function: Function, arguments: Iterable[Any] = ()) -> None:
        self._roots = (function, *arguments)
        self._alive: dict[object, object] = {}  # by id; kept alive so that ids are not reused
        self._copies: list[_Copy] = []
        self._names = set[str]()  # all names in the code found so far
        self._modules: list[ModuleType] = []
        self._globals: list[tuple[dict[str, Any], str]] = []
        self._worklist = list(self._roots)
        self._walk()

    def changes(self) -> list[Change]:
        """The changes since the copy; changes of Cells caused by tensors (their ``_version``) do not count alone."""
        return [Change(copy.owner, copy.name) for copy in self._copies if copy.is_changed]

    def line_of(self, change: Change) -> Loc | None:
        """The first source line that assigns or loads what has changed, if it is found."""
        functions = [obj for obj in self._alive.values() if isinstance(obj, FunctionType)]
        functions = [function for function in functions if is_user_file(function.__code__.co_filename)]
        if change.name and change.name != "__dict__":
            return find_assignment(functions, change.name)
        return find_load(functions, lambda _, value: value is change.owner)

    def contains(self, obj: object) -> bool:
        """Whether an object was reachable when the copy was made."""
        return id(obj) in self._alive

    def undo(self) -> None:
        """Restore the state."""
        for copy in self._copies:
            if copy.is_changed:
                copy.write(copy.before)

    # ---- the walk ----------------------------------------------------------------------------------

    def _walk(self) -> None:
        while True:
            while self._worklist:
                self._visit(self._worklist.pop())
            seen = len(self._names), len(self._copies)
            for module in self._modules:
                self._add_names(vars(module), self._names)
            if (len(self._names), len(self._copies)) == seen and not self._worklist:
                return

    def _visit(self, obj: Any) -> None:
        kind = type(obj)
        if issubclass(kind, SKIPPED_TYPES) or intercepts_reads(kind) or id(obj) in self._alive:
            return
        self._alive[id(obj)] = obj
        if issubclass(kind, ModuleType):
            if is_users_module(obj):
                self._modules.append(obj)
        elif issubclass(kind, FunctionType):
            self._visit_function(obj)
        elif issubclass(kind, type):
            self._visit_class(obj)
        elif str(kind.__module__).startswith(INTERNAL_STATE):
            self._worklist.append(getattr(obj, "__wrapped__", None))  # the function of a jitted one
        else:
            self._visit_object(obj, kind)

    def _visit_function(self, function: FunctionType) -> None:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._visit_cell(cell, name)
        self._worklist += [function.__defaults__ or (), function.__kwdefaults__ or {}, function.__dict__]
        if is_user_file(function.__code__.co_filename):
            names = {name for code in codes_in(function.__code__) for name in code.co_names}
            self._names |= names
            self._add_names(function.__globals__, names)

    def _add_names(self, table: dict[str, Any], names: Iterable[str]) -> None:
        """Variables of a module."""
        for name in names:
            if (id(table), name) not in self._alive:
                self._alive[id(table), name] = table
                self._copy(table, name, partial(read_variable, table, name), partial(set_variable, table, name))

    def _visit_cell(self, cell: CellType, name: str) -> None:
        if id(cell) not in self._alive:
            self._alive[id(cell)] = cell
            self._copy(cell, name, partial(read_cell, cell), partial(set_cell, cell))

    def _visit_class(self, cls: type) -> None:
        module = str(cls.__module__)  # of Cython's function types, a descriptor
        if module.partition(".")[0] in EXTERNAL_PACKAGES or module.startswith(OWN_CLASSES):
            return
        self._worklist += cls.__mro__[1:]
        for value in vars(cls).values():
            self._worklist.append(read_plainly(value, "__func__", read_plainly(value, "fget", value)))
        self._copy(cls, "", lambda: items_of(dict(vars(cls))), partial(set_class, cls))

    def _visit_object(self, obj: Any, kind: type) -> None:
        if issubclass(kind, BuiltinFunctionType):
            self._worklist.append(obj.__self__)
        elif issubclass(kind, GENERATOR_TYPES):
            self._copy(obj, "", partial(read_random, obj), partial(set_random, obj))
        elif issubclass(kind, partial):
            self._worklist += [obj.func, obj.args, obj.keywords]
        elif issubclass(kind, CellType):
            self._visit_cell(obj, "")
        elif issubclass(kind, tuple | frozenset | MappingProxyType):
            self._worklist += items_of(dict(obj) if issubclass(kind, MappingProxyType) else obj)
        elif issubclass(kind, REFERRING_TYPES):
            self._worklist += gc.get_referents(obj)
        elif issubclass(kind, CONTAINER_TYPES):
            self._copy(obj, "", partial(items_in, obj), partial(restore, obj))
        elif issubclass(kind, np.ndarray):
            if obj.dtype.hasobject or obj.flags.writeable:
                write = partial(set_array, obj, array_of(obj).copy(), obj.flags.writeable)
                self._copy(obj, "", partial(read_array, obj), write)
        elif issubclass(kind, memoryview):
            self._worklist.append(obj.obj)
        elif issubclass(kind, GeneratorType):
            self._copy(obj, "", partial(read_generator, obj), keep_iterator)
        elif read_plainly(kind, "__next__"):
            self._copy(obj, "", partial(read_iterator, obj), keep_iterator)
        self._visit_attributes(obj, kind)

    def _visit_attributes(self, obj: object, kind: type) -> None:
        self._worklist.append(kind)
        table = read_plainly(obj, "__dict__")
        if type(table) is dict and _is_library_class(kind):
            self._add_names(table, self._read_names & table.keys())
        elif type(table) is dict and id(table) not in self._alive:
            self._alive[id(table)] = table
            self._copy(obj, "__dict__", partial(read_attributes, table), partial(set_attributes, table))
        for name in slots_of(kind):
            self._copy(obj, name, partial(read_slot, obj, name), partial(set_slot, obj, name))

    @cached_property
    def _read_names(self) -> set[str]:
        """All names in the code that the function may reach, including code of installed packages."""
        return ReachableState(self._roots[0], self._roots[1:]).names

    def _copy(self, owner: object, name: str, read: Callable[[], Any], write: Callable[[Any], None]) -> None:
        before = read()
        self._copies.append(_Copy(owner, name, read, before, write))
        self._worklist += [item for item in before if not issubclass(type(item), PLAIN_TYPES)]


def _is_library_class(kind: type) -> bool:
    """Whether a class is from an installed package, or from a module of Python's that keeps state of its own."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is not None and not (is_internal_file(file) or is_user_file(file) or is_pure_file(file))
