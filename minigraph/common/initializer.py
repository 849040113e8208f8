"""First values of Parameters under MindSpore's path.

>>> from minigraph.common.initializer import Normal, initializer
>>> initializer(Normal(0.02), (2, 3)).shape
(2, 3)
"""

from minigraph.core.missing import in_initializer as __getattr__  # noqa: F401 - Python calls it
from minigraph.nn.initializers import *  # noqa: F403 - what it offers stands in its ``__all__``
from minigraph.nn.initializers import __all__ as __all__

# Private in MindSpore; networks that initialise themselves as others do import it all the same.
from minigraph.nn.initializers import fans as _calculate_fan_in_and_fan_out  # noqa: F401
