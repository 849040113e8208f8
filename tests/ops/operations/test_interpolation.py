"""Primitives that resize images, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import in_both_modes
from tests.tables import error_cases

RNG = np.random.default_rng(11)
IMAGES = RNG.standard_normal((2, 4, 6, 6))


# output of MindSpore 2.10 for [[0, 4, 8], [16, 20, 24]] in 3 x 4 pixels
EXPECTED = {
    ((False, False), (3, 4)): [[0, 3, 6, 8], [10.6667, 13.6667, 16.6667, 18.6667], [16, 19, 22, 24]],
    ((False, False), (1, 2)): [[0, 6]],
    ((True, False), (3, 4)): [[0, 2.6667, 5.3333, 8], [8, 10.6667, 13.3333, 16], [16, 18.6667, 21.3333, 24]],
    ((True, False), (1, 2)): [[0, 8]],
    ((False, True), (3, 4)): [[0, 2.5, 5.5, 8], [8, 10.5, 13.5, 16], [16, 18.5, 21.5, 24]],
    ((False, True), (1, 2)): [[9, 15]],
}
TENSOR = Tensor(IMAGES)


@pytest.mark.parametrize("case", EXPECTED, ids=str)
def test_bilinear_resizing_is_mindspores(case):
    (corners, centers), size = case
    x = np.array([[[[0.0, 4.0, 8.0], [16.0, 20.0, 24.0]]]])
    result = in_both_modes(lambda x: ops.ResizeBilinearV2(corners, centers)(x, size), Tensor(x))
    np.testing.assert_allclose(result[0, 0], EXPECTED[case], atol=1e-4)


test_errors = error_cases(
    (lambda: ops.ResizeBilinearV2(True, True)(TENSOR, (2, 2)), "align_corners and half_pixel_centers exclude each"),
    (lambda: ops.ResizeNearestNeighbor((2, 2), True)(TENSOR), "align_corners and half_pixel_centers are not supported"),
    error=errors.UsageError,
)


def test_grids():
    image = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    grid = ops.AffineGrid(align_corners=True)(Tensor([[[1.0, 0, 0], [0, 1, 0]]]), (1, 1, 4, 4))
    np.testing.assert_allclose(ops.GridSampler2D(align_corners=True)(image, grid).asnumpy(), image.asnumpy(), atol=1e-5)
    with pytest.raises(TypeError, match="the input type must be same"):
        ops.GridSampler2D()(image, grid.astype("float16"))


def test_cubic_and_trilinear_resizing_keep_their_fixed_points():
    corners = ops.ResizeBicubic(align_corners=True)(Tensor(IMAGES), (11, 11)).asnumpy()
    np.testing.assert_allclose(corners[:, :, ::2, ::2], IMAGES, atol=1e-9)
    first = ops.ResizeBicubic()(Tensor(IMAGES), Tensor([12, 12])).asnumpy()
    np.testing.assert_allclose(first[:, :, ::2, ::2], IMAGES, atol=1e-9)
    centers = ops.ResizeBicubic(half_pixel_centers=True)(Tensor(IMAGES), (18, 18)).asnumpy()
    np.testing.assert_allclose(centers[:, :, 1::3, 1::3], IMAGES, atol=1e-9)
    volume = RNG.standard_normal((1, 2, 3, 2, 4))
    result = ops.UpsampleTrilinear3D(align_corners=True)(Tensor(volume), (5, 3, 7)).asnumpy()
    np.testing.assert_allclose(result[:, :, ::2, ::2, ::2], volume, atol=1e-9)
    tripled = ops.UpsampleTrilinear3D()(Tensor(volume), None, (3.0, 3.0, 3.0)).asnumpy()
    np.testing.assert_allclose(tripled[:, :, 1::3, 1::3, 1::3], volume, atol=1e-9)
