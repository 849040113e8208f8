"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph.lessons import WrongAnswerError, check_patches, numbers

IMAGES = numbers(0, 3, 1, 8, 8)


def test_another_order_of_steps(capsys):
    check_patches(lambda i: i.reshape(-1, 4, 2, 4, 2).swapaxes(2, 3).reshape(-1, 16, 4), IMAGES)
    assert capsys.readouterr().out.startswith("Right: 16 tokens of 4 pixels")


def test_a_wrong_token_is_named_by_its_pixels():
    with pytest.raises(
        WrongAnswerError, match=r"token 1 holds pixels \(2, 0\).*, not \(0, 2\), \(0, 3\), \(1, 2\), \(1, 3\)"
    ):
        check_patches(lambda i: i.reshape(-1, 4, 2, 4, 2).transpose(0, 3, 1, 2, 4).reshape(-1, 16, 4), IMAGES)
