"""Checks one network: exports it, imports it, and compares results and gradients with torch's.

``python -m benchmarks.torch_models.check FOLDER NAME...`` writes its findings to a JSON file per network.
"""

from __future__ import annotations

import copy
import gc
import json
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as torch_pytree

import minigraph as ms
import viz
from benchmarks.torch_models.architectures import Network, network
from minigraph.core.aliases import Array
from minigraph.core.files import write_atomically
from minigraph.ir.verify import verify
from passes import as_pipeline
from passes.core.pass_verifier import Validation

TOLERANCE = 1e-4  # of the largest absolute value of a result
SMALL_GRADIENT = 1e-3  # of the largest of all gradients: smaller ones are compared with this, because they are rounding
MAX_MESSAGE = 300  # characters
MAX_SECONDS = 900  # of processor time, of one network with few weights
SECONDS_PER_MILLION_WEIGHTS = 10  # above this: a validated pass draws, copies and compares all of them several times


class Record(dict[str, Any]):
    """The findings by name: a number, a text, or the reason of the first stage that failed."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, and store the error that ends it."""
        start = time.perf_counter()
        try:
            yield
        except Exception as error:
            text = " ".join(str(error).split())[:MAX_MESSAGE]
            self["failed"], self["reason"] = name, f"{type(error).__name__}: {text}"
            raise StageError from error
        self[f"{name} s"] = round(time.perf_counter() - start, 3)


class StageError(Exception):
    """A stage failed; the record has the reason."""


def check(name: str) -> Record:
    """Run all stages for one network; the record has ``failed`` and ``reason`` if one of them fails."""
    record = Record(name=name)
    try:
        with record.stage("build"):
            original = network(name)
        record["note"], record["parameters"] = original.note, sum(p.numel() for p in original.module.parameters())
        limit = MAX_SECONDS + SECONDS_PER_MILLION_WEIGHTS * record["parameters"] // 1_000_000
        signal.setitimer(signal.ITIMER_PROF, limit)
        peer = Network(copy.deepcopy(original.module), *original[1:])  # an export may leave tensors in caches
        _pass_contiguous_gradients(peer.module)
        with record.stage("export"):
            program = torch.export.export(original.module, original.args, original.kwargs)
        with record.stage("decompose"):
            program = program.run_decompositions()
        _check_import(record, peer, program)
    except StageError:
        pass
    return record


def _check_import(record: Record, peer: Network, program: Any) -> None:
    with record.stage("import"):
        net = ms.from_torch(program)
    leaves = torch_pytree.tree_leaves((peer.args, peer.kwargs))
    inputs = [ms.Tensor(leaf.numpy()) for leaf in leaves]
    results_of_torch = torch_pytree.tree_leaves(peer.module(*peer.args, **peer.kwargs))
    expected = [leaf for leaf in results_of_torch if isinstance(leaf, torch.Tensor)]
    arrays = [leaf.detach().numpy() for leaf in expected]
    with record.stage("run"):
        results = _as_tuple(ms.jit(net, fullgraph=True)(*inputs))
        record["error"] = max(_error(result, array) for result, array in zip(results, arrays, strict=True))
        _require(record["error"] <= TOLERANCE, f"the results differ by {record['error']:.1e}")
    with record.stage("gradient"):
        record["gradient error"] = _gradient_error(net, inputs, peer, expected)
        _require(record["gradient error"] <= TOLERANCE, f"the gradients differ by {record['gradient error']:.1e}")
    _check_graph(record, net, inputs)


def _check_graph(record: Record, net: Any, inputs: Sequence[ms.Tensor]) -> None:
    with record.stage("capture"):
        graph = ms.jit(net).graph(*inputs, pipeline=())
        record["nodes"] = len(graph)
        located = [node for node in graph if not graph.op(node).is_leaf]
        record["located"] = sum(graph.loc(node)[0].file.endswith(".py") for node in located) / max(len(located), 1)
    with record.stage("verify"):
        verify(graph)
    with record.stage("passes"), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        as_pipeline("default").run(graph, validate=Validation(0, [x.asnumpy() for x in inputs], folder))
        record["nodes after passes"] = len(graph)
    with record.stage("simulate"):
        record["cycles"] = ms.simulate(graph).cycles
    with record.stage("picture"), tempfile.TemporaryDirectory() as folder:
        record["picture bytes"] = viz.save(graph, Path(folder) / "graph.svg").stat().st_size


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise ValueError(text)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _error(result: Any, expected: np.ndarray) -> float:
    """The largest difference, relative to the largest absolute value that torch computes."""
    array = np.asarray(result.asnumpy() if isinstance(result, ms.Tensor) else result)
    _require(array.shape == expected.shape and array.dtype == expected.dtype, f"{array.dtype}{array.shape} instead of "
             f"{expected.dtype}{expected.shape}")  # fmt: skip
    if not expected.size or array.dtype.kind != "f":
        return float(not np.array_equal(array, expected))
    finite = np.isfinite(expected)
    _require(np.array_equal(array[~finite], expected[~finite], equal_nan=True), "infinite values differ")
    return _relative(array[finite] - expected[finite], expected[finite], 1e-12)


