"""Settings of a process under MindSpore's path; ``minigraph.core.context`` defines them."""

from minigraph.core.context import *  # noqa: F403
from minigraph.core.missing_names import context_getattr as __getattr__  # noqa: F401 - Python calls it
