"""Argument checks of image operations."""

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.dataset.vision import Border
from minigraph.dataset.vision.images import as_image, check_member, height_and_width


def test_images_and_members():
    # kinds of images
    assert as_image("Pad", Tensor(np.zeros((2, 3, 1)))).shape == (2, 3, 1)
    with pytest.raises(RuntimeError, match=r"^Pad: expected an image \[H, W\] or \[H, W, C\], got shape \[2\]$"):
        as_image("Pad", [1, 2])
    # members of an enum
    assert check_member(Border, "padding_mode", Border.EDGE) is Border.EDGE
    with pytest.raises(TypeError, match="such as Border.CONSTANT"):
        check_member(Border, "padding_mode", 3)


@pytest.mark.parametrize("wrong", [0, (1,), (1, 2, 3), (1, -2), (1.5, 2)])
def test_sizes(wrong):
    assert height_and_width("Crop", 3) == (3, 3)
    assert height_and_width("Crop", [2, 3]) == (2, 3)
    with pytest.raises(ValueError, match="^Crop: size must be one positive int or two, got "):
        height_and_width("Crop", wrong)
