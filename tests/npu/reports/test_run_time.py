"""The four bars of a program, and the components of their ratios."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from minigraph.npu.host import HOSTS, Band, Task, wall_time
from minigraph.npu.reports.run_time import four_bars, ratios, verdict
from minigraph.npu.simulator import simulate

HOST = HOSTS["mindspore-cpu-host"]
SHORT_TASKS = [Task(i, Band(8.0, 4.0, 23.0), kind) for i, kind in enumerate(("product", "tanh") * 100)]


def published_program(x, w):
    """The program behind a published "graph is 30 times faster": 100 times a product and tanh."""
    for _ in range(100):
        x = ops.tanh(x @ w)
    return x


def test_the_segments_of_a_bar_add_up_only_eager_runs_wait_for_the_host_and_only_cold_runs_start():
    bars = four_bars(SHORT_TASKS, HOST)
    for bar in bars:
        assert sum(segment.time.us for segment in bar.segments) == pytest.approx(bar.time.us)
        assert bar.time == wall_time(SHORT_TASKS, HOST, bar.mode, bar.start == "cold")
        assert all(segment.time.lo <= segment.time.us <= segment.time.hi and segment.src for segment in bar.segments)
    texts = {bar.name: " ".join(segment.what for segment in bar.segments) for bar in bars}
    assert [name for name, text in texts.items() if "waiting for the host" in text] == ["cold eager", "warm eager"]
    assert [name for name, text in texts.items() if "first call" in text] == ["cold eager", "cold graph"]
    assert "compilation of 2 operators" in texts["cold eager"] and "capture" in texts["cold graph"]


def test_the_published_program_in_four_bars():
    """Published for a 910: PyNative about 1.5 s (cold), Graph about 0.05 s (almost warm).

    Warm, the eager run is host-bound at 8 to 14 ms and the graph run is bound by head overheads at 1.2 to 1.6 ms, which
    is a speed-up of 5 to 12; float32 is emulated by three products here, and tanh takes the instructions of the newer
    library, which makes the graph run slower.
    """
    x = Tensor(np.ones((512, 512), np.float32))
    report = simulate(published_program, x, x, chip="ascend910a")
    assert len(report.rows) == 200
    time = {bar.name: bar.time.us for bar in four_bars(report.tasks, report.host_preset)}
    assert time["cold eager"] == pytest.approx(1.5e6, rel=0.1)
    assert 8e3 <= time["warm eager"] <= 14e3
    assert 1.2e3 < time["warm graph"] < 5e3
    assert 4 < time["warm eager"] / time["warm graph"] < 12  # published: 30
    assert verdict(report.tasks, report.host_preset).startswith("host-bound")
    assert any("mostly cold start, as in a published 30x" in line for line in ratios(four_bars(report.tasks, HOST)))


def test_long_tasks_are_device_bound_and_an_empty_program_takes_time_too():
    tasks = [Task(1, Band(900.0, 890.0, 910.0))] * 2000
    assert verdict(tasks, HOST).startswith("device-bound")
    assert "partly cold start" in ratios(four_bars(tasks, HOST))[2]
    assert all(bar.time.us > 0 for bar in four_bars([], HOST))
