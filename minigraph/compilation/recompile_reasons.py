"""The reason of a compilation: the difference between a call's cache key and the keys compiled before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from minigraph.core.context import COMPILED_FOR
from minigraph.core.location import expression_text, user_loc
from minigraph.core.pytree import Spec, statics_of
from minigraph.core.tensor.conversion import short_repr

# ``argument_types``, the structure of the arguments, the context's values of ``COMPILED_FOR``
Key = tuple[Any, Spec, tuple[Any, ...]]


def argument_types(leaves: Sequence[Any], compared: Collection[int] | None = None) -> tuple[Any, ...]:
    """The shape and dtype of each tensor; its class and its first position if the code asks what or which it is.

    ``compared``: the ids of other tensors that the code compares with arguments by identity; ``None`` if it never asks.

    >>> from minigraph import Tensor
    >>> x = Tensor([1.0])
    >>> argument_types([x, x])
    (((1,), dtype('float32')), ((1,), dtype('float32')))
    >>> [place for *_, place in argument_types([x, x], compared=())]
    [0, 0]
    """
    types = tuple([(leaf.array.shape, leaf.array.dtype) for leaf in leaves])
    if compared is None:
        return types
    first: dict[int, int] = dict.fromkeys(compared, -1)
    places = [first.setdefault(id(leaf), k) for k, leaf in enumerate(leaves)]
    return tuple([(*type, leaf.__class__, place) for type, leaf, place in zip(types, leaves, places, strict=True)])


def recompile_reason(key: Key, known: Collection[Key]) -> str:
    """What is new in a key: shapes or dtypes, a static value, the argument structure, or settings.

    >>> from minigraph.core.pytree import flatten
    >>> recompile_reason(((), flatten(2.0, callable)[1], ()), [((), flatten(1.0, callable)[1], ())])
    'a new value: 2.0'
    """
    if not known:
        return "first call"
    types, spec, settings = key
    if any((spec, settings) == other[1:] for other in known):
        if any(_shapes(types) == _shapes(other[0]) for other in known):
            return "other classes, or a tensor given twice"
        return "new shapes" if any(_dtypes(types) == _dtypes(other[0]) for other in known) else "new dtypes"
    other_settings = [other[2] for other in known if (types, spec) == other[:2]]
    if other_settings:
        return f"another {_changed_settings(settings, other_settings[-1])} in the context"
    values = _new_values(spec, [other[1] for other in known])
    return f"a new value: {', '.join(values)}" if values else "another argument structure"


def unhashable_message(spec: Spec) -> str:
    """The message for a call whose arguments are not hashable."""
    kind = next((type(v).__name__ for v in statics_of(spec) if type(v).__hash__ is None), "an argument")
    return (
        f"argument of type {kind} is neither a tensor nor a hashable static value{expression_text(user_loc())}; "
        "pass tensors, numbers, strings, or tuples, lists and dicts of them"
    )


def _changed_settings(settings: tuple[Any, ...], before: tuple[Any, ...]) -> str:
    return " and ".join(key for key, new, old in zip(COMPILED_FOR, settings, before, strict=True) if new != old)


def _dtypes(types: Any) -> list[Any]:
    return [type[1] for type in types]


def _shapes(types: Any) -> list[Any]:
    return [type[:2] for type in types]


def _new_values(spec: Spec, known: Collection[Spec]) -> list[str]:
    """The static values that no known call with as many of them had at the same position."""
    values = list(statics_of(spec))
    others = [other for other in (list(statics_of(spec)) for spec in known) if len(other) == len(values)]
    if not others:
        return []
    new = [value for k, value in enumerate(values) if not any(_is_same(value, other[k]) for other in others)]
    return [short_repr(value) for value in new]


def _is_same(value: Any, other: Any) -> bool:
    """Whether two values have the same key; numbers of different types and zeros of different signs do not."""
    return value is other or (type(value) is type(other) and repr(value) == repr(other))
