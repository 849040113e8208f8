"""What is tested here is numpy's programs, whether or not numba is installed; tests of bodies ask for it."""

from collections.abc import Callable, Iterator

import pytest

from minigraph.context import set_context
from minigraph.run.planning import blocks, gather


@pytest.fixture(autouse=True)
def numpy_only(fresh: None) -> Iterator[None]:
    set_context(kernel_backend="numpy")
    yield


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Has runs on tensors of so many bytes go through pieces of a few elements, so that small Parameters have many."""

    def cut(large: int) -> None:
        for room, name, size in ((blocks, "LARGE", large), (gather, "LARGE", large), (blocks, "PIECE", 64)):
            monkeypatch.setattr(room, name, size)
        monkeypatch.setattr(blocks, "ROOM", 256)

    return cut
