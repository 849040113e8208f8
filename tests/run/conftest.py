"""What is tested here is numpy's programs, whether or not numba is installed; tests of bodies ask for it."""

from collections.abc import Iterator

import pytest

from minigraph.context import set_context


@pytest.fixture(autouse=True)
def numpy_only(fresh: None) -> Iterator[None]:
    set_context(kernel_backend="numpy")
    yield
