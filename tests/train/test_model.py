"""Model: training equals an explicit loop; evaluation, prediction, both modes; arguments are checked first."""

import io

import numpy as np
import pytest
from rich.console import Console

from minigraph import Tensor, dataset, nn, ops, set_seed, train
from tests.tables import cases

DIGITS = dataset.load_digits()
IMAGES, LABELS = DIGITS.images[:96].reshape(-1, 64).astype(np.float32), DIGITS.labels[:96].astype(np.int32)


def rows(shuffle=False):
    return dataset.NumpySlicesDataset((IMAGES, LABELS), ["image", "label"], shuffle=shuffle).batch(32)


def network():
    set_seed(1)
    return nn.SequentialCell(nn.Dense(64, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(16, 10))


def model_of(net, **options):
    return train.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01), **options)


def weights(net):
    return [p.asnumpy().tobytes() for p in net.get_parameters()]


def test_train_is_the_explicit_loop(mode):
    by_hand = network()
    optimizer = nn.Adam(by_hand.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(nn.WithLossCell(by_hand, nn.CrossEntropyLoss()), optimizer).set_train()
    for _ in range(2):
        for row in rows():
            step(*row)
    net = network()
    model_of(net).train(2, rows())
    assert weights(net) == weights(by_hand)


def test_eval_measures_all_rows_in_evaluation():
    net = network()
    model = model_of(net, metrics={"accuracy", "loss"})
    model.train(5, rows(shuffle=True))
    before = weights(net)
    result = model.eval(rows())
    scores = net.set_train(False)(Tensor(IMAGES))
    assert list(result) == ["accuracy", "loss"]
    assert result["accuracy"] == (scores.asnumpy().argmax(1) == LABELS).mean() > 0.8
    assert result["loss"] == pytest.approx(nn.CrossEntropyLoss()(scores, Tensor(LABELS)).item(), rel=1e-5)
    model.eval(dataset.NumpySlicesDataset((IMAGES, (LABELS + 1) % 10), ["image", "label"]).batch(32))
    assert model.eval(rows()) == result
    assert weights(net) == before
    assert model.predict(Tensor(IMAGES)).asnumpy().tobytes() == scores.asnumpy().tobytes()


def recorder(seen, event, *names):
    """A callback that records the state of these names."""
    return train.LambdaCallback(**{event: lambda c: seen.append([c.original_args().get(name) for name in names])})


def test_fit_evaluates_between_epochs_and_trains_alike():
    alone, seen = network(), []
    model_of(alone).fit(4, rows())  # without rows to evaluate it is train
    note = recorder(seen, "on_train_epoch_end", "metrics")
    net = network()
    model_of(net, metrics={"loss"}).fit(4, rows(), rows(), valid_frequency=2, callbacks=note)
    assert weights(net) == weights(alone)
    assert [metrics is None for (metrics,) in seen] == [True, False, True, False]
    assert seen[3][0]["loss"] < seen[1][0]["loss"]


def test_epochs_to_evaluate_after_may_be_listed_and_begin_later():
    after, numbers = [], []
    note = recorder(after, "on_train_epoch_end", "metrics")
    model_of(network(), metrics={"loss"}).fit(4, rows(), rows(), valid_frequency=[1, 4], callbacks=note)
    assert [metrics is not None for (metrics,) in after] == [True, False, False, True]
    note = recorder(numbers, "on_train_step_end", "cur_epoch_num", "cur_step_num")
    model_of(network()).train(4, rows(), callbacks=note, initial_epoch=2)
    assert numbers == [[3, 7], [3, 8], [3, 9], [4, 10], [4, 11], [4, 12]]


def test_a_network_that_returns_its_loss_and_a_training_step():
    net = network()
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    train.Model(loss, optimizer=nn.SGD(net.trainable_params(), 0.1)).train(1, rows())
    same = network()
    loss = nn.WithLossCell(same, nn.CrossEntropyLoss())
    train.Model(nn.TrainOneStepCell(loss, nn.SGD(same.trainable_params(), 0.1))).train(1, rows())
    assert weights(net) == weights(same)


def test_a_user_defined_eval_network():
    class Shifted(nn.Cell):
        def construct(self, x, y):
            return ops.zeros(()), x + 1, y

    class Reordered(nn.Cell):
        def construct(self, x, y):
            return y, ops.zeros(()), x + 1

    pairs = dataset.NumpySlicesDataset((np.zeros((4, 1)), np.full((4, 1), 3.0)), ["x", "y"]).batch(3)
    both = {"error": train.MAE(), "loss": train.Loss()}
    model = train.Model(nn.Identity(), metrics=both, eval_network=Shifted(), eval_indexes=[0, 1, 2])
    assert model.eval(pairs) == {"error": 2.0, "loss": 0.0}
    model = train.Model(nn.Identity(), metrics={"error": train.MAE()}, eval_network=Reordered(), eval_indexes=[1, 2, 0])
    assert model.eval(pairs) == {"error": 2.0}
    # without eval_indexes every metric gets all results, of which set_indexes selects
    second = train.MAE().set_indexes([1, 2])
    assert train.Model(nn.Identity(), metrics={"error": second}, eval_network=Shifted()).eval(pairs) == {"error": 2.0}


def test_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")  # "dumb" has no bar
    model, stream = model_of(network()), io.StringIO()
    model.console = Console(file=stream, force_terminal=True, width=100, color_system=None)
    model.train(2, rows())
    assert "epoch 2/2, loss " in stream.getvalue()
    assert "6/6" in stream.getvalue()


NET = network()


@cases(
    (lambda: train.Model("net"), TypeError, "The type of 'network' should be 'Cell', but got type 'str'"),
    (lambda: train.Model(NET, None, nn.ReLU()), TypeError, "The type of 'optimizer' should be 'Optimizer'"),
    (lambda: train.Model(NET, metrics={"loss"}), ValueError, "metrics need a loss_fn"),
    (lambda: model_of(NET).eval(rows()), ValueError, "'metrics' can not be None or empty"),
    (lambda: model_of(NET).fit(1, rows(), rows()), ValueError, "'metrics' can not be None or empty"),
    (lambda: model_of(NET, metrics={"loss"}).eval([1]), TypeError, "valid_dataset must be a Dataset, got list"),
    (lambda: model_of(NET).train(1, [1]), TypeError, "train_dataset must be a Dataset, got list"),
    (lambda: model_of(NET).train(0, rows()), ValueError, "the 'epoch' must be int and must > 0, but got '0'"),
    (lambda: model_of(NET).train(1.5, rows()), TypeError, "the 'epoch' must be int, but got 'float'"),
    (lambda: model_of(NET).train(2, rows(), initial_epoch=2), ValueError, "'initial_epoch' is 2"),
    (lambda: model_of(NET).fit(1, rows(), valid_frequency=0), ValueError, "'valid_frequency' must be int"),
    (lambda: model_of(NET).fit(1, rows(), valid_frequency="2"), TypeError, "must be a list or an integer"),
    (lambda: model_of(NET, amp_level="O9"), ValueError, "The 'level' should be in : "),
    (lambda: model_of(NET, boost_level="O1"), ValueError, "boost_level 'O1' is not supported"),
    (lambda: model_of(NET, eval_indexes=[0, 1]), ValueError, "eval_indexes must be 3 positions"),
    (lambda: model_of(NET).train(1, rows(), callbacks=[3]), TypeError, "must be Callback functions, but got int"),
)
def test_wrong_arguments_change_nothing(act, error, text):
    before = weights(NET)
    with pytest.raises(error, match=text):
        act()
    assert weights(NET) == before
