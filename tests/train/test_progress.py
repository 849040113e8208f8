"""The progress bar: on terminals only; printed output is kept."""

import io

import pytest
from rich.console import Console

from minigraph.train.progress import progress_bar


def bar_text(steps, terminal=True):
    """The output, and whether the bar advances."""
    stream = io.StringIO()
    with progress_bar(Console(file=stream, force_terminal=terminal, width=80, color_system=None), steps) as advance:
        for i in range(3):
            if advance is not None:
                advance(f"loss {i}")
    return stream.getvalue(), advance


@pytest.mark.parametrize(("steps", "count"), [(3, "3/3"), (None, "3/?")])
def test_on_a_terminal(steps, count, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")  # "dumb" has no bar
    text, advance = bar_text(steps)
    assert advance is not None
    assert "loss 2" in text
    assert count in text


def test_piped_output_is_empty():
    assert bar_text(3, terminal=False) == ("", None)
