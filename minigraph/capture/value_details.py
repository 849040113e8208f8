"""What distinguishes values that Python calls equal, so that no program is run for, and no branch gives, the wrong one.

Problem: programs are looked up by the values of static arguments, the values of two branches are joined to one if they
are equal, and equality is what a class says it is: ``range(0, 3, 2) == range(0, 4, 2)``, ``frozenset([1]) ==
frozenset([True])``, and a class may compare one attribute of many. Method: a value is compared with its *detail*, a
key that differs whenever a function could tell the two values apart. Only the values of Python's own types and frozen
dataclasses of such values are alike if they are equal; all other objects with an equality of their own are compared by
identity. A cache entry keeps its arguments, so that no identity is used again.

Not handled: the identity (``is``) of equal strings, numbers and tuples, which Python itself leaves open.
"""

from __future__ import annotations

from collections.abc import Hashable
from types import BuiltinMethodType, MethodType

import numpy as np

from minigraph.ir.exact_keys import exact_key

# equal values of one of these types are alike; methods compare their objects by identity
_ALIKE = frozenset({bool, bytes, int, str, type(None), type(...), BuiltinMethodType, MethodType})
_EXACT_REPR = frozenset({"datetime", "decimal", "fractions", "pathlib", "uuid"})  # modules whose values print all of it


def detail_of(value: object) -> Hashable:
    """A key that distinguishes values of one type that are equal, but not alike.

    >>> detail_of(range(0, 3, 2)) == detail_of(range(0, 4, 2)), detail_of(0.0) == detail_of(-0.0)
    (False, False)
    >>> detail_of(frozenset([1])) == detail_of(frozenset([True])), detail_of("one") == detail_of("two")
    (False, True)
    """
    kind = type(value)
    if kind in _ALIKE:
        return ""
    if kind in (complex, float, slice) or isinstance(value, np.generic):
        return exact_key(value)
    if isinstance(value, frozenset) and kind is frozenset:
        return tuple([_typed_detail(element) for element in value])  # in the order of iteration
    if kind is range or kind.__module__ in _EXACT_REPR:
        return repr(value)
    if kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__:
        return ""
    return _dataclass_detail(value) if _is_frozen_dataclass(kind) else id(value)


def _typed_detail(value: object) -> Hashable:
    """A key for a value inside another one."""
    kind = type(value)
    if isinstance(value, tuple):
        return kind, tuple(map(_typed_detail, value))
    is_plain = kind in _ALIKE or kind in (float, complex, frozenset)
    if not is_plain and not _is_frozen_dataclass(kind):
        return kind, id(value)
    return kind, detail_of(value), value


def _is_frozen_dataclass(kind: type) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


def _dataclass_detail(value: object) -> Hashable:
    """A key for all fields, also those that the class does not compare."""
    names = [*getattr(value, "__dataclass_fields__", ()), *getattr(value, "__dict__", ())]
    return tuple([(name, _typed_detail(getattr(value, name, None))) for name in dict.fromkeys(names)])
