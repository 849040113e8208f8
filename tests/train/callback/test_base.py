"""Callbacks: when they are called, and the state passed to them."""

import pytest

from minigraph import Tensor, train
from minigraph.train.callback.base import callbacks_of, loss_of
from tests.train.callback.models import model_of, rows

MOMENTS = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")


class CallRecorder(train.Callback):
    """Records every call."""

    def __init__(self):
        self.lines = []

    def call(self, phase, moment, run_context):
        text = run_context.original_args()
        self.lines.append((phase, moment, text.cur_epoch_num, text.cur_step_num))


def test_order_and_numbers():
    recorder = CallRecorder()
    model_of().train(2, rows(), callbacks=[recorder])
    steps = [(moment, epoch, step) for _, moment, epoch, step in recorder.lines if moment.startswith("step")]
    assert steps == [(m, (s + 2) // 3, s) for s in range(1, 7) for m in ("step_begin", "step_end")]
    rest = [moment for _, moment, _, _ in recorder.lines if not moment.startswith("step")]
    assert rest == ["begin", "epoch_begin", "epoch_end", "epoch_begin", "epoch_end", "end"]
    model_of(metrics=["loss"]).eval(rows(), callbacks=recorder)
    assert [moment for phase, moment, _, _ in recorder.lines if phase == "eval"] == [
        "begin", "epoch_begin", *("step_begin", "step_end") * 3, "epoch_end", "end",
    ]  # fmt: skip


def test_each_phase_has_its_own_hooks_and_plain_hooks_run_in_both():
    calls = []

    class Both(train.Callback):
        def begin(self, run_context):
            calls.append("begin")

        def on_eval_end(self, run_context):
            calls.append("on_eval_end")

    model = model_of(metrics=["loss"])
    model.train(1, rows(), callbacks=Both())
    model.eval(rows(), callbacks=Both())
    assert calls == ["begin", "begin", "on_eval_end"]
    model.fit(1, rows(), rows(), callbacks=Both())
    assert calls[3:] == ["begin", "begin", "on_eval_end"]


def test_state_and_invalid_callbacks():
    # the state has entries and attributes
    text = train.RunContext({"epoch_num": 3}).original_args()
    text.mine = 5
    assert (text.epoch_num, text["mine"], text.get("metrics"), sorted(text)) == (3, 5, None, ["epoch_num", "mine"])
    with pytest.raises(AttributeError, match="the run has no 'epoch_nmu'; did you mean 'epoch_num'?"):
        text.epoch_nmu  # noqa: B018 - the access is what fails
    # other objects are not callbacks
    for wrong in (3, [train.LossMonitor(), "x"]):
        with pytest.raises(TypeError, match="must be Callback functions, but got (int|str)"):
            callbacks_of(wrong)
    monitors = [train.LossMonitor(), train.TimeMonitor()]
    assert callbacks_of(iter(monitors)) == monitors
    # loss in whatever a step returns
    assert loss_of(Tensor(2.0)) == loss_of((Tensor([1.0, 3.0]), None)) == loss_of([2.0]) == 2.0


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_hook_has_a_default(moment):
    assert getattr(train.Callback(), moment)(train.RunContext({})) is None


def test_a_callback_ends_the_training():
    class Stop(CallRecorder):
        def call(self, phase, moment, run_context):
            super().call(phase, moment, run_context)
            if moment == "step_end" and run_context.original_args().cur_step_num == 4:
                run_context.request_stop()

    stop = Stop()
    model_of().train(9, rows(), callbacks=stop)
    assert [line[1] for line in stop.lines][-3:] == ["step_end", "epoch_end", "end"]
    assert stop.lines[-1][3] == 4
