"""The error for state that no graph can represent."""

from minigraph.capture.structure import UnknownState, unknown_state
from minigraph.core.errors import CaptureError


def test_the_error_names_the_state_the_line_and_the_remedy():
    error = unknown_state("a clock is read", "read it outside")
    assert isinstance(error, CaptureError)
    assert isinstance(error, UnknownState)
    assert not error.may_settle
    assert str(error).startswith("a clock is read in `unknown_state(")
    assert str(error).endswith("; read it outside")
