"""Other frameworks, for whoever has them installed: each a name and four functions. None is required."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

Fn = Callable[..., Any]


class Peer(NamedTuple):
    """A framework: its arrays, how it runs a function, and how it differentiates one (all arguments, summed output)."""

    name: str
    module: Any
    array: Callable[[np.ndarray], Any]
    numpy: Callable[[Any], np.ndarray]
    function: Callable[[Fn], Fn]
    gradient: Callable[[Fn], Fn]


def peers() -> list[Peer]:
    """The frameworks installed here, in a fixed order."""
    return [make() for module, make in KNOWN.items() if importlib.util.find_spec(module)]


@cache
def autograd() -> Peer:
    """HIPS autograd: a tape over numpy."""
    wrapped_numpy, module = importlib.import_module("autograd.numpy"), importlib.import_module("autograd")

    def gradient(fn: Fn) -> Fn:
        both: Fn = module.grad(lambda *args: wrapped_numpy.sum(fn(*args)), (0, 1))
        return both

    return Peer("autograd", module, np.asarray, np.asarray, lambda fn: fn, gradient)


@cache
def torch() -> Peer:
    """PyTorch, eager, one thread."""
    module = importlib.import_module("torch")
    module.set_num_threads(1)

    def gradient(fn: Fn) -> Fn:
        def run(*args: Any) -> Any:
            leaves = [arg.detach().requires_grad_() for arg in args]
            return module.autograd.grad(fn(*leaves).sum(), leaves)

        return run

    return Peer("torch eager", module, module.from_numpy, lambda t: t.numpy(), lambda fn: fn, gradient)


@cache
def jax() -> Peer:
    """JAX under jit; results are waited for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("jax")

    def gradient(fn: Fn) -> Fn:
        both: Fn = module.jit(module.grad(lambda *args: fn(*args).sum(), (0, 1)))
        return both

    return Peer("jax jit", module, module.numpy.asarray, np.asarray, module.jit, gradient)


@cache
def mindspore() -> Peer:
    """MindSpore in PyNative mode."""
    module = importlib.import_module("mindspore")
    module.set_context(mode=module.PYNATIVE_MODE, device_target="CPU")
    return Peer(
        "mindspore pynative", module, module.Tensor, lambda t: t.asnumpy(), lambda fn: fn,
        lambda fn: module.grad(fn, (0, 1)),
    )  # fmt: skip


KNOWN: dict[str, Callable[[], Peer]] = {"autograd": autograd, "torch": torch, "jax": jax, "mindspore": mindspore}
