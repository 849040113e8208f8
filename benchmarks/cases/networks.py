"""A perceptron, LeNet and a Vision Transformer, forwards and one training step each.

minigraph and MindSpore run the program of ``work.networks``; numpy's is in ``networks_by_hand``, the others' in
``peers.networks``. Every call starts from the same first weights, which are put there outside of what is timed.
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
from benchmarks.peers.networks import Given
from benchmarks.work import networks, networks_by_hand, tuned
from benchmarks.work.tuned_perceptron import Perceptron
from minigraph import Tensor

Fn = Callable[..., Any]
TITLES = {"mlp": "MLP 784-512-512-10", "lenet": "LeNet", "vit": "Vision Transformer"}
TUNED = {"mlp": Perceptron}
CHANNELS = {"mlp": 1, "lenet": 1, "vit": 3}
Size = tuple[int, int, int]  # images, pixels of a side, and width of hidden layers
SIZES: dict[str, tuple[Size, Size]] = {  # large and small
    "mlp": ((128, 28, 512), (4, 4, 16)),
    "lenet": ((32, 32, 0), (2, 16, 0)),
    "vit": ((32, 32, 256), (2, 16, 16)),
}
SUNK, FAST = "minigraph jit, slices sunk", "minigraph jit, fast"
ROUNDING = {"lenet": (FAST, "fast"), "vit": (SUNK, "canonicalize,cse,sink_slices,default")}
LOOSE = 2e-3  # as for the other programs; of weights after a step also because Adam divides by small numbers


def given(name: str, small: bool) -> Given:
    """Random images and weights; scales of norms are near 1."""
    (n, side, width), rng = SIZES[name][small], np.random.default_rng(0)
    net = networks.NETWORKS[name](side, width)
    weights = [(rng.standard_normal(p.shape) * 0.05 + ("gamma" in p.name)).astype(np.float32) for p in net.weights]
    images = rng.standard_normal((n, CHANNELS[name], side, side)).astype(np.float32)
    return Given(name, images, np.arange(n, dtype=np.int32) % 10, weights)


# ---- contenders ----------------------------------------------------------------------------------------


def numpy_step(data: Given) -> Contender:
    """The yardstick of training."""
    gradients, (optimizer, count) = networks_by_hand.GRADIENTS[data.name], networks_by_hand.OPTIMIZERS[data.name]

    def run(weights: Any, state: Any) -> Any:
        loss, found = gradients(data.images, data.labels, weights)
        optimizer(weights, found, state)
        return loss, *weights

    return Contender("numpy", run, partial(_first, data, count))


def _first(data: Given, count: int) -> tuple[Any, Any]:
    """The first weights, and the state of an optimizer that has so many numbers for each."""
    return [w.copy() for w in data.weights], [np.zeros_like(w) for w in data.weights for _ in range(count)]


def tuned_numpy(data: Given, step: bool) -> Iterator[Contender]:
    """What is to be reached, of networks for which it was written."""
    if data.name in TUNED:
        net = TUNED[data.name](data.images, data.weights)
        if step:
            yield Contender(tuned.NAME, lambda w, v: (net.step(data.labels, w, v), *w), partial(_first, data, 1))
        else:
            yield Contender(tuned.NAME, lambda: net.scores(data.weights).copy())


def network(data: Given, small: bool) -> SimpleNamespace:
    """The program of minigraph and MindSpore, with our weights."""
    made = networks.NETWORKS[data.name](*SIZES[data.name][small][1:])
    made.set(data.weights)
    return made


def ours(data: Given, small: bool, step: bool) -> Iterator[Contender]:
    """The program op by op, and compiled, for each network also by passes that round: ``fast``, or slices sunk."""
    images, labels = Tensor(data.images), Tensor(data.labels)
    ways: dict[str, Fn] = {"minigraph eager": lambda fn: fn, "minigraph jit": ms.jit}
    if data.name in ROUNDING:
        name, pipeline = ROUNDING[data.name]
        ways[name] = ms.jit(pipeline=pipeline)
    for name, wrap in ways.items():
        made = network(data, small)
        if step:
            yield _training(name, made, wrap(made.step), (images, labels), data)
        else:
            yield Contender(name, partial(_scores, wrap(made.forward), images))


def _scores(run: Fn, images: Tensor) -> np.ndarray:
    scores: np.ndarray = run(images).asnumpy()
    return scores


def _training(name: str, made: SimpleNamespace, step: Fn, batch: tuple[Tensor, Tensor], data: Given) -> Contender:
    def prepare() -> tuple[()]:
        made.set(data.weights)
        return ()

    def run() -> Any:
        loss = step(*batch)
        return loss.asnumpy(), *made.weights  # as they are, like numpy's: training reads them when it has ended

    return Contender(name, run, prepare)


def theirs(data: Given, small: bool, step: bool) -> list[Contender]:
    """The same text, run in both modes by MindSpore, in its own interpreter, and by the reference alone."""
    text = Path(networks.__file__).read_text(encoding="utf-8")
    arrays = [data.images, data.labels, *data.weights]
    details = {"text": text, "network": data.name, "sizes": SIZES[data.name][small][1:], "step": step}
    return remote.contenders("network", arrays, ("pynative", "jit"), **details)


# ---- cases ---------------------------------------------------------------------------------------------


def forward_case(name: str, small: bool) -> Case:
    """A network's scores."""
    data = given(name, small)
    by_hand = networks_by_hand.FORWARDS[name]
    return Case(f"{TITLES[name]}, forward", [
        Contender("numpy", lambda: by_hand(data.images, data.weights)),
        *tuned_numpy(data, step=False),
        *ours(data, small, step=False),
        *network_peers.contenders(peers(), data, step=False),
        *theirs(data, small, step=False),
    ], rtol=LOOSE, unit="ms")  # fmt: skip


def step_case(name: str, small: bool) -> Case:
    """A network's first training step."""
    data = given(name, small)
    return Case(f"{TITLES[name]}, training step", [
        numpy_step(data),
        *tuned_numpy(data, step=True),
        *ours(data, small, step=True),
        *network_peers.contenders(peers(), data, step=True),
        *theirs(data, small, step=True),
    ], rtol=LOOSE, unit="ms")  # fmt: skip


def cases(small: bool = False) -> list[Case]:
    """The rows."""
    return [make(name, small) for name in TITLES for make in (forward_case, step_case)]


def table(rounds: int = 7, small: bool = False) -> Table:
    """The rows, measured."""
    about = (
        "the perceptron on 128 images of 28 x 28 pixels, the others on 32 of 32 x 32; the Vision Transformer, of one "
        "layer, patches of 4 x 4 and width 256, trained by Adam, the others by Momentum; ms per call"
    )
    return Table("Networks", about, [measure(case, rounds) for case in cases(small)])
