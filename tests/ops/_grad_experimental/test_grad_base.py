"""The registry of gradients under the path listings import it from."""

from minigraph.ops._grad_experimental.grad_base import bprop_getters
from minigraph.ops.registry import bprop_getters as the_one


def test_there_is_one_registry():
    assert bprop_getters is the_one
