import sys

import pytest

from minigraph.capture.profile_hook import call_with_profiler


def fail():
    raise ValueError(sys.getprofile() is not None)


def test_the_hook_is_taken_off_after_an_error():
    events = []
    with pytest.raises(ValueError, match="True"):
        call_with_profiler(lambda frame, event, _: events.append((event, frame.f_code.co_name)), fail)
    assert sys.getprofile() is None and ("call", "fail") in events


def test_another_profiler_stays():
    def other(frame, event, argument):
        """Profiles nothing."""

    sys.setprofile(other)
    try:
        assert call_with_profiler(print, sys.getprofile) is other and sys.getprofile() is other
    finally:
        sys.setprofile(None)
