"""Primitives of window functions equal the functions of ``ops``."""

import pytest

from minigraph import Tensor, ops


@pytest.mark.parametrize("name", ["Bartlett", "Blackman", "Hamming"])
def test_windows(name):
    expected = getattr(ops, f"{name.lower()}_window")(5).tolist()
    assert getattr(ops, f"{name}Window")()(Tensor(5)).tolist() == expected
