"""A perceptron, LeNet and a Vision Transformer: the forward pass and one training step of each.

minigraph and MindSpore run the program of ``work.networks``; numpy's is in ``manual_networks``, the others' in
``peers.networks``. Every call starts from the same initial weights; resetting them is not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import minigraph as ms
from benchmarks.measuring.harness import Case, Contender, Table, measure
from benchmarks.peers import networks as network_peers
from benchmarks.peers import remote
from benchmarks.peers.local import peers
from benchmarks.peers.networks import NetworkData
from benchmarks.work import manual_networks, networks
from benchmarks.work.hand_tuned_numpy import CONTENDER_NAME
from benchmarks.work.tuned_perceptron import Perceptron
from minigraph import Tensor

Fn = Callable[..., Any]
TITLES = {"mlp": "MLP 784-512-512-10", "lenet": "LeNet", "vit": "Vision Transformer"}
TUNED_NETWORKS = {"mlp": Perceptron}  # networks with a hand-tuned implementation in numpy
CHANNELS = {"mlp": 1, "lenet": 1, "vit": 3}
Size = tuple[int, int, int]  # images, pixels of a side, and width of hidden layers
SIZES: dict[str, tuple[Size, Size]] = {  # large and small
    "mlp": ((128, 28, 512), (4, 4, 16)),
    "lenet": ((32, 32, 0), (2, 16, 0)),
    "vit": ((32, 32, 256), (2, 16, 16)),
}
JIT_SUNK_SLICES, JIT_FAST = "minigraph jit, slices sunk", "minigraph jit, fast"
# by network: the contender and the pipeline with passes that change rounding
PIPELINES_THAT_ROUND = {"lenet": (JIT_FAST, "fast"), "vit": (JIT_SUNK_SLICES, "canonicalize,cse,sink_slices,default")}
RTOL = 2e-3  # as for the other programs; weights after a step need it because Adam divides by small numbers


def network_data(name: str, small: bool) -> NetworkData:
    """Random images and weights; the scales of norms are close to 1."""
    (n, side, width), rng = SIZES[name][small], np.random.default_rng(0)
    net = networks.NETWORKS[name](side, width)
    weights = [(rng.standard_normal(p.shape) * 0.05 + ("gamma" in p.name)).astype(np.float32) for p in net.weights]
    images = rng.standard_normal((n, CHANNELS[name], side, side)).astype(np.float32)
    return NetworkData(name, images, np.arange(n, dtype=np.int32) % 10, weights)


# ---- contenders ----------------------------------------------------------------------------------------


def numpy_step(data: NetworkData) -> Contender:
    """A training step in numpy with derivatives by hand: the baseline."""
    value_and_grad, (optimizer, count) = manual_networks.GRADIENTS[data.name], manual_networks.OPTIMIZERS[data.name]

    def run(weights: Any, state: Any) -> Any:
        loss, gradients = value_and_grad(data.images, data.labels, weights)
        optimizer(weights, gradients, state)
        return loss, *weights

    return Contender("numpy", run, partial(_initial_state, data, count))


def _initial_state(data: NetworkData, count: int) -> tuple[Any, Any]:
    """The initial weights, and the state of an optimizer that has ``count`` arrays per weight."""
    return [w.copy() for w in data.weights], [np.zeros_like(w) for w in data.weights for _ in range(count)]


def tuned_numpy(data: NetworkData, step: bool) -> Iterator[Contender]:
    """Hand-tuned numpy, for the networks that have it."""
    if data.name in TUNED_NETWORKS:
        net = TUNED_NETWORKS[data.name](data.images, data.weights)
        if step:
            yield Contender(
                CONTENDER_NAME, lambda w, v: (net.step(data.labels, w, v), *w), partial(_initial_state, data, 1)
            )
        else:
            yield Contender(CONTENDER_NAME, lambda: net.scores(data.weights).copy())


def network(data: NetworkData, small: bool) -> SimpleNamespace:
    """The program that minigraph and MindSpore run, with the initial weights."""
    program = networks.NETWORKS[data.name](*SIZES[data.name][small][1:])
    program.set(data.weights)
    return program


def minigraph_contenders(data: NetworkData, small: bool, step: bool) -> Iterator[Contender]:
    """The program in eager mode and compiled, for some networks also with passes that change rounding."""
    images, labels = Tensor(data.images), Tensor(data.labels)
    modes: dict[str, Fn] = {"minigraph eager": lambda fn: fn, "minigraph jit": ms.jit}
    if data.name in PIPELINES_THAT_ROUND:
        name, pipeline = PIPELINES_THAT_ROUND[data.name]
        modes[name] = ms.jit(pipeline=pipeline)
    for name, wrap in modes.items():
        program = network(data, small)
        if step:
            yield _training_contender(name, program, wrap(program.step), (images, labels), data)
        else:
            yield Contender(name, partial(_scores, wrap(program.forward), images))


def _scores(run: Fn, images: Tensor) -> np.ndarray:
    scores: np.ndarray = run(images).asnumpy()
    return scores


def _training_contender(
    name: str, program: SimpleNamespace, step: Fn, batch: tuple[Tensor, Tensor], data: NetworkData
) -> Contender:
    def prepare() -> tuple[()]:
        program.set(data.weights)
        return ()

    def run() -> Any:
        loss = step(*batch)
        return loss.asnumpy(), *program.weights  # not converted: training reads the weights only at its end

    return Contender(name, run, prepare)


def remote_contenders(data: NetworkData, small: bool, step: bool) -> list[Contender]:
    """The same source text, run by the reference and by MindSpore in their own processes, in both modes."""
    text = Path(networks.__file__).read_text(encoding="utf-8")
    arrays = [data.images, data.labels, *data.weights]
    details = {"text": text, "network": data.name, "sizes": SIZES[data.name][small][1:], "step": step}
    return remote.contenders("network", arrays, ("pynative", "jit"), **details)


# ---- cases ---------------------------------------------------------------------------------------------


def forward_case(name: str, small: bool) -> Case:
    """The scores of a network for a batch of images."""
    data = network_data(name, small)
    numpy_forward = manual_networks.FORWARDS[name]
    return Case(f"{TITLES[name]}, forward", [
        Contender("numpy", lambda: numpy_forward(data.images, data.weights)),
        *tuned_numpy(data, step=False),
        *minigraph_contenders(data, small, step=False),
        *network_peers.contenders(peers(), data, step=False),
        *remote_contenders(data, small, step=False),
    ], rtol=RTOL, unit="ms")  # fmt: skip


def step_case(name: str, small: bool) -> Case:
    """The first training step of a network."""
    data = network_data(name, small)
    return Case(f"{TITLES[name]}, training step", [
        numpy_step(data),
        *tuned_numpy(data, step=True),
        *minigraph_contenders(data, small, step=True),
        *network_peers.contenders(peers(), data, step=True),
        *remote_contenders(data, small, step=True),
    ], rtol=RTOL, unit="ms")  # fmt: skip


def cases(small: bool = False) -> list[Case]:
    """Forward pass and training step of each network."""
    return [case_of(name, small) for name in TITLES for case_of in (forward_case, step_case)]


def table(rounds: int = 7, small: bool = False) -> Table:
    """The measured cases."""
    about = (
        "the perceptron on 128 images of 28 x 28 pixels, the others on 32 of 32 x 32; the Vision Transformer, of one "
        "layer, patches of 4 x 4 and width 256, trained by Adam, the others by Momentum; ms per call"
    )
    return Table("Networks", about, [measure(case, rounds) for case in cases(small)])
