"""The registry of gradients under MindSpore 1's path."""

from minigraph.operators.registry import bprop_getters as the_one
from minigraph.ops._grad.grad_base import bprop_getters


def test_there_is_one_registry():
    assert bprop_getters is the_one
