"""Reachable state: the globals, closure variables and attributes that a function may read, directly or indirectly.

A conservative static analysis, a fixpoint of two steps. The code objects of all reached functions give the set of
names that may be read; every object reached may be read under any of these names, and the values found there are
reached in turn. Property getters and methods count as reached functions; no user code is run.

So more is guarded than is read: an attribute counts as read if any reached code mentions its name; if code computes
names (``getattr(o, name)``, ``vars``, ``__dict__``), all attributes do. Special methods of the user's classes count as
called. Objects of Python's own classes are guarded whole. Not analysed: installed modules; ``call_monitor`` refuses
code that was not found.
"""

from __future__ import annotations

import builtins
import weakref
from collections.abc import Iterable, Iterator
from functools import partial
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any

from minigraph.capture.callbacks import child_cells, guards_of_callbacks, guards_of_tables, parameters_of_cell
from minigraph.capture.container_contents import (
    CONTAINERS,
    PLAIN_TYPES,
    attributes_of,
    has_attributes,
    is_a,
    items_of,
    nested_values,
    read_plainly,
)  # fmt: skip
from minigraph.capture.guards import (
    IMPLEMENTATION,
    MISSING,
    ContentsGuard,
    Guard,
    guards_inside,
    unique_guards,
    value_at,
)
from minigraph.capture.library_state import guards_of_library_namespace, guards_of_library_state
from minigraph.capture.names_in_code import codes_in, names_in
from minigraph.capture.pure_calls import intercepts_reads
from minigraph.capture.query_guards import registered_classes
from minigraph.capture.readable_attributes import (
    class_attribute,
    classes_of,
    guards_of_class,
    guards_of_class_entries,
    guards_of_function,
    guards_of_global,
    guards_of_imports,
    guards_of_library,
    guards_of_methods,
    guards_of_overridden,
    guards_of_parameter,
    guards_of_tensor_classes,
    is_computed,
    is_external_class,
    is_external_module,
    is_internal_class,
    is_users_module,
    reads_any_name,
    special_methods,
)
from minigraph.capture.wrapped_functions import function_and_owner, wrappers_of
from minigraph.core.aliases import Function
from minigraph.core.location import is_internal_file
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.types import DType

IMPLICIT_NAMES = ("__call__", "bprop", "construct", "_version")  # read implicitly; a Cell counts changes in the last
PRIMITIVE_METHODS = ("__infer__", "get_bprop", "infer_dtype", "infer_shape", "vm_impl")  # which our code calls
BOUND_TYPES = (partial, MethodType, BuiltinFunctionType, MethodWrapperType)  # callables that hold an object
OVERRIDDEN_READS = {"super", "__mro__", "mro", "__base__", "__bases__"}  # names through which code reaches base classes
NOT_STATE = {"_compiled", "__builtins__"}  # the program of a Cell; attributes of every module


def guards_of(fn: Function, arguments: Iterable[object] = ()) -> list[Any]:
    """The guards of all state that a function may read through its code and its static ``arguments``.

    >>> scale = 2.0
    >>> [guard.value for guard in guards_of(lambda x: x * scale)][1:]  # the first is the function's code
    [2.0]
    """
    state = ReachableState(fn, arguments)
    return state.of_graph(state.guards())


