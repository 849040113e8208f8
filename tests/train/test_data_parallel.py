"""Steps on shards of the batch: equal to the step on the whole, bit-identical on every executor."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
import pytest

from minigraph import Tensor, errors, nn, set_context, set_seed, train
from minigraph.core.processes import SerialExecutor
from minigraph.dataset import NumpySlicesDataset
from minigraph.train import DataParallel, processes
from tests.structure import ROOT
from tests.tables import cases, error_cases, every

RNG = np.random.default_rng(0)
IMAGES, LABELS = RNG.normal(size=(10, 6)).astype(np.float32), RNG.integers(0, 3, 10).astype(np.int32)
CLOSE = {"rtol": 2e-6, "atol": 1e-7}  # another order of the same float32 sums


def network():
    set_seed(3)
    return nn.SequentialCell(nn.Dense(6, 8, activation="relu"), nn.LayerNorm((8,)), nn.Dense(8, 3))


def train_steps(create, net=None, steps=4, loss_fn=None):
    """Losses and weights after some steps of ``create(network with loss, optimizer)``."""
    net = net or network()
    step = create(nn.WithLossCell(net, loss_fn or nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    losses = [step(Tensor(IMAGES), Tensor(LABELS)).asnumpy() for _ in range(steps)]
    return losses, [p.asnumpy() for p in net.trainable_params()]


def data_parallel_step(executor, shards, **options):
    return lambda network, optimizer: DataParallel(network, optimizer, executor, shards, **options)


def bits(result):
    return [array.tobytes() for arrays in result for array in arrays]


@pytest.mark.parametrize("mode", [0, 1], ids=["graph", "pynative"])
@every(shards=[1, 2, 3, 10, 99])
def test_it_is_the_step_on_the_whole_batch(shards, mode):
    set_context(mode=mode)
    expected, output = train_steps(nn.TrainOneStepCell), train_steps(data_parallel_step(SerialExecutor(), shards))
    for array, other in zip(chain(*output), chain(*expected), strict=True):
        np.testing.assert_allclose(array, other, **CLOSE)
    if shards == 1:
        assert bits(output) == bits(expected)


@every(reduction=["mean", "sum"], shards=[2, 4])
def test_the_step_is_exact_where_sums_are(shards, reduction):
    """Small integers and shards of equal length that are powers of two: no sum is rounded."""
    x, y = (Tensor(RNG.integers(-4, 5, (8, n)).astype(np.float32)) for n in (4, 1))
    results = []
    for make in (nn.TrainOneStepCell, data_parallel_step(SerialExecutor(), shards, reduction=reduction)):
        net = nn.Dense(4, 1, weight_init="ones", bias_init="zeros")
        step = make(nn.WithLossCell(net, nn.MSELoss(reduction)), nn.SGD(net.trainable_params(), 0.125))
        results.append(([step(x, y).asnumpy()], [p.asnumpy() for p in net.trainable_params()]))
    assert bits(results[0]) == bits(results[1])


@pytest.fixture(scope="module")
def serial_bits():
    return bits(train_steps(data_parallel_step(SerialExecutor(), 3)))


def test_threads_and_processes_give_the_same_bits(serial_bits):
    with ThreadPoolExecutor(3) as threads, processes(2) as pool:
        for executor in (threads, pool):
            assert bits(train_steps(data_parallel_step(executor, 3))) == serial_bits


@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_gives_the_same_bits(serial_bits, tmp_path):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=tmp_path / "dask"
    )
    with cluster, distributed.Client(cluster) as client:
        assert os.getpid() not in client.run(os.getpid).values()
        assert bits(train_steps(data_parallel_step(client.get_executor(pure=False), 3))) == serial_bits


UNGUARDED = """
import numpy as np
from minigraph import Tensor, nn, train
print("the model is built")

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    def construct(self, x):
        return self.dense(x) * 2.0

