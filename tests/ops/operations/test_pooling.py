"""Primitives of pooling, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, errors, nn, ops
from tests.ops.functional.checks import check_function, in_both_modes
from tests.tables import cases, error_cases, every

RANDOM = np.random.default_rng(11)
IMAGES = RANDOM.standard_normal((2, 4, 6, 6))
T, VOLUME = Tensor(IMAGES), Tensor(np.zeros((1, 1, 4, 4, 4)))


@every(mode=["valid", "same"], window=[(2, 2), (3, 2), ((2, 3), 1)])
@cases((ops.MaxPool, nn.MaxPool2d), (ops.AvgPool, nn.AvgPool2d))
def test_pooling_equals_the_layers(mode, window, primitive, layer):
    expected = layer(*window, mode)(Tensor(IMAGES)).asnumpy()
    check_function(primitive(*window, mode), expected, IMAGES, gradient_at=(IMAGES[:1, :1],), rtol=1e-7)


def test_positions_of_the_maxima():
    result, positions = in_both_modes(ops.MaxPoolWithArgmax(2, 2), Tensor(IMAGES))
    rows = IMAGES.reshape(2, -1)
    np.testing.assert_array_equal(np.take_along_axis(rows, positions.reshape(2, -1), 1).ravel(), result.ravel())


test_errors = error_cases(
    (lambda: ops.MaxPool(2, 2, data_format="NHWC")(T), "MaxPool: data_format must be 'NCHW', got 'NHWC'; transpose"),
    (lambda: ops.AvgPool(2, 2, "pad")(T), "pooling: pad_mode must be 'valid' or 'same', got 'pad'"),
    (lambda: ops.MaxPoolWithArgmax(3, 2, "same")(T), "MaxPoolWithArgmax: pad_mode 'same' is not supported"),
    (lambda: ops.MaxUnpool3D(2, data_format="NDHWC")(VOLUME, VOLUME), "MaxUnpool3D: data_format must be 'NCDHW'"),
    (lambda: ops.MaxPool3DWithArgmax(2, 2, 0, data_format="NDHWC")(VOLUME), "MaxPool3DWithArgmax: data_format must be"),
    error=errors.UsageError,
)


def test_volumes_and_positions():
    volume, image = Tensor(np.arange(64.0).reshape(1, 1, 4, 4, 4)), Tensor(np.arange(16.0).reshape(1, 1, 4, 4))
    maxima, at = ops.MaxPool3DWithArgmax(2, 2, 0)(volume)
    assert ops.MaxUnpool3D(2)(maxima, at).shape == volume.shape and at.tolist() == maxima.astype(at.dtype).tolist()
    maxima, at = ops.MaxPoolWithArgmaxV2(2)(image)
    assert ops.MaxUnpool2D(2)(maxima, at)[0, 0, 1].tolist() == [0, 5, 0, 7]


def test_fractional_windows_cover_the_images():
    x = Tensor(RANDOM.standard_normal((2, 7, 8, 3)))
    for kind, reduce in ((ops.FractionalMaxPool, np.max), (ops.FractionalAvgPool, np.mean)):
        for overlap in (False, True):
            out, rows, columns = kind([1.0, 1.4, 2.0, 1.0], overlapping=overlap, seed=3)(x)
            assert out.shape == (2, 5, 4, 3) and columns.tolist() == [0, 2, 4, 6, 8]
            assert rows.tolist()[0] == 0 and rows.tolist()[-1] == 7 and set(np.diff(rows.asnumpy())) == {1, 2}
            part = x.asnumpy()[:, rows[1].item() : rows[2].item() + overlap, 2 : 4 + overlap]
            np.testing.assert_allclose(out.asnumpy()[:, 1, 1], reduce(part, (1, 2)), atol=1e-12)
