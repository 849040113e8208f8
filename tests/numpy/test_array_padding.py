"""Padding in every mode against numpy."""

import numpy as np

from minigraph import Tensor, errors, float32, int32
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, INTEGERS, V, X, check
from tests.ops.functional.checks import check_gradient
from tests.tables import cases, error_cases, every

PAIRS = ((1, 0), (0, 2))
WIDE_PADDING = (3, 5)  # more than there are elements: mirrored again
CASES = [
    (X, 1, {}), (X, PAIRS, {}), (V, (1, 2), {"constant_values": 5}), (V, (1, 2), {"constant_values": (3, 4)}),
    (X, PAIRS, {"constant_values": ((1, 2), (3, 4))}), (INTEGERS, 1, {}),
    *((array, width, {"mode": mode}) for mode in ("edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean")
      for array, width in ((V, WIDE_PADDING), (X, PAIRS), (CUBE, ((0, 0), (1, 1), (2, 0))))),
    *((V, WIDE_PADDING, {"mode": mode, "reflect_type": "odd"}) for mode in ("reflect", "symmetric")),
    (X, PAIRS, {"mode": "reflect", "reflect_type": "odd"}), (V, (2, 1), {"mode": "maximum", "stat_length": 2}),
    (V, (2, 1), {"mode": "mean", "stat_length": 2}), (X, PAIRS, {"mode": "minimum", "stat_length": ((1, 2), (2, 1))}),
    (V, WIDE_PADDING, {"mode": "linear_ramp", "end_values": (5, -4)}), (V, (2, 3), {"mode": "linear_ramp"}),
    (X, 2, {"mode": "linear_ramp", "end_values": ((1, 2), (3, 4))}),
]  # fmt: skip


@cases(*CASES, ids=str)
def test_values(array, width, options):
    check("pad", array, width, **options)


@every(options=[case[2] for case in CASES[6::4]], ids=str)
def test_gradients(options):
    check_gradient(lambda x: mnp.pad(x, (2, 1), **options), V, tolerance=1e-4)


def test_dtypes_are_kept_and_padding_by_a_function():
    # dtypes are kept
    assert mnp.pad([1, 2], 1).dtype is int32
    assert mnp.pad(Tensor(INTEGERS), 1, mode="edge").dtype is int32
    assert mnp.pad(Tensor(X), 1, mode="mean").dtype is float32
    assert mnp.pad(Tensor(V), (2, 1), mode="empty").asnumpy().tolist() == [0, 0, *V.tolist(), 0]

    # padding by a function
    def sevens(vector, width, axis, kwargs):
        inside = vector[width[0] : vector.shape[0] - width[1]]
        return mnp.concatenate((mnp.full(width[0], kwargs["value"]), inside, mnp.full(width[1], kwargs["value"])))

    result = mnp.pad(Tensor(INTEGERS), 1, sevens, value=7)
    assert result.asnumpy().tolist() == np.pad(INTEGERS, 1, constant_values=7).tolist()


test_errors = error_cases(
    (lambda: mnp.pad(Tensor(V), 1, mode="reflected"), "no mode 'reflected'; did you mean 'reflect'?"),
    (lambda: mnp.pad(Tensor(V), 1, mode="median"), "no mode 'median'; did you mean 'mean'"),
    error=errors.UsageError,
)
