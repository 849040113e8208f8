"""Fixtures of the tests of operators."""

import pytest

from minigraph import jit


@pytest.fixture(params=[lambda fn: fn, jit], ids=["eager", "jit"])
def wrapped(request):
    """Runs a test twice: with functions as they are, and with compiled functions."""
    return request.param
