"""The command line: ``minigraph explain`` and what lists what there is. May import every room."""

from minigraph.cli.main import main

__all__ = ["main"]
