"""Callbacks that print, record and call functions."""

import re
import time

import pytest

from minigraph import train
from tests.tables import error_cases
from tests.train.callback.models import model_of, rows


def test_lambda_callback_and_history():
    # functions for moments
    calls = []
    ends = train.LambdaCallback(on_train_epoch_end=lambda c: calls.append(c.original_args().cur_epoch_num))
    model_of().train(2, rows(), callbacks=[ends, train.LambdaCallback(on_train_end=calls.append)])
    assert calls[:2] == [1, 2]
    assert isinstance(calls[2], train.RunContext)
    with pytest.raises(TypeError, match="on_train_stop"):
        train.LambdaCallback(on_train_stop=print)
    # history keeps every epoch of the last run
    history, model = train.History(), model_of(metrics=["loss"])
    model.train(3, rows(), callbacks=history)
    model.fit(2, rows(), rows(), callbacks=history)
    assert history.epoch == {"epoch": [1, 2]}
    assert list(history.history) == ["net_output", "loss"]
    assert history.history["loss"][1] == model.eval(rows())["loss"] < history.history["loss"][0]


def test_loss_monitor_prints_losses_and_the_metrics_of_fit(capsys):
    # loss monitor
    model_of().train(2, rows(), callbacks=train.LossMonitor(2))
    lines = [line.split(", loss is ") for line in capsys.readouterr().out.splitlines()]
    assert [position for position, _ in lines] == ["epoch: 1 step: 2", "epoch: 2 step: 1", "epoch: 2 step: 3"]
    assert all(float(loss) >= 0 for _, loss in lines)
    model_of().train(1, rows(), callbacks=train.LossMonitor(0))
    assert capsys.readouterr().out == ""
    # loss monitor prints the metrics of fit
    model_of(metrics=["loss"]).fit(2, rows(), rows(), 2, callbacks=train.LossMonitor(0))
    assert re.fullmatch(r"Eval result: epoch 2, metrics: \{'loss': \d+\.\d+\}\n", capsys.readouterr().out)


@pytest.mark.filterwarnings("ignore:overflow|invalid")
def test_loss_monitor_raises_for_losses_that_are_not_finite():
    with pytest.raises(ValueError, match=r"In epoch: \d+ step: \d+, loss is NAN or INF, training process cannot"):
        model_of(rate=1e20).train(9, rows(), callbacks=train.LossMonitor(0))


def test_time_monitor_prints_times_and_data_time(capsys):
    # time monitor
    model_of().train(2, rows(), callbacks=train.TimeMonitor())
    lines = capsys.readouterr().out.splitlines()
    times = [re.fullmatch(r"Train epoch time: *([\d.]+) ms, per step time: *([\d.]+) ms", line) for line in lines]
    assert len(times) == 2
    assert all(float(t[1]) == pytest.approx(3 * float(t[2]), abs=0.01) for t in times)

    # the time monitor reports the time spent waiting for rows
    def wait(x):
        time.sleep(0.01)
        return x

    model_of().train(1, rows().map(wait, "x"), callbacks=train.TimeMonitor(data_time=True))
    text = re.fullmatch(r"Train epoch time: *([\d.]+) ms, .* \(data time: *([\d.]+) ms\)\n", capsys.readouterr().out)
    assert 30 <= float(text[2]) <= float(text[1])


test_arguments_are_checked = error_cases(
    *((train.LossMonitor, wrong, "must be int and must >= 0, but got") for wrong in (-1, 1.5, True)),
    (train.TimeMonitor, 0, "'data_size' must be a positive int"),
    by=lambda kind, wrong: kind(wrong),
    error=ValueError,
)
