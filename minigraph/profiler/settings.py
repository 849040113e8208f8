"""Settings of devices: MindSpore's names, without effect."""

from __future__ import annotations

from enum import Enum
from typing import Any


class ProfilerLevel(Enum):
    """How much of a device is recorded; no effect."""

    LevelNone, Level0, Level1, Level2 = "LevelNone", "Level0", "Level1", "Level2"


class ProfilerActivity(Enum):
    """Which device is recorded; no effect."""

    NPU, GPU, CPU = "NPU", "GPU", "CPU"


class ExportType(Enum):
    """The format of a device's files; no effect."""

    Db, Text = "db", "text"


class AicoreMetrics(Enum):
    """The counters of a device's cores; no effect."""

    PipeUtilization, ArithmeticUtilization = "PipeUtilization", "ArithmeticUtilization"
    Memory, MemoryL0, MemoryUB = "Memory", "MemoryL0", "MemoryUB"
    ResourceConflictRatio, L2Cache = "ResourceConflictRatio", "L2Cache"
    MemoryAccess, AiCoreNone = "MemoryAccess", "None"


class _ExperimentalConfig:
    """Settings of Ascend's profiler, kept as attributes.

    >>> _ExperimentalConfig(profiler_level=ProfilerLevel.Level1).l2_cache
    False
    """

    def __init__(
        self,
        profiler_level: Any = ProfilerLevel.Level0,
        aic_metrics: Any = AicoreMetrics.AiCoreNone,
        **settings: object,
    ) -> None:
        self.profiler_level, self.aic_metrics, self.l2_cache, self.mstx = profiler_level, aic_metrics, False, False
        vars(self).update(settings)
