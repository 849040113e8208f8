"""The reason of a compilation: the difference between a call's cache key and the keys compiled before.

``recompile_warning`` names the argument that differs at every call, for functions that are compiled again and again.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from minigraph.core.aliases import Function
from minigraph.core.context import COMPILE_KEY_SETTINGS
from minigraph.core.location import expression_text, user_loc
from minigraph.core.pytree import Branch, Leaf, Spec, statics_of
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.conversion import short_repr

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
# ``argument_types``, the structure of the arguments, the context's values of ``COMPILE_KEY_SETTINGS``
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


def recompile_reason(key: Key, keys: Collection[Key]) -> str:
    """The difference of two keys: shapes or dtypes, a static value, the argument structure, or settings.

    >>> from minigraph.core.pytree import flatten
    >>> recompile_reason(((), flatten(2.0, callable)[1], ()), [((), flatten(1.0, callable)[1], ())])
    'a new value: 2.0'
    """
    if not keys:
        return "first call"
    types, spec, settings = key
    if any((spec, settings) == other[1:] for other in keys):
        if any(_shapes(types) == _shapes(other[0]) for other in keys):
            return "other classes, or a tensor given twice"
        return "new shapes" if any(_dtypes(types) == _dtypes(other[0]) for other in keys) else "new dtypes"
    other_settings = [other[2] for other in keys if (types, spec) == other[:2]]
    if other_settings:
        return f"another {_changed_settings(settings, other_settings[-1])} in the context"
    values = _new_values(spec, [other[1] for other in keys])
    return f"a new value: {', '.join(values)}" if values else "another argument structure"


class RecompileWarning(UserWarning):
    """A jitted function was compiled many times, because its arguments or settings differ at every call."""


class Change(NamedTuple):
    """The largest difference between compiled programs: an argument, an aspect of it, and its number of variants.

    ``together``: the names of all arguments with as many variants, as in a sentence.
    """

    argument: str
    aspect: str  # a key of ``REMEDIES``
    variants: int
    together: str = ""

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return REMEDIES[self.aspect].format(self.together)


REMEDIES = {
    "structures": "keep the items of '{0}' the same in number and kind: each structure is another program",
    "shapes": "pad '{0}' to a few shapes, or leave @jit out: each shape is another program",
    "numbers": "pass a Tensor, or few values of a size or an axis: each Python value is another program",
    "values": "pass the same '{0}' at every call, or leave @jit out: each value is another program",
}


def argument_names(function: Function, args: tuple[object, ...], kwargs: dict[str, Any]) -> list[str]:
    """The names of a call's arguments, in the order in which they are flattened; a gradient has those of its function.

    >>> argument_names(lambda x, *more: x, (1, 2, 3), {"mode": "same"})
    ['x', 'more[0]', 'more[1]', 'mode']
    """
    while hasattr(function, "_transformed_function") and not hasattr(function, "__wrapped__"):  # which copies it
        function = function._transformed_function
    try:
        parameters = [*inspect.signature(getattr(function, "construct", function)).parameters.values()]
    except (TypeError, ValueError):
        parameters = []
    single = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL]
    variadic = next((parameter.name for parameter in parameters if parameter.kind is parameter.VAR_POSITIONAL), "args")
    first = len([parameter for parameter in parameters if parameter.kind in POSITIONAL])
    return [*(single[:first] + [f"{variadic}[{k}]" for k in range(len(args) - first)])[: len(args)], *kwargs]


def recompile_warning(reason: str, keys: Collection[Key], names: Sequence[str]) -> str:
    """The cause of most recompilations, and the remedy: the argument that differs in most programs, else ``reason``.

    ``keys``: of the compiled programs; ``names``: the names of the last call's arguments.
    """
    where, change = expression_text(user_loc()), largest_change(keys, names)
    counts = {len(_arguments_of(key)) for key in keys}
    if len(counts) > (1 if change is None else change.variants):
        return f"for {len(counts)} numbers of arguments{where}; pass always as many: each number is another program"
    if change is None:
        return f"the last time: {reason}{where}; keep it the same, or pass it as a tensor argument"
    kind = "values" if change.aspect == "numbers" else change.aspect
    plural = "s" * (change.together != change.argument)
    return f"for {change.variants} {kind} of argument{plural} '{change.together}'{where}; {change.remedy}"


def largest_change(keys: Collection[Key], names: Sequence[str], aspects: Iterable[str] = REMEDIES) -> Change | None:
    """The argument that differs in most of the compiled programs; ``None`` if no argument differs.

    Programs compiled for calls with another number of arguments or other keywords do not count.
    """
    calls = [call for call in map(_arguments_of, keys) if len(call) == len(names)]
    changes = [
        Change(name, aspect, len({call[k].get(aspect) for call in calls}))
        for aspect in aspects
        for k, name in enumerate(names)
    ]
    most = max(changes, key=lambda change: change.variants, default=None)
    if most is None or most.variants < 2:
        return None
    together = [change.argument for change in changes if change[1:] == most[1:]]
    return most._replace(together="' and '".join(together))


def _arguments_of(key: Key) -> list[dict[str, object]]:
    """The aspects of each argument of the call that a program was compiled for."""
    spec = key[1]
    assert isinstance(spec, Branch)
    positional, keywords = spec.children
    assert isinstance(positional, Branch) and isinstance(keywords, Branch)
    return [_aspects(spec, key[0]) for spec in (*positional.children, *keywords.children)]


def _aspects(spec: Spec, types: Sequence[tuple[object, ...]]) -> dict[str, object]:
    shapes = tuple([types[position][0] for position in _leaf_positions(spec)])
    statics = [*statics_of(spec)]
    kind = "numbers" if all(isinstance(value, int | float | complex) for value in statics) else "values"
    return {
        "structures": _without_values(spec),
        "shapes": shapes,
        kind: tuple([(type(value), short_repr(value)) for value in statics]),
    }


def _leaf_positions(spec: Spec) -> Iterator[int]:
    if isinstance(spec, Leaf):
        yield spec.position
    for child in spec.children if isinstance(spec, Branch) else ():
        yield from _leaf_positions(child)


def _without_values(spec: Spec) -> object:
    """The containers of a structure and their keys, without its values and the positions of its leaves."""
    if not isinstance(spec, Branch):
        return type(spec)
    return getattr(spec.kind, "__name__", type(spec.kind)), spec.keys, *map(_without_values, spec.children)


def unhashable_message(spec: Spec) -> str:
    """The message for a call whose arguments are not hashable."""
    kind = next((type(v).__name__ for v in statics_of(spec) if type(v).__hash__ is None), "an argument")
    return (
        f"argument of type {kind} is neither a tensor nor a hashable static value{expression_text(user_loc())}; "
        "pass tensors, numbers, strings, or tuples, lists and dicts of them"
    )


def _changed_settings(settings: tuple[object, ...], before: tuple[object, ...]) -> str:
    return " and ".join(key for key, new, old in zip(COMPILE_KEY_SETTINGS, settings, before, strict=True) if new != old)


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
