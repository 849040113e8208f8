"""The cost of one operator: a chain of multiplications and additions on 4x4, where numpy itself takes 0.2 µs.

On arrays this small the arithmetic takes almost no time, so the results show the overhead of operator dispatch, of
the tape, and of a line of a compiled program.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import minigraph as ms
from benchmarks.cases import hand_tuned_contenders
from benchmarks.cases.backends import numba_contenders
from benchmarks.measuring.harness import Case, Contender, Table, measure
from benchmarks.peers import remote
from benchmarks.peers.local import Peer, peers
from benchmarks.work import workloads
from benchmarks.work.workloads import REPETITIONS, add, chain, repeat_operator
from minigraph import Tensor, ops
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import record_on
from minigraph.core.seams import current_implementation

OPERATORS, MAX_COMPILED_OPERATORS, TAPE_OPERATORS = 1000, 200, 20_000


def chain_gradient(length: int) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]]:
    """The gradients of ``chain`` with respect to x and y, hand-written: a forward and a backward loop."""

    def run(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
        inputs = []
        for _ in range(length // 2):
            inputs.append(x)
            x = x * y + y
        dx, dy = np.ones_like(x), np.zeros_like(y)
        for saved_x in reversed(inputs):
            dy = dy + dx
            dy = dy + dx * saved_x
            dx = dx * y
        return dx, dy

    return run


def operands() -> tuple[np.ndarray, np.ndarray]:
    """x and y: f32[4,4], y in -0.5..0.5 so that the values of a long chain neither overflow nor vanish."""
    rng = np.random.default_rng(0)
    return rng.random((4, 4), np.float32), rng.random((4, 4), np.float32) - np.float32(0.5)


def may_take_part(peer: Peer, length: int) -> bool:
    """Whether a peer can compile this many operators in seconds: ``torch.compile`` takes minutes."""
    return peer.name != "torch.compile" or length <= MAX_COMPILED_OPERATORS


def operator_case(name: str) -> Case:
    """One eager operator on four floats: numpy, minigraph, and the eager peers."""
    run = repeat_operator(name)
    x, y, m = (np.linspace(0.1, 0.9, 4, dtype=np.float32).reshape(shape) for shape in (4, 4, (2, 2)))
    tensors = [Tensor(a) for a in (x, y, m)]
    return Case(
        f"eager {name}",
        [
            Contender("numpy", lambda: run(np, x, y, m)),
            Contender("minigraph eager", lambda: run(ops, *tensors).asnumpy()),
            *(_operator(peer, run, x, y, m) for peer in peers() if peer.eager),
            *remote.contenders("operator", [x, y, m], remote.MODES[:2], operator=name),
        ],
        REPETITIONS,
    )


def forward_case(length: int = OPERATORS) -> Case:
    """The forward pass of the chain: numpy, eager, compiled, and the installed peers."""
    return Case("forward", _contenders(chain(length), "chain", length), length)


def call_case() -> Case:
    """One addition: the cost of a call of a function that is already compiled."""
    return Case("one short call", _contenders(add, "add"))


def _contenders(fn: Callable[[Any, Any], Any], workload: str, length: int = 1) -> list[Contender]:
    x, y = operands()
    tensors, (compiled, with_kernels) = (Tensor(x), Tensor(y)), (ms.jit(lambda x, y: fn(x, y)) for _ in range(2))
    return [
        Contender("numpy", lambda: fn(x, y)),
        *hand_tuned_contenders.forwards(workload, x, y, length=length),
        Contender("minigraph eager", lambda: fn(*tensors).asnumpy()),
        Contender("minigraph jit", lambda: compiled(*tensors).asnumpy()),
        *numba_contenders(lambda: with_kernels(*tensors).asnumpy()),
        *(_forward(peer, lambda x, y: fn(x, y), x, y) for peer in peers() if may_take_part(peer, length)),
        *remote.contenders(workload, [x, y], length=length),
    ]


def gradient_case(length: int = OPERATORS) -> Case:
    """Forward and backward pass: hand-written numpy, the tape, the compiled gradient, and the peers."""
    x, y = operands()
    tensors, manual_gradient = (Tensor(x), Tensor(y)), chain_gradient(length)
    gradient = ms.grad(chain(length), (0, 1))
    compiled, with_kernels = ms.jit(gradient), ms.jit(gradient)
    return Case(
        "forward + backward",
        [
            Contender("numpy", lambda: manual_gradient(x, y)),
            *hand_tuned_contenders.gradients("chain", x, y, length=length),
            Contender("minigraph eager", lambda: tuple(g.asnumpy() for g in gradient(*tensors))),
            Contender("minigraph jit", lambda: tuple(g.asnumpy() for g in compiled(*tensors))),
            *numba_contenders(lambda: tuple(g.asnumpy() for g in with_kernels(*tensors))),
            *(_gradient(peer, chain(length), x, y) for peer in peers() if may_take_part(peer, length)),
            *remote.contenders("chain", [x, y], length=length, gradient=True),
        ],
        length,
    )


def _operator(peer: Peer, run: Callable[..., Any], *arrays: np.ndarray) -> Contender:
    operands = [peer.array(array) for array in arrays]
    return Contender(peer.name, lambda: peer.numpy(run(peer.lib, *operands)))


def _forward(peer: Peer, fn: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> Contender:
    run = peer.function(fn)
    arrays = [peer.array(x), peer.array(y)]
    return Contender(peer.name, lambda: peer.numpy(run(*arrays)))


def _gradient(peer: Peer, fn: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> Contender:
    run = peer.gradient(fn)
    arrays = [peer.array(x), peer.array(y)]
    return Contender(peer.name, lambda: tuple(peer.numpy(g) for g in run(*arrays)))


def bytes_per_operator(length: int = TAPE_OPERATORS) -> float:
    """Bytes that the tape holds per recorded operator, results included.

    Measured over many operators, because Python keeps up to 2,000 free tuples of a size, which are not counted.
    """
    x, y = (Tensor(array) for array in operands())
    run, tape = chain(length), current_implementation("tape", Tape)()
    tape.watch(x)
    tracemalloc.start()
    try:
        with record_on(tape):
            run(x, y)
        return tracemalloc.get_traced_memory()[0] / len(tape.entries)
    finally:
        tracemalloc.stop()


def cases(length: int = OPERATORS) -> list[Case]:
    """The rows: a chain, its gradient, one short call, and single operators."""
    return [forward_case(length), gradient_case(length), call_case(), *map(operator_case, workloads.OPERATORS)]


def table(rounds: int = 7, length: int = OPERATORS) -> Table:
    """The rows, measured."""
    about = (
        f"`x = x * y + y`, {length} operators on f32[4,4], µs per forward operator; then eager operators on four floats"
    )
    return Table("One operator", about, [measure(case, rounds) for case in cases(length)])
