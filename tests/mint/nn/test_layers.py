"""Layers of ``mint.nn``: each equals the function, or the layer of ``nn``, of the same name."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import nn, ops
from minigraph.mint import nn as mint_nn

RNG = np.random.default_rng(0)
VECTORS, IMAGES, VOLUMES = (ms.Tensor(RNG.normal(size=(2, 4, *[6] * axes)).astype(np.float32)) for axes in (1, 2, 3))


LOSSES = {
    "BCEWithLogitsLoss": lambda x, y: ops.binary_cross_entropy_with_logits(x, y, reduction="sum"),
    "SmoothL1Loss": lambda x, y: ops.smooth_l1_loss(x, y, reduction="mean"),
}


@pytest.mark.parametrize(
    ("layer", "x", "expected"),
    [
        (mint_nn.AdaptiveAvgPool3d(2), VOLUMES, lambda x: ops.adaptive_avg_pool3d(x, 2)),
        (mint_nn.AvgPool1d(2), VECTORS, lambda x: ops.avg_pool1d(x, 2, 2)),
        (mint_nn.AvgPool2d(2, 1), IMAGES, lambda x: ops.avg_pool2d(x, 2, 1)),
        (mint_nn.AvgPool3d(2), VOLUMES, lambda x: ops.avg_pool3d(x, 2, 2)),
        (mint_nn.BCEWithLogitsLoss(reduction="sum"), IMAGES, None),
        (mint_nn.Fold((4, 5), 2), ops.ones((2, 8, 12)), lambda x: ops.fold(x, (4, 5), 2)),
        (mint_nn.GELU("tanh"), IMAGES, lambda x: ops.gelu(x, "tanh")),
        (mint_nn.Hardshrink(0.3), IMAGES, lambda x: ops.hardshrink(x, 0.3)),
        (mint_nn.Hardsigmoid(), IMAGES, ops.hardsigmoid),
        (mint_nn.Hardswish(), IMAGES, ops.hardswish),
        (mint_nn.LogSoftmax(dim=1), IMAGES, lambda x: ops.log_softmax(x, 1)),
        (mint_nn.SELU(), IMAGES, ops.selu),
        (mint_nn.SmoothL1Loss(), IMAGES, None),
        (mint_nn.Softmax(), IMAGES, lambda x: ops.softmax(x, 1)),
        (mint_nn.Unfold(2), IMAGES, lambda x: ops.unfold(x, 2)),
        (mint_nn.UpsamplingBilinear2d((3, 3)), IMAGES, lambda x: ops.interpolate(
            x, (3, 3), mode="bilinear", align_corners=True)),
        (mint_nn.UpsamplingNearest2d((3, 3)), IMAGES, lambda x: ops.interpolate(x, (3, 3))),
        (mint_nn.GLU(1), IMAGES, lambda x: ops.glu(x, 1)),
        (mint_nn.MaxPool2d(3, 2, 1), IMAGES, lambda x: ops.max_pool2d(x, 3, 2, 1)),
        (mint_nn.ReplicationPad3d(1), VOLUMES, lambda x: ops.pad(x, (1,) * 6, "replicate")),
        (mint_nn.Softshrink(0.3), IMAGES, lambda x: ops.softshrink(x, 0.3)),
        (mint_nn.Dropout(0.5), IMAGES, lambda x: x),
        (mint_nn.Dropout2d(0.5), IMAGES, lambda x: x),
        (mint_nn.LayerNorm((6, 6)), IMAGES, lambda x: ops.layer_norm(x, (6, 6))),
        (mint_nn.LayerNorm(6, elementwise_affine=False), IMAGES, lambda x: ops.layer_norm(x, 6)),
        (mint_nn.ZeroPad1d(1), VECTORS, lambda x: ops.pad(x, (1, 1))),
        (mint_nn.ZeroPad3d((1, 0, 0, 0, 0, 1)), VOLUMES, lambda x: ops.pad(x, (1, 0, 0, 0, 0, 1))),
        (mint_nn.BatchNorm1d(4), VECTORS, nn.BatchNorm1d(4)),
        (mint_nn.BatchNorm2d(4).set_train(), IMAGES, nn.BatchNorm2d(4).set_train()),
        (mint_nn.BatchNorm3d(4).set_train(), VOLUMES, nn.BatchNorm3d(4).set_train()),
    ],
)  # fmt: skip
def test_a_layer_is_its_function(layer, x, expected) -> None:
    inputs = (x,) if expected else (x, ops.sigmoid(x))
    expected = expected or LOSSES[type(layer).__name__]
    for run in (layer, ms.jit(layer)):
        np.testing.assert_allclose(run(*inputs).asnumpy(), expected(*inputs).asnumpy(), rtol=1e-5, atol=1e-6)
    gradients = ms.grad(layer)(*inputs), ms.grad(expected)(*inputs)
    np.testing.assert_allclose(*(gradient.asnumpy() for gradient in gradients), rtol=1e-4, atol=1e-5)


def test_layers_with_parameters_take_the_arguments_of_mint() -> None:
    image = mint_nn.Conv2d(4, 2, kernel_size=3, padding=(1, 0), groups=2)
    assert image(IMAGES).shape == (2, 2, 6, 4) and image.bias.shape == (2,)
    assert mint_nn.Conv1d(4, 2, 3, padding="same", bias=False)(VECTORS).shape == (2, 2, 6)
    assert mint_nn.Linear(6, 2, bias=False)(VECTORS).shape == (2, 4, 2)
    assert mint_nn.BatchNorm2d(4, momentum=0.2).momentum == 0.8
    assert mint_nn.Conv3d(4, 2, (3, 3, 1), padding=(1, 1, 0))(VOLUMES).shape == (2, 2, 6, 6, 6)
    assert [p.name for p in mint_nn.LayerNorm(6, bias=False).get_parameters()] == ["weight"]
    with pytest.raises(ValueError, match="padding_mode 'reflect' is not supported"):
        mint_nn.Conv2d(4, 2, 3, padding_mode="reflect")


def test_a_layer_prints_its_arguments() -> None:
    assert repr(mint_nn.Softmax(dim=1)) == "Softmax(dim=1)"
    assert repr(mint_nn.Linear(2, 3)) == "Linear(input_features=2, output_features=3, has_bias=True)"
    assert repr(mint_nn.LayerNorm(2)) == "LayerNorm(normalized_shape=(2,), eps=1e-05, elementwise_affine=True)"
    assert repr(mint_nn.Embedding(3, 2)) == "Embedding(num_embeddings=3, embedding_dim=2, padding_idx=None)"


def test_the_padding_row_of_an_embedding_is_zero_and_has_no_gradient() -> None:
    layer = mint_nn.Embedding(3, 2, padding_idx=-1)
    gradient = ms.grad(lambda: layer(ms.Tensor([0, 2])).sum(), None, layer.trainable_params())()
    assert layer.weight[2].tolist() == [0, 0] and gradient[0].tolist() == [[1, 1], [0, 0], [0, 0]]
    frozen = mint_nn.Embedding(1, 2, _weight=ms.Tensor([[5.0, 6.0]]), _freeze=True)
    assert frozen(ms.Tensor(0)).tolist() == [5, 6] and not frozen.trainable_params()
    with pytest.raises(ValueError, match="sparse=True is not supported"):
        mint_nn.Embedding(3, 2, sparse=True)
