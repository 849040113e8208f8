"""What every test and doctest starts from: default settings and fixed seeds."""

import random
from collections.abc import Iterator

import hypothesis
import numpy as np
import pytest

from minigraph import context
from minigraph.dataset.config import DEFAULT_SEED
from minigraph.seed import set_seed

# A slow machine is not a failure, and the same checkout gives the same verdict twice.
hypothesis.settings.register_profile("house", deadline=None, derandomize=True)
hypothesis.settings.load_profile("house")


class EveryTest:
    """A plugin, not a plain fixture: doctests live outside of ``tests/``, where this file's fixtures end."""

    @pytest.fixture(autouse=True)
    def fresh(self) -> Iterator[None]:
        context.reset()
        set_seed(DEFAULT_SEED)
        random.seed(0)
        np.random.seed(0)
        yield
        context.reset()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(EveryTest(), "every-test")
