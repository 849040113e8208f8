"""One training step of the digits classifier: 64 -> 128 -> 10, batch 64, cross-entropy, Momentum.

minigraph runs the example program of ``minigraph explain``; MindSpore runs the same text with its own imports. The
others are written as their users would write them.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import minigraph as ms
from benchmarks.measuring.harness import Case, Contender, Table, measure
from benchmarks.peers import remote
from benchmarks.peers.local import Peer, peers
from minigraph.examples import digits

STEPS_PER_CALL = 20  # per call, from the same initial weights, so that all contenders train equally far
LEARNING_RATE, MOMENTUM = 0.1, 0.9

Arrays = list[np.ndarray]
Fn = Callable[..., Any]


class Batch(NamedTuple):
    """The data of every contender: images f32[64,64], labels i32[64], and the initial weights w1, b1, w2, b2."""

    images: np.ndarray
    labels: np.ndarray
    weights: Arrays


def first_batch() -> Batch:
    """The first batch of the example, and its initial weights: w1 f32[128,64], b1, w2 f32[10,128], b2."""
    images, labels = digits.example_inputs()
    net = fresh_program("digits_weights").net
    return Batch(images.asnumpy(), labels.asnumpy(), [p.asnumpy().copy() for p in net.trainable_params()])


# ---- plain numpy, written by hand ----------------------------------------------------------------------


def numpy_step(images: np.ndarray, labels: np.ndarray, weights: Arrays, velocities: Arrays) -> float:
    """One step in place; returns the loss before the update."""
    w1, b1, w2, b2 = weights
    rows = np.arange(len(labels))
    hidden = images @ w1.T + b1
    active = np.maximum(hidden, 0)
    scores = active @ w2.T + b2
    shifted = scores - scores.max(axis=1, keepdims=True)
    exps = np.exp(shifted)
    sums = exps.sum(axis=1, keepdims=True)
    loss = np.mean(np.log(sums[:, 0]) - shifted[rows, labels])
    d_scores = exps / sums
    d_scores[rows, labels] -= 1
    d_scores /= np.float32(len(labels))
    d_hidden = (d_scores @ w2) * (hidden > 0)
    gradients = d_hidden.T @ images, d_hidden.sum(axis=0), d_scores.T @ active, d_scores.sum(axis=0)
    for weight, velocity, gradient in zip(weights, velocities, gradients, strict=True):
        velocity *= np.float32(MOMENTUM)
        velocity += gradient
        weight -= np.float32(LEARNING_RATE) * velocity
    return float(loss)


def numpy_contender(batch: Batch) -> Contender:
    """The baseline."""

    def prepare() -> tuple[Arrays, Arrays]:
        return [w.copy() for w in batch.weights], [np.zeros_like(w) for w in batch.weights]

    def run(weights: Arrays, velocities: Arrays) -> Any:
        for _ in range(STEPS_PER_CALL):
            loss = numpy_step(batch.images, batch.labels, weights, velocities)
        return loss, *weights

    return Contender("numpy", run, prepare)


# ---- the example program: minigraph, and MindSpore on the same text --------------------------------------


def fresh_program(name: str) -> Any:
    """The example as a new module, so that contenders do not share weights."""
    spec = importlib.util.find_spec(digits.__name__)
    assert spec is not None and spec.origin is not None
    module = ModuleType(name)
    sys.modules[name], module.__file__ = module, spec.origin
    with open(spec.origin, encoding="utf-8") as stream:
        exec(compile(stream.read(), spec.origin, "exec"), vars(module))
    return module


def program_contender(name: str, batch: Batch, select_step: Fn) -> Contender:
    """The example program; ``select_step`` selects its training step."""
    program = fresh_program(f"digits_{name.replace(' ', '_')}")
    step, tensor = select_step(program), program.Tensor
    images, labels = tensor(batch.images), tensor(batch.labels)
    weights = list(program.net.trainable_params())
    state = program.optimizer.moments

    def prepare() -> tuple[()]:
        for parameter, value in zip(weights, batch.weights, strict=True):
            program.ops.assign(parameter, tensor(value.copy()))
        for parameter in state:
            program.ops.assign(parameter, tensor(np.zeros_like(parameter.asnumpy())))
        return ()

    def run() -> Any:
        for _ in range(STEPS_PER_CALL):
            loss = step(images, labels)
        return tuple(t.asnumpy() for t in (loss, *weights))

    return Contender(name, run, prepare)


def minigraph_contenders(batch: Batch) -> Iterator[Contender]:
    """The step in eager mode, as a graph without passes, and as a graph with the default pipeline."""
    yield program_contender("minigraph eager", batch, lambda program: program.train_step.fn)
    yield program_contender("minigraph jit, no passes", batch, lambda p: ms.jit(p.train_step.fn, pipeline=()))
    yield program_contender("minigraph jit", batch, lambda program: program.train_step)


def text_contenders(batch: Batch) -> list[Contender]:
    """The same source text, run by the reference and by MindSpore in their own processes, in both modes."""
    text = Path(digits.__file__).read_text(encoding="utf-8")
    arrays, steps = [batch.images, batch.labels, *batch.weights], {"length": STEPS_PER_CALL}
    return [
        *remote.contenders("program", arrays, ("pynative",), text=text.replace("@ms.jit\n", ""), **steps),
        *remote.contenders("program", arrays, ("jit",), text=text, **steps),
    ]


# ---- the other peers ---------------------------------------------------------------------------------


def torch_contenders(batch: Batch, peer: Peer) -> Iterator[Contender]:
    """``torch.nn.functional`` and ``torch.optim.SGD``, eager."""
    torch = peer.module
    images, labels = torch.from_numpy(batch.images), torch.from_numpy(batch.labels.astype(np.int64))

    def prepare() -> tuple[Any, Any]:
        weights = [torch.tensor(w, requires_grad=True) for w in batch.weights]
        return weights, torch.optim.SGD(weights, lr=LEARNING_RATE, momentum=MOMENTUM)

    def run(weights: Any, optimizer: Any) -> Any:
        w1, b1, w2, b2 = weights
        layer = torch.nn.functional
        for _ in range(STEPS_PER_CALL):
            optimizer.zero_grad()
            scores = layer.linear(torch.relu(layer.linear(images, w1, b1)), w2, b2)
            loss = layer.cross_entropy(scores, labels)
            loss.backward()
            optimizer.step()
        return tuple(t.detach().numpy() for t in (loss, *weights))

    yield Contender(peer.name, run, prepare)


def loss_in(numpy: Any, weights: Sequence[Any], images: Any, labels: Any) -> Any:
    """The loss in terms of a module with numpy's functions (``autograd.numpy``, ``jax.numpy``)."""
    w1, b1, w2, b2 = weights
    scores = numpy.dot(numpy.maximum(numpy.dot(images, w1.T) + b1, 0), w2.T) + b2
    shifted = scores - numpy.max(scores, axis=1, keepdims=True)
    sums = numpy.log(numpy.sum(numpy.exp(shifted), axis=1))
    return numpy.mean(sums - shifted[np.arange(len(labels)), labels])