class ReachableState:
    """The functions and objects that code may reach, and all names in it."""

    def __init__(self, fn: Function, arguments: Iterable[object] = ()) -> None:
        self.objects: dict[int, Any] = {}  # by id; kept alive so that ids are not reused
        self.names = {*IMPLICIT_NAMES, *PRIMITIVE_METHODS}
        self.matches_sequences = False  # whether a pattern asks which classes are registered as sequences or mappings
        self.queried = set[str]()  # the constants that code may pass to getattr and hasattr
        self.computes_names = False  # whether code may read attributes under any name
        self.set_attributes, self.set_globals = set[str](), set[str]()  # the names that code assigns
        self._roots = (fn, *arguments)
        values: list[Any] = list(self._roots)
        while self._visit(values):
            values = [guard.value for guard in self._value_guards() if guard.name not in IMPLEMENTATION]
            values += [cell for obj in self.objects.values() for cell in child_cells(obj)]

    @property
    def functions(self) -> list[FunctionType]:
        """The reached functions of the user."""
        return [obj for obj in self.objects.values() if isinstance(obj, FunctionType)]

    @property
    def has_finalizers(self) -> bool:
        """Whether the code may create objects that run code when they are released."""
        classes = (obj for obj in self.objects.values() if isinstance(obj, type))
        return "__del__" in self.names or any(read_plainly(kind, "__del__") for kind in classes)

    @property
    def sees_releases(self) -> bool:
        """Whether the code may notice that an object is released: by a finalizer or a weak reference."""
        return self.has_finalizers or any(_is_of_weakref(guard.value) for guard in self._value_guards())

    @property
    def codes(self) -> list[CodeType]:
        """The reached code objects that are run by ``eval``."""
        return [obj for obj in self.objects.values() if isinstance(obj, CodeType)]

    def guards(self) -> list[Any]:
        """The guards of all reachable values and their mutable contents.

        Those with the value ``MISSING`` are of attributes and globals that are not set, but that the code may set.
        """
        reached = [guard for guard in self._value_guards() if not is_computed(guard)]
        values = [guard for guard in reached if guard.holds]
        nested = {id(part): part for guard in values for part in nested_values(guard.value)}
        nested |= {id(part): part for obj in self.objects.values() for part in parameters_of_cell(obj)}
        read = None if self.computes_names else self.names | self.queried
        values += [g for p in nested.values() if is_a(p, Parameter) for g in guards_of_parameter(p, read)]
        values += guards_of_tensor_classes(self.names | self.queried, self.queried)
        classes = [guard for item in self.objects.values() for guard in guards_of_class_entries(item, self.names)]
        holders = [item for root in self._roots for item in nested_values(root) if is_a(item, BOUND_TYPES)]
        bound = [part for item in holders for part in guards_inside(item, type(item).__name__)]
        parts = (part for guard in values for part in guards_inside(guard.value, guard.label or guard.name))
        library = [guard for function in self.functions for guard in guards_of_library(function, self.names)]
        return unique_guards([*values, *parts, *bound, *classes, *library, *self._attribute_tables()])

    def _attribute_tables(self) -> Iterator[ContentsGuard]:
        """The guards of all attributes of the objects whose attributes code may read under any name."""
        for obj in self.objects.values():
            yield from guards_of_library_namespace(obj)
        for obj in self.objects.values() if self.computes_names else ():
            attributes = read_plainly(obj, "__dict__")
            if type(attributes) is dict and not isinstance(obj, FunctionType | ModuleType):
                yield ContentsGuard(attributes, items_of(attributes), type(obj).__name__)

    def of_graph(self, guards: Iterable[Any]) -> list[Any]:
        """The guards without those of unset names, but for what the code queries and globals that would hide builtins;
        and the guards that no attributes of objects hide methods.
        """
        hiding = vars(builtins).keys() | self.queried
        methods = (guard for item in self.objects.values() for guard in guards_of_methods(item, self.names))
        tables = (guard for item in self.objects.values() for guard in guards_of_tables(item))
        registered = [registered_classes()] if self.matches_sequences else []
        set_ones = (g for g in guards if getattr(g, "value", None) is not MISSING or g.name in hiding)
        return [*set_ones, *methods, *tables, *registered]

    def _visit(self, values: Iterable[object]) -> bool:
        """Add the objects in values, and the names in their code; returns whether any object was new."""
        parts = [part for value in values for part in _parts(value) if _is_analyzed(part)]
        new = {id(part): part for part in parts if id(part) not in self.objects}
        self.objects |= new
        for part in new.values():
            for code in _codes_of(part):
                known = names_in(code)
                self.names.update(code.co_names, ["__match_args__"] * known.matches_classes)
                self.queried |= known.queried
                self.computes_names |= known.computes_names
                self.matches_sequences |= known.matches_sequences
                self.set_attributes |= known.set_attributes
                self.set_globals |= known.set_globals
            self.computes_names |= reads_any_name(part)
        return bool(new)

    def _value_guards(self) -> list[Guard]:
        """The current values of all names in all reached objects, as guards."""
        return unique_guards(guard for obj in self.objects.values() for guard in self._guards_in(obj))

    def _guards_in(self, obj: object) -> Iterator[Guard]:
        return self._guards_in_function(obj) if isinstance(obj, FunctionType) else self._guards_in_object(obj)

    def _guards_in_function(self, function: FunctionType) -> Iterator[Guard]:
        """The closure variables, defaults and globals of a function."""
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            value = value_at(cell, "cell_contents")
            if value is not MISSING:
                yield Guard(cell, "cell_contents", value, name)
        if not is_internal_file(function.__code__.co_filename):
            yield from guards_of_function(function, self.names)
            unset = sorted(name for name in self.set_attributes | self.queried if not hasattr(function, name))
            yield from (Guard(function, name, MISSING) for name in unset)
        codes = list(_codes_of(function))
        for code in codes:
            yield from guards_of_imports(code, function.__globals__)
        read = {name for code in codes for name in names_in(code).globals}
        for name in dict.fromkeys(name for code in codes for name in code.co_names):
            yield from guards_of_global(function.__globals__, name, self.names, name in read | self.set_globals)

    def _guards_in_object(self, obj: object) -> Iterator[Guard]:
        """The attributes of an object: its own, its classes', then unset ones that the code may set."""
        attributes = {} if isinstance(obj, type) else attributes_of(obj)
        is_module = isinstance(obj, ModuleType)
        names = self.names | self.queried | ({"__getattr__"} if is_module else set())
        everything = self.computes_names or (is_external_class(type(obj)) and not is_module)
        for name in sorted((attributes.keys() if everything else names & attributes.keys()) - NOT_STATE):
            yield Guard(obj, name, attributes[name])
        yield from guards_of_library_state(obj)
        yield from guards_of_callbacks(obj)
        yield from guards_of_class(obj, names)
        for base in classes_of(obj):
            if not is_external_class(base):
                reads_all = self.computes_names and not is_internal_class(base)
                read = set(vars(base)) if reads_all else names & vars(base).keys()
                for name in sorted(read | special_methods(base, isinstance(obj, type))):
                    value = class_attribute(vars(base)[name], obj)
                    if value is not MISSING:
                        yield Guard(obj, name, value)
        if self.computes_names or not OVERRIDDEN_READS.isdisjoint(self.names):
            yield from guards_of_overridden(obj, names)
        if not (read_plainly(type(obj), "__getattr__") or "__getattr__" in attributes):  # of a module
            entries = {name: entry for base in type(obj).__mro__ for name, entry in vars(base).items()}
            known = {name for name, entry in entries.items() if not is_a(entry, MemberDescriptorType)}
            slots = {
                name for name in self.queried & entries.keys() - known if read_plainly(obj, name, MISSING) is MISSING
            }
            new = sorted(((self.set_attributes | self.queried) - entries.keys()) | slots)
            yield from (Guard(obj, name, MISSING) for name in new)


