"""The registry of kernels under MindSpore's path.

>>> from minigraph.ops.vm_impl_registry import vm_impl_registry
"""

from minigraph.operators.registry import get_vm_impl_fn, vm_impl_registry

__all__ = ["get_vm_impl_fn", "vm_impl_registry"]
