"""MindSpore's primitives, as ``from minigraph.ops import operations as P`` wants them."""

from minigraph.core.missing import in_operations as __getattr__  # noqa: F401 - Python calls it
from minigraph.ops.operations.array import *  # noqa: F403 - each of these modules lists its names
from minigraph.ops.operations.elementary import *  # noqa: F403
from minigraph.ops.operations.images import *  # noqa: F403
from minigraph.ops.operations.math import *  # noqa: F403
from minigraph.ops.operations.networks import *  # noqa: F403
from minigraph.ops.operations.nn import *  # noqa: F403
from minigraph.ops.operations.places import *  # noqa: F403
from minigraph.ops.operations.state import *  # noqa: F403
from minigraph.ops.primitive import Primitive as Primitive