def _is_of_weakref(value: object) -> bool:
    """Whether a value is the module ``weakref``, or a class or an object of it."""
    kind = value if isinstance(value, type) else type(value)
    return value is weakref or kind.__module__ in ("weakref", "_weakref", "_weakrefset")


def _parts(value: object) -> Iterator[Any]:
    """The value itself; of a container, its items; of a callable, its function, bound object and defaults."""
    for item in nested_values(value):
        if intercepts_reads(type(item)):
            continue
        if not isinstance(item, CONTAINERS) or not is_external_class(type(item)):
            function, owner = function_and_owner(item)
            yield item if function is None else owner
            if function is not None:
                yield from wrappers_of(item)
                yield from (function, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def _is_analyzed(obj: object) -> bool:
    """Whether an object may read, or have as attributes, Python values of the user."""
    if isinstance(obj, FunctionType):
        return bool(obj.__closure__) or not is_internal_file(obj.__code__.co_filename)
    if isinstance(obj, CodeType):
        return True
    if isinstance(obj, ModuleType):
        return is_users_module(obj)
    if isinstance(obj, type):
        return not is_external_module(str(obj.__module__))
    if isinstance(obj, CONTAINERS) and is_external_class(type(obj)):
        return False
    if isinstance(obj, PLAIN_TYPES):
        return has_attributes(obj)
    return not isinstance(obj, Tensor | DType | MethodType) and (
        any(read_plainly(obj, name) is not None for name in ("__dict__", "__slots__")) or reads_any_name(obj)
    )


def _codes_of(obj: object) -> Iterator[CodeType]:
    """The code objects of a user's function and of its nested functions; nothing for other objects."""
    if isinstance(obj, CodeType):
        return codes_in(obj)
    if isinstance(obj, FunctionType) and not is_internal_file(obj.__code__.co_filename):
        return codes_in(obj.__code__)
    return iter(())
