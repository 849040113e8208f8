"""Other frameworks, each an optional dependency that is measured if it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measuring.harness import Contender, is_single_threaded
from benchmarks.work.workloads import hessian_vector_product

Fn = Callable[..., Any]


class Peer(NamedTuple):
    """A framework: its functions, its arrays, how it runs a function, and how it differentiates one.

    ``lib`` has ``exp`` and ``tanh``; ``gradient`` is with respect to all arguments, of the summed output;
    ``hessian_vector_product`` converts ``fn(x, w)`` to a function of x, w, v: the Hessian of the summed output with
    respect to w, times v. With ``eager``, ``function`` returns its argument unchanged.
    """

    name: str
    module: Any
    lib: Any
    array: Callable[[np.ndarray], Any]
    numpy: Callable[[Any], np.ndarray]
    function: Callable[[Fn], Fn]
    gradient: Callable[[Fn], Fn]
    hessian_vector_product: Callable[[Fn], Fn]
    eager: bool = True

    def contender(self, run: Fn, arrays: Sequence[np.ndarray]) -> Contender:
        """A contender that runs a function of the framework on these arrays and returns numpy arrays."""
        operands = [self.array(array) for array in arrays]

        def results() -> Any:
            out = run(*operands)
            return tuple(map(self.numpy, out)) if isinstance(out, tuple | list) else self.numpy(out)

        return Contender(self.name, results)


def peers() -> list[Peer]:
    """The installed frameworks, in a fixed order."""
    return [factory() for module, factory in PEER_FACTORIES if importlib.util.find_spec(module)]


@cache
def autograd() -> Peer:
    """HIPS autograd: a tape over numpy."""
    wrapped_numpy, module = importlib.import_module("autograd.numpy"), importlib.import_module("autograd")

    def gradient(fn: Fn, position: int | tuple[int, ...] = (0, 1)) -> Fn:
        grad: Fn = module.grad(lambda *args: wrapped_numpy.sum(fn(*args)), position)
        return grad

    hessian_product = partial(hessian_vector_product, gradient)
    return Peer("autograd", module, wrapped_numpy, np.asarray, np.asarray, lambda fn: fn, gradient, hessian_product)


@cache
def torch() -> Peer:
    """PyTorch, eager."""
    return _torch("torch eager", lambda fn: fn)


@cache
def torch_compile() -> Peer:
    """PyTorch with ``torch.compile``; its first calls take seconds."""
    return _torch("torch.compile", importlib.import_module("torch").compile)._replace(eager=False)


def _torch(name: str, wrap: Callable[[Fn], Fn]) -> Peer:
    module = importlib.import_module("torch")
    if is_single_threaded():
        module.set_num_threads(1)

    def gradient(fn: Fn) -> Fn:
        wrapped = wrap(fn)

        def run(*args: Any) -> Any:
            leaves = [arg.detach().requires_grad_() for arg in args]
            return module.autograd.grad(wrapped(*leaves).sum(), leaves)

        return run

    def hessian_product(fn: Fn) -> Fn:
        def run(x: Any, w: Any, v: Any) -> Any:
            leaf = w.detach().requires_grad_()
            (grad,) = module.autograd.grad(fn(x, leaf).sum(), leaf, create_graph=True)
            return module.autograd.grad(grad, leaf, v)[0]

        return run

    return Peer(name, module, module, module.from_numpy, lambda t: t.detach().numpy(), wrap, gradient, hessian_product)


@cache
def jax() -> Peer:
    """JAX under jit; a call waits for its results."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("jax")

    def gradient(fn: Fn) -> Fn:
        grad: Fn = module.jit(module.grad(lambda *args: fn(*args).sum(), (0, 1)))
        return grad

    def hessian_product(fn: Fn) -> Fn:
        grad = module.grad(lambda w, x: fn(x, w).sum())
        product: Fn = module.jit(lambda x, w, v: module.jvp(lambda w: grad(w, x), (w,), (v,))[1])
        return product

    numpy = module.numpy
    return Peer("jax jit", module, numpy, numpy.asarray, np.asarray, module.jit, gradient, hessian_product, eager=False)


class _TinyFunctions:
    """tinygrad's methods as functions."""

    @staticmethod
    def exp(x: Any) -> Any:
        return x.exp()

    @staticmethod
    def tanh(x: Any) -> Any:
        return x.tanh()

    @staticmethod
    def maximum(x: Any, y: Any) -> Any:
        return x.maximum(y)


@cache
def tinygrad() -> Peer:
    """Tinygrad's TinyJit on the CPU, compiled by clang."""
    os.environ.setdefault("DEV", "CPU")
    module = importlib.import_module("tinygrad")

    def function(fn: Fn) -> Fn:
        return module.TinyJit(lambda *args: fn(*args).realize())  # type: ignore[no-any-return]

    def gradient(fn: Fn) -> Fn:
        return module.TinyJit(  # type: ignore[no-any-return]
            lambda *args: tuple(g.realize() for g in fn(*args).sum().gradient(*args))
        )

    def lazy_gradient(fn: Fn, position: int) -> Fn:
        return lambda *args: fn(*args).sum().gradient(args[position])[0]

    def array(numbers: np.ndarray) -> Any:
        return module.Tensor(numbers).realize()

    hessian_product, numpy = partial(hessian_vector_product, lazy_gradient), lambda tensor: tensor.numpy()
    return Peer("tinygrad jit", module, _TinyFunctions, array, numpy, function, gradient, hessian_product, eager=False)


def elementwise_peers() -> list[Peer]:
    """``peers()``, and tinygrad if it and clang are installed.

    It lacks methods that the programs use, and its tanh has an error of 1e-7 near 0, which is as large as the values at
    the end of a loop of products.
    """
    has_tinygrad = importlib.util.find_spec("tinygrad") is not None and shutil.which("clang") is not None
    return [*peers(), *([tinygrad()] if has_tinygrad and PEER_FACTORIES else [])]


# the module that has to be installed, and the peer; MindSpore runs in an interpreter of its own, see ``remote``
PEER_FACTORIES: tuple[tuple[str, Callable[[], Peer]], ...] = (
    ("autograd", autograd), ("torch", torch), ("torch", torch_compile), ("jax", jax),
)  # fmt: skip
