"""What is asked of images, sizes and members."""

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.dataset.vision import Border
from minigraph.dataset.vision.images import image_of, member, size_of


def test_what_is_an_image_or_a_member():
    # what is an image
    assert image_of("Pad", Tensor(np.zeros((2, 3, 1)))).shape == (2, 3, 1)
    with pytest.raises(RuntimeError, match=r"^Pad: an image \[H, W\] or \[H, W, C\] is wanted, got shape \[2\]$"):
        image_of("Pad", [1, 2])
    # what is a member
    assert member(Border, "padding_mode", Border.EDGE) is Border.EDGE
    with pytest.raises(TypeError, match="such as Border.CONSTANT"):
        member(Border, "padding_mode", 3)


@pytest.mark.parametrize("wrong", [0, (1,), (1, 2, 3), (1, -2), (1.5, 2)])
def test_what_is_a_size(wrong):
    assert size_of("Crop", 3) == (3, 3)
    assert size_of("Crop", [2, 3]) == (2, 3)
    with pytest.raises(ValueError, match="^Crop: a size is one int above 0 or two, got "):
        size_of("Crop", wrong)
