import pytest

from minigraph.cli.console import CommandConsole


class ClosedPipe:
    def write(self, text):
        raise BrokenPipeError

    def flush(self):
        """Nothing to do."""


def test_a_closed_pipe_is_left_to_the_command():
    with pytest.raises(BrokenPipeError):
        CommandConsole(file=ClosedPipe()).print("text")
