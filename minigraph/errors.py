"""Every error that minigraph raises on purpose, under its public path; ``minigraph.core.errors`` defines them."""

from minigraph.core.deprecated_names import errors_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.errors import *  # noqa: F403
