"""Whole programs: a perceptron, attention, a recurrent unit, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import minigraph as ms
from benchmarks.cases import hand_tuned_contenders
from benchmarks.measuring.harness import Case, Contender, Table, measure
from benchmarks.peers import remote
from benchmarks.peers.local import peers
from benchmarks.work import manual_gradients, workloads
from minigraph import Tensor, ops

Fn = Callable[..., Any]
Shape = tuple[int, ...]

# by program: its title, and the shapes of x and w, large and small
PROGRAM_SHAPES: dict[str, tuple[str, tuple[Shape, Shape], tuple[Shape, Shape]]] = {
    "mlp": ("MLP, 3 layers", ((128, 512), (3, 512, 512)), ((8, 16), (3, 16, 16))),
    "attention": ("attention, 8 heads", ((2, 196, 256), (256, 1024)), ((2, 5, 16), (16, 64))),
    "gru": ("GRU, 32 steps", ((32, 32, 128), (256, 384)), ((4, 2, 8), (16, 24))),
}
LOOP, LOOP_STEPS = ((64, 64), (64, 64)), 100
RTOL = 2e-3  # exp and tanh differ by units in the last place between libraries, and programs amplify the difference
_case = partial(Case, rtol=RTOL, unit="ms")


def arrays_of(x: Shape, w: Shape) -> list[np.ndarray]:
    """x and w, normally distributed; w is scaled so that values neither overflow nor vanish."""
    rng = np.random.default_rng(0)
    scale = np.float32(0.9 / np.sqrt(x[-1]))
    return [rng.standard_normal(x).astype(np.float32), rng.standard_normal(w).astype(np.float32) * scale]


def forward_case(name: str, small: bool) -> Case:
    """The forward pass of a program."""
    title, *sizes = PROGRAM_SHAPES[name]
    arrays, program_of = arrays_of(*sizes[small]), workloads.PROGRAMS[name]
    numpy_function, compiled, tensors = program_of(np), ms.jit(program_of(ops)), [Tensor(a) for a in arrays]
    return _case(f"{title}, forward", [
        Contender("numpy", lambda: numpy_function(*arrays)),
        *hand_tuned_contenders.forwards(name, *arrays),
        Contender("minigraph eager", lambda: program_of(ops)(*tensors).asnumpy()),
        Contender("minigraph jit", lambda: compiled(*tensors).asnumpy()),
        *(peer.contender(peer.function(program_of(peer.lib)), arrays) for peer in peers()),
        *remote.contenders(name, arrays, ("pynative", "jit")),
    ])  # fmt: skip


def gradient_case(name: str, small: bool) -> Case:
    """The gradients of a program with respect to x and w."""
    title, *sizes = PROGRAM_SHAPES[name]
    by_numpy: Fn = getattr(manual_gradients, name)
    return _gradients(f"{title}, gradient", workloads.PROGRAMS[name], by_numpy, arrays_of(*sizes[small]), name)


def loop_case(small: bool) -> Case:
    """The gradients of a loop of matrix products and tanh."""
    steps = 5 if small else LOOP_STEPS

    def program_of(lib: Any) -> Fn:
        return workloads.loop(lib.tanh, steps)

    title = f"{steps} x (matmul, tanh), n={LOOP[0][0]}, gradient"
    run_numpy = partial(manual_gradients.loop, steps=steps)
    return _gradients(title, program_of, run_numpy, arrays_of(*LOOP), "loop", length=steps)


def hessian_case(small: bool) -> Case:
    """The Hessian-vector product of the perceptron with respect to its weights: the gradient of a gradient.

    Without MindSpore's PyNative, which rejects ``w[0]`` under two gradients.
    """
    title, *sizes = PROGRAM_SHAPES["mlp"]
    arrays = arrays_of(*sizes[small])
    arrays.append(np.random.default_rng(1).standard_normal(arrays[1].shape).astype(np.float32))
    eager, tensors = workloads.hessian_vector_product(ms.grad, workloads.mlp(ops)), [Tensor(a) for a in arrays]
    compiled = ms.jit(eager)
    return _case(f"{title}, Hessian-vector product", [
        Contender("numpy", lambda: manual_gradients.hessian_vector_product(*arrays)),
        Contender("minigraph eager", lambda: eager(*tensors).asnumpy()),
        Contender("minigraph jit", lambda: compiled(*tensors).asnumpy()),
        *(peer.contender(peer.hessian_vector_product(workloads.mlp(peer.lib)), arrays)
          for peer in peers() if peer.name != "torch.compile"),
        *remote.contenders("hessian product", arrays, ("jit",)),
    ])  # fmt: skip


def _gradients(title: str, make: Fn, by_numpy: Fn, arrays: list[np.ndarray], workload: str, **details: Any) -> Case:
    eager, tensors = ms.grad(make(ops), (0, 1)), [Tensor(a) for a in arrays]
    compiled, fast = ms.jit(eager), ms.jit(eager, pipeline="fast")
    return _case(title, [
        Contender("numpy", lambda: by_numpy(*arrays)),
        *hand_tuned_contenders.gradients(workload, *arrays, **details),
        Contender("minigraph eager", lambda: tuple(g.asnumpy() for g in eager(*tensors))),
        Contender("minigraph jit", lambda: tuple(g.asnumpy() for g in compiled(*tensors))),
        Contender("minigraph jit, fast", lambda: tuple(g.asnumpy() for g in fast(*tensors))),
        *(peer.contender(peer.gradient(make(peer.lib)), arrays) for peer in peers() if peer.name != "torch.compile"),
        *remote.contenders(workload, arrays, ("pynative", "jit"), gradient=True, **details),
    ])  # fmt: skip


def cases(small: bool = False) -> list[Case]:
    """The rows."""
    by_name = [case_of(name, small) for name in PROGRAM_SHAPES for case_of in (forward_case, gradient_case)]
    return [*by_name, loop_case(small), hessian_case(small)]


def table(rounds: int = 7, small: bool = False) -> Table:
    """The rows, measured."""
    return Table("Whole programs", "ms per call", [measure(case, rounds) for case in cases(small)])
