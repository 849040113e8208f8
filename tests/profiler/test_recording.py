"""What a profile records."""

import importlib
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn, ops, profiler
from minigraph.core.op import active_context
from minigraph.op import is_eager
from tests.profiler.traces import X, handler, traces
from tests.rough.interrupts import count_instructions, interrupt


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


def test_analyse_takes_a_folder_and_the_module_has_mindspores_path(tmp_path):
    assert importlib.import_module("minigraph.profiler.profiler") is profiler
    assert profiler.analyse(str(tmp_path)) is None
    with pytest.raises(RuntimeError, match="there is no folder"):
        profiler.analyse(str(tmp_path / "none"))


def test_a_profile_that_is_dropped_before_its_block_records_nothing_further(tmp_path):
    profile = profiler.profile(on_trace_ready=handler(tmp_path))
    events = profile.timer.events
    ops.tanh(X)
    assert len(events) == 1
    del profile  # as an interrupt between the call and the block does
    profiler.mstx.mark("point")
    ops.tanh(X)
    assert len(events) == 1 and traces(tmp_path) == []


def test_a_profile_that_is_dropped_inside_of_a_gradient_leaves_its_tape(tmp_path):
    kept = [profiler.profile(on_trace_ready=handler(tmp_path))]

    def loss(x):
        y = ops.sin(x)
        kept.clear()
        return (y * y).sum()

    np.testing.assert_allclose(ms.grad(loss)(X).asnumpy(), np.sin(2 * X.asnumpy()), rtol=1e-6)
    ops.tanh(X)
    assert active_context() is None and traces(tmp_path) == []


def enter_and_leave():
    with profiler.profile(on_trace_ready=lambda prof: None):
        ops.tanh(X)


def start_and_drop():
    profiler.profile(on_trace_ready=lambda prof: None).start()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # raised in callbacks of weak references
@pytest.mark.parametrize("function", [enter_and_leave, start_and_drop])
def test_an_exception_at_any_instruction_leaves_no_timer_active(function):
    for at in range(1, count_instructions(function) + 1):
        interrupt(function, at)  # which drops the profile with the frames of the exception
        assert active_context() is None, at


def test_profiles_that_end_at_the_same_time_have_a_trace_each(tmp_path):
    def record(_):
        with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path))):
            ops.sin(X)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(record, range(24)))
    assert len([*tmp_path.rglob("trace_view.json")]) == 24
