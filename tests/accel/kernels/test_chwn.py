"""Images that lie beside each other."""

import numpy as np
import pytest

from minigraph.accel.kernels.chwn import apart, turned
from minigraph.operators.chwn import AXES_TO_CHWN, AXES_TO_NCHW

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(3, 2, 4, 5), (32, 1, 32, 32), (1, 2, 3, 4), (0, 1, 2, 2), (2, 0, 2, 2)])
def test_turned_images_are_the_same_elsewhere(shape):
    images = RNG.normal(size=shape).astype(np.float32)
    found = turned(images)
    np.testing.assert_array_equal(found, images)
    assert found.transpose(AXES_TO_CHWN).flags.c_contiguous
    assert turned(found) is found or np.shares_memory(turned(found), found) or not found.size


@pytest.mark.parametrize("shape", [(3, 2, 4, 5), (32, 1, 32, 32), (1, 2, 3, 4), (0, 1, 2, 2), (700, 3, 9, 9)])
def test_images_turned_back_are_the_same_again(shape):
    images = RNG.normal(size=shape).astype(np.float32)
    out = np.empty((*shape[:3], 2 * shape[3]), np.float32)[..., ::2]
    for lying in (images, turned(images), images[:, ::-1][:, ::-1], np.broadcast_to(np.float32(2), shape)):
        found = apart(lying)
        np.testing.assert_array_equal(found, lying)
        assert found.flags.c_contiguous
        for place in (out, np.empty_like(images)):
            assert apart(lying, place) is place
            np.testing.assert_array_equal(place, lying)


def test_part_of_images_may_be_turned():
    images = RNG.normal(size=(8, 2, 32, 32))[:, :1]
    np.testing.assert_array_equal(turned(images), images)


def test_the_axes_are_each_others_inverse():
    assert [AXES_TO_CHWN[i] for i in AXES_TO_NCHW] == [0, 1, 2, 3]
