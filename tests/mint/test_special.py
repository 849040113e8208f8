"""``mint.special``: the functions of ``mint`` and ``ops``."""

import pytest

import minigraph as ms
from minigraph import mint
from minigraph.mint import special


@pytest.mark.parametrize("name", ["erfc", "exp2", "expm1", "log1p", "round", "sinc"])
def test_a_special_function_is_that_of_mint(name: str) -> None:
    x = ms.Tensor([0.25, 1.5])
    assert getattr(special, name)(x).tolist() == getattr(mint, name)(x).tolist()


def test_log_softmax_needs_no_axis() -> None:
    assert special.log_softmax(ms.Tensor([0.0, 0.0])).tolist() == pytest.approx([-0.6931472] * 2)
