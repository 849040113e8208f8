"""Dropout of elements and of channels."""

import numpy as np
import pytest

from minigraph import Tensor, nn, ops, value_and_grad
from tests.tables import cases, error_cases

X = np.ones((2, 2, 3), np.float32)


def test_dropout_draws_a_new_mask_at_each_call_and_keeps_the_mean(mode):
    layer, x = nn.Dropout(p=0.25).set_train(), ops.ones((100, 100))
    first, second = layer(x).asnumpy(), layer(x).asnumpy()
    assert set(np.unique(first)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert first.mean() == pytest.approx(1, abs=0.03)
    assert not np.array_equal(first, second)
    assert layer.set_train(False)(x) is x or np.array_equal(layer(x).asnumpy(), x.asnumpy())


def test_the_gradient_and_arguments_of_dropout():
    # the gradient uses the same mask
    layer, x = nn.Dropout(p=0.5).set_train(), ops.ones((50,))
    out, gradient = value_and_grad(layer)(x)
    assert np.array_equal(out.asnumpy(), gradient.asnumpy())
    # arguments and range
    assert nn.Dropout().p == 0.5
    assert nn.Dropout(keep_prob=0.75).p == 0.25
    assert repr(nn.Dropout(p=0.2)) == "Dropout(p=0.2)"
    for p in (-0.1, 1.0, 2.0):
        with pytest.raises(ValueError, match=r"number in range \[0, 1\)"):
            nn.Dropout(p=p)


@cases((nn.Dropout1d, (40, 50, 6)), (nn.Dropout2d, (40, 50, 2, 3)))
def test_channels_are_dropped_as_a_whole(layer, shape):
    ones = Tensor(np.ones(shape, np.float32))
    drop = layer(0.25)
    assert repr(drop) == f"{layer.__name__}(p=0.25)"
    assert drop(ones) is ones
    assert layer(0.0).set_train()(ones) is ones
    result = drop.set_train()(ones).asnumpy().reshape(2000, 6)
    assert (result == result[:, :1]).all()
    np.testing.assert_allclose(np.unique(result), [0.0, 4 / 3], rtol=1e-6)
    assert 0.2 < (result[:, 0] == 0).mean() < 0.3


test_invalid_arguments_raise = error_cases(
    (lambda: nn.Dropout2d(1.5), ValueError, r"^For 'Dropout2d', the 'p' must be .* range \[0, 1\], but got 1.5"),
    (lambda: nn.Dropout1d("a"), TypeError, "^For 'Dropout1d', the type of 'p' should be 'float', but got type 'str'"),
    (
        lambda: nn.Dropout2d().set_train()(Tensor(X)),
        ValueError,
        r"an input of rank \(4,\), got shape \[2, 2, 3\]",
    ),
)


@pytest.mark.parametrize(("layer", "plain"), [(nn.DropoutExt(0.25), nn.Dropout(p=0.25)),
                                              (nn.Dropout2dExt(0.25, inplace=True), nn.Dropout2d(0.25))])  # fmt: skip
def test_forms_with_the_probability_first(layer, plain):
    assert str(layer) == f"{type(layer).__name__}()" and layer.p == plain.p and isinstance(layer, type(plain))
    x = ops.ones((40, 10, 2, 2))
    dropped = layer.set_train()(x).asnumpy()
    assert set(np.unique(dropped)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert np.array_equal(layer.set_train(False)(x).asnumpy(), x.asnumpy())
