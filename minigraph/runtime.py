"""``ms.runtime``: control of a runtime that minigraph does not have, because every operator is done when it returns.

>>> synchronize()
"""

from __future__ import annotations

from minigraph.core.context import set_context
from minigraph.core.missing_names import runtime_getattr as __getattr__  # noqa: F401 - Python calls it

__all__ = ["empty_cache", "launch_blocking", "synchronize"]


def launch_blocking() -> None:
    """Errors appear at the operator that caused them; they do so in any case."""
    set_context(pynative_synchronize=True)


def synchronize() -> None:
    """Wait for the device: nothing is ever left to wait for."""


def empty_cache() -> None:
    """Give unused memory back: nothing is kept."""
