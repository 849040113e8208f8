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
