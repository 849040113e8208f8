"""Keyword arguments of Tensor's methods: MindSpore's names for arguments that have another name here."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from minigraph.core.aliases import CallResult, Function
from minigraph.core.errors import UsageError
from minigraph.core.location import with_location
from minigraph.core.tensor import Tensor

# names that mean the same in every method
SYNONYMS = (("axis", "dim"), ("keepdims", "keepdim", "keep_dims"), ("ddof", "correction"))

# method -> MindSpore's names and the names here
RENAMED = {
    "approximate_equal": {"other": "y"},
    "expand_as": {"x": "other"},
    "float_power": {"other": "exponent"},
    "isclose": {"x2": "other"},
    "matmul": {"tensor2": "other"},
    "multiply": {"value": "other"},
    "remainder": {"divisor": "other"},
    "split": {"split_size_or_sections": "split_size"},
    "sub": {"y": "other"},
    "sub_": {"y": "other"},
    "take": {"index": "indices"},
    "true_divide": {"other": "divisor"},
}

# names of integers that are also accepted as separate positional arguments
VARIADIC = {
    "broadcast_to": ("shape",), "expand": ("size",), "flip": ("dims",), "new_empty": ("size",), "new_ones": ("size",),
    "new_zeros": ("size",), "permute": ("dims", "axis"), "repeat": ("repeats",), "reshape": ("shape",),
    "tile": ("reps", "dims"), "transpose": ("dims", "axes"), "view": ("shape",),
}  # fmt: skip

# MindSpore's arguments without effect here, and their accepted values; other values raise an error
IGNORED: dict[str, dict[str, tuple[object, ...]]] = {
    "argsort": {"stable": (False, True)},
    "bernoulli": {"generator": (None,)},
    "bernoulli_": {"generator": (None,)},
    "copy_": {"non_blocking": (False, True)},
    "diag": {"diagonal": (0,)},
    "index_add": {"use_lock": (False, True), "check_index_bound": (False, True)},
    "new_empty": {"device": (None, "CPU")},
    "normal_": {"generator": (None,)},
    "qr": {"some": (True,)},
    "random_": {"generator": (None,)},
    "repeat_interleave": {"output_size": (None,)},
    "uniform_": {"generator": (None,)},
}


def accept_mindspore_names(name: str, fn: Function) -> Function:
    """The method ``name``, which also accepts MindSpore's argument names: ``dim`` for ``axis`` in all methods.

    MindSpore's arguments without effect here are accepted with their neutral values. ``argument_names`` of the method
    are the added names.

    >>> accept_mindspore_names("cumsum", lambda x, axis: axis)(0, dim=1)
    1
    """
    code = getattr(inspect.unwrap(fn), "__code__", None)  # inspect.signature takes thirty times as long
    params = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    renamed = {
        other: name for names in SYNONYMS for name in names if name in params for other in names if other not in params
    }
    renamed |= RENAMED.get(name, {})
    ignored, variadic = IGNORED.get(name, {}), VARIADIC.get(name, ())
    if not (renamed or ignored or variadic):
        return fn

    @functools.wraps(fn)
    def method(x: Tensor | None, *args: object, **kwargs: object) -> CallResult:
        if not kwargs:
            return fn(x, *args)
        if ignored or variadic:
            args, kwargs = _normalize_arguments(name, args, kwargs)
        return fn(x, *args, **{renamed.get(key, key): value for key, value in kwargs.items()})

    method.argument_names = frozenset((*renamed, *ignored, *variadic))  # type: ignore[attr-defined]
    return method


def _normalize_arguments(
    name: str, args: tuple[object, ...], kwargs: dict[str, object]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments without the ignored ones, and with variadic ones by position."""
    ignored, variadic = IGNORED.get(name, {}), VARIADIC.get(name, ())
    rest = {}
    for key, value in kwargs.items():
        if key in variadic and not args:
            args = (value,)
        elif key not in ignored:
            rest[key] = value
        elif value not in ignored[key]:
            reason = f"'{key}' exists in MindSpore but is not supported here other than as {ignored[key][0]!r}"
            raise with_location(UsageError(f"Tensor.{name}: {reason}, got {value!r}; leave it out"))
    return args, rest
