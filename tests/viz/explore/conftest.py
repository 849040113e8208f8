"""Fixtures of the tests in a browser."""

import pytest

from tests.chromium import open_browser
from tests.viz.explore.session import visits

chromium = pytest.fixture(open_browser, scope="module")


@pytest.fixture
def visit(chromium, tmp_path):
    """Opens the page at a path or of an explorer; at teardown every page is checked."""
    yield from visits(chromium, tmp_path)


@pytest.fixture
def view(visit, training):
    """The page of the module's fixture ``training``."""
    return visit(training, viewport={"width": 1400, "height": 900})
