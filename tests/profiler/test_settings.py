"""Settings of devices."""

from minigraph import profiler


def test_settings_of_devices_are_kept():
    config = profiler._ExperimentalConfig(aic_metrics=profiler.AicoreMetrics.L2Cache, host_sys=[])
    assert (config.profiler_level, config.aic_metrics.value) == (profiler.ProfilerLevel.Level0, "L2Cache")
    assert [level.name for level in profiler.ProfilerLevel] == ["LevelNone", "Level0", "Level1", "Level2"]
    assert profiler.AicoreMetrics.AiCoreNone.value == "None" and profiler.ProfilerActivity.NPU.value == "NPU"
