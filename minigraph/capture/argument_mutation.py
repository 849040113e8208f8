"""Functionalization of argument mutation: changes that a traced function makes to lists and dicts among its arguments.

Tracing works on copies of the caller's containers. The new contents of those that changed are additional results of the
graph; after every call they are copied into the caller's containers.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from operator import is_
from typing import Any, NamedTuple

from minigraph.core.aliases import Function, PyTree
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import converted_function


class ArgRef(NamedTuple):
    """A reference to a tensor or container among the arguments, by its position in preorder."""

    position: int


class NewContents(NamedTuple):
    """The container at ``position`` in preorder, and its contents after the call; only a dict has ``keys``."""

    position: int
    keys: tuple[object, ...]
    items: tuple[object, ...]


class Changed(NamedTuple):
    """The result of a function, and the containers among its arguments that it changed."""

    out: Any
    containers: tuple[NewContents, ...]


def with_argument_changes(fn: Function) -> Function:
    """The function, modified to return its result in a ``Changed`` if it mutates containers among its arguments.

    >>> with_argument_changes(lambda x, items: items.append(x))(1, [2])
    Changed(out=None, containers=(NewContents(position=3, keys=(), items=(2, 1)),))
    """

    @functools.wraps(fn)
    def call(*args: PyTree, **kwargs: PyTree) -> PyTree:
        items = items_in_order((args, kwargs))
        before = [_contents(item) for item in items]
        out = converted_function(fn)(*args, **kwargs)
        positions = {id(item): k for k, item in enumerate(items) if isinstance(item, Tensor | list | dict | tuple)}
        changed = [k for k, item in enumerate(items) if not _has_same_items(_contents(item), before[k])]
        containers = tuple(_new_contents(k, items[k], positions) for k in changed)
        return Changed(out, containers) if containers else out

    return call


def apply_changes(changed: Changed, arguments: object) -> PyTree:
    """Write the new contents into the caller's containers; returns the result of the function."""
    known = items_in_order(arguments)
    for position, keys, items in changed.containers:
        set_contents(
            known[position], keys, [known[item.position] if isinstance(item, ArgRef) else item for item in items]
        )
    return changed.out


def set_contents(container: Any, keys: Iterable[object], items: Iterable[object]) -> None:
    """Replace the contents of a list, or of a dict with these keys."""
    if isinstance(container, dict):
        new = dict(zip(keys, items, strict=True))
        container.clear()
        container.update(new)
    else:
        container[:] = list(items)


def items_in_order(arguments: object) -> list[object]:
    """All nodes of a pytree in preorder: containers before their contents."""
    items, worklist = [], [arguments]
    while worklist:
        item = worklist.pop()
        items.append(item)
        if isinstance(item, tuple | list | dict):
            worklist += reversed(_contents(item)[1])
    return items


def _contents(item: object) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """The keys (of a dict) and the items of a container."""
    if isinstance(item, dict):
        return tuple(item), tuple(item.values())
    return (), tuple(item) if isinstance(item, tuple | list) else ()


def _has_same_items(now: Iterable[Sequence[object]], before: Iterable[Sequence[object]]) -> bool:
    return all(len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(now, before, strict=True))


def _new_contents(position: int, container: object, positions: dict[int, int]) -> NewContents:
    keys, items = _contents(container)
    return NewContents(
        position, keys, tuple(ArgRef(positions[id(item)]) if id(item) in positions else item for item in items)
    )
