"""``ms.profiler``: what it records, and MindSpore's schedule."""

import importlib
import json

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn, ops, profiler
from minigraph.op import is_eager
from tests.tables import cases

X = Tensor([1.0, 2.0])


def traces(folder):
    """The names of the events of each trace, in the order of the folders' times."""
    files = sorted(folder.rglob("trace_view.json"))
    return [[event["name"] for event in json.loads(file.read_text()) if event["ph"] == "X"] for file in files]


def handler(folder):
    return profiler.tensorboard_trace_handler(str(folder))


# the rows are MindSpore's
@cases(
    ({"wait": 1, "active": 1}, "NONE RECORD_AND_SAVE NONE RECORD_AND_SAVE"),
    ({"wait": 1, "warmup": 1, "active": 2, "repeat": 1, "skip_first": 1},
     "NONE NONE WARM_UP RECORD RECORD_AND_SAVE NONE NONE"),
    ({"wait": 0, "warmup": 1, "active": 3, "repeat": 2, "skip_first": 1},
     "NONE WARM_UP RECORD RECORD RECORD_AND_SAVE WARM_UP RECORD RECORD RECORD_AND_SAVE NONE NONE NONE"),
    ({"wait": -1, "active": 1}, "RECORD_AND_SAVE RECORD_AND_SAVE"),
    ({"wait": 1, "active": 0}, "NONE RECORD_AND_SAVE NONE"),
    ({"wait": True, "active": 1.5, "repeat": -1}, "RECORD_AND_SAVE RECORD_AND_SAVE"),
)  # fmt: skip
def test_a_schedule_gives_the_action_of_each_step(arguments, actions):
    steps = profiler.schedule(**arguments)
    assert [steps(step).name for step in range(len(actions.split()))] == actions.split()


def test_a_schedule_prints_its_numbers_and_refuses_negative_steps():
    steps = profiler.schedule(wait=1, active=1)
    assert repr(steps) == "Schedule(wait=1, active=1, warmup=0, repeat=0, skip_first=0)"
    with pytest.raises(ValueError, match="step, which must be not less than 0"):
        steps(-1)


def test_the_operators_of_the_block_are_recorded_with_their_times(tmp_path):
    with profiler.profile(on_trace_ready=handler(tmp_path)):
        y = ops.exp(X) * 2
    ops.tanh(y)
    assert traces(tmp_path) == [["exp", "mul"]]
    [file] = tmp_path.rglob("trace_view.json")
    assert file.parent.name == "ASCEND_PROFILER_OUTPUT" and file.parent.parent.name.endswith("_ascend_ms")
    first, second = json.loads(file.read_text())[1:]
    assert first["dur"] > 0 and first["ts"] <= second["ts"]
    np.testing.assert_array_equal(y.asnumpy(), (ops.exp(X) * 2).asnumpy())


def test_a_cycle_of_steps_is_one_trace(tmp_path):
    kept = []
    steps = profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    with profiler.profile(schedule=steps, on_trace_ready=lambda prof: kept.append(prof.trace())) as prof:
        for function in (ops.sin, ops.cos, ops.exp, ops.tanh, ops.abs):
            function(X)
            prof.step()
    assert [[event["name"] for event in events if event["ph"] == "X"] for events in kept] == [["exp", "tanh"]]


def test_every_cycle_is_written(tmp_path):
    kept = []
    steps = profiler.schedule(wait=0, active=1)
    with profiler.profile(schedule=steps, on_trace_ready=lambda prof: kept.append(len(prof.trace()))) as prof:
        for _ in range(3):
            ops.sin(X)
            prof.step()
    assert kept == [2, 2, 2, 1]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_training_gives_the_same_values(mode, tmp_path):
    ms.set_context(mode=mode)

    def train(prof=None):
        net = nn.Dense(2, 2, weight_init="ones")
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)
        for _ in range(3):
            optimizer(step(Tensor([[1.0, 2.0]]))[1])
        return net.weight.asnumpy()

    with profiler.profile(on_trace_ready=handler(tmp_path)):
        recorded = train()
    np.testing.assert_array_equal(recorded, train())
    assert "matmul" in traces(tmp_path)[0]


def test_marks_and_metadata_are_in_the_trace():
    kept = []
    with profiler.profile(on_trace_ready=lambda prof: kept.extend(prof.trace())) as prof:
        profiler.mstx.mark("begin")
        assert profiler.mstx.range_end(profiler.mstx.range_start("range")) is None
        prof.add_metadata("model", "small")
        prof.add_metadata_json("sizes", "[1, 2]")
    assert [event["name"] for event in kept] == ["process_name", "metadata", "begin", "range"]
    assert kept[1]["args"] == {"model": "small", "sizes": [1, 2]}
    profiler.mstx.mark("outside of a profile")


def test_start_and_stop(tmp_path):
    prof = profiler.profile(start_profile=False, on_trace_ready=handler(tmp_path))
    with pytest.raises(RuntimeError, match="it has not started"):
        prof.step()
    ops.sin(X)
    prof.start()
    ops.cos(X)
    prof.stop()
    prof.stop()
    assert traces(tmp_path) == [["cos"]]


def test_an_error_in_the_block_is_raised_and_the_trace_is_written(tmp_path):
    with pytest.raises(ValueError, match="broadcast"), profiler.profile(on_trace_ready=handler(tmp_path)):
        ops.sin(X)
        ops.add(X, Tensor([1.0, 2.0, 3.0]))
    assert traces(tmp_path) == [["sin"]] and is_eager()


def test_settings_of_devices_are_kept():
    config = profiler._ExperimentalConfig(aic_metrics=profiler.AicoreMetrics.L2Cache, host_sys=[])
    assert (config.profiler_level, config.aic_metrics.value) == (profiler.ProfilerLevel.Level0, "L2Cache")
    assert [level.name for level in profiler.ProfilerLevel] == ["LevelNone", "Level0", "Level1", "Level2"]
    assert profiler.AicoreMetrics.AiCoreNone.value == "None" and profiler.ProfilerActivity.NPU.value == "NPU"


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


def test_analyse_takes_a_folder_and_the_module_has_mindspores_path(tmp_path):
    assert importlib.import_module("minigraph.profiler.profiler") is profiler
    assert profiler.analyse(str(tmp_path)) is None
    with pytest.raises(RuntimeError, match="there is no folder"):
        profiler.analyse(str(tmp_path / "none"))


def test_a_profile_that_is_dropped_before_its_block_records_nothing_further(tmp_path):
    profile = profiler.profile(on_trace_ready=handler(tmp_path))
    events = profile._timer.events
    ops.tanh(X)
    assert len(events) == 1
    del profile  # as an interrupt between the call and the block does
    profiler.mstx.mark("point")
    ops.tanh(X)
    assert len(events) == 1 and traces(tmp_path) == []
