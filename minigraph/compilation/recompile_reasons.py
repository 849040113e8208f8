"""The reason of a compilation: the difference between a call's cache key and the keys compiled before."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from minigraph.core.context import COMPILED_FOR
from minigraph.core.location import expression_text, user_loc
from minigraph.core.pytree import Spec, statics_of
from minigraph.core.tensor.conversion import short_repr

# shapes and dtypes of the tensors, the structure of the arguments, the context's values of ``COMPILED_FOR``
Key = tuple[Any, Spec, tuple[Any, ...]]


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
    return [dtype for _, dtype in types]


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
