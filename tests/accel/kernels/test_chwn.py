"""Images in CHWN memory."""

import numpy as np
import pytest

from minigraph.accel.kernels.chwn import as_chwn_contiguous, as_nchw_contiguous
from minigraph.operators.chwn import AXES_TO_CHWN, AXES_TO_NCHW

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(3, 2, 4, 5), (32, 1, 32, 32), (1, 2, 3, 4), (0, 1, 2, 2), (2, 0, 2, 2)])
def test_images_in_chwn_memory_are_equal(shape):
    images = RNG.normal(size=shape).astype(np.float32)
    result = as_chwn_contiguous(images)
    np.testing.assert_array_equal(result, images)
    assert result.transpose(AXES_TO_CHWN).flags.c_contiguous
    assert (
        as_chwn_contiguous(result) is result or np.shares_memory(as_chwn_contiguous(result), result) or not result.size
    )


@pytest.mark.parametrize("shape", [(3, 2, 4, 5), (32, 1, 32, 32), (1, 2, 3, 4), (0, 1, 2, 2), (700, 3, 9, 9)])
def test_images_back_in_nchw_memory_are_equal(shape):
    images = RNG.normal(size=shape).astype(np.float32)
    out = np.empty((*shape[:3], 2 * shape[3]), np.float32)[..., ::2]
    for source in (images, as_chwn_contiguous(images), images[:, ::-1][:, ::-1], np.broadcast_to(np.float32(2), shape)):
        result = as_nchw_contiguous(source)
        np.testing.assert_array_equal(result, source)
        assert result.flags.c_contiguous
        for target in (out, np.empty_like(images)):
            assert as_nchw_contiguous(source, target) is target
            np.testing.assert_array_equal(target, source)


def test_a_slice_of_images_is_converted():
    images = RNG.normal(size=(8, 2, 32, 32))[:, :1]
    np.testing.assert_array_equal(as_chwn_contiguous(images), images)


def test_the_axes_are_each_others_inverse():
    assert [AXES_TO_CHWN[i] for i in AXES_TO_NCHW] == [0, 1, 2, 3]
