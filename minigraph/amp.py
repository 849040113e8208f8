"""Mixed precision under MindSpore's path; ``minigraph.train.amp`` defines it."""

from minigraph.train.amp import *  # noqa: F403 - the names of its ``__all__``
