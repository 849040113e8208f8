"""The command line: ``minigraph explain`` and what lists what there is. May import every package."""

from minigraph.cli.main import main

__all__ = ["main"]
