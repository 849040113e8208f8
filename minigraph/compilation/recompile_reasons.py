"""Why a call has to compile: what is new in it, compared with the calls that were compiled before."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from minigraph.core.context import COMPILED_FOR
from minigraph.core.location import in_expression, user_loc
from minigraph.core.pytree import Spec, statics_of
from minigraph.core.tensor.conversion import short_repr

# shapes and dtypes of the tensors, how the arguments are built, the context's values of ``COMPILED_FOR``
Key = tuple[Any, Spec, tuple[Any, ...]]


def reason(key: Key, known: Collection[Key]) -> str:
    """What no call before had: new shapes or dtypes, another value, another structure, other settings.

    >>> from minigraph.core.pytree import flatten
    >>> reason(((), flatten(2.0, callable)[1], ()), [((), flatten(1.0, callable)[1], ())])
    'a new value: 2.0'
    """
    if not known:
        return "first call"
    types, spec, way = key
    if any((spec, way) == other[1:] for other in known):
        return "new shapes" if any(_dtypes(types) == _dtypes(other[0]) for other in known) else "new dtypes"
    ways = [other[2] for other in known if (types, spec) == other[:2]]
    if ways:
        return f"another {_changed(way, ways[-1])} in the context"
    values = _new_values(spec, [other[1] for other in known])
    return f"a new value: {', '.join(values)}" if values else "arguments built in another way"


def unhashable(spec: Spec) -> str:
    """What is wrong with a call whose arguments cannot be looked up."""
    kind = next((type(v).__name__ for v in statics_of(spec) if type(v).__hash__ is None), "an argument")
    return (
        f"argument of type {kind} is neither a tensor nor a hashable static value{in_expression(user_loc())}; "
        "pass tensors, numbers, strings, or tuples, lists and dicts of them"
    )


def _changed(way: tuple[Any, ...], before: tuple[Any, ...]) -> str:
    return " and ".join(key for key, new, old in zip(COMPILED_FOR, way, before, strict=True) if new != old)


def _dtypes(types: Any) -> list[Any]:
    return [dtype for _, dtype in types]


def _new_values(spec: Spec, known: Collection[Spec]) -> list[str]:
    """The values among the arguments that no call had in their place, if there is a call with as many."""
    mine = list(statics_of(spec))
    others = [values for values in (list(statics_of(other)) for other in known) if len(values) == len(mine)]
    if not others:
        return []
    new = [value for k, value in enumerate(mine) if not any(_same(value, other[k]) for other in others)]
    return [short_repr(value) for value in new]


def _same(value: Any, other: Any) -> bool:
    """Whether two values would find one program; numbers of two kinds would not, nor zeros of two signs."""
    return value is other or (type(value) is type(other) and repr(value) == repr(other))
