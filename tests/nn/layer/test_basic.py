"""Dense, Embedding, Flatten, Identity, OneHot."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, grad, int32, int64, nn
from tests.nn.cells import assert_close, names, tensor
from tests.tables import error_cases, every

rng = np.random.default_rng(1)


def floats(*shape):
    return tensor(rng.normal(size=shape))


@every(shape=[(3,), (4, 3), (2, 4, 3), (2, 1, 4, 3), (0, 3), (2, 0, 3)])
def test_dense_is_x_w_transposed_plus_b_for_any_rank(shape):
    layer, x = nn.Dense(3, 2), floats(*shape)
    assert_close(layer(x), x.asnumpy() @ layer.weight.asnumpy().T + layer.bias.asnumpy())


def test_dense_accepts_names_numbers_tensors_and_activations():
    # dense takes names numbers tensors and activations
    layer = nn.Dense(2, 2, Tensor([[1.0, 2.0], [-3.0, -4.0]]), bias_init=0.5, activation="relu")
    assert layer(Tensor([1.0, 1.0])).asnumpy().tolist() == [3.5, 0.0]
    assert names(layer) == ["weight", "bias"]
    assert nn.Dense(2, 2, has_bias=False).bias is None
    assert nn.Dense(2, 2, dtype=float16).weight.dtype is float16
    # dense starts within the fan in
    layer = nn.Dense(64, 500)
    for values in (layer.weight.asnumpy(), layer.bias.asnumpy()):
        assert 0.98 / 8 < np.abs(values).max() <= 1 / 8


test_invalid_arguments_raise = error_cases(
    (lambda: nn.Dense(3, 2)(floats(2, 4, 5)), errors.ShapeError, r"matmul: inner sizes differ, 5 and 3"),
    (lambda: nn.Dense(0, 2), ValueError, "For 'Dense', the 'in_channels' must be int and must > 0, but got '0'"),
    (lambda: nn.Dense(3, 2, weight_init=floats(3, 2)), errors.ShapeError, "initializer"),
    (lambda: nn.Embedding(4, 2, padding_idx=4), ValueError, r"'padding_idx' must be in range of \[0, 4\), but got 4"),
)


def test_embedding_flatten_and_identity():
    # embedding looks up rows and its gradient adds up repeats
    layer, ids = nn.Embedding(5, 3), Tensor([[1, 1], [4, 0]])
    np.testing.assert_array_equal(layer(ids).asnumpy(), layer.embedding_table.asnumpy()[ids.asnumpy()])
    gradient = grad(lambda: layer(ids).sum(), None, layer.embedding_table)()
    assert gradient.asnumpy()[:, 0].tolist() == [1, 2, 0, 0, 1]
    # embedding pads with zeros
    table = nn.Embedding(4, 2, padding_idx=1).embedding_table.asnumpy()
    assert table[1].tolist() == [0, 0]
    assert table[0].any()
    # flatten and identity
    x = floats(2, 3, 4, 5)
    assert nn.Flatten()(x).shape == (2, 60)
    assert nn.Flatten(2)(x).shape == (2, 3, 20)
    assert nn.Flatten(0, 1)(x).shape == (6, 4, 5)
    assert nn.Identity()(x) is nn.Identity(3, unused=4)(x) is x


def test_one_hot_on_any_axis_in_any_dtype():
    rows = nn.OneHot(depth=3)(Tensor([[0, 2], [1, 3]], int32)).tolist()
    assert rows == [[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]]
    result = nn.OneHot(axis=0, depth=3, on_value=2.0, off_value=-1.0, dtype=float16)(Tensor([0, 2, 1, -1], int32))
    assert result.dtype == float16
    assert result.tolist() == [[2.0, -1.0, -1.0, -1.0], [-1.0, -1.0, 2.0, -1.0], [-1.0, 2.0, -1.0, -1.0]]
    assert nn.OneHot(depth=2, dtype=int32)(Tensor([0, 1], int64)).dtype == int32


def test_one_hot_needs_integers():
    with pytest.raises(TypeError, match=r"^one_hot: needs integer operands, got f32\[1\]"):
        nn.OneHot(depth=3)(Tensor([0.0]))
