"""What tests of operators ask for by name."""

import pytest

from minigraph import jit


@pytest.fixture(params=[lambda fn: fn, jit], ids=["eager", "jit"])
def wrapped(request):
    """A test that asks for it runs once with functions as they are, and once with them compiled."""
    return request.param
