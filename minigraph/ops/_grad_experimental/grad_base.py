"""The registry of gradients under MindSpore 2's path.

>>> from minigraph.ops._grad_experimental.grad_base import bprop_getters
"""

from minigraph.operators.registry import bprop_getters

__all__ = ["bprop_getters"]
