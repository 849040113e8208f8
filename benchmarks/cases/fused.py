"""The gain of two threads and of numba kernels: elementwise chains on many elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import minigraph as ms
from benchmarks.cases.backends import WARM_UP_SECONDS, backends, call_with_backend, warm_up
from benchmarks.measuring.goal import Goal
from benchmarks.measuring.harness import Case, Contender, Table, measure
from benchmarks.peers.local import elementwise_peers
from benchmarks.work import manual_gradients, workloads
from minigraph import Tensor, ops

Fn = Callable[..., Any]
ELEMENTS, GRADIENT_ELEMENTS = 16_000_000, 1_000_000
RTOL = 1e-4  # exp and tanh differ by units in the last place
_case = partial(Case, rtol=RTOL, unit="ms")


def forward_title(kind: str, elements: int) -> str:
    """A row's title; ``kind`` is "elementwise" or "light"."""
    return f"20 {kind} operators, {elements:,} elements, two threads"


def gradient_title(elements: int) -> str:
    """The title of a gradient's row."""
    return f"20 elementwise operators, {elements:,} elements, gradient"


def goals(elements: int = ELEMENTS, gradient_elements: int = GRADIENT_ELEMENTS) -> tuple[Goal, ...]:
    """The goals of the rows."""
    transcendental_title, light_title = (forward_title(kind, elements) for kind in ("elementwise", "light"))
    return (
        Goal(transcendental_title, "minigraph jit", "wall", 2.4, 2.68),
        Goal(transcendental_title, "minigraph jit, numba", "wall", 4.0, 4.52),
        Goal(light_title, "minigraph jit", "wall", 4.5, 5.1),
        Goal(light_title, "minigraph jit, numba", "wall", 18.0, 23.4),
        Goal(gradient_title(gradient_elements), "minigraph jit", "speed", 1.4, 1.63),
    )


def forward_case(build: Callable[[Any], Fn], kind: str, elements: int = ELEMENTS) -> Case:
    """The forward pass of a chain of twenty operators."""
    arrays, reference = _arrays(elements), build(np)
    return _case(forward_title(kind, elements), [
        Contender("numpy", lambda: reference(*arrays)),
        *(Contender(name, run) for name, run in compile_all(build(ops), arrays, backends(), lambda out: out.asnumpy())),
        *(peer.contender(peer.function(build(peer.lib)), arrays) for peer in elementwise_peers()),
    ])  # fmt: skip


def gradient_case(elements: int = GRADIENT_ELEMENTS) -> Case:
    """The gradients of the chain with transcendental operators, with respect to both operands."""
    arrays, build = _arrays(elements), transcendental
    fn = ms.grad(build(ops), (0, 1))
    compared_peers = [peer for peer in elementwise_peers() if peer.name != "torch.compile"]
    return _case(gradient_title(elements), [
        Contender("numpy", lambda: manual_gradients.elementwise(*arrays)),
        *(Contender(name, run) for name, run in compile_all(fn, arrays, backends(), _as_arrays)),
        *(peer.contender(peer.gradient(build(peer.lib)), arrays) for peer in compared_peers),
    ])  # fmt: skip


def transcendental(lib: Any) -> Fn:
    """The chain of elementwise operators with exp and tanh."""
    return workloads.elementwise(lib.exp, lib.tanh)


def _arrays(elements: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.random(elements, np.float32) for _ in range(2)]


def compile_all(
    fn: Fn, arrays: Sequence[np.ndarray], backend_of: dict[str, str], results: Fn
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Compiled functions by name, warmed up until their kernels are compiled."""
    tensors = [Tensor(array) for array in arrays]
    for name, backend in backend_of.items():
        run = partial(call_with_backend, backend, ms.jit(lambda x, y: fn(x, y)), *tensors)
        warm_up(run, WARM_UP_SECONDS if len(arrays[0]) >= GRADIENT_ELEMENTS else 0)
        yield name, lambda run=run: results(run())


def _as_arrays(tensors: Sequence[Any]) -> tuple[np.ndarray, ...]:
    return tuple(tensor.asnumpy() for tensor in tensors)


def cases(small: bool = False) -> list[Case]:
    """The rows."""
    elements, gradient_elements = (10_000, 10_000) if small else (ELEMENTS, GRADIENT_ELEMENTS)
    return [
        forward_case(transcendental, "elementwise", elements),
        forward_case(workloads.light, "light", elements),
        gradient_case(gradient_elements),
    ]


def table(rounds: int = 7, small: bool = False) -> Table:
    """The rows, measured."""
    about = "minigraph on two threads, peers on one; only wall-clock time shows the gain of two threads; ms per call"
    return Table("Kernels and threads", about, [measure(case, rounds) for case in cases(small)])
