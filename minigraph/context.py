"""Settings of a process under MindSpore's path; ``minigraph.core.context`` defines them."""

from minigraph.core.context import *  # noqa: F403
from minigraph.core.missing import in_context as __getattr__  # noqa: F401 - Python calls it
