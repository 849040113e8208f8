"""Code of the user that objects of ours hold and call: the loss of a ``WithLossCell``, the Cells of a ``CellList``.

The static analysis of ``reachable_state`` follows names in the user's code, and our methods are not the user's code. So
it asks here which attributes our methods may read, and follows those that hold functions or objects of the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from minigraph.capture.guards import Guard, nested_values, value_at
from minigraph.capture.library_state import reads_of_class
from minigraph.capture.pure_calls import is_standard_file
from minigraph.capture.readable_attributes import is_external_class, is_internal_class
from minigraph.core.location import is_internal_file
from minigraph.core.tensor import Tensor

CHILDREN = "_cells"  # the attribute of a Cell with its children by name
NOT_HELD = {"_compiled", CHILDREN}  # the program of a Cell; its children, which are guarded by its version


def guards_of_held_code(obj: object) -> Iterator[Guard]:
    """The attributes in which an object of ours holds code that its methods may call, except for child Cells."""
    children = getattr(obj, "__dict__", {}).get(CHILDREN, ())
    for name, value in _internal_attributes(obj):
        if name not in children and _holds_code(value):
            yield Guard(obj, name, value)


def child_cells(obj: object) -> Iterable[object]:
    """The children of a Cell, which containers call under no name; the Cell's version guards them."""
    children = getattr(obj, "__dict__", {}).get(CHILDREN)
    return list(children.values()) if type(children) is dict else ()


def _internal_attributes(obj: object) -> Iterator[tuple[str, Any]]:
    """The attributes and slots of an object of ours that the methods of its classes may read by name."""
    if isinstance(obj, type | ModuleType | FunctionType | Tensor):
        return
    attributes = getattr(obj, "__dict__", {})
    for reads in (reads_of_class(base) for base in type(obj).__mro__ if is_internal_class(base)):
        yield from ((name, value_at(obj, name)) for name in reads.slots)
        yield from ((name, attributes[name]) for name in sorted((reads.names & attributes.keys()) - NOT_HELD))


def _holds_code(value: object) -> bool:
    """Whether a value is or holds a function or an object of the user, also inside of our objects."""
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
                worklist += [*child_cells(part), *(inner for _, inner in _internal_attributes(part))]
            elif not is_external_class(kind):
                return True
    return False
