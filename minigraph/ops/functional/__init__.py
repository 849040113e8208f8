"""Functions with MindSpore's names and signatures; each is one or a few calls of operators."""

from minigraph.grad import grad as grad
from minigraph.grad import value_and_grad as value_and_grad
from minigraph.missing import in_functional as __getattr__  # noqa: F401 - Python calls it
from minigraph.ops.functional.array import *  # noqa: F403 - each of these modules lists its names
from minigraph.ops.functional.math import *  # noqa: F403
from minigraph.ops.functional.nn import *  # noqa: F403
from minigraph.ops.functional.state import *  # noqa: F403