def _relative(difference: np.ndarray, expected: np.ndarray, minimum: float) -> float:
    scale = max(float(np.abs(expected).max(initial=0)), minimum)
    return float(np.abs(difference).max(initial=0)) / scale


def _pass_contiguous_gradients(module: torch.nn.Module) -> None:
    """Let batch norms of torch get contiguous gradients.

    torch 2.15 computes wrong ones (as its own finite differences show) in evaluation mode if the incoming gradient is a
    transposed view of a batch of one, as behind ``norm(x).flatten(2).transpose(1, 2)``.
    """
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm):
            part.register_forward_hook(lambda _module, _args, result: _hook_contiguous_gradient(result))


def _hook_contiguous_gradient(result: torch.Tensor) -> torch.Tensor:
    if result.requires_grad:
        result.register_hook(torch.Tensor.contiguous)
    return result


def _gradient_error(net: Any, inputs: Sequence[ms.Tensor], peer: Network, expected: Sequence[Any]) -> float:
    """The error of the gradients of a random weighted sum of the results, with respect to all weights."""
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=tuple(leaf.shape)).astype(np.float32) for leaf in expected]
    positions = [position for position, leaf in enumerate(expected) if leaf.requires_grad]
    torch_gradients = _torch_gradients(peer.module, expected, weights)
    factors = [ms.Tensor(weight) for weight in weights]

    def loss(*args: ms.Tensor) -> Any:
        results = _as_tuple(net(*args))
        return sum(((results[position] * factors[position]).sum() for position in positions), ms.Tensor(0.0))

    parameters = [parameter for parameter in net.trainable_params() if parameter.name in torch_gradients]
    _require(
        len(parameters) == len(torch_gradients), f"{len(parameters)} of {len(torch_gradients)} weights have a gradient"
    )
    _, gradients = ms.value_and_grad(loss, None, parameters)(*inputs)
    gradients_by_name = {
        parameter.name: gradient.asnumpy() for parameter, gradient in zip(parameters, gradients, strict=True)
    }
    min_scale = SMALL_GRADIENT * max(float(np.abs(value).max()) for value in torch_gradients.values())
    errors = {
        name: _relative(gradients_by_name[name] - torch_gradients[name], torch_gradients[name], min_scale)
        for name in torch_gradients
    }
    if max(errors.values()) > TOLERANCE:
        rounding = _rounding_only_gradients(peer, torch_gradients, weights)
        errors |= {
            name: _relative(
                gradients_by_name[name] - torch_gradients[name], torch_gradients[name], min_scale / SMALL_GRADIENT
            )
            for name in rounding
        }
    return max(errors.values())


def _torch_gradients(module: torch.nn.Module, results: Sequence[Any], weights: Sequence[Array]) -> dict[str, Array]:
    """Torch's gradients by the name of the weight."""
    used = [(leaf, weight) for leaf, weight in zip(results, weights, strict=True) if leaf.requires_grad]
    sum((leaf * torch.from_numpy(weight).to(leaf.dtype)).sum() for leaf, weight in used).backward()
    return {name: value.grad.numpy() for name, value in module.named_parameters() if value.grad is not None}


def _rounding_only_gradients(peer: Network, torch_gradients: dict[str, Array], weights: Sequence[Array]) -> list[str]:
    """The weights whose gradients are only rounding errors: torch's float32 and float64 gradients share no digit.

    Such gradients are zero in exact arithmetic, for example the gradient of a constant that the next layer norm
    subtracts.
    """
    module = peer.module.double()
    module.zero_grad()
    args, kwargs = torch_pytree.tree_map(lambda leaf: leaf.double() if leaf.is_floating_point() else leaf,
                                         (peer.args, peer.kwargs))  # fmt: skip
    results = [leaf for leaf in torch_pytree.tree_leaves(module(*args, **kwargs)) if isinstance(leaf, torch.Tensor)]
    exact = _torch_gradients(module, results, weights)
    return [name for name, value in exact.items() if np.abs(value).max() < np.abs(torch_gradients[name] - value).max()]


def record_path(folder: Path, name: str) -> Path:
    """The file of a network's record."""
    return folder / f"{name}.json"


def _time_out(*_: Any) -> None:
    raise TimeoutError("the time limit of the network is exceeded")


def main() -> None:
    """Check the networks named on the command line, after the folder for their records."""
    folder, *names = sys.argv[1:]
    torch.set_num_threads(1)
    signal.signal(signal.SIGPROF, _time_out)
    for name in names:
        text = json.dumps(check(name), indent=1)
        signal.setitimer(signal.ITIMER_PROF, 0)
        write_atomically(record_path(Path(folder), name), text + "\n")
        gc.collect()


if __name__ == "__main__":
    main()
