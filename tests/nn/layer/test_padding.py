"""Pad against numpy, and its gradient."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minigraph import Tensor, grad, nn
from tests.tables import refusals

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


test_wrong_arguments_are_refused = refusals(
    (lambda: nn.Pad([[1, 1]]), TypeError, "^For 'Pad', the type of 'paddings' must be tuple, but got list."),
    (lambda: nn.Pad(((1, 1), (1,))), ValueError, r"^For 'Pad', the dimension of 'paddings' must be \(n, 2\), but got"),
    (lambda: nn.Pad(((1, -1),)), ValueError, r"^For 'Pad', the dimension of 'paddings' must be \(n, 2\)"),
    (lambda: nn.Pad(((1, 1),), "constant"), ValueError, "^For 'Pad', the 'mode' must be str and must be in '"),
    (lambda: nn.Pad(((1, 1),))(Tensor(X)), ValueError, "^For 'Pad', the length of 'paddings' .*, but got 1 vs 3"),
    (lambda: nn.Pad(((3, 0),), "REFLECT")(Tensor(X[0, 0])), ValueError, r"\(3, 0\) does not fit an axis of 3 elem"),
)
