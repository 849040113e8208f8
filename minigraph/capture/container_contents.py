"""Plain values, the contents of containers, and the values that objects of Python's own types refer to."""

from __future__ import annotations

import gc
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from functools import partial
from operator import itemgetter, methodcaller
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GenericAlias,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    NoneType,
    UnionType,
)
from typing import Any, TypeGuard

import numpy as np

PLAIN_TYPES = (bool, int, float, complex, str, bytes, NoneType, np.generic)
MUTABLE_TYPES = (list, dict, set, deque, bytearray)
CONTAINERS = (*MUTABLE_TYPES, tuple, frozenset)
EXACT_TYPES = frozenset({*CONTAINERS, OrderedDict})
# types in C whose objects refer to others, such as a mapping that other code may change, or a function and its object
REFERRING_TYPES = (
    MappingProxyType, MethodType, MethodWrapperType, slice, CellType, super, GenericAlias, UnionType, itemgetter,
    methodcaller,
)  # fmt: skip


def is_plain_value(value: object) -> bool:
    """Whether a value is a number, a string, a bool, ``None``, or a tuple of these."""
    if isinstance(value, tuple):
        return all(map(is_plain_value, value))
    return isinstance(value, PLAIN_TYPES) and not has_attributes(value)


def has_attributes(value: object) -> bool:
    """Whether a value has a table of attributes, as objects of subclasses of ``str`` and ``int`` have."""
    return bool(type(value).__dictoffset__)


def items_of(container: Any) -> tuple[Any, ...]:
    """The contents of a container; of a dict, keys and then values; of a view of memory, its bytes.

    They are read without the methods of a class of the program, which may count or log.
    """
    kind = type(container)
    if kind is memoryview:
        return (container.tobytes(),)
    base: Any = kind if kind in EXACT_TYPES else next(base for base in kind.__mro__ if base in EXACT_TYPES)
    if base is dict or base is OrderedDict:  # each has an order of its own
        return (*base.keys(container), *base.values(container))
    return tuple(container) if base is kind else tuple(base.__iter__(container))


def restore(container: Any, items: tuple[Any, ...]) -> None:
    """Restore the contents that ``items_of`` returned.

    >>> table = {"a": 1}
    >>> before = items_of(table)
    >>> table["b"] = 2
    >>> restore(table, before)
    >>> table
    {'a': 1}
    """
    if isinstance(container, memoryview):
        container.cast("B")[:] = items[0]
        return
    if isinstance(container, bytearray):  # whose size is fixed while a memoryview shows it
        bytearray.__setitem__(container, slice(None), bytes(items))
        return
    base: Any = next(kind for kind in (OrderedDict, *MUTABLE_TYPES) if isinstance(container, kind))
    base.clear(container)  # not overridden methods, such as update of a Counter, which adds
    if isinstance(container, dict):
        for key, value in zip(items[: len(items) // 2], items[len(items) // 2 :], strict=True):
            base.__setitem__(container, key, value)
    else:
        (base.update if base is set else base.extend)(container, items)


def is_a(value: object, kinds: type | tuple[type, ...]) -> TypeGuard[Any]:
    """``isinstance`` without asking for ``__class__``, which a program may answer."""
    return issubclass(type(value), kinds)


def read_plainly(obj: object, name: str, default: Any = None) -> Any:
    """An attribute of an object, without the ``__getattr__`` that a program gives its class, metaclass or module.

    >>> read_plainly([], "__len__")(), read_plainly(int, "mro")(), read_plainly([], "mro")
    (0, [<class 'int'>, <class 'object'>], None)
    """
    read = type.__getattribute__(type(obj), "__getattribute__")
    try:
        return (object.__getattribute__ if is_a(obj, ModuleType) or is_a(read, FunctionType) else read)(obj, name)
    except AttributeError:
        return default


def attributes_of(obj: object) -> Any:
    """The table of an object's attributes, or an empty one."""
    return read_plainly(obj, "__dict__", {})


def nested_values(value: object) -> Iterator[Any]:
    """A value and the values nested in containers and partials, each once; without plain values."""
    worklist, seen = [value], dict[int, object]()  # by id; kept alive so that ids are not reused
    while worklist:
        item = worklist.pop()
        if id(item) in seen or (is_a(item, PLAIN_TYPES) and not has_attributes(item)):
            continue
        seen[id(item)] = item
        yield item
        worklist += _parts_of(item)


def _parts_of(item: Any) -> Iterable[object]:
    """The values that an object of Python's or numpy's own types refers to."""
    if is_a(item, CONTAINERS):
        return items_of(item)
    if is_a(item, partial):
        return item.func, item.args, item.keywords, item.__dict__
    if is_a(item, REFERRING_TYPES):
        return gc.get_referents(item)
    if is_a(item, BuiltinFunctionType):
        return () if is_a(item.__self__, ModuleType) else (item.__self__,)
    if is_a(item, np.dtype):
        return item.metadata, item.fields, item.subdtype
    return (item.dtype,) if is_a(item, np.ndarray) and (item.dtype.metadata or item.dtype.fields) else ()
