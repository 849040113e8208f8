"""The explorer: an offline page to step through a tape, a graph and every rewrite of it."""

from viz.explore.api import Explorer, explorer

__all__ = ["Explorer", "explorer"]
