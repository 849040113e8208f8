"""The reason of a compilation: the difference between a call's cache key and the keys compiled before.

``recompile_warning`` names the argument that differs at every call, for functions that are compiled again and again.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from minigraph.capture.structure import is_tensor
from minigraph.core.aliases import Function
from minigraph.core.context import COMPILED_FOR
from minigraph.core.location import expression_text, user_loc
from minigraph.core.pytree import Spec, flatten, statics_of
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.conversion import short_repr

# ``argument_types``, the structure of the arguments, the context's values of ``COMPILED_FOR``
Key = tuple[Any, Spec, tuple[Any, ...]]


def argument_types(leaves: Sequence[Any], compared: Collection[int] | None = None) -> tuple[object, ...]:
    """The shape and dtype of each tensor; its class if it is a subclass, and its class and its first position if the
    code tests its type or identity.

    ``compared``: the ids of other tensors that the code compares with arguments by identity; ``None`` if it never does.

    >>> from minigraph import Tensor
    >>> x = Tensor([1.0])
    >>> argument_types([x, x])
    (((1,), dtype('float32')), ((1,), dtype('float32')))
    >>> [position for *_, position in argument_types([x, x], compared=())]
    [0, 0]
    """
    types = tuple([
        (leaf.array.shape, leaf.array.dtype, *[leaf.__class__] * (leaf.__class__ not in (Tensor, Parameter)))
        for leaf in leaves
    ])  # fmt: skip
    if compared is None:
        return types
    first: dict[int, int] = dict.fromkeys(compared, -1)
    positions = [first.setdefault(id(leaf), k) for k, leaf in enumerate(leaves)]
    return tuple(
        [(*type, leaf.__class__, position) for type, leaf, position in zip(types, leaves, positions, strict=True)]
    )


def recompile_reason(key: Key, known: Collection[Key]) -> str:
    """The difference of two keys: shapes or dtypes, a static value, the argument structure, or settings.

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


class RecompileWarning(UserWarning):
    """A jitted function was compiled many times, because its arguments or settings differ at every call."""


class CallArgument(NamedTuple):
    """An argument of a call: its name, and how many tensors and static values it holds."""

    name: str
    tensors: int
    statics: int


def call_arguments(function: Function, args: tuple[object, ...], kwargs: dict[str, Any]) -> list[CallArgument]:
    """The arguments of a call by name, in the order in which they are flattened.

    >>> call_arguments(lambda x, *more: x, (1, (2, 3)), {"mode": "same"})
    [CallArgument(name='x', tensors=0, statics=1), CallArgument(name='more', tensors=0, statics=2), \
CallArgument(name='mode', tensors=0, statics=1)]
    """
    try:
        names = [*inspect.signature(getattr(function, "construct", function)).parameters]
    except (TypeError, ValueError):
        names = []
    positional = [names[min(k, len(names) - 1)] if names else str(k + 1) for k in range(len(args))]
    return [_argument(*pair) for pair in (*zip(positional, args, strict=True), *kwargs.items())]


def _argument(name: str, value: object) -> CallArgument:
    leaves, spec = flatten(value, is_tensor)
    return CallArgument(name, len(leaves), len([*statics_of(spec)]))


def recompile_warning(why: str, key: Key, known: Collection[Key], arguments: Sequence[CallArgument]) -> str:
    """The cause of most recompilations, and the remedy: the argument with always new shapes or values, else ``why``."""
    same = [other for other in known if other[1] == key[1]]
    shapes = [[shape for shape, *_ in other[0]] for other in same]
    by_shape = _changing_argument(shapes, [argument.tensors for argument in arguments])
    by_value = changing_value(known, arguments)
    where = expression_text(user_loc())
    if by_shape and by_shape[1] >= (by_value[1] if by_value else 0):
        name, count = arguments[by_shape[0]].name, by_shape[1]
        remedy = f"pad '{name}' to a few shapes, or leave @jit out"
        return f"for {count} shapes of argument '{name}'{where}; {remedy}: each shape is another program"
    if by_value:
        name, count = by_value
        return f"for {count} values of argument '{name}'{where}; pass a Tensor: each Python value is another program"
    return f"the last time: {why}{where}; keep it the same, or pass it as a tensor argument"


def changing_value(known: Collection[Key], arguments: Sequence[CallArgument]) -> tuple[str, int] | None:
    """The argument with the most different static values, and their number; ``None`` if no value differs."""
    values = [[(type(value), short_repr(value)) for value in statics_of(key[1])] for key in known]
    change = _changing_argument(values, [argument.statics for argument in arguments])
    return (arguments[change[0]].name, change[1]) if change else None


def _changing_argument(rows: Sequence[Sequence[object]], sizes: Sequence[int]) -> tuple[int, int] | None:
    """The argument that differs in most of the rows, and how many kinds of it there are; ``None`` if none does.

    ``sizes`` are the numbers of columns that belong to each argument; rows of other lengths do not count.
    """
    rows, counts, first = [row for row in rows if len(row) == sum(sizes)], list[int](), 0
    for size in sizes:
        counts.append(len({tuple(row[first : first + size]) for row in rows}))
        first += size
    most = max(counts, default=1)
    return (counts.index(most), most) if most > 1 else None


def unhashable_message(spec: Spec) -> str:
    """The message for a call whose arguments are not hashable."""
    kind = next((type(v).__name__ for v in statics_of(spec) if type(v).__hash__ is None), "an argument")
    return (
        f"argument of type {kind} is neither a tensor nor a hashable static value{expression_text(user_loc())}; "
        "pass tensors, numbers, strings, or tuples, lists and dicts of them"
    )


def _changed_settings(settings: tuple[object, ...], before: tuple[object, ...]) -> str:
    return " and ".join(key for key, new, old in zip(COMPILED_FOR, settings, before, strict=True) if new != old)


def _dtypes(types: Iterable[tuple[object, ...]]) -> list[object]:
    return [type[1] for type in types]


def _shapes(types: Iterable[tuple[object, ...]]) -> list[object]:
    return [type[:2] for type in types]


def _new_values(spec: Spec, known: Collection[Spec]) -> list[str]:
    """The static values that no known call with as many of them had at the same position."""
    values = list(statics_of(spec))
    others = [other for other in (list(statics_of(spec)) for spec in known) if len(other) == len(values)]
    if not others:
        return []
    new = [value for k, value in enumerate(values) if not any(_is_same(value, other[k]) for other in others)]
    return [short_repr(value) for value in new]


def _is_same(value: object, other: object) -> bool:
    """Whether two values have the same key; numbers of different types and zeros of different signs do not."""
    return value is other or (type(value) is type(other) and repr(value) == repr(other))
