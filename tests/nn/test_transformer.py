"""The encoder layer against its parts, put together by hand."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn, ops

X = Tensor(np.random.default_rng(1).normal(size=(3, 5, 4)).astype(np.float32))
MASK = Tensor(np.triu(np.ones((5, 5), bool), 1))


def assert_same(found, wanted):
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("mask", [None, MASK])
def test_normalised_after_or_before(mask):
    layer = nn.TransformerEncoderLayer(4, 2, 6, activation="gelu", batch_first=True)

    def attended(x):
        return layer.self_attn(x, x, x, attn_mask=mask)[0]

    def fed(x):
        return layer.linear2(nn.GELU()(layer.linear1(x)))

    first = layer.norm1(X + attended(X))
    assert_same(layer(X, src_mask=mask), layer.norm2(first + fed(first)))
    layer.norm_first = True
    first = X + attended(layer.norm1(X))
    assert_same(layer(X, src_mask=mask), first + fed(layer.norm2(first)))


def test_hidden_positions_change_nothing_before_them():
    layer = nn.TransformerEncoderLayer(4, 2, 6, batch_first=True)
    other = ops.concat((X[:, :3], X[:, 3:] * 2), 1)
    assert_same(layer(X, MASK)[:, :3], layer(other, MASK)[:, :3])
    padding = Tensor(np.array([[False, False, False, True, True]] * 3))
    assert_same(layer(X, None, padding)[:, :3], layer(other, None, padding)[:, :3])


def test_names_and_epsilon():
    layer = nn.TransformerEncoderLayer(4, 2, 6, layer_norm_eps=0.5)
    found = [p.name for p in layer.get_parameters()]
    assert found[:4] == ["self_attn.in_proj_weight", "self_attn.in_proj_bias", "self_attn.out_proj.weight",
                         "self_attn.out_proj.bias"]  # fmt: skip
    assert found[4:] == [f"{part}.{name}" for part in ("linear1", "linear2") for name in ("weight", "bias")] + [
        f"{part}.{name}" for part in ("norm1", "norm2") for name in ("gamma", "beta")
    ]
    assert layer.norm1.epsilon == layer.norm2.epsilon == 0.5


def test_dropout_in_training_only():
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.5)
    quiet = layer(X).asnumpy().tobytes()
    assert layer(X).asnumpy().tobytes() == quiet
    assert layer.set_train()(X).asnumpy().tobytes() != quiet


def test_the_encoder_has_copies_of_its_own():
    layer = nn.TransformerEncoderLayer(4, 2, 6)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm((4,)))
    assert_same(encoder(X), encoder.norm(layer(layer(X))))
    names = [p.name for p in encoder.get_parameters()]
    assert names[0] == "layers.0.self_attn.in_proj_weight"
    assert len(set(names)) == len(names) == 2 * 12 + 2
    first, second = (cell.linear1.weight for cell in encoder.layers)
    first.set_data(ops.zeros_like(first))
    assert second.asnumpy().any()
    assert layer.linear1.weight.name == "linear1.weight"


class Vision(nn.Cell):
    """A vision transformer: patches by a convolution, a class token, places, two encoder layers, ten scores."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, 16, 2, stride=2, pad_mode="valid", has_bias=True)
        self.token = nn.Parameter(ops.zeros((1, 1, 16)))
        self.places = nn.Parameter(ops.randn(1, 17, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 32, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm((16,)))
        self.head = nn.Dense(16, 10)

    def construct(self, images):
        tokens = self.patches(images).flatten(2).swapaxes(1, 2)
        x = ops.concat((self.token.broadcast_to((len(images), 1, 16)), tokens), 1) + self.places
        return self.head(self.encoder(x)[:, 0])


def trained(mode):
    ms.set_context(mode=mode)
    ms.set_seed(1)
    digits, net = ms.dataset.load_digits(), Vision()
    images = Tensor(digits.images[:48].reshape(-1, 1, 8, 8).astype(np.float32))
    labels = Tensor(digits.labels[:48].astype(np.int32))
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    step = nn.TrainOneStepCell(loss, nn.AdamW(net.trainable_params(), nn.CosineDecayLR(0.0, 0.02, 40)))
    return [step(images, labels).item() for _ in range(40)], net, images


def test_a_vision_transformer_trains_alike_in_both_modes_and_survives_a_checkpoint(tmp_path):
    eager, net, images = trained(ms.PYNATIVE_MODE)
    compiled, _, _ = trained(ms.GRAPH_MODE)
    assert eager == compiled
    assert eager[-1] < 0.5 * eager[0]
    ms.save_checkpoint(net, tmp_path / "vision")
    fresh = Vision()
    assert ms.load_param_into_net(fresh, ms.load_checkpoint(tmp_path / "vision.ckpt")) == ([], [])
    assert fresh(images).asnumpy().tobytes() == net(images).asnumpy().tobytes()
