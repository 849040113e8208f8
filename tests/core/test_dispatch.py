"""The dispatch context: all observers are notified, the outermost first."""

import pytest

from minigraph.core.dispatch import DispatchContext


class Recorder:
    """An observer that records calls under its name."""

    def __init__(self, name, calls):
        self.name, self.calls = name, calls

    def record(self, op, args, attrs, out):
        self.calls.append((self.name, op, args, attrs, out))


@pytest.mark.parametrize("names", ["", "a", "ab", "abc"])
def test_all_observers_are_notified_and_contexts_with_equal_observers_are_equal(names):
    calls = []
    observers = tuple(Recorder(name, calls) for name in names)
    DispatchContext(None, observers).record("add", (1, 2), {}, 3)
    assert calls == [(name, "add", (1, 2), {}, 3) for name in names]
    context, other = DispatchContext(None, observers), DispatchContext(None, (*observers, Recorder("b", [])))
    assert DispatchContext(None, observers) == context != other
