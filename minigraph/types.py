"""Dtypes and tensor types under their public path; ``minigraph.core.types`` defines them."""

from minigraph.core.types import *  # noqa: F403
