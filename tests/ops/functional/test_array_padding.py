"""Padding against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, ops
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.checks import check_function, gradient_test, in_both_modes, value_test
from tests.tables import cases, error_cases

CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
MATRIX, VECTOR = CUBE[0], np.array([1.0, -2.0, 3.0], np.float32)
ARRAY_CASES = [
    (lambda x: ops.pad(x, (1, 2)), MATRIX, np.pad(MATRIX, ((0, 0), (1, 2)))),
    (lambda x: ops.pad(x, (1, 0, 0, 2), value=5.0), MATRIX, np.pad(MATRIX, ((0, 2), (1, 0)), constant_values=5)),
    (lambda x: ops.pad(x, (-1, 1)), MATRIX, np.pad(MATRIX, ((0, 0), (0, 1)))[:, 1:]),
    (lambda x: ops.pad(x, (2, 1), "reflect"), CUBE, np.pad(CUBE, ((0, 0), (0, 0), (2, 1)), "reflect")),
    (lambda x: ops.pad(x, Tensor([1, 1, 2, 0]), "replicate"), CUBE, np.pad(CUBE, ((0, 0), (2, 0), (1, 1)), "edge")),
    (lambda x: ops.pad(x, (1, 2, 1, 0), "circular"), CUBE, np.pad(CUBE, ((0, 0), (1, 0), (1, 2)), "wrap")),
]


test_values = value_test(ARRAY_CASES, rtol=1e-6)


test_gradients = gradient_test([(fn, array) for fn, array, _ in ARRAY_CASES])


test_errors = error_cases(
    (lambda: ops.pad(Tensor(MATRIX), (1,)), ShapeError, r"pad: got 1 widths for f32\[3,4\]; give two per axis"),
    (lambda: ops.pad(Tensor(MATRIX), (1, 1), "reflct"), UsageError, "pad: no mode 'reflct'; did you mean 'reflect'"),
    (
        lambda: ops.pad(Tensor(MATRIX), (4, 0), "reflect"),
        ShapeError,
        "pad: width 4 in mode 'reflect' needs more than 4",
    ),
)


RANDOM = np.random.default_rng(9)
VOLUME = RANDOM.standard_normal((2, 3, 4))
VOLUME_TENSOR = Tensor(VOLUME)


@cases(("REFLECT", "reflect"), ("SYMMETRIC", "symmetric"))
def test_mirror_pad(mode, numpy_mode):
    widths = [[1, 0], [2, 1], [0, 3]]
    check_function(
        lambda x: ops.mirror_pad(x, Tensor(widths), mode),
        np.pad(VOLUME, widths, mode=numpy_mode),
        VOLUME,
        rtol=0,
        atol=0,
    )


def test_padding_of_the_last_axis():
    result = in_both_modes(lambda x: ops.padding(x, 3), Tensor(VOLUME[..., :1]))
    np.testing.assert_array_equal(result, np.pad(VOLUME[..., :1], ((0, 0), (0, 0), (0, 2))))


test_refusals_of_sequences = error_cases(
    (lambda: ops.padding(VOLUME_TENSOR), ShapeError, "padding: expected two or more axes, the last of size 1"),
    (
        lambda: ops.mirror_pad(VOLUME_TENSOR, [[1, 1]] * 3, "WRAP"),
        UsageError,
        "mirror_pad: mode is 'REFLECT' or 'SYMMETRIC'",
    ),
    (
        lambda: ops.mirror_pad(VOLUME_TENSOR, [[1, 1]]),
        ShapeError,
        "mirror_pad: expected \\(before, after\\) for each of 3 axes",
    ),
)
