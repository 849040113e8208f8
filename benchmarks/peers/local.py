"""Other frameworks, for whoever has them installed: each a name and four functions. None is required."""

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

from benchmarks.measuring.harness import Contender, on_one_thread
from benchmarks.work.workloads import curved

Fn = Callable[..., Any]


class Peer(NamedTuple):
    """A framework: its functions, its arrays, how it runs a function, and how it differentiates one.

    ``lib`` has ``exp`` and ``tanh``; ``gradient`` is by all arguments, of the summed output; ``curved`` makes of
    ``fn(x, w)`` a function of x, w, v that gives the Hessian of the summed output with respect to w, times v;
    ``eager`` says that ``function`` leaves a function as it is.
    """

    name: str
    module: Any
    lib: Any
    array: Callable[[np.ndarray], Any]
    numpy: Callable[[Any], np.ndarray]
    function: Callable[[Fn], Fn]
    gradient: Callable[[Fn], Fn]
    curved: Callable[[Fn], Fn]
    eager: bool = True

    def contender(self, run: Fn, arrays: Sequence[np.ndarray]) -> Contender:
        """Who runs a function of the framework's on these arrays; its results are numpy's."""
        given = [self.array(array) for array in arrays]

        def results() -> Any:
            found = run(*given)
            return tuple(map(self.numpy, found)) if isinstance(found, tuple | list) else self.numpy(found)

        return Contender(self.name, results)


def peers() -> list[Peer]:
    """The frameworks installed here, in a fixed order."""
    return [make() for module, make in KNOWN if importlib.util.find_spec(module)]


@cache
def autograd() -> Peer:
    """HIPS autograd: a tape over numpy."""
    wrapped_numpy, module = importlib.import_module("autograd.numpy"), importlib.import_module("autograd")

    def gradient(fn: Fn) -> Fn:
        both: Fn = module.grad(lambda *args: wrapped_numpy.sum(fn(*args)), (0, 1))
        return both

    def summed_gradient(fn: Fn, position: int) -> Fn:
        found: Fn = module.grad(lambda *args: wrapped_numpy.sum(fn(*args)), position)
        return found

    def twice(fn: Fn) -> Fn:
        return curved(summed_gradient, fn)

    return Peer("autograd", module, wrapped_numpy, np.asarray, np.asarray, lambda fn: fn, gradient, twice)


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
    if on_one_thread():
        module.set_num_threads(1)

    def gradient(fn: Fn) -> Fn:
        wrapped = wrap(fn)

        def run(*args: Any) -> Any:
            leaves = [arg.detach().requires_grad_() for arg in args]
            return module.autograd.grad(wrapped(*leaves).sum(), leaves)

        return run

    def twice(fn: Fn) -> Fn:
        def run(x: Any, w: Any, v: Any) -> Any:
            leaf = w.detach().requires_grad_()
            (slope,) = module.autograd.grad(fn(x, leaf).sum(), leaf, create_graph=True)
            return module.autograd.grad(slope, leaf, v)[0]

        return run

    return Peer(name, module, module, module.from_numpy, lambda t: t.detach().numpy(), wrap, gradient, twice)


@cache
def jax() -> Peer:
    """JAX under jit; results are waited for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("jax")

    def gradient(fn: Fn) -> Fn:
        both: Fn = module.jit(module.grad(lambda *args: fn(*args).sum(), (0, 1)))
        return both

    def twice(fn: Fn) -> Fn:
        slope = module.grad(lambda w, x: fn(x, w).sum())
        both: Fn = module.jit(lambda x, w, v: module.jvp(lambda w: slope(w, x), (w,), (v,))[1])
        return both

    numpy = module.numpy
    return Peer("jax jit", module, numpy, numpy.asarray, np.asarray, module.jit, gradient, twice, eager=False)


class _Tiny:
    """The functions of tinygrad, which are methods there."""

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
    """Tinygrad's TinyJit on the CPU, which clang compiles for."""
    os.environ.setdefault("DEV", "CPU")
    module = importlib.import_module("tinygrad")

    def function(fn: Fn) -> Fn:
        return module.TinyJit(lambda *args: fn(*args).realize())  # type: ignore[no-any-return]

    def gradient(fn: Fn) -> Fn:
        return module.TinyJit(  # type: ignore[no-any-return]
            lambda *args: tuple(g.realize() for g in fn(*args).sum().gradient(*args))
        )

    def slope(fn: Fn, position: int) -> Fn:
        return lambda *args: fn(*args).sum().gradient(args[position])[0]

    def array(numbers: np.ndarray) -> Any:
        return module.Tensor(numbers).realize()

    second = partial(curved, slope)
    return Peer("tinygrad jit", module, _Tiny, array, lambda t: t.numpy(), function, gradient, second, eager=False)


def elementwise_peers() -> list[Peer]:
    """The same and tinygrad, where clang is there.

    It has not all of the methods that programs are written with, and its tanh is off by 1e-7 near 0, which is all there
    is of the values at the end of a loop of products.
    """
    able = importlib.util.find_spec("tinygrad") is not None and shutil.which("clang") is not None
    return [*peers(), *([tinygrad()] if able and KNOWN else [])]


# the module that has to be installed, and the peer; MindSpore has an interpreter of its own, see ``remote``
KNOWN: tuple[tuple[str, Callable[[], Peer]], ...] = (
    ("autograd", autograd), ("torch", torch), ("torch", torch_compile), ("jax", jax),
)  # fmt: skip
