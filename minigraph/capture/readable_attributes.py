"""Readable attributes of functions, classes and modules, apart from those in an object's own ``__dict__``.

Each is a guard: the code and the name of a function, the class of an object and its functions, the state of a module of
Python or of an installed package. None of the user's code is run: a property is guarded as an entry of its class.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Set
from functools import cached_property
from itertools import accumulate
from operator import attrgetter, methodcaller
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from minigraph.capture.container_contents import attributes_of, is_a, read_plainly
from minigraph.capture.guards import MISSING, Guard, value_at
from minigraph.capture.names_in_code import names_in
from minigraph.capture.pure_calls import has_hidden_state
from minigraph.capture.query_guards import ClassGuard, ClassNamesGuard, UnshadowedGuard, names_of_class
from minigraph.core.location import is_internal_file, is_user_file
from minigraph.core.tensor import Parameter, Tensor

CONSTRUCTION = {"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__class_getitem__"}
EXTERNAL_PACKAGES = sys.stdlib_module_names | {"numpy"}
DEFAULTS = ("__defaults__", "__kwdefaults__")
FUNCTION_ATTRIBUTES = frozenset({"__name__", "__qualname__", "__doc__", "__annotations__", "__module__"})
CLASS_ATTRIBUTES = FUNCTION_ATTRIBUTES | {"__bases__"}
EXCEPTION_ATTRIBUTES = frozenset({"args", "__cause__", "__context__", "__traceback__"})
PARAMETER_ATTRIBUTES = frozenset(Parameter.__slots__)
ATTRIBUTE_READERS = (getattr, hasattr, vars, dir)
_BUILTINS = dict(vars(builtins))  # the builtins before any program added to them


def guards_of_function(function: FunctionType, names: Set[str]) -> Iterator[Guard]:
    """The code of a user's function, its defaults and attributes."""
    yield Guard(function, "__code__", function.__code__, function.__name__)
    for name in DEFAULTS:
        if getattr(function, name):
            yield Guard(function, name, getattr(function, name), f"{function.__name__}.{name}")
    for name in sorted(function.__dict__.keys() - ({"__wrapped__"} - names)):
        yield Guard(function, name, function.__dict__[name])
    for name in sorted(names & FUNCTION_ATTRIBUTES):
        yield Guard(function, name, getattr(function, name))


def guards_of_imports(code: CodeType, table: dict[str, Any]) -> Iterator[Guard]:
    """The modules that code imports when it runs, in the scope of these globals.

    All that a package holds is read by ``import package.module``, but not by ``from package.module import name``.
    """
    package = str(table.get("__package__") or table.get("__name__", "")).split(".")
    for level, name, reads_packages in sorted(names_in(code).imports):
        base = package[: len(package) + 1 - level] if level else []
        parts = list(accumulate([*base, *filter(None, name.split("."))], "{}.{}".format))
        for part in parts if reads_packages else parts[-1:]:
            if part in sys.modules:
                yield Guard(sys.modules, part, sys.modules[part])


def guards_of_global(table: dict[str, Any], name: str, names: Set[str], is_used: bool) -> Iterator[Guard]:
    """A global, or a builtin added under its name (also if unset but ``is_used``), and data of a library's module.

    Code may reach globals that it names only as attributes (``sys.modules[__name__].scale``), but hardly a function of
    an installed package: ``ops.cdist`` is no use of SciPy's ``cdist``, a global with the same name.
    """
    value = table.get(name, MISSING)
    if not is_used and is_a(value, FunctionType) and not is_user_file(value.__code__.co_filename):
        return
    if value is not MISSING or is_used:
        yield Guard(table, name, value)
    if value is MISSING and (added := vars(builtins).get(name, MISSING)) is not _BUILTINS.get(name, MISSING):
        yield Guard(vars(builtins), name, added)
    yield from (guard for guard in _guards_of_module(value, name, names) if not is_a(guard.value, NOT_DATA))