net = Net()
with train.processes(2) as pool:
    step = train.DataParallel(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.5), pool, 2)
    print(step(Tensor(np.ones((4, 2), np.float32)), Tensor(np.ones((4, 1), np.float32))))
"""


def test_a_script_needs_no_main_guard_and_its_classes_are_not_sent(tmp_path):
    (tmp_path / "script.py").write_text(UNGUARDED)
    process = subprocess.run(
        [sys.executable, tmp_path / "script.py"], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert process.stdout == "the model is built\n9.0\n", process.stderr


def test_a_model_trains_with_it_and_gradients_are_returned():
    # a model trains with it
    net = network()
    step = DataParallel(
        nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 0.05), SerialExecutor(), 2
    )
    before = step.network(Tensor(IMAGES), Tensor(LABELS)).item()
    train.Model(step).train(5, NumpySlicesDataset((IMAGES, LABELS), ["x", "y"], shuffle=False).batch(4))
    assert step.network(Tensor(IMAGES), Tensor(LABELS)).item() < before / 2
    # gradients are returned, too
    net = network()
    loss_network, optimizer = nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.0)
    step = data_parallel_step(SerialExecutor(), 2, return_grad=True, sens=2.0)(loss_network, optimizer)
    plain = nn.TrainOneStepCell(loss_network, optimizer, 2.0, True)
    (loss, grads), (other, others) = (make(Tensor(IMAGES), Tensor(LABELS)) for make in (step, plain))
    assert list(grads) == list(others)
    for output, reference in zip([loss, *grads.values()], [other, *others.values()], strict=True):
        np.testing.assert_allclose(output.asnumpy(), reference.asnumpy(), **CLOSE)


# ---- errors ----------------------------------------------------------------------------------------


def test_a_failing_shard_changes_nothing():
    class Failing(SerialExecutor):
        def submit(self, fn, /, *args):
            return super().submit(lambda: 1 / 0)

    net = network()
    weights = [p.asnumpy().copy() for p in net.trainable_params()]
    with pytest.raises(ZeroDivisionError):
        train_steps(data_parallel_step(Failing(), 2), net)
    assert bits([weights]) == bits([[p.asnumpy() for p in net.trainable_params()]])


@pytest.mark.parametrize("layer", [nn.Dropout(p=0.5), nn.BatchNorm1d(6)], ids=["dropout", "batch norm"])
def test_networks_with_side_effects_raise(layer):
    net = nn.SequentialCell(layer, network()).set_train()
    with pytest.raises(
        errors.UsageError, match=r"has a side effect, which each shard .*train this network without DataParallel"
    ):
        train_steps(data_parallel_step(SerialExecutor(), 2), net)


SERIAL = SerialExecutor()


def parallel(executor=SERIAL, shards=2, **options):
    net = network()
    loss_network = nn.WithLossCell(net, nn.CrossEntropyLoss())
    return DataParallel(loss_network, nn.SGD(net.trainable_params(), 0.1), executor, shards, **options)


@cases(
    ({"executor": None}, TypeError),
    ({"shards": 0}, ValueError),
    ({"shards": 1.5}, TypeError),
    ({"reduction": "none"}, ValueError),
    ({"sens": 0}, ValueError),
)
def test_arguments_are_checked(options, error):
    with pytest.raises(error):
        parallel(**options)


test_batches_are_checked = error_cases(
    ((Tensor(IMAGES), Tensor(LABELS[:3])), errors.ShapeError),
    ((Tensor(IMAGES), Tensor(1)), errors.ShapeError),
    ((Tensor(IMAGES[:0]), Tensor(LABELS[:0])), errors.ShapeError),
    ((Tensor(IMAGES), 3), errors.UsageError),
    ((), errors.UsageError),
    by=lambda batch: parallel()(*batch),
    text="DataParallel",
    ids=["lengths", "a number", "no rows", "no tensor", "nothing"],
)
