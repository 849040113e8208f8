"""Every error that minigraph raises on purpose, under its public path; ``minigraph.core.errors`` defines them."""

from minigraph.core.deprecated_names import errors_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.errors import *  # noqa: F403
from minigraph.core.errors import (  # noqa: F401 - pickle looks errors up by these names
    _AttributeArgument,
    _IndexArgument,
    _KeyArgument,
    _MissingImport,
    _MissingName,
    _RuntimeArgument,
    _TypeArgument,
    _UnboundArgument,
    _ValueArgument,
)
