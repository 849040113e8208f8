"""Public names that were renamed: the old name works for one release and warns."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def deprecated_getattr(module: str, renamed: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__`` that gives ``renamed`` names (old -> new) with a ``DeprecationWarning``.

    Raises ``AttributeError`` for every other name.

    >>> getattr_of_math = deprecated_getattr("math", {"circle": "tau"})
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     print(round(getattr_of_math("circle"), 2), caught[0].message)
    6.28 math.circle: it is called math.tau now; use that name, the old one goes with the next release
    """

    def getattr_of_module(name: str) -> Any:
        if name not in renamed:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        new = f"{module}.{renamed[name]}"
        text = f"{module}.{name}: it is called {new} now; use that name, the old one goes with the next release"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], renamed[name])

    return getattr_of_module


op_getattr = deprecated_getattr(
    "minigraph.op", {"computing_now": "is_eager", "interpreting": "use_interpreter", "listening": "record_on"}
)
sweeps_getattr = deprecated_getattr("minigraph.npu.sweeps", {"Serial": "SerialExecutor"})
