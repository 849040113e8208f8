"""Pad and OneHot against numpy, and whole channels dropped."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minigraph import Tensor, float16, grad, int32, int64, nn
from tests.tables import cases, refusals

X = np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 4 - 1
pairs = st.tuples(st.integers(0, 2), st.integers(0, 2))


@given(st.tuples(pairs, pairs), st.sampled_from(["CONSTANT", "REFLECT", "SYMMETRIC"]))
def test_borders_are_those_of_numpy(paddings, mode):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    pad = nn.Pad(paddings, mode)
    assert np.array_equal(pad(Tensor(x)).asnumpy(), np.pad(x, paddings, mode.lower()))
    weights = np.random.default_rng(0).normal(size=np.pad(x, paddings).shape).astype(np.float32)
    found = grad(lambda x: (pad(x) * Tensor(weights)).sum())(Tensor(x)).asnumpy()
    places = np.pad(np.arange(1, 13).reshape(3, 4), paddings, mode.lower())
    np.testing.assert_allclose(found.ravel(), [weights[places == i].sum() for i in range(1, 13)], rtol=1e-5)


def test_one_hot_on_any_axis_in_any_dtype():
    rows = nn.OneHot(depth=3)(Tensor([[0, 2], [1, 3]], int32)).tolist()
    assert rows == [[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]]
    found = nn.OneHot(axis=0, depth=3, on_value=2.0, off_value=-1.0, dtype=float16)(Tensor([0, 2, 1, -1], int32))
    assert found.dtype == float16
    assert found.tolist() == [[2.0, -1.0, -1.0, -1.0], [-1.0, -1.0, 2.0, -1.0], [-1.0, 2.0, -1.0, -1.0]]
    assert nn.OneHot(depth=2, dtype=int32)(Tensor([0, 1], int64)).dtype == int32


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
    (lambda: nn.Pad([[1, 1]]), TypeError, "^For 'Pad', the type of 'paddings' must be tuple, but got list."),
    (lambda: nn.Pad(((1, 1), (1,))), ValueError, r"^For 'Pad', the dimension of 'paddings' must be \(n, 2\), but got"),
    (lambda: nn.Pad(((1, -1),)), ValueError, r"^For 'Pad', the dimension of 'paddings' must be \(n, 2\)"),
    (lambda: nn.Pad(((1, 1),), "constant"), ValueError, "^For 'Pad', the 'mode' must be str and must be in '"),
    (lambda: nn.Pad(((1, 1),))(Tensor(X)), ValueError, "^For 'Pad', the length of 'paddings' .*, but got 1 vs 3"),
    (lambda: nn.Pad(((3, 0),), "REFLECT")(Tensor(X[0, 0])), ValueError, r"\(3, 0\) does not fit an axis of 3 elem"),
    (lambda: nn.OneHot(depth=3)(Tensor([0.0])), TypeError, r"^one_hot: needs integer operands, got f32\[1\]"),
    (lambda: nn.Dropout2d(1.5), ValueError, r"^For 'Dropout2d', the 'p' must be .* range \[0, 1\], but got 1.5"),
    (lambda: nn.Dropout1d("a"), TypeError, "^For 'Dropout1d', the type of 'p' should be 'float', but got type 'str'"),
    (lambda: nn.Dropout2d().set_train()(Tensor(X)), ValueError, r"an input of rank \(4,\), got shape \[2, 2, 3\]"),
)
