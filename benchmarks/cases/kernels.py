"""Numerical work: a loop of matrix products and tanh at four sizes, and twenty operators on every element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import minigraph as ms
from benchmarks.cases import hand_tuned_contenders
from benchmarks.measuring.harness import Case, Contender, Table, measure
from benchmarks.peers import remote
from benchmarks.peers.local import peers
from benchmarks.work.workloads import elementwise, loop
from minigraph import Tensor, ops

Fn = Callable[..., Any]
MATRIX_SIZES, CHAIN_STEPS = (16, 64, 256, 512), 100
ELEMENTS = 1_000_000
RTOL = 1e-3  # tanh differs by a few units in the last place between libraries, and the loop amplifies the difference


def loop_case(n: int, steps: int = CHAIN_STEPS) -> Case:
    """The forward pass of ``x = tanh(x @ w)`` on f32[n,n]; the spectral norm of w keeps the values from vanishing."""
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(2))
    arrays = [x, w * np.float32(0.9 / np.sqrt(n))]
    return Case(
        f"{steps} x (matmul, tanh), n={n}",
        _contenders(lambda lib: loop(lib.tanh, steps), arrays, "loop", length=steps),
        rtol=RTOL, unit="ms",
    )  # fmt: skip


def elementwise_case(elements: int = ELEMENTS) -> Case:
    """The forward pass of twenty operators on f32[elements]."""
    rng = np.random.default_rng(0)
    arrays = [rng.random(elements, np.float32) for _ in range(2)]
    title = f"20 elementwise operators, {elements:,} elements"
    contenders = _contenders(lambda lib: elementwise(lib.exp, lib.tanh), arrays, "elementwise")
    return Case(title, contenders, rtol=RTOL, unit="ms")


def _contenders(
    make: Callable[[Any], Fn], arrays: Sequence[np.ndarray], workload: str, **details: Any
) -> list[Contender]:
    numpy_function, fn, tensors = make(np), make(ops), [Tensor(array) for array in arrays]
    compiled = ms.jit(lambda x, y: fn(x, y))
    return [
        Contender("numpy", lambda: numpy_function(*arrays)),
        *hand_tuned_contenders.forwards(workload, *arrays, **details),
        Contender("minigraph eager", lambda: fn(*tensors).asnumpy()),
        Contender("minigraph jit", lambda: compiled(*tensors).asnumpy()),
        *(peer.contender(peer.function(make(peer.lib)), arrays) for peer in peers()),
        *remote.contenders(workload, list(arrays), ("pynative", "jit"), **details),
    ]


def table(rounds: int = 7, small: bool = False) -> Table:
    """The rows, measured."""
    cases = [loop_case(n) for n in MATRIX_SIZES[: 2 if small else None]]
    cases.append(elementwise_case(10_000 if small else ELEMENTS))
    return Table("Numerical work", "forwards; ms per call", [measure(case, rounds) for case in cases])
