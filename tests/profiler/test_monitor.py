"""A profile whose steps a file selects."""

import json

from minigraph import ops, profiler
from tests.profiler.traces import X, traces


def test_a_file_selects_the_steps(tmp_path):
    monitor = profiler.DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "traces"))
    file = tmp_path / "profiler_config.json"
    assert json.loads(file.read_text()) == {"start_step": -1, "stop_step": -1}
    for step, function in enumerate((ops.sin, ops.cos, ops.exp, ops.abs), 1):
        if step == 2:
            file.write_text('{"start_step": 2, "stop_step": 3}')
        monitor.step()
        function(X)
    assert traces(tmp_path) == [["cos", "exp"]]
