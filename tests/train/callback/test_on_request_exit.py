"""A signal ends training after the step, and the network is saved."""

import os
import signal
import traceback

import numpy as np
import pytest

import minigraph as ms
from minigraph import nn
from minigraph.dataset import NumpySlicesDataset
from minigraph.train import Callback, OnRequestExit
from tests.rough.interrupts import count_instructions, interrupt
from tests.tables import error_cases


class Kill(Callback):
    """Sends a signal in the second step, and counts steps."""

    def __init__(self):
        self.steps = 0

    def step_end(self, run_context):
        self.steps += 1
        if self.steps == 2:
            os.kill(os.getpid(), signal.SIGTERM)


def model_and_data(weights="ones"):
    net = nn.Dense(2, 1, weights, "zeros")
    columns = {"x": np.eye(8, 2).astype(np.float32), "y": np.ones((8, 1), np.float32)}
    model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"loss"})
    return net, model, NumpySlicesDataset(columns, shuffle=False).batch(2)


def test_training_ends_and_the_next_one_starts_from_the_file(tmp_path):
    net, model, data = model_and_data()
    before, kill = signal.getsignal(signal.SIGTERM), Kill()
    model.train(3, data, callbacks=[kill, OnRequestExit(save_mindir=False, directory=str(tmp_path))])
    assert kill.steps == 2 and signal.getsignal(signal.SIGTERM) is before
    assert os.listdir(tmp_path / "rank_0") == ["Net_train.ckpt"]
    other, resumed, data = model_and_data("zeros")

    class Seen(Callback):
        def on_train_epoch_begin(self, run_context):
            np.testing.assert_array_equal(other.weight.asnumpy(), net.weight.asnumpy())

    resumed.train(1, data, callbacks=[OnRequestExit(save_mindir=False, directory=str(tmp_path)), Seen()])


def test_evaluation_ends_and_saves(tmp_path):
    _, model, data = model_and_data()
    kill = Kill()
    model.eval(data, callbacks=[kill, OnRequestExit(save_mindir=False, file_name="x", directory=str(tmp_path))])
    assert kill.steps == 2 and os.listdir(tmp_path / "rank_0") == ["x_eval.ckpt"]


@pytest.mark.parametrize("run", ["train", "eval"])
def test_the_handler_is_restored_where_an_exception_ends_the_run(tmp_path, run):
    class Interrupt(Callback):
        def step_end(self, run_context):
            raise KeyboardInterrupt

    _, model, data = model_and_data()
    before, callbacks = signal.getsignal(signal.SIGTERM), [OnRequestExit(directory=str(tmp_path)), Interrupt()]
    with pytest.raises(KeyboardInterrupt):
        model.train(1, data, callbacks=callbacks) if run == "train" else model.eval(data, callbacks=callbacks)
    assert signal.getsignal(signal.SIGTERM) is before


def test_without_a_signal_nothing_is_written(tmp_path):
    _, model, data = model_and_data()
    model.train(1, data, callbacks=[OnRequestExit(directory=str(tmp_path))])
    assert os.listdir(tmp_path / "rank_0") == []


def test_the_network_is_exported(tmp_path):
    pytest.importorskip("onnx")
    net, model, data = model_and_data()
    model.train(1, data, callbacks=[Kill(), OnRequestExit(save_ckpt=False, directory=str(tmp_path))])
    x = ms.Tensor(np.eye(2).astype(np.float32))
    loaded = ms.load(str(tmp_path / "rank_0" / "Net_train.mindir"))
    np.testing.assert_allclose(loaded(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)


test_errors = error_cases(
    (lambda: OnRequestExit(save_ckpt=1), TypeError, "'save_ckpt' must be bool"),
    (lambda: OnRequestExit(config_file="x"), ValueError, "config_file is not supported"),
)


@pytest.mark.parametrize("run", ["train", "fit", "eval"])
def test_the_handler_is_restored_after_the_run_and_serves_all_of_it(tmp_path, run):
    class Seen(Callback):
        def __init__(self):
            self.handlers = []

        def on_train_epoch_end(self, run_context):
            self.handlers.append(signal.getsignal(signal.SIGTERM))

    _, model, data = model_and_data()
    before, seen = signal.getsignal(signal.SIGTERM), Seen()
    exit_on_request = OnRequestExit(directory=str(tmp_path))
    rows = (data, data) if run == "fit" else (data,)
    getattr(model, run)(*(() if run == "eval" else (2,)), *rows, callbacks=[exit_on_request, seen])
    assert signal.getsignal(signal.SIGTERM) is before
    assert all(handler == exit_on_request._handle for handler in seen.handlers)


def test_the_handler_is_restored_where_an_exception_ends_its_installation(tmp_path):
    before = signal.getsignal(signal.SIGTERM)

    def install():
        with OnRequestExit(directory=str(tmp_path), save_ckpt=False) as exit_on_request:
            exit_on_request._begin(None, "train")

    for at in range(1, count_instructions(install) + 1):
        functions = [frame.name for frame in traceback.extract_tb(interrupt(install, at).__traceback__)]
        # What is raised inside of ``__exit__``, or by the trace function just before its call, cannot be undone.
        is_at_the_end = "__exit__" in functions or functions[-2:] == ["install", "__call__"]
        assert signal.getsignal(signal.SIGTERM) is before or is_at_the_end
        signal.signal(signal.SIGTERM, before)


def test_the_validation_of_a_training_loads_no_file_of_an_earlier_run(tmp_path):
    first, _, _ = model_and_data("zeros")
    net, model, data = model_and_data()
    callback = OnRequestExit(save_mindir=False, directory=str(tmp_path))
    ms.save_checkpoint(first, str(tmp_path / "rank_0" / "Net_eval.ckpt"))
    model.fit(1, data, data, callbacks=[callback])
    assert abs(net.weight.asnumpy()).min() > 0.1, "the trained weights, not the zeros of the file"
