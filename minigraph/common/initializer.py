"""Initializers under MindSpore's path.

>>> from minigraph.common.initializer import Normal, initializer
>>> initializer(Normal(0.02), (2, 3)).shape
(2, 3)
"""

from minigraph.core.missing_names import initializer_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.nn.initializers import *  # noqa: F403 - the names of its ``__all__``
from minigraph.nn.initializers import __all__ as __all__

# private in MindSpore, but imported by networks that define their own initialisation
from minigraph.nn.initializers import fans as _calculate_fan_in_and_fan_out  # noqa: F401
