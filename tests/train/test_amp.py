"""Mixed precision; the expected numbers come from MindSpore 2.10 on a CPU, in Graph mode."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, amp, bfloat16, float16, float32, nn, train
from tests.tables import error_cases, in_one_test

X = Tensor(np.random.RandomState(0).randn(2, 4).astype(np.float32))
Y = Tensor(np.ones((2, 1), np.float32))


class Net(nn.Cell):
    """Stores the dtypes of its layers' results in ``result_dtypes``."""

    def __init__(self):
        super().__init__()
        self.dense, self.norm, self.relu = nn.Dense(4, 3), nn.LayerNorm([3]), nn.ReLU()

    def construct(self, x):
        y = self.dense(x)
        z = self.norm(y)
        self.result_dtypes = y.dtype, z.dtype, self.relu(z).dtype
        return z


class OneLayer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.Dense(4, 1, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        return self.net(x)


LEVELS = [
    ("O0", float16, [float32] * 3),
    ("O1", float16, [float32] * 3),
    ("O2", float16, [float16] * 3),
    ("O3", float16, [float16] * 3),
    ("O2", bfloat16, [bfloat16] * 3),
    ("auto", float16, [float32] * 3),
]


@in_one_test(LEVELS)
def test_levels_choose_the_dtypes_of_layers_and_results_are_float32(level, dtype, result_dtypes):
    net = Net()
    assert amp.auto_mixed_precision(net, level, dtype)(X).dtype is float32
    assert list(net.result_dtypes) == result_dtypes
    assert {p.dtype for p in net.get_parameters()} == {float32}


def test_white_and_black_lists_of_cells():
    net = Net()
    assert amp.custom_mixed_precision(net, white_list=[nn.LayerNorm])(X).dtype is float32
    assert list(net.result_dtypes) == [float32] * 3
    net = Net()
    assert amp.custom_mixed_precision(net, black_list=[nn.ReLU], dtype=bfloat16)(X).dtype is float32
    assert list(net.result_dtypes) == [bfloat16] * 3


test_wrong_arguments_are_refused = error_cases(
    (lambda: amp.auto_mixed_precision(Net(), "O5"), ValueError, "The amp level O5 is not supported"),
    (lambda: amp.auto_mixed_precision(3, "O2"), TypeError, "For amp_level 'O2', the network type should be Cell"),
    (lambda: amp.auto_mixed_precision(Net(), "O2", float32), ValueError, "The dtype should be one of"),
    (lambda: amp.custom_mixed_precision(Net()), ValueError, "one of white_list and black_list must be provided"),
    (
        lambda: amp.custom_mixed_precision(Net(), white_list=[nn.ReLU], black_list=[nn.ReLU]),
        ValueError,
        "cannot be provided at the same time",
    ),
    (lambda: amp.custom_mixed_precision(Net(), white_list=3), TypeError, "The type of white_list should be list"),
    (lambda: amp.custom_mixed_precision(Net(), white_list=[3]), TypeError, "should be a class, but got 3"),
    (lambda: amp.StaticLossScaler(-1), ValueError, "The argument 'scale_value' must be > 1, but got -1"),
    (lambda: amp.DynamicLossScaler(2, 2.5, 2), TypeError, "The 'scale_factor' must be int, but got 'float'"),
    (lambda: amp.DynamicLossScaler(2, 2, 0), ValueError, "scale_window"),
    (lambda: amp.build_train_network(OneLayer(), optimizer(OneLayer()), level="O9"), ValueError, "should be in"),
    (lambda: train.Model(OneLayer(), bogus=1), ValueError, "but got 'bogus'"),
)


def optimizer(net):
    return nn.SGD(net.trainable_params(), 0.1)


WEIGHTS = [0.09799069, 0.89191300, 0.50547469, 0.02805692]
LOW_PRECISION_WEIGHTS = [0.09843749, 0.89199221, 0.50546873, 0.02890623]
STEP_RESULTS = [("O0", 9.846397, WEIGHTS), *((level, 9.8421955, LOW_PRECISION_WEIGHTS) for level in ("O1", "O3"))]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("level", "loss", "weights"), STEP_RESULTS)
def test_a_training_step_of_each_level(level, loss, weights, mode):
    ms.set_context(mode=mode)
    net = OneLayer()
    step = amp.build_train_network(net, optimizer(net), nn.MSELoss(), level=level)
    assert step(X, Y).item() == pytest.approx(loss, rel=1e-6)
    np.testing.assert_allclose(net.net.weight.asnumpy()[0], weights, rtol=1e-5)
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("manager", "scales"), [
    (ms.FixedLossScaleManager(64), [64, 64, 64]), (ms.DynamicLossScaleManager(64, 2, 1), [64, 128, 64]),
])  # fmt: skip
def test_a_step_that_overflows_is_skipped(manager, scales, mode):
    ms.set_context(mode=mode)
    net = OneLayer()
    step = amp.build_train_network(net, optimizer(net), nn.MSELoss(), loss_scale_manager=manager)
    results = [step(x, Y) for x in (X, X * 1e39, X)]
    assert [scale.item() for _, _, scale in results] == scales
    assert [overflow.item() for _, overflow, _ in results] == [False, True, False]
    assert np.isfinite(net.net.weight.asnumpy()).all() and results[2][0] < results[0][0]
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_models_train_in_mixed_precision():
    net = OneLayer()
    dataset = ms.dataset.NumpySlicesDataset((X.asnumpy(), Y.asnumpy()), ["x", "y"], shuffle=False).batch(2)
    manager = ms.FixedLossScaleManager(8.0, False)
    update = nn.SGD(net.trainable_params(), 0.1, loss_scale=8.0)
    model = train.Model(net, nn.MSELoss(), update, {"loss"}, amp_level="O2", loss_scale_manager=manager)
    model.train(2, dataset)
    assert model.eval(dataset)["loss"] < 9 and model.predict(X).dtype is float16


def test_scalers():
    static, dynamic = amp.StaticLossScaler(8), amp.DynamicLossScaler(2**10, 2, 2)
    assert static.scale(Tensor(2.0)).item() == 16 and static.unscale((Tensor([16.0]),))[0].item() == 2
    assert static.adjust(True) is False
    assert dynamic.scale(Tensor(2.0)).item() == 2048
    values = [(dynamic.adjust(Tensor(finite)), dynamic.scale_value.item()) for finite in (False, True, True)]
    assert values == [(True, 512), (True, 512), (True, 1024)]
    finite = [[1.0], [float("inf")], [float("nan")]]
    assert [amp.all_finite((Tensor([2.0]), Tensor(x))).item() for x in finite] == [True, False, False]
