"""Objects of minigraph: the user's functions and objects that they store and call later, and the state they keep.

Examples are the loss function of a ``WithLossCell``, the functions of a ``MultitypeFuncGraph``, and the Cells of a
``CellList``. The static analysis of ``reachable_state`` follows the names in the user's code, and the methods of
minigraph's classes are not the user's code. For its own classes, minigraph therefore takes the names of the attributes
from the code of their methods, and follows the attributes in which it finds code of the user, or state, such as the
counts of a metric. Not handled: attributes that methods read under computed names. ``call_monitor`` refuses the code
that such an attribute leads to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from minigraph.capture.container_contents import (
    attributes_of,
    is_a,
    is_plain_value,
    items_of,
    nested_values,
    read_plainly,
)
from minigraph.capture.guards import MISSING, ContentsGuard, Guard
from minigraph.capture.library_state import attributes_read_by_class
from minigraph.capture.pure_calls import is_standard_file
from minigraph.capture.readable_attributes import is_external_class, is_internal_class
from minigraph.core.location import is_internal_file
from minigraph.core.op import Op
from minigraph.core.tensor import Tensor

CHILDREN, PARAMETERS = "_cells", "_params"  # the attributes of a Cell with its children and Parameters by name
GUARDED_OTHERWISE = {"_compiled", CHILDREN}  # the program of a Cell has its own guards, and a version counts changes


def guards_of_callbacks(obj: object) -> Iterator[Guard]:
    """The guards of the attributes in which an object of minigraph's classes stores code of the user, or its state.

    Cells have none for their state and children: their version changes with both.
    """
    children = attributes_of(obj).get(CHILDREN)
    for name, value in _readable_attributes(obj):
        is_state = children is None and not isinstance(obj, Op) and _is_state(value)
        if name not in (children or ()) and (is_state or _contains_user_code(value)):
            yield Guard(obj, name, value)


def guards_of_tables(obj: object) -> Iterator[ContentsGuard]:
    """The guards of the children and Parameters of a Cell, which programs also change in its tables themselves.

    They do not change its version, and containers call their children by this table.
    """
    for name in (CHILDREN, PARAMETERS):
        table = attributes_of(obj).get(name)
        if type(table) is dict:
            yield ContentsGuard(table, items_of(table), f"{name} of a {type(obj).__name__}")


def child_cells(obj: object) -> Iterable[object]:
    """The children of a Cell, which a container calls without naming them; empty for other objects."""
    children = attributes_of(obj).get(CHILDREN)
    return list(children.values()) if type(children) is dict else ()


def parameters_of_cell(obj: object) -> Iterable[object]:
    """The Parameters of a Cell, which its methods give without naming them; empty for other objects."""
    parameters = attributes_of(obj).get(PARAMETERS)
    return list(parameters.values()) if type(parameters) is dict else ()


def _readable_attributes(obj: object) -> Iterator[tuple[str, Any]]:
    """The attributes and slots of an object that the methods of its classes in minigraph may read by name.

    All code of minigraph reads the fields of an operator.
    """
    if isinstance(obj, type | ModuleType | FunctionType | Tensor):
        return
    attributes = attributes_of(obj)
    for reads in (attributes_read_by_class(base) for base in type(obj).__mro__ if is_internal_class(base)):
        yield from ((name, read_plainly(obj, name, MISSING)) for name in reads.slots)
        known = attributes.keys() if isinstance(obj, Op) else reads.names & attributes.keys()
        names = known - GUARDED_OTHERWISE
        yield from ((name, attributes[name]) for name in sorted(names))


def _is_state(value: object) -> bool:
    """Whether a value is a number, text, array, tensor or container, as objects that count or collect keep them."""
    return is_plain_value(value) or is_a(value, (list, dict, set, deque, np.ndarray, np.generic, Tensor))


def _contains_user_code(value: object) -> bool:
    """Whether a value is, or contains, a function or an object of the user, also inside of minigraph's objects."""
    worklist, seen = [value], set[int]()
    for item in worklist:
        for part in nested_values(item):
            if id(part) in seen or isinstance(part, ModuleType):
                continue
            seen.add(id(part))
            if isinstance(part, FunctionType):
                if not is_standard_file(file := part.__code__.co_filename) and not is_internal_file(file):
                    return True
            elif is_internal_class(kind := part if isinstance(part, type) else type(part)):
                worklist += [*child_cells(part), *(inner for _, inner in _readable_attributes(part))]
            elif not is_external_class(kind):
                return True
    return False
