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
def test_all_listeners_hear_a_call(names):
    heard = []
    now = Open(None, tuple(Recorder(name, heard) for name in names))
    now.record("add", (1, 2), {}, 3)
    assert heard == [(name, "add", (1, 2), {}, 3) for name in names]


def test_the_same_is_open_where_the_same_work_and_listen():
    one, other = Recorder("a", []), Recorder("b", [])
    assert Open(None, (one,)) == Open(None, (one,)) != Open(None, (one, other))
