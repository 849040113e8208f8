"""The decoder: names of Parameters are MindSpore's, masks hide, gradients reach every Parameter."""

import numpy as np
import pytest

from minigraph import Tensor, grad, nn

X = Tensor(np.random.RandomState(0).randn(3, 2, 4).astype(np.float32))
MEMORY = Tensor(np.random.RandomState(1).randn(5, 2, 4).astype(np.float32))


def test_names_of_parameters():
    names = [parameter.name for parameter in nn.Transformer(4, 2, 1, 1, 8).get_parameters()]
    assert names[12] == "encoder.norm.gamma" and names[18] == "decoder.layers.0.multihead_attn.in_proj_weight"
    assert len(names) == 34 and names[-1] == "decoder.norm.beta"


@pytest.mark.parametrize("norm_first", [False, True])
def test_gradients_reach_every_parameter(norm_first):
    net = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0, "gelu", norm_first=norm_first), 2)
    assert net(X, MEMORY).shape == X.shape
    gradients = grad(lambda x: (net(x, MEMORY) ** 3).sum(), None, net.trainable_params())(X)
    assert all(np.abs(gradient.asnumpy()).max() > 0 for gradient in gradients)


def test_a_mask_hides_later_positions():
    layer = nn.TransformerDecoderLayer(4, 2, 8, 0.0)
    mask = Tensor(np.triu(np.ones((3, 3), bool), 1))
    changed = Tensor(np.concatenate([X.asnumpy()[:2], X.asnumpy()[2:] + 1]))
    before, after = (layer(x, MEMORY, tgt_mask=mask).asnumpy() for x in (X, changed))
    np.testing.assert_allclose(before[:2], after[:2], rtol=1e-6)
    assert np.abs(before[2] - after[2]).max() > 1e-3


def test_an_unknown_activation():
    with pytest.raises(ValueError, match="must be callable"):
        nn.TransformerDecoderLayer(4, 2, activation="sin")
