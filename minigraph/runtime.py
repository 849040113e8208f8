"""``ms.runtime``: control of a runtime that minigraph does not have, because every operator is done when it returns.

>>> synchronize()
"""

from __future__ import annotations

from typing import Any

from minigraph.core.context import set_context
from minigraph.core.missing_names import runtime_getattr as __getattr__  # noqa: F401 - Python calls it

__all__ = [
    "empty_cache", "launch_blocking", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
    "memory_reserved", "memory_stats", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "synchronize",
]  # fmt: skip

FIGURES = ("Reserved memory", "Allocated memory", "Idle memory", "Eager free memory", "Max reserved memory",
           "Max allocated memory")  # fmt: skip
WIDTH = 45  # characters between the bars of ``memory_summary``


def launch_blocking() -> None:
    """Errors appear at the operator that caused them; they do so in any case."""
    set_context(pynative_synchronize=True)


def synchronize() -> None:
    """Wait for the device: nothing is ever left to wait for."""


def empty_cache() -> None:
    """Give unused memory back: nothing is kept."""


# ---- memory of a device's pool: as in MindSpore on a CPU there is none, and every figure is 0 ---------------------


def memory_allocated() -> int:
    """0 bytes: tensors are in the process's memory, not in a pool.

    >>> memory_allocated()
    0
    """
    return 0


def max_memory_allocated() -> int:
    """0 bytes."""
    return 0


def memory_reserved() -> int:
    """0 bytes."""
    return 0


def max_memory_reserved() -> int:
    """0 bytes."""
    return 0


def memory_stats() -> dict[str, Any]:
    """All figures by name; each is 0.

    >>> memory_stats()["total_allocated_memory"]
    0
    """
    totals = ("total_reserved_memory", "total_allocated_memory", "total_idle_memory", "total_eager_free_memory",
              "max_reserved_memory", "max_allocated_memory")  # fmt: skip
    common: dict[str, Any] = {"block_unit_size": 0, "block_counts": 0, "blocks_info": {}}
    persistent: dict[str, Any] = {"block_counts": 0, "block_unit_size": 0, "blocks_info": {}}
    pools = {"common_mem_pool_stats": common, "persistent_mem_pool_stats": persistent}
    return dict.fromkeys(totals, 0) | pools


def memory_summary() -> str:
    """A table of the figures."""
    thick, thin = f"|{'=' * WIDTH}|\n", f"|{'-' * WIDTH}|\n"
    rows = thin.join(f"| {name:<20} |      0 B             |\n" for name in FIGURES)
    head = f"|{'Memory summary':^{WIDTH}}|\n{thick}| {'Metric':<20} | {'Data':<20} |\n{thin}"
    return f"{thick}{head}{rows}{thick}"


def reset_max_memory_allocated() -> None:
    """Nothing: the figure is 0."""


def reset_max_memory_reserved() -> None:
    """Nothing: the figure is 0."""


def reset_peak_memory_stats() -> None:
    """Nothing: the figures are 0."""
