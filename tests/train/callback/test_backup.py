"""Training that was interrupted continues from its last epoch."""

import numpy as np

import minigraph as ms
from minigraph import nn
from minigraph.dataset import NumpySlicesDataset
from minigraph.train import BackupAndRestore
from tests.tables import error_cases


def train(epochs: int, *callbacks: ms.train.Callback) -> nn.Cell:
    net = nn.Dense(2, 1, "ones", "zeros")
    columns = {"x": np.eye(4, 2).astype(np.float32), "y": np.ones((4, 1), np.float32)}
    data = NumpySlicesDataset(columns, shuffle=False).batch(2)
    model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(epochs, data, callbacks=list(callbacks))
    return net


def test_two_runs_are_one_long_run(tmp_path):
    train(2, BackupAndRestore(str(tmp_path), delete_checkpoint=False))
    assert [path.name for path in tmp_path.iterdir()] == ["backup.ckpt"]
    resumed = train(1, BackupAndRestore(str(tmp_path)))
    np.testing.assert_array_equal(resumed.weight.asnumpy(), train(3).weight.asnumpy())
    assert not list(tmp_path.iterdir())


test_errors = error_cases(
    (lambda: BackupAndRestore(3), ValueError, "must be str"),
    (lambda: BackupAndRestore("x", "day"), ValueError, "'epoch' or int"),
    (lambda: BackupAndRestore("x", delete_checkpoint=1), ValueError, "must be bool"),
)
