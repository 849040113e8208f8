"""Layers made of others equal their parts."""

import numpy as np

from minigraph import Tensor, nn, ops

X = Tensor(np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3) - 4)


def test_a_layer_with_normalization_and_activation():
    net = nn.Conv2dBnAct(1, 2, 2, weight_init="ones", has_bn=True, activation="relu")
    expected = ops.relu(nn.BatchNorm2d(2)(nn.Conv2d(1, 2, 2, weight_init="ones")(X)))
    np.testing.assert_allclose(net(X).asnumpy(), expected.asnumpy(), rtol=1e-6)
    slope = nn.DenseBnAct(3, 2, "ones", activation="leakyrelu", alpha=0.5)
    np.testing.assert_allclose(slope(Tensor([[-1.0, 0.0, 0.0]])).asnumpy(), [[-0.5, -0.5]])


def test_dense_under_another_name():
    net = nn.Linear(2, 1, weight_init="ones", bias_init="zeros")
    assert str(net) == "Linear(input_features=2, output_features=1, has_bias=True)"
    assert net(Tensor([[1.0, 2.0]])).tolist() == [[3.0]]


def test_rows_of_a_table():
    net = nn.EmbeddingLookup(3, 2, param_init="ones", max_norm=1.0)
    np.testing.assert_allclose(net(Tensor([[2]])).asnumpy(), [[[0.5**0.5] * 2]], rtol=1e-6)


def test_a_layer_for_every_step_of_a_sequence():
    dense, steps = nn.Dense(3, 2), ops.ones((2, 4, 3))
    for axis in (1, -2):
        net = nn.TimeDistributed(dense, time_axis=axis, reshape_with_axis=0)
        np.testing.assert_allclose(net(steps).asnumpy(), dense(steps).asnumpy(), rtol=1e-6)


def test_norms_gradients_of_images_and_gamma_functions():
    x = Tensor([[3.0, 4.0], [0.3, 0.4]])
    expected = [[0.6, 0.8], [0.3, 0.4]]
    np.testing.assert_allclose(nn.ClipByNorm(axis=1)(x, Tensor(1.0)).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(nn.L1Regularizer(0.5)(x).asnumpy(), 3.85, rtol=1e-6)
    dy, dx = nn.ImageGradients()(X)
    assert dy.asnumpy()[0, 0].tolist() == [[3.0] * 3, [3.0] * 3, [0.0] * 3]
    assert dx.asnumpy()[0, 0].tolist() == [[1.0, 1.0, 0.0]] * 3
    for layer, values, expected in (  # recorded from MindSpore 2.10
        (nn.LGamma(), ([0.5, -1.5, 3.0],), [0.57236516, 0.86004674, 0.69314826]),
        (nn.DiGamma(), ([0.5, -1.5, 3.0],), [-1.96351, 0.7031567, 0.92278475]),
        (nn.LBeta(), ([0.5, 3.0], [2.0, 4.0]), [0.28768194, -4.094345]),
    ):
        np.testing.assert_allclose(layer(*map(Tensor, values)).asnumpy(), expected, rtol=2e-5)