def functional_contender(name: str, batch: Batch, arrays: Sequence[Any], value_and_grad: Fn, wrap: Fn) -> Contender:
    """A step that returns new weights instead of updating in place.

    ``value_and_grad`` returns (loss, gradients); ``wrap`` is the framework's jit.
    """
    images, labels, *weights = arrays

    def step(weights: Any, velocities: Any, images: Any, labels: Any) -> Any:
        loss, gradients = value_and_grad(weights, images, labels)
        velocities = [MOMENTUM * velocity + gradient for velocity, gradient in zip(velocities, gradients, strict=True)]
        return loss, [w - LEARNING_RATE * velocity for w, velocity in zip(weights, velocities, strict=True)], velocities

    compiled = wrap(step)

    def run() -> Any:
        current, velocities = weights, [w * 0 for w in weights]
        for _ in range(STEPS_PER_CALL):
            loss, current, velocities = compiled(current, velocities, images, labels)
        return tuple(np.asarray(a) for a in (loss, *current))

    return Contender(name, run)


def jax_contenders(batch: Batch, peer: Peer) -> Iterator[Contender]:
    """``jax.jit`` of a functional step."""
    jax = peer.module
    arrays = [jax.numpy.asarray(a) for a in (batch.images, batch.labels, *batch.weights)]
    value_and_grad = jax.value_and_grad(lambda weights, x, y: loss_in(jax.numpy, weights, x, y))
    yield functional_contender(peer.name, batch, arrays, value_and_grad, jax.jit)


def autograd_contenders(batch: Batch, peer: Peer) -> Iterator[Contender]:
    """The same functional step on autograd's tape."""
    numpy = importlib.import_module("autograd.numpy")
    value_and_grad = peer.module.value_and_grad(lambda weights, x, y: loss_in(numpy, weights, x, y))
    yield functional_contender(
        peer.name, batch, [batch.images, batch.labels, *batch.weights], value_and_grad, lambda fn: fn
    )


PEERS: dict[str, Callable[[Batch, Peer], Iterator[Contender]]] = {
    "autograd": autograd_contenders,
    "torch": torch_contenders,
    "jax": jax_contenders,
}


def case() -> Case:
    """The training step by all contenders."""
    batch = first_batch()
    installed = [peer for peer in peers() if peer.name != "torch.compile"]
    others = [contender for peer in installed for contender in PEERS[peer.module.__name__](batch, peer)]
    contenders = [numpy_contender(batch), *minigraph_contenders(batch), *others, *text_contenders(batch)]
    return Case("digits training step", contenders, STEPS_PER_CALL, rtol=2e-4)


def table(rounds: int = 7) -> Table:
    """The case, measured."""
    about = "64 → 128 → 10, batch 64, cross-entropy, Momentum; µs per step"
    return Table("One training step", about, [measure(case(), rounds)])
