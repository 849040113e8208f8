"""The command line, ``minigraph COMMAND``; it may import every package."""

import minigraph.cli.hidden_packages  # noqa: F401 - before the modules that import those packages
from minigraph.cli.main import main

__all__ = ["main"]