def guards_of_library(function: FunctionType, names: Set[str]) -> Iterator[Guard]:
    """The functions, classes and modules of libraries that a user's function reads by these names.

    A program may replace them; the state that they read themselves is not guarded.
    """
    if not is_internal_file(function.__code__.co_filename):
        for name in sorted(names & function.__globals__.keys()):
            guards = _guards_of_module(function.__globals__[name], name, names)
            yield from (guard for guard in guards if is_a(guard.value, NOT_DATA))


def _guards_of_module(module: object, label: str, names: Set[str]) -> Iterator[Guard]:
    """The attributes of a library's module with these names."""
    if is_a(module, ModuleType) and not is_users_module(module) and not is_internal_module(module):
        for name in sorted(names & vars(module).keys()):
            yield Guard(vars(module), name, vars(module)[name], f"{label}.{name}")


NOT_DATA = (ModuleType, type, FunctionType, BuiltinFunctionType, np.ufunc, type(np.sum))


def guards_of_class(obj: object, names: Set[str]) -> Iterator[Guard]:
    """The class of an object; for a class, also the attributes that Python sets, such as its name."""
    if isinstance(obj, type):
        for name in sorted(names & CLASS_ATTRIBUTES):
            yield Guard(obj, name, getattr(obj, name))
    if isinstance(obj, BaseException):
        yield from (Guard(obj, name, getattr(obj, name)) for name in sorted(names & EXCEPTION_ATTRIBUTES))
    if isinstance(obj, ModuleType) or is_external_class(type(obj)) or is_internal_class(type(obj)):
        return
    yield Guard(obj, "__class__", type(obj), f"the class of a {type(obj).__name__}")


def classes_of(obj: object) -> tuple[type, ...]:
    """The classes in which the attributes of an object are looked up; for a class, those of its metaclass, too."""
    bases = obj.__mro__ if isinstance(obj, type) else ()
    return (*bases, *type(obj).__mro__)


def guards_of_class_entries(obj: object, names: Set[str]) -> Iterator[Guard | ClassGuard | ClassNamesGuard]:
    """The methods, properties and other descriptors of the user's classes with these names, and the set of all names.

    A new name may hide a name of a base class, or be a special method.
    """
    if isinstance(obj, ModuleType | FunctionType):
        return
    for base in classes_of(obj):
        if not (is_external_class(base) or is_internal_class(base)):
            yield ClassNamesGuard(base, names_of_class(base))
            yield Guard(base, "__bases__", base.__bases__)
            for name in sorted(names & vars(base).keys() | special_methods(base, False)):
                entry = vars(base)[name]
                if isinstance(entry, FunctionType):  # faster than a ``ClassGuard``, and runs nothing either
                    yield Guard(base, name, entry)
                elif has_getter(entry):
                    yield ClassGuard(base, name, entry)


def guards_of_methods(obj: object, names: Set[str]) -> Iterator[UnshadowedGuard]:
    """The guards that an object has no attributes that hide methods of its class, a user's, with these names."""
    if isinstance(obj, ModuleType | FunctionType | type) or type(read_plainly(obj, "__dict__")) is not dict:
        return
    for base in type(obj).__mro__:
        if not (is_external_class(base) or is_internal_class(base)):
            for name in sorted(names & vars(base).keys() - vars(obj).keys()):
                if is_hidden_by_attributes(vars(base)[name]) and not name.startswith("__"):
                    yield UnshadowedGuard(obj, name)


def is_hidden_by_attributes(entry: object) -> bool:
    """Whether attributes of an object hide an entry of its class, as they do methods, jitted ones included."""
    kind = type(entry)
    return has_getter(entry) and (not read_plainly(kind, "__set__") or read_plainly(kind, "cache_info") is not None)


def has_getter(entry: object) -> bool:
    """Whether an entry of a class is a descriptor."""
    return read_plainly(type(entry), "__get__") is not None


def guards_of_overridden(obj: object, names: Set[str]) -> Iterator[Guard]:
    """The entries of the user's classes that others override, with these names: ``super`` reads them."""
    seen = set(attributes_of(obj))
    for base in classes_of(obj):
        if not (is_external_class(base) or is_internal_class(base)):
            for name in sorted(names & seen & vars(base).keys()):
                if is_a(vars(base)[name], FunctionType) or not has_getter(vars(base)[name]):
                    yield Guard(base, name, vars(base)[name])
        seen |= vars(base).keys()


