"""Plain values, and containers: what is in them, and putting it back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from types import NoneType
from typing import Any

import numpy as np

PLAIN = (bool, int, float, complex, str, bytes, NoneType, np.generic)
CHANGEABLE = (list, dict, set, deque, bytearray)
CONTAINERS = (*CHANGEABLE, tuple, frozenset)


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, a flag, ``None``, or a tuple of such."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, PLAIN)


def items_of(container: Any) -> tuple[Any, ...]:
    """What is in a container; of a dict, keys and then values."""
    return (*container, *container.values()) if isinstance(container, dict) else tuple(container)


def restore(container: Any, items: tuple[Any, ...]) -> None:
    """Let a container hold what ``items_of`` gave.

    >>> table = {"a": 1}
    >>> before = items_of(table)
    >>> table["b"] = 2
    >>> restore(table, before)
    >>> table
    {'a': 1}
    """
    container.clear()
    if isinstance(container, dict):
        container.update(zip(items[: len(items) // 2], items[len(items) // 2 :], strict=True))
    else:
        (container.update if isinstance(container, set) else container.extend)(items)


def nested(value: Any) -> Iterator[Any]:
    """A value and what is in it, each once: contents of containers, what partials bring; nothing plain."""
    waiting, seen = [value], set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, PLAIN) or id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, CONTAINERS):
            waiting += items_of(item)
        elif isinstance(item, partial):
            waiting += [item.func, *item.args, *item.keywords.values()]
