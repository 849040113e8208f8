"""What is open: all listeners hear, the outermost first."""

import pytest

from minigraph.core.dispatch import Open


class Recorder:
    """A listener that writes its name in front of what it hears."""

    def __init__(self, name, heard):
        self.name, self.heard = name, heard

    def record(self, op, args, attrs, out):
        self.heard.append((self.name, op, args, attrs, out))


@pytest.mark.parametrize("names", ["", "a", "ab", "abc"])
def test_all_listeners_hear_a_call_and_the_same_is_open_where_the_same_listen(names):
    heard = []
    listeners = tuple(Recorder(name, heard) for name in names)
    Open(None, listeners).record("add", (1, 2), {}, 3)
    assert heard == [(name, "add", (1, 2), {}, 3) for name in names]
    assert Open(None, listeners) == Open(None, listeners) != Open(None, (*listeners, Recorder("b", [])))
