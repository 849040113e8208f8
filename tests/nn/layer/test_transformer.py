"""The encoder layer against its parts."""

import numpy as np
import pytest

from minigraph import Tensor, nn, ops
from tests.nn.cells import assert_close, is_random_in_training_only, names
from tests.tables import every

X = Tensor(np.random.default_rng(1).normal(size=(3, 5, 4)).astype(np.float32))
MASK = Tensor(np.triu(np.ones((5, 5), bool), 1))


def assert_same(result, expected):
    assert_close(result, expected.asnumpy(), 1e-6)


@every(mask=[None, MASK])
def test_normalised_after_or_before(mask):
    layer = nn.TransformerEncoderLayer(4, 2, 6, activation="gelu", batch_first=True)

    def attend(x):
        return layer.self_attn(x, x, x, attn_mask=mask)[0]

    def feed_forward(x):
        return layer.dense2(ops.gelu(layer.dense1(x)))

    after, before = layer.norm1(X + attend(X)), X + attend(layer.norm1(X))
    assert_same(layer(X, src_mask=mask), layer.norm2(after + feed_forward(after)))
    layer.norm_first = True
    assert_same(layer(X, src_mask=mask), before + feed_forward(layer.norm2(before)))


def test_masked_positions_do_not_affect_earlier_ones():
    layer = nn.TransformerEncoderLayer(4, 2, 6, batch_first=True)
    other = ops.concat((X[:, :3], X[:, 3:] * 2), 1)
    assert_same(layer(X, MASK)[:, :3], layer(other, MASK)[:, :3])
    padding = Tensor(np.array([[False, False, False, True, True]] * 3))
    assert_same(layer(X, None, padding)[:, :3], layer(other, None, padding)[:, :3])


def test_names_epsilon_and_dropout_in_training_only():
    # names and epsilon
    layer = nn.TransformerEncoderLayer(4, 2, 6, layer_norm_eps=0.5)
    assert names(layer) == [
        *("self_attn.in_proj_weight", "self_attn.in_proj_bias", "self_attn.out_proj.weight", "self_attn.out_proj.bias"),
        *("dense1.weight", "dense1.bias", "dense2.weight", "dense2.bias"),
        *("norm1.gamma", "norm1.beta", "norm2.gamma", "norm2.beta"),
    ]
    assert layer.norm1.epsilon == layer.norm2.epsilon == 0.5
    # dropout in training only
    assert is_random_in_training_only(nn.TransformerEncoderLayer(4, 2, 6, dropout=0.5), X)


def test_the_encoder_has_copies_of_its_own():
    layer = nn.TransformerEncoderLayer(4, 2, 6)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm((4,)))
    assert_same(encoder(X), encoder.norm(layer(layer(X))))
    result = names(encoder)
    assert result[0] == "layers.0.self_attn.in_proj_weight"
    assert len(set(result)) == len(result) == 2 * 12 + 2
    first, second = (cell.dense1.weight for cell in encoder.layers)
    first.set_data(ops.zeros_like(first))
    assert second.asnumpy().any()
    assert layer.dense1.weight.name == "dense1.weight"


def test_the_activation_is_a_name_or_a_function():
    for activation in ("relu", ops.relu, nn.ReLU()):
        layer = nn.TransformerEncoderLayer(4, 2, 6, activation=activation)
        assert_same(layer.feed_forward(X), layer.dense2(ops.relu(layer.dense1(X))))
    with pytest.raises(ValueError, match=r"must be callable or one of \['relu', 'gelu'\], but got 'tanh'"):
        nn.TransformerEncoderLayer(4, 2, activation="tanh")
