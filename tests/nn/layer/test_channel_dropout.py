"""Whole channels dropped."""

import numpy as np

from minigraph import Tensor, nn
from tests.tables import cases, refusals

X = np.ones((2, 2, 3), np.float32)


@cases((nn.Dropout1d, (40, 50, 6)), (nn.Dropout2d, (40, 50, 2, 3)))
def test_channels_are_dropped_as_a_whole(layer, shape):
    ones = Tensor(np.ones(shape, np.float32))
    drop = layer(0.25)
    assert repr(drop) == f"{layer.__name__}(p=0.25)"
    assert drop(ones) is ones
    assert layer(0.0).set_train()(ones) is ones
    found = drop.set_train()(ones).asnumpy().reshape(2000, 6)
    assert (found == found[:, :1]).all()
    np.testing.assert_allclose(np.unique(found), [0.0, 4 / 3], rtol=1e-6)
    assert 0.2 < (found[:, 0] == 0).mean() < 0.3


test_wrong_arguments_are_refused = refusals(
    (lambda: nn.Dropout2d(1.5), ValueError, r"^For 'Dropout2d', the 'p' must be .* range \[0, 1\], but got 1.5"),
    (lambda: nn.Dropout1d("a"), TypeError, "^For 'Dropout1d', the type of 'p' should be 'float', but got type 'str'"),
    (
        lambda: nn.Dropout2d().set_train()(Tensor(X)),
        ValueError,
        r"an input of rank \(4,\), got shape \[2, 2, 3\]",
    ),
)
