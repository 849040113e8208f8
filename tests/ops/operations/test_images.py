"""Primitives of images against the layers and against formulas, in both modes, with gradients."""

import numpy as np
import pytest

from minigraph import Tensor, errors, nn, ops
from tests.ops.functional.ways import both_ways, check_function
from tests.tables import cases, every, refusals

RANDOM = np.random.default_rng(11)
IMAGES = RANDOM.standard_normal((2, 4, 6, 6))


@every(mode=["valid", "same"], window=[(2, 2), (3, 2), ((2, 3), 1)])
@cases((ops.MaxPool, nn.MaxPool2d), (ops.AvgPool, nn.AvgPool2d))
def test_pooling_is_that_of_the_layers(mode, window, primitive, layer):
    wanted = layer(*window, mode)(Tensor(IMAGES)).asnumpy()
    check_function(primitive(*window, mode), wanted, IMAGES, slope_at=(IMAGES[:1, :1],), rtol=1e-7)


def test_places_of_the_largest_and_blocks():
    # places of the largest
    found, places = both_ways(ops.MaxPoolWithArgmax(2, 2), Tensor(IMAGES))
    rows = IMAGES.reshape(2, -1)
    np.testing.assert_array_equal(np.take_along_axis(rows, places.reshape(2, -1), 1).ravel(), found.ravel())
    # blocks are channels and back
    blocks = both_ways(ops.SpaceToDepth(2), Tensor(IMAGES))
    assert blocks.shape == (2, 16, 3, 3)
    np.testing.assert_array_equal(blocks[:, 4:8], IMAGES[:, :, ::2, 1::2])
    np.testing.assert_array_equal(both_ways(ops.DepthToSpace(2), Tensor(blocks)), IMAGES)


CONFIGURED = [{}, {"stride": 2}, {"pad_mode": "pad", "pad": 1}, {"pad_mode": "same", "stride": 2}]


@pytest.mark.parametrize("config", CONFIGURED)
def test_the_transposed_convolution_is_the_gradient_of_the_other(config):
    weight = RANDOM.standard_normal((3, 4, 2, 2))
    straight = ops.Conv2D(3, 2, **config)(Tensor(IMAGES), Tensor(weight)).asnumpy()
    other = RANDOM.standard_normal(straight.shape)
    back = ops.Conv2DTranspose(3, 2, **config)(Tensor(other), Tensor(weight), IMAGES.shape).asnumpy()
    assert (straight * other).sum() == pytest.approx((IMAGES * back).sum())


# what MindSpore 2.10 prints for [[0, 4, 8], [16, 20, 24]] in 3 x 4 pixels
RESIZED = {
    ((False, False), (3, 4)): [[0, 3, 6, 8], [10.6667, 13.6667, 16.6667, 18.6667], [16, 19, 22, 24]],
    ((False, False), (1, 2)): [[0, 6]],
    ((True, False), (3, 4)): [[0, 2.6667, 5.3333, 8], [8, 10.6667, 13.3333, 16], [16, 18.6667, 21.3333, 24]],
    ((True, False), (1, 2)): [[0, 8]],
    ((False, True), (3, 4)): [[0, 2.5, 5.5, 8], [8, 10.5, 13.5, 16], [16, 18.5, 21.5, 24]],
    ((False, True), (1, 2)): [[9, 15]],
}


@pytest.mark.parametrize("case", RESIZED, ids=str)
def test_sizes_between_pixels_are_mindspores(case):
    (corners, centres), size = case
    x = np.array([[[[0.0, 4.0, 8.0], [16.0, 20.0, 24.0]]]])
    found = both_ways(lambda x: ops.ResizeBilinearV2(corners, centres)(x, size), Tensor(x))
    np.testing.assert_allclose(found[0, 0], RESIZED[case], atol=1e-4)


T = Tensor(IMAGES)


test_refusals = refusals(
    (lambda: ops.MaxPool(2, 2, data_format="NHWC")(T), "MaxPool: data_format is 'NCHW', got 'NHWC'; transpose"),
    (lambda: ops.AvgPool(2, 2, "pad")(T), "pooling: pad_mode is 'valid' or 'same', got 'pad'"),
    (lambda: ops.MaxPoolWithArgmax(3, 2, "same")(T), "MaxPoolWithArgmax: pad_mode 'same' is not supported"),
    (lambda: ops.ResizeBilinearV2(True, True)(T, (2, 2)), "align_corners and half_pixel_centers exclude each"),
    (lambda: ops.ResizeNearestNeighbor((2, 2), True)(T), "align_corners and half_pixel_centers are not supported"),
    error=errors.UsageError,
)
