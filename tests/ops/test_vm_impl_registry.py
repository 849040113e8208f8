"""The registry of kernels under MindSpore's path."""

from minigraph import ops
from minigraph.operators import registry
from minigraph.ops.vm_impl_registry import get_vm_impl_fn, vm_impl_registry


def test_there_is_one_registry():
    assert vm_impl_registry is registry.vm_impl_registry
    assert get_vm_impl_fn is ops.get_vm_impl_fn
