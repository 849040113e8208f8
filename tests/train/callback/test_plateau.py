"""Callbacks that monitor a number: when they act for a list of losses."""

from minigraph import Parameter, Tensor, nn, train
from minigraph.train.callback.plateau import settable_rate
from tests.tables import cases, error_cases, results
from tests.train.callback.models import rows


def run(callback, values, monitor="loss", net=None, optimizer=None):
    """The epochs of a training with these losses (or metrics), with the rate after each."""
    net = net or nn.Dense(1, 1)
    optimizer = optimizer or nn.SGD(net.trainable_params(), 1.0)
    context = train.RunContext({"network": net, "optimizer": optimizer, "cur_epoch_num": 0})
    callback.on_train_begin(context)
    rates = []
    for epoch, value in enumerate(values, 1):
        text = context.original_args()
        text.cur_epoch_num, text.net_outputs = epoch, Tensor(value if monitor == "loss" else 0.0)
        text.metrics = None if monitor == "loss" or value is None else {monitor.removeprefix("eval_"): value}
        callback.on_train_epoch_end(context)
        rates.append(optimizer.learning_rate.item())
        if context.get_stop_requested():
            break
    return rates


@cases(
    ({}, [3.0, 2.0, 2.0, 1.0], 1),  # patience 0 stops at once
    ({"patience": 1}, [3.0, 2.0, 2.0, 1.0], 3),
    ({"patience": 2}, [3.0, 2.0, 2.0, 1.0, 5.0, 5.0, 0.0], 6),
    ({"patience": 1, "min_delta": 0.5}, [3.0, 2.0, 1.75, 1.0], 3),
    ({"patience": 2, "baseline": 2.5}, [3.0, 2.75, 2.0], 2),
    ({"patience": 2, "baseline": 2.5}, [3.0, 2.0, 2.0, 2.0], 4),
    ({"patience": 1, "mode": "max"}, [1.0, 2.0, 3.0, 3.0, 4.0], 4),
    ({"patience": 1, "monitor": "accuracy"}, [0.1, 0.2, 0.15, 0.9], 3),
    ({"patience": 1, "monitor": "accuracy", "mode": "min"}, [0.3, 0.2, 0.25, 0.1], 3),
    ({"patience": 1, "monitor": "eval_loss"}, [3.0, None, 2.0, None, 2.0, 1.0], 5),
)
def test_early_stopping(options, values, epochs):
    options = {"monitor": "loss"} | options
    assert len(run(train.EarlyStopping(**options), values, options["monitor"])) == epochs


def test_verbose_and_restore_best_weights(capsys):
    net = nn.Dense(1, 1, weight_init=1.0)

    class Worse(train.EarlyStopping):
        def on_train_epoch_end(self, run_context):
            super().on_train_epoch_end(run_context)
            if not run_context.get_stop_requested():
                net.weight.set_data(net.weight + 1)

    run(Worse("loss", patience=2, verbose=True, restore_best_weights=True), [3.0, 2.0, 4.0, 4.0, 4.0], net=net)
    assert net.weight.item() == 2.0
    run(train.ReduceLROnPlateau("loss", 0.1, patience=1, verbose=True), [1.0, 1.0])
    text = "Epoch 00004: early stopping", "Epoch 00002: ReduceLROnPlateau reducing learning rate to 0.1."
    assert capsys.readouterr().out.splitlines() == [*text]


test_when_the_rate_falls = results(
    lambda options, values: run(train.ReduceLROnPlateau("loss", 0.5, **options), values),
    ({"patience": 1}, [2.0, 1.0, 1.0, 0.5, 0.5], [1, 1, 0.5, 0.5, 0.25]),
    ({"patience": 2}, [2.0, 2.0, 2.0, 2.0, 2.0], [1, 1, 0.5, 0.5, 0.25]),
    ({"patience": 1, "cooldown": 2}, [2.0] * 6, [1, 0.5, 0.5, 0.25, 0.25, 0.125]),
    ({"patience": 1, "min_lr": 0.5}, [2.0] * 4, [1, 0.5, 0.5, 0.5]),
    ({"patience": 1, "min_delta": 1.0}, [3.0, 2.5, 1.5], [1, 0.5, 0.5]),
)


def test_a_scheduler_sets_the_rate_after_every_step():
    net, seen = nn.Dense(1, 1), []
    optimizer = nn.SGD(net.trainable_params(), 1.0)

    def halve(rate, step):
        seen.append((rate, step))
        return rate / 2

    train.Model(net, nn.MSELoss(), optimizer).train(2, rows(3), callbacks=train.LearningRateScheduler(halve))
    assert seen == [(1.0, 1), (0.5, 2), (0.25, 3), (0.125, 4)]
    assert optimizer.learning_rate.item() == 0.0625


SCHEDULED = nn.SGD([Parameter(Tensor([1.0]), name="w")], [0.1, 0.2])


test_arguments_are_checked = error_cases(
    (lambda: train.EarlyStopping(3), TypeError, "The type of 'monitor' should be 'str', but got type 'int'"),
    (lambda: train.EarlyStopping(min_delta="a"), TypeError, "The type of 'min_delta' should be one of"),
    (lambda: train.EarlyStopping(patience=-1), ValueError, "must be int and must >= 0, but got '-1'"),
    (lambda: train.EarlyStopping(mode="up"), ValueError, "mode should be 'auto', 'min' or 'max', but got up"),
    (lambda: train.ReduceLROnPlateau(factor=1.0), ValueError, "must be in range of .0.0, 1.0., but got 1.0"),
    (lambda: train.ReduceLROnPlateau(cooldown=-1), ValueError, "must be int and must >= 0, but got '-1'"),
    (lambda: settable_rate(SCHEDULED), ValueError, "follows a schedule or differs by group"),
)
