"""How long stress tests last, and where their results go."""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from tests.rough.table import STRESS_ROW


class Effort(NamedTuple):
    """How much a test does: ``few`` samples and ``seconds`` in CI, far more with ``--stress-hours``."""

    hours: float

    def samples(self, few: int) -> int:
        """The number of samples of a kind."""
        return 25 * few if self.hours else few

    def rounds(self, seconds: float, most: int) -> Iterator[int]:
        """0, 1, 2, ...: ``most`` rounds within ``seconds`` in CI; with ``--stress-hours``, as many as fit."""
        end = time.monotonic() + (self.hours * 3600 or seconds)
        done = 0
        while done == 0 or (time.monotonic() < end and (self.hours or done < most)):
            yield done
            done += 1


@pytest.fixture
def effort(request: pytest.FixtureRequest) -> Effort:
    """How much to do."""
    return Effort(request.config.getoption("--stress-hours"))


@pytest.fixture
def report(record_property: Callable[[str, object], None]) -> Callable[[str, str, str], None]:
    """Add a row to the table: the treatment, the number of repetitions, and the property that held."""
    return lambda *row: record_property(STRESS_ROW, row)
