"""The registry of gradients under the path that listings for MindSpore 1 import it from.

>>> from minigraph.ops._grad.grad_base import bprop_getters
"""

from minigraph.operators.registry import bprop_getters

__all__ = ["bprop_getters"]
