"""What every test and doctest starts from: default settings, fixed seeds, and what this repository registers."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest

from minigraph import context
from minigraph.dataset.config import DEFAULT_SEED
from minigraph.errors import VerifyError
from minigraph.op import TABLE
from minigraph.seed import set_seed
from passes import PASSES, RULES, Options, Pass
from passes.lab.guard import Guard
from passes.lab.order import first_lost, ordered_pairs
from passes.rules.costs import COSTS

WATCHED = 5000  # nodes of a graph whose order of effects is looked at
REGISTRIES: tuple[dict[str, Any], ...] = (TABLE, PASSES, RULES, COSTS)  # what importing the two packages has filled

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

    @pytest.fixture(autouse=True)
    def registries(self) -> Iterator[None]:
        """What a test or doctest registers is gone after it, so that no order of tests matters."""
        before = [dict(registry) for registry in REGISTRIES]
        yield
        for registry, entries in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(entries)


def watched(run: Callable[..., float]) -> Callable[..., float]:
    """``Guard.run`` with one check more: what had to run before what still has to, after every pass of every test."""

    def checked(guard: Guard, step: Pass, options: Options) -> float:
        pairs = ordered_pairs(guard.graph) if len(guard.graph) <= WATCHED else set()
        seconds = run(guard, step, options)
        lost = first_lost(pairs, guard.graph)
        if lost is not None:
            raise VerifyError(f"pass '{step.name}' lost the order of %{lost[0]} and %{lost[1]}, both effects")
        return seconds

    return checked


def pytest_configure(config: pytest.Config) -> None:
    Guard.run = watched(Guard.run)
    config.pluginmanager.register(EveryTest(), "every-test")
