"""The command line, ``minigraph COMMAND``; it may import every package."""

from minigraph.cli.main import main

__all__ = ["main"]
