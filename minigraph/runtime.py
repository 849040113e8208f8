"""``ms.runtime``: controls of a device runtime. minigraph has none: every operator finishes before its call returns.

>>> synchronize()
"""

from __future__ import annotations

import re
from typing import Any

from minigraph.core.context import set_context
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.missing_names import runtime_getattr as __getattr__  # noqa: F401 - Python calls it

__all__ = [
    "empty_cache", "launch_blocking", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
    "memory_reserved", "memory_stats", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "set_memory", "synchronize",
]  # fmt: skip

METRICS = ("Reserved memory", "Allocated memory", "Idle memory", "Eager free memory", "Max reserved memory",
           "Max allocated memory")  # fmt: skip
GIGABYTES = re.compile(r"[1-9][0-9]*\.?[0-9]*GB|0\.[0-9]*GB", re.ASCII)
TABLE_WIDTH = 45  # characters between the bars of ``memory_summary``


def launch_blocking() -> None:
    """Report errors at the operator that caused them, as minigraph always does."""
    set_context(pynative_synchronize=True)


def synchronize() -> None:
    """Wait for the device. Returns immediately, since all operators are synchronous."""


def empty_cache() -> None:
    """Release cached device memory. No effect: nothing is cached."""


# ---- the device's memory pool: as in MindSpore on a CPU there is none, and every value is 0 -------------------------


def memory_allocated() -> int:
    """Allocated bytes of the pool: 0, since tensors are in the memory of the process.

    >>> memory_allocated()
    0
    """
    return 0


def max_memory_allocated() -> int:
    """Peak of ``memory_allocated`` in bytes: 0."""
    return 0


def memory_reserved() -> int:
    """Bytes that the pool has reserved: 0."""
    return 0


def max_memory_reserved() -> int:
    """Peak of ``memory_reserved`` in bytes: 0."""
    return 0


def memory_stats() -> dict[str, Any]:
    """All statistics of the pool by name, in bytes; each is 0.

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
    """The statistics of the pool as a text table."""
    thick, thin = f"|{'=' * TABLE_WIDTH}|\n", f"|{'-' * TABLE_WIDTH}|\n"
    rows = thin.join(f"| {name:<20} |      0 B             |\n" for name in METRICS)
    head = f"|{'Memory summary':^{TABLE_WIDTH}}|\n{thick}| {'Metric':<20} | {'Data':<20} |\n{thin}"
    return f"{thick}{head}{rows}{thick}"


def reset_max_memory_allocated() -> None:
    """Reset ``max_memory_allocated``. No effect: it is always 0."""


def reset_max_memory_reserved() -> None:
    """Reset ``max_memory_reserved``. No effect: it is always 0."""


def reset_peak_memory_stats() -> None:
    """Reset both peaks. No effect: they are always 0."""


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Set the sizes of the pool. No effect: there is none; raises ``TypeError`` or ``ValueError`` unless like "2GB".

    >>> set_memory(max_size="2.5GB")
    """
    sizes = {"init_size": init_size, "increase_size": increase_size, "max_size": max_size}
    for name, size in (sizes | {"huge_page_reserve_size": huge_page_reserve_size}).items():
        if not isinstance(size, str):
            raise ArgTypeError(f"The parameter '{name}' must be {str}, but got {type(size)}")
        if not GIGABYTES.fullmatch(size) and (name, size) != ("huge_page_reserve_size", "0GB"):
            raise ArgValueError(f"set_memory: {name} must be a number of gigabytes such as '2GB', got {size!r}")
    if optimize_level not in ("O0", "O1"):
        raise ArgValueError(f"set_memory: optimize_level must be 'O0' or 'O1', got {optimize_level!r}")