def guards_of_parameter(parameter: Parameter, names: Set[str] | None) -> Iterator[Guard]:
    """The attributes of a Parameter (``None``: all) apart from its value, which a graph reads when it runs."""
    for name in sorted(PARAMETER_ATTRIBUTES if names is None else names & PARAMETER_ATTRIBUTES):
        if (value := value_at(parameter, name)) is not MISSING:
            yield Guard(parameter, name, value)


def guards_of_tensor_classes(names: Set[str], queried: Set[str]) -> Iterator[Guard]:
    """The attributes of the classes of tensors that a program has added, and those that it asks for."""
    for cls in (Tensor, Parameter):
        for name in sorted(names & vars(cls).keys()):
            value = vars(cls)[name]
            if not (has_getter(value) or name in vars(cls).get("__slots__", ())):
                yield Guard(cls, name, value)
        yield from (Guard(cls, name, MISSING) for name in sorted(queried) if not hasattr(cls, name))


def is_computed(guard: Guard) -> bool:
    """Whether the guarded attribute is a method or a property, each access to which makes a new value or runs code."""
    if not is_a(guard.value, MethodType) or is_a(guard.owner, (dict, CellType)):
        return False
    attributes = {} if isinstance(guard.owner, type) else attributes_of(guard.owner)
    return guard.name not in attributes and any(guard.name in vars(base) for base in type(guard.owner).__mro__)


def reads_any_name(obj: object) -> bool:
    """Whether a callable reads attributes under names that its callers give.

    >>> reads_any_name(getattr), reads_any_name(Tensor(1).__getattribute__), reads_any_name(len)
    (True, True, False)
    """
    if is_a(obj, (MethodWrapperType, WrapperDescriptorType)):
        return obj.__name__ in ("__getattribute__", "__get__")
    return is_a(obj, (attrgetter, methodcaller)) or any(obj is function for function in ATTRIBUTE_READERS)


def is_external_class(kind: type) -> bool:
    """Whether a class belongs to Python or numpy."""
    return is_external_module(str(kind.__module__))


def is_external_module(name: str) -> bool:
    """Whether a module belongs to Python or numpy."""
    return name.partition(".")[0] in EXTERNAL_PACKAGES


def special_methods(base: type, constructs: bool) -> set[str]:
    """The special methods of a user's class, which run without being named; of a class that is called, constructors."""
    if is_internal_class(base):
        return set()
    kinds = (FunctionType, staticmethod, classmethod)  # Python wraps ``__new__`` and ``__init_subclass__``
    special = {name for name, value in vars(base).items() if name[:2] == "__" and is_a(value, kinds)}
    return special if constructs else special - CONSTRUCTION


def is_internal_class(kind: type) -> bool:
    """Whether a class is minigraph's."""
    return str(kind.__module__).partition(".")[0] in ("minigraph", "passes", "viz")


def class_attribute(raw: object, obj: object) -> Any:
    """The attribute of an object for an entry of its class's dictionary, without running the user's code."""
    if is_a(raw, (staticmethod, classmethod)):
        return raw.__func__
    if has_hidden_state(raw):
        return raw
    if isinstance(obj, type):
        return MISSING if has_getter(raw) and not is_a(raw, FunctionType) else raw
    if is_a(raw, MemberDescriptorType):
        return read_plainly(obj, raw.__name__, MISSING)
    raw = raw.fget if is_a(raw, property) else raw.func if is_a(raw, cached_property) else raw
    if is_a(raw, FunctionType):
        return MethodType(raw, obj)
    return MISSING if has_getter(raw) else raw


def is_users_module(module: ModuleType) -> bool:
    """Whether a module is the user's: neither installed nor minigraph's."""
    file = vars(module).get("__file__") or ""  # without the module's own __getattr__
    installed = "site-packages" in file or "dist-packages" in file or not is_user_file(file)
    return not installed and module.__name__.partition(".")[0] not in EXTERNAL_PACKAGES


def is_internal_module(module: ModuleType) -> bool:
    """Whether a module is minigraph's."""
    return module.__name__.partition(".")[0] in ("minigraph", "passes", "viz")
