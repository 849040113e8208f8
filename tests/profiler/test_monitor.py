"""A profile whose steps a file selects."""

import json

import pytest

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


DAMAGED = [
    "", '{"start_step"', "{}", "[]", "3", '{"start_step": "1", "stop_step": null}',
    '{"start_step": 1.5, "stop_step": 2}', "[" * 100_000, "\udcff",
]  # fmt: skip


@pytest.mark.parametrize("text", DAMAGED, ids=lambda text: text[:20])
def test_a_file_that_is_being_written_is_a_warning_and_the_steps_stay(tmp_path, text):
    monitor = profiler.DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "traces"))
    file = tmp_path / "profiler_config.json"
    file.write_text('{"start_step": 2, "stop_step": 2}')
    monitor.step()
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.warns(UserWarning, match=r"profiler_config.json' cannot be used.*write {") as caught:
        monitor.step()
    assert caught[0].filename == __file__
    ops.cos(X)
    file.unlink()
    with pytest.warns(UserWarning, match="FileNotFoundError"):
        monitor.step()
    assert traces(tmp_path) == [["cos"]]
