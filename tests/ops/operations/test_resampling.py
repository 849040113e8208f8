"""Images resized to means of areas and by scaled kernels."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.ops.operations.resampling import KERNELS

IMAGES = Tensor(np.random.default_rng(0).normal(size=(2, 4, 6, 3)).astype(np.float32))


def test_areas_of_whole_pixels_are_their_means():
    result = ops.ResizeArea()(IMAGES, Tensor([2, 3], ms.int32)).asnumpy()
    np.testing.assert_allclose(result, IMAGES.asnumpy().reshape(2, 2, 2, 3, 2, 3).mean((2, 4)), atol=1e-6)
    same = ops.ResizeArea(align_corners=True)(IMAGES, Tensor([4, 6], ms.int32))
    np.testing.assert_allclose(same.asnumpy(), IMAGES.asnumpy(), atol=1e-6)
    with pytest.raises(ValueError, match=r"needs images \[N,H,W,C\]"):
        ops.ResizeArea()(IMAGES[..., 0], Tensor([2, 3], ms.int32))


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_keep_constants_and_interpolate(kernel):
    ones = ops.ones((1, 4, 5, 1))
    size, scale, shift = Tensor([3, 5], ms.int32), Tensor([0.75, 1.0]), Tensor([0.0, 0.0])
    result = ops.ScaleAndTranslate(kernel)(ones, size, scale, shift)
    np.testing.assert_allclose(result.asnumpy(), 1, atol=1e-6)
    if kernel not in ("gaussian", "mitchellcubic"):
        same = ops.ScaleAndTranslate(kernel, False)(IMAGES, Tensor([4, 6], ms.int32), Tensor([1.0, 1.0]), shift)
        np.testing.assert_allclose(same.asnumpy(), IMAGES.asnumpy(), atol=1e-5)
    moved = ops.ScaleAndTranslate("box")(IMAGES, Tensor([4, 6], ms.int32), Tensor([1.0, 1.0]), Tensor([1.0, 0.0]))
    np.testing.assert_allclose(moved.asnumpy()[:, 1:], IMAGES.asnumpy()[:, :-1], atol=1e-6)
    assert not moved.asnumpy()[:, 0].any()
    with pytest.raises(ValueError, match="no kernel_type 'bx'; did you mean 'box'"):
        ops.ScaleAndTranslate("bx")(ones, size, scale, shift)
