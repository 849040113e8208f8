"""Batch normalisation: values in numpy float64, moving statistics, errors."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from minigraph import Tensor, errors, jit, mint, nn, ops
from minigraph.train import DataParallel
from tests.nn.cells import AttributeCell, assert_close, names, normalize, tensor
from tests.tables import error_cases, every

rng = np.random.default_rng(3)

BATCHES = [(nn.BatchNorm1d, (6, 3)), (nn.BatchNorm1d, (4, 3, 5)), (nn.BatchNorm2d, (2, 3, 4, 4))]


@pytest.mark.parametrize(("kind", "shape"), BATCHES)
def test_evaluation_uses_the_moving_statistics(kind, shape):
    layer, x = kind(3, moving_mean_init=Tensor([1.0, 2.0, 3.0]), moving_var_init=4.0), rng.normal(size=shape)
    mean = np.array([1, 2, 3]).reshape(3, *(1,) * (len(shape) - 2))
    assert_close(layer(tensor(x)), (x - mean) / np.sqrt(4 + 1e-5))
    assert layer.moving_mean.asnumpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize(("kind", "shape"), BATCHES)
def test_training_uses_batch_statistics_and_updates_moving_ones(kind, shape, mode):
    layer, axes = kind(3, momentum=0.8).set_train(), (0, *range(2, len(shape)))
    mean, variance = np.zeros(3), np.ones(3)
    for _ in range(3):
        x = rng.normal(2, 3, shape)
        assert_close(layer(tensor(x)), normalize(x, axes, 1e-5), 1e-3, 1e-4)
        mean = 0.8 * mean + 0.2 * x.mean(axes)
        variance = 0.8 * variance + 0.2 * x.var(axes, ddof=1)
        assert_close(layer.moving_mean, mean, 1e-4, 0)
        assert_close(layer.moving_variance, variance, 1e-4, 0)


@every(auto_depend=[False, True], jitted=[False, True])
def test_moving_statistics_survive_every_pass(jitted, auto_depend):
    layer = nn.BatchNorm1d(1).set_train()
    run = jit(lambda x: layer(x), auto_depend=auto_depend) if jitted else layer
    run(Tensor([[0.0], [10.0]]))
    assert layer.moving_mean.asnumpy().tolist() == [0.5]


@every(use=[True, False])
def test_use_batch_statistics_overrides_the_mode(use):
    layer = nn.BatchNorm1d(1, use_batch_statistics=use).set_train(not use)
    layer(Tensor([[0.0], [2.0]]))
    assert (layer.moving_mean.asnumpy()[0] != 0) == use


def test_names_trainable_parameters_and_small_batches():
    # names, and whether they are trained
    layer = nn.BatchNorm2d(3)
    assert names(layer) == ["mean", "variance", "gamma", "beta"]
    assert names(layer.trainable_params()) == ["gamma", "beta"]
    assert nn.BatchNorm2d(3, affine=False).trainable_params() == []
    assert names(AttributeCell(bn=layer)) == ["bn.moving_mean", "bn.moving_variance", "bn.gamma", "bn.beta"]
    # a batch of one element per channel is finite
    layer = nn.BatchNorm1d(1).set_train()
    assert layer(Tensor([[3.0]])).item() == 0.0
    assert layer.moving_variance.asnumpy()[0] == pytest.approx(0.9)
    # layer norm keeps small rows apart by its small epsilon
    x = rng.normal(size=(2, 64)) * 1e-3
    assert_close(nn.LayerNorm((64,))(tensor(x)), normalize(x, (1,), 1e-7), 1e-3, 1e-3)


def test_volumes_are_normalised_as_images_whose_parameters_they_name():
    layer, images = nn.BatchNorm3d(2).set_train(), nn.BatchNorm2d(2).set_train()
    x = tensor(rng.normal(size=(3, 2, 2, 4, 5)))
    assert np.array_equal(layer(x).array, images(x.reshape(3, 2, 2, 20)).array.reshape(x.shape))
    assert names(layer.get_parameters()) == ["bn2d.moving_mean", "bn2d.moving_variance", "bn2d.gamma", "bn2d.beta"]
    assert np.array_equal(layer.bn2d.moving_variance.array, images.moving_variance.array)


def test_one_device_synchronizes_with_itself_only():
    x = tensor(rng.normal(size=(4, 3)))
    layer, plain = nn.SyncBatchNorm(3, process_groups=[[0]]).set_train(), nn.BatchNorm1d(3).set_train()
    assert np.array_equal(layer(x).array, plain(x).array)
    assert np.array_equal(layer.moving_variance.array, plain.moving_variance.array)
    assert mint.nn.SyncBatchNorm(3)(ops.ones((2, 3, 5))).shape == (2, 3, 5)


def test_data_parallel_refuses_statistics_of_shards():
    net = nn.WithLossCell(nn.SyncBatchNorm(3).set_train(), nn.MSELoss())
    with ThreadPoolExecutor(2) as threads:
        step = DataParallel(net, nn.SGD(net.trainable_params()), threads, 2)
        with pytest.raises(errors.UsageError, match="side effect, which each shard"):
            step(ops.ones((4, 3)), ops.ones((4, 3)))


test_errors = error_cases(
    (lambda: nn.SyncBatchNorm(3, process_groups=[[0, 1]]), ValueError, "rank id in process_groups"),
    (lambda: nn.SyncBatchNorm(3)(ops.ones((2, 3, 1))), errors.ShapeError, "the rank must be 2 or 4"),
    (lambda: nn.BatchNorm2d(3)(ops.ones((2, 4, 4, 4))), errors.ShapeError, r"BatchNorm2d\(3\): axis 1 .* 3 channels"),
    (lambda: nn.BatchNorm2d(3)(ops.ones((2, 3))), errors.ShapeError, "the rank must be 4"),
    (lambda: nn.BatchNorm1d(3, momentum=1.5), ValueError, "the 'momentum' must be a number in range"),
    (lambda: nn.BatchNorm1d(3, eps=0.0), ValueError, "the 'eps' must be greater than 0"),
    (lambda: nn.BatchNorm1d(0), ValueError, "the 'num_features' must be int and must > 0"),
    (lambda: nn.BatchNorm3d(3)(ops.ones((2, 3, 4, 4))), errors.ShapeError, "BatchNorm3d: x must have 5 axes"),
)
