"""Pytrees: nested tuples, lists and dicts of tensors, flattened to leaves and rebuilt from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from minigraph.core.aliases import Function, PyTree


class Leaf(NamedTuple):
    """A leaf (a tensor) of a structure, by its position among the leaves."""

    position: int


class Static(NamedTuple):
    """A static value in a structure.

    ``kind`` and ``detail`` tell equal values apart, as 1 and 1.0, and spare the user's ``__eq__`` and ``__hash__``.
    """

    kind: type
    detail: Hashable
    value: Any

    def __hash__(self) -> int:  # a detail may be the identity of the value
        return hash(self[:2] if self.detail == id(self.value) and self.kind.__hash__ is not None else tuple(self))


class Branch(NamedTuple):
    """A tuple, list or dict: its constructor, its keys (dict only) and its children; ``details`` are those of keys.

    Also any object with a method ``tree_flatten()``, which returns a constructor from a list of parts, and the parts.
    """

    kind: Function
    keys: tuple[Hashable, ...]
    children: tuple[Spec, ...]
    details: tuple[Hashable, ...] = ()


Spec = Leaf | Static | Branch


def signed_zero_key(number: object) -> str:
    """A key for the signs of zeros, which distinguishes two numbers of one type that Python calls equal.

    >>> signed_zero_key(0.0), signed_zero_key(-0.0), signed_zero_key(1.5)
    ('0.0', '-0.0', '')
    """
    return repr(number) if number.__class__ is complex or (number.__class__ is float and number == 0) else ""


def flatten(
    structure: PyTree, is_leaf: Callable[[object], bool], detail_of: Callable[[object], Hashable] = signed_zero_key
) -> tuple[list[Any], Spec]:
    """The leaves in order, and the spec from which ``unflatten`` rebuilds the structure with other leaves.

    >>> leaves, spec = flatten({"a": [1.5, "x"], "b": (2.5,)}, lambda v: isinstance(v, float))
    >>> leaves, unflatten(spec, [10, 20])
    ([1.5, 2.5], {'a': [10, 'x'], 'b': (20,)})
    """
    leaves: list[Any] = []
    return leaves, _spec(structure, is_leaf, leaves, detail_of)


def flatten_call(
    args: tuple[PyTree, ...], kwargs: dict[str, PyTree], is_leaf: Callable[[object], bool],
    detail_of: Callable[[object], Hashable] = signed_zero_key,
) -> tuple[list[Any], Spec]:  # fmt: skip
    """``flatten((args, kwargs), is_leaf)``, with a fast path for calls whose arguments are positional leaves only.

    >>> flatten_call((1.5, 2.5), {}, lambda v: isinstance(v, float))[0]
    [1.5, 2.5]
    """
    if kwargs or not all(map(is_leaf, args)):
        return flatten((args, kwargs), is_leaf, detail_of)
    return list(args), _call_spec(len(args))


@lru_cache(maxsize=256)
def _call_spec(count: int) -> Spec:
    """The spec of a call with ``count`` positional leaves."""
    return Branch(tuple, (), (Branch(tuple, (), tuple(map(_leaf, range(count)))), Branch(dict, (), ())))


_leaf = lru_cache(maxsize=256)(Leaf)  # a look-up is faster than a construction
_SEQUENCES = (tuple, list)


def _spec(
    item: PyTree, is_leaf: Callable[[object], bool], leaves: list[object], detail_of: Callable[[object], Hashable]
) -> Spec:
    if is_leaf(item):
        leaves.append(item)
        return _leaf(len(leaves) - 1)
    build: Function = type(item)
    parts: Iterable[Any] = item
    keys: tuple[Hashable, ...] = ()
    if isinstance(item, dict):
        build, parts, keys = dict, item.values(), tuple(item)
    elif not isinstance(item, _SEQUENCES):
        if not hasattr(type(item), "tree_flatten"):
            # one object for every NaN, because NaN is unequal to itself and tuples compare by identity first
            return Static(type(item), detail_of(item), math.nan if item.__class__ is float and item != item else item)
        build, parts = item.tree_flatten()
    children = tuple([_spec(part, is_leaf, leaves, detail_of) for part in parts])
    details: tuple[Hashable, ...] = tuple([(type(key), detail_of(key)) for key in keys if type(key) is not str])
    if build not in _SEQUENCES and isinstance(item, _SEQUENCES) and getattr(item, "__dict__", None):
        details = ("with attributes",)
    return Branch(build, keys, children, details)


def unflatten(spec: Spec, leaves: Sequence[object]) -> PyTree:
    """The structure with ``leaves[i]`` in place of leaf i."""
    if isinstance(spec, Leaf):
        return leaves[spec.position]
    if isinstance(spec, Static):
        return spec.value
    children = [unflatten(child, leaves) for child in spec.children]
    if spec.kind is dict:
        return dict(zip(spec.keys, children, strict=True))
    return spec.kind(*children) if hasattr(spec.kind, "_fields") else spec.kind(children)


def leaves_of(structure: PyTree, is_leaf: Callable[[object], bool]) -> Iterator[Any]:
    """The leaves in order."""
    return iter(flatten(structure, is_leaf)[0])


def statics_of(spec: Spec) -> Iterator[Any]:
    """The static values of a structure, in order."""
    yield from (spec.value,) if isinstance(spec, Static) else ()
    for child in spec.children if isinstance(spec, Branch) else ():
        yield from statics_of(child)
