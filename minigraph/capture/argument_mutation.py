"""Lists and dicts among the arguments of a captured function: what it puts into them, the caller finds there.

A capture works on copies of the caller's containers. What has changed in those at the end is one more result of the
graph, and every call does the same to the caller's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any, NamedTuple

from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import as_captured


class Kept(NamedTuple):
    """Something that was among the arguments before: the tensor or container met as number ``place``."""

    place: int


class Filled(NamedTuple):
    """A container met as number ``place``, and what is in it after the call; ``keys`` are those of a dict."""

    place: int
    keys: tuple[Any, ...]
    items: tuple[Any, ...]


class Changed(NamedTuple):
    """What a function returned, the containers among its arguments that it changed, and what it left elsewhere."""

    out: Any
    containers: tuple[Filled, ...]
    left: tuple[Any, ...] = ()


def following_changes(fn: Callable[..., Any], leave: Callable[[], tuple[Any, ...]] = tuple) -> Callable[..., Any]:
    """The function, with ``Changed`` around its result if it changes containers among its arguments.

    ``leave`` is asked when it has run for what else there is to hand on.

    >>> following_changes(lambda x, given: given.append(x))(1, [2])
    Changed(out=None, containers=(Filled(place=3, keys=(), items=(2, 1)),), left=())
    """

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        met = _met((args, kwargs))
        before = [_inside(item) for item in met]
        out = as_captured(fn)(*args, **kwargs)
        known = {id(item): k for k, item in enumerate(met) if isinstance(item, Tensor | list | dict | tuple)}
        changed = [k for k, item in enumerate(met) if not _same(_inside(item), before[k])]
        containers, left = tuple(_filled(k, met[k], known) for k in changed), leave()
        return Changed(out, containers, left) if containers or left else out

    return call


def put_back(changed: Changed, arguments: Any) -> Any:
    """Give the caller's containers what is in them after the call; returns the result of the function."""
    met = _met(arguments)
    for place, keys, items in changed.containers:
        put_into(met[place], keys, [met[item.place] if isinstance(item, Kept) else item for item in items])
    return changed.out


def put_into(container: Any, keys: Iterable[Any], items: Iterable[Any]) -> None:
    """Let a list, or a dict with these keys, hold these items and nothing else."""
    if isinstance(container, dict):
        new = dict(zip(keys, items, strict=True))
        container.clear()
        container.update(new)
    else:
        container[:] = list(items)


def _met(arguments: Any) -> list[Any]:
    """Everything in a structure, containers before what is in them."""
    found, waiting = [], [arguments]
    while waiting:
        item = waiting.pop()
        found.append(item)
        if isinstance(item, tuple | list | dict):
            waiting += reversed(_inside(item)[1])
    return found


def _inside(item: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The keys and the items of a container."""
    if isinstance(item, dict):
        return tuple(item), tuple(item.values())
    return (), tuple(item) if isinstance(item, tuple | list) else ()


def _same(now: Any, before: Any) -> bool:
    return all(len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(now, before, strict=True))


def _filled(place: int, container: Any, known: dict[int, int]) -> Filled:
    keys, items = _inside(container)
    return Filled(place, keys, tuple(Kept(known[id(item)]) if id(item) in known else item for item in items))
