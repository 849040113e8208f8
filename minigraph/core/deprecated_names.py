"""Public names that were renamed: the old name works for one release, with a ``DeprecationWarning``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from minigraph.core.aliases import Function

F = TypeVar("F", bound=Function)


def warn_renamed(old: str, new: str) -> None:
    """Warn the caller of our caller that ``old`` is called ``new`` now."""
    text = f"{old} was renamed to {new}; use the new name, the next release removes the old one"
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def deprecated_getattr(module: str, renamed: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__`` that gives ``renamed`` names (old -> new) with a ``DeprecationWarning``; no others.

    >>> getattr_of_math = deprecated_getattr("math", {"circle": "tau"})
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     print(round(getattr_of_math("circle"), 2), caught[0].message)
    6.28 math.circle was renamed to math.tau; use the new name, the next release removes the old one
    """

    def getattr_of_module(name: str) -> Any:
        if name not in renamed:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        warn_renamed(f"{module}.{name}", f"{module}.{renamed[name]}")
        return getattr(sys.modules[module], renamed[name])

    return getattr_of_module


class DeprecatedAttribute:
    """An old name of an attribute or a method: ``old = DeprecatedAttribute("new")`` in the body of the class."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = name

    def __get__(self, instance: object, owner: type) -> Any:
        """The attribute under its new name."""
        warn_renamed(f"{owner.__name__}.{self.old}", f"{owner.__name__}.{self.new}")
        return getattr(owner if instance is None else instance, self.new)


def renamed_arguments(**renamed: str) -> Callable[[F], F]:
    """A decorator for functions with ``renamed`` keyword arguments (old="new"), which still take the old keywords."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*args: object, **kwargs: object) -> Any:
            for old in renamed.keys() & kwargs.keys():
                name = function.__qualname__.removesuffix(".__init__")
                warn_renamed(f"{name}: the argument '{old}'", f"'{renamed[old]}'")
                kwargs[renamed[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


passes_getattr = deprecated_getattr(
    "passes", {"Tally": "Statistics", "examined": "examine", "again": "reapply", "Fix": "FixedPoint"}
)
op_getattr = deprecated_getattr(
    "minigraph.op", {"computing_now": "is_eager", "interpreting": "use_interpreter", "listening": "record_on"}
)
ERRORS = {
    "EndlessCapture": "InfiniteCaptureError", "EndlessLoop": "IterationLimitError", "UnknownName": "UnknownNameError",
    "DuplicateName": "DuplicateNameError",
}  # fmt: skip
errors_getattr = deprecated_getattr("minigraph.errors", ERRORS)
lessons_getattr = deprecated_getattr("minigraph.lessons", {"Ran": "CellRun", "NotYet": "WrongAnswerError"})
viz_getattr = deprecated_getattr("viz", {"miss": "partial_match", "Dot": "ScatterPoint", "film": "pass_animation"})
npu_getattr = deprecated_getattr("minigraph.npu", {"Figure": "HardwareParameter"})
side_effects_getattr = deprecated_getattr("minigraph.capture.side_effects", {"SideEffect": "SideEffectWarning"})
op_by_op_getattr = deprecated_getattr("minigraph.compilation.op_by_op", {"RunsOpByOp": "OpByOpWarning"})
sweeps_getattr = deprecated_getattr("minigraph.npu.sweeps", {"Serial": "SerialExecutor"})
