"""Keywords of Tensor's methods: MindSpore's words for arguments that are called otherwise here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from minigraph.core.errors import UsageError
from minigraph.core.location import located

Method = Callable[..., Any]

# words that mean the same in every method
SYNONYMS = (("axis", "dim"), ("keepdims", "keepdim", "keep_dims"), ("ddof", "correction"))

# words of one method each, and what they are here
WORDS = {
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

# words for numbers that are also taken one by one
STARRED = {
    "broadcast_to": ("shape",), "expand": ("size",), "flip": ("dims",), "new_empty": ("size",), "new_ones": ("size",),
    "new_zeros": ("size",), "permute": ("dims", "axis"), "repeat": ("repeats",), "reshape": ("shape",),
    "tile": ("reps", "dims"), "transpose": ("dims", "axes"), "view": ("shape",),
}  # fmt: skip

# words that MindSpore has, and the values that change nothing here; others are refused
IDLE: dict[str, dict[str, tuple[Any, ...]]] = {
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


def worded(name: str, fn: Method) -> Method:
    """The method ``name``, which takes MindSpore's words, too: ``dim`` for ``axis`` in all, others in some.

    A word that MindSpore has and that does nothing here is taken with the values that ask for nothing. The words
    are in the method's ``words``.

    >>> worded("cumsum", lambda x, axis: axis)(0, dim=1)
    1
    """
    code = getattr(inspect.unwrap(fn), "__code__", None)  # asking for the signature takes thirty times as long
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    other = {word: own for words in SYNONYMS for own in words if own in known for word in words if word not in known}
    other |= WORDS.get(name, {})
    idle, starred = IDLE.get(name, {}), STARRED.get(name, ())
    if not (other or idle or starred):
        return fn

    @functools.wraps(fn)
    def method(x: Any, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return fn(x, *args)
        if idle or starred:
            args, kwargs = _plain(name, args, kwargs)
        return fn(x, *args, **{other.get(word, word): value for word, value in kwargs.items()})

    method.words = frozenset((*other, *idle, *starred))  # type: ignore[attr-defined]
    return method


def _plain(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments without the words that ask for nothing, and with numbers where they stand one by one."""
    idle, starred = IDLE.get(name, {}), STARRED.get(name, ())
    rest = {}
    for word, value in kwargs.items():
        if word in starred and not args:
            args = (value,)
        elif word not in idle:
            rest[word] = value
        elif value not in idle[word]:
            told = f"'{word}' exists in MindSpore but is not supported here other than as {idle[word][0]!r}"
            raise located(UsageError(f"Tensor.{name}: {told}, got {value!r}; leave it out"))
    return args, rest
