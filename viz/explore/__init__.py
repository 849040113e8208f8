"""The explorer: one offline page per run, to step through a tape, a graph and every rewrite of it."""

from viz.explore.api import Explorer, explorer

__all__ = ["Explorer", "explorer"]
