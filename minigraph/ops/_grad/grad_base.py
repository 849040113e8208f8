"""The registry of gradients under the path of MindSpore 1.

>>> from minigraph.ops._grad.grad_base import bprop_getters
"""

from minigraph.operators.registry import bprop_getters

__all__ = ["bprop_getters"]
