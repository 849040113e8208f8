"""Calls during which numpy reports neither overflow nor division by zero: inf and nan are ordinary values here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

import numpy as np

from minigraph.core.scope_guard import call_with_variables

T = TypeVar("T")


def _ignoring_values() -> Mapping[ContextVar[Any], Any]:
    """The context variables in which ``np.seterr(all="ignore")`` is kept; numpy 1 has none."""
    context = copy_context()
    context.run(np.seterr, all="ignore")
    return {variable: value for variable, value in context.items() if variable.name.startswith("numpy")}


_VALUES = _ignoring_values()


def call_ignoring_float_errors(fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    """The result of ``fn(*args, **kwargs)``, called under ``np.errstate(all="ignore")``.

    An exception raised anywhere leaves the caller's settings as they were; leaving ``np.errstate`` runs Python code.

    >>> call_ignoring_float_errors(np.geterr)["over"], np.geterr()["over"]
    ('ignore', 'warn')
    """
    if _VALUES:
        return call_with_variables(_VALUES, fn, *args, **kwargs)
    with np.errstate(all="ignore"):
        return fn(*args, **kwargs)
