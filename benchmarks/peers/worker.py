"""The worker process of ``remote``: builds workloads in one framework and times blocks of their calls, on request.

``python -m benchmarks.peers.worker mindspore`` reads one JSON request per line and answers each with one line. It needs
only the framework, numpy and ``workloads``. Arrays are sent as dtype, shape and base64.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, TextIO

import numpy as np

from benchmarks.work import workloads

Fn = Callable[..., Any]


class Workload(NamedTuple):
    """``run`` starts the work and returns results, possibly asynchronous; ``prepare``, before it, is not timed."""

    run: Callable[[], Any]
    prepare: Callable[[], Any] | None = None


def pack(array: np.ndarray) -> dict[str, Any]:
    """An array as JSON.

    >>> unpack(pack(np.arange(3)))
    array([0, 1, 2])
    """
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": str(array.dtype), "shape": array.shape, "data": data}


def unpack(item: dict[str, Any]) -> np.ndarray:
    """The inverse of ``pack``; the array is writeable."""
    flat = np.frombuffer(base64.b64decode(item["data"]), item["dtype"])
    return flat.reshape(item["shape"]).copy()


# ---- frameworks --------------------------------------------------------------------------------------


class Framework:
    """An adapter to a framework: its functions, its arrays, its execution modes."""

    def __init__(self, name: str, lib: Any, tensor: Fn, array: Fn, modes: dict[str, Fn], gradient: Fn) -> None:
        self.name, self.lib, self.tensor, self.array, self.modes, self.gradient = (
            name, lib, tensor, array, modes, gradient,
        )  # fmt: skip

    def version(self) -> str:
        """The version of the framework's module."""
        return str(importlib.import_module(self.name).__version__)


def mindspore(queued: bool = False) -> Framework:
    """MindSpore: PyNative, and ``jit``; on one core, if libraries are limited to one thread.

    By default PyNative is ``queued``: a thread executes the operators while Python continues. On busy cores that
    thread and Python wait for each other by spinning, up to a millisecond per operator, in some processes only.
    With blocking launches PyNative is as fast as the queue at its best.
    """
    is_single_threaded = os.environ.get("OMP_NUM_THREADS") == "1"
    if is_single_threaded and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    ms = importlib.import_module("mindspore")
    ms.set_recursion_limit(100_000)
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    if is_single_threaded:
        ms.runtime.dispatch_threads_num(1)
    if not queued:
        ms.runtime.launch_blocking()
    modes = {"pynative queued" if queued else "pynative": lambda fn: fn, "jit": ms.jit}
    return Framework(
        "mindspore", ms.ops, ms.Tensor, lambda tensor: tensor.asnumpy(), modes, lambda fn, by=(0, 1): ms.grad(fn, by)
    )


def numpy() -> Framework:
    """numpy itself, to test worker and client without any other framework."""
    return Framework("numpy", np, np.array, np.asarray, {"plain": lambda fn: fn}, lambda fn, by=(0, 1): fn)


def reference() -> Framework:
    """minigraph without its accelerator; raises if the accelerator is on."""
    ms, seams = importlib.import_module("minigraph"), importlib.import_module("minigraph.core.seams")
    if seams.is_available():
        raise RuntimeError("the accelerator is on")
    importlib.import_module("minigraph.dataset")
    modes = {"eager, reference": lambda fn: fn, "jit, reference": ms.jit}
    return Framework(
        "minigraph", ms.ops, ms.Tensor, lambda tensor: tensor.asnumpy(), modes, lambda fn, by=(0, 1): ms.grad(fn, by)
    )


FRAMEWORKS = {
    "mindspore": mindspore, "mindspore, queued": lambda: mindspore(queued=True), "numpy": numpy, "reference": reference,
}  # fmt: skip


# ---- workloads ---------------------------------------------------------------------------------------


def make_workload(framework: Framework, request: dict[str, Any]) -> Workload:
    """The workload that a request describes; every call starts from the same arrays."""
    arrays = [unpack(item) for item in request["arrays"]]
    return WORKLOAD_BUILDERS[request["workload"]](framework, framework.modes[request["mode"]], arrays, request)


def _operator(framework: Framework, mode: Fn, arrays: list[np.ndarray], request: dict[str, Any]) -> Workload:
    run, tensors = workloads.repeat_operator(request["operator"]), [framework.tensor(a) for a in arrays]
    return Workload(lambda: run(framework.lib, *tensors))


def _function(framework: Framework, mode: Fn, arrays: list[np.ndarray], request: dict[str, Any]) -> Workload:
    lib, length, tensors = framework.lib, request.get("length", 0), [framework.tensor(a) for a in arrays]
    functions: dict[str, Callable[[], Fn]] = {
        "add": lambda: workloads.add,
        "chain": lambda: workloads.chain(length),
        "loop": lambda: workloads.loop(lib.tanh, length),
        "elementwise": lambda: workloads.elementwise(lib.exp, lib.tanh),
        **{name: partial(make, lib) for name, make in workloads.PROGRAMS.items()},
    }
    fn = functions[request["workload"]]()
    run = mode(framework.gradient(fn) if request.get("gradient") else fn)
    return Workload(lambda: run(*tensors))


def hessian_product(framework: Framework, mode: Fn, arrays: list[np.ndarray], request: dict[str, Any]) -> Workload:
    """The perceptron's Hessian-vector product."""
    tensors = [framework.tensor(array) for array in arrays]
    run = mode(workloads.hessian_vector_product(framework.gradient, workloads.mlp(framework.lib)))
    return Workload(lambda: run(*tensors))


def _first_call(framework: Framework, mode: Fn, arrays: list[np.ndarray], request: dict[str, Any]) -> Workload:
    """A new function, captured, compiled and run."""
    tensors = [framework.tensor(array) for array in arrays]
    return Workload(lambda: mode(workloads.chain(request["length"]))(*tensors))


def _program(framework: Framework, mode: Fn, arrays: list[np.ndarray], request: dict[str, Any]) -> Workload:
    """Steps of a training program, given as source text, from the same initial weights."""
    images, labels, *weights = arrays
    program = module_of(request["text"], SimpleNamespace(images=images, labels=labels))
    tensor, parameters = framework.tensor, list(program.net.trainable_params())
    batch, state = (tensor(images), tensor(labels)), list(program.optimizer.moments)

    def prepare() -> None:
        for parameter, value in zip(parameters, weights, strict=True):
            program.ops.assign(parameter, tensor(value.copy()))
        for parameter in state:
            program.ops.assign(parameter, tensor(np.zeros(parameter.shape, np.float32)))

    def run() -> Any:
        for _ in range(request["length"]):
            loss = program.train_step(*batch)
        return (loss, *parameters)

    return Workload(run, prepare)


def _network(framework: Framework, mode: Fn, arrays: list[np.ndarray], request: dict[str, Any]) -> Workload:
    """The forward pass or the first training step of a network, given as source text."""
    images, labels, *weights = arrays
    network = module_of(request["text"]).NETWORKS[request["network"]](*request["sizes"])
    network.set(weights)
    if not request["step"]:
        forward, tensor = mode(network.forward), framework.tensor(images)
        return Workload(lambda: forward(tensor))
    step, batch = mode(network.step), (framework.tensor(images), framework.tensor(labels))
    return Workload(lambda: (step(*batch), *network.weights), lambda: network.set(weights))


def module_of(text: str, digits: Any = None) -> ModuleType:
    """Write a program's text to a file in the current folder and import it; ``load_digits`` gives it ``digits``."""
    dataset = ModuleType("minigraph.dataset")
    vars(dataset).update(vars(sys.modules.get("minigraph.dataset", dataset)))  # the reference needs the other names
    dataset.load_digits = lambda: SimpleNamespace(split=lambda: (digits, digits))  # type: ignore[attr-defined]
    sys.modules["minigraph.dataset"] = dataset
    name = f"program{len(list(Path().glob('program*.py'))) or ''}"
    Path(f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, os.getcwd())
    return importlib.import_module(name)


WORKLOAD_BUILDERS: dict[str, Fn] = {
    "operator": _operator,
    "first call": _first_call,
    "hessian product": hessian_product,
    "program": _program,
    "network": _network,
    **dict.fromkeys(("add", "chain", "loop", "elementwise", *workloads.PROGRAMS), _function),
}


# ---- requests ----------------------------------------------------------------------------------------


class Worker:
    """Answers requests, and keeps the workloads that it has built."""

    def __init__(self, framework: Framework) -> None:
        self.framework = framework
        self.workloads: list[Workload] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request; an exception is returned as text."""
        try:
            reply: dict[str, Any] = getattr(self, f"do_{request['do']}")(request)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}
        return reply

    def do_about(self, request: dict[str, Any]) -> dict[str, Any]:
        """Name and version."""
        return {"name": self.framework.name, "version": self.framework.version()}

    def do_make(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make a workload; its number."""
        self.workloads.append(make_workload(self.framework, request))
        return {"number": len(self.workloads) - 1}

    def do_run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call a workload once; its results."""
        run, prepare = self.workloads[request["number"]]
        if prepare:
            prepare()
        return {"results": [pack(array) for array in self._wait_for(run())]}

    def do_time(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call a workload several times; CPU seconds of all threads and wall seconds until the last result is ready."""
        run, prepare = self.workloads[request["number"]]
        blocks = [request["times"]] if prepare is None else [1] * request["times"]
        cpu = wall = 0.0
        for times in blocks:
            if prepare:
                self._wait_for(prepare() or ())
            cpu, wall = cpu - time.process_time(), wall - time.perf_counter()
            for _ in range(times):
                out = run()
            self._wait_for(out)
            cpu, wall = cpu + time.process_time(), wall + time.perf_counter()
        return {"cpu": cpu, "wall": wall}

    def _wait_for(self, out: Any) -> list[np.ndarray]:
        """The results as arrays, which waits until they are computed."""
        return [np.asarray(self.framework.array(item)) for item in (out if isinstance(out, tuple | list) else (out,))]


def serve(worker: Worker, requests: TextIO, answers: TextIO) -> None:
    """Answer line by line until the input ends."""
    for line in requests:
        answers.write(json.dumps(worker.answer(json.loads(line))) + "\n")
        answers.flush()


def main() -> None:
    """Serve the framework named on the command line; other output goes to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(Worker(FRAMEWORKS[sys.argv[1]]()), sys.stdin, answers)


if __name__ == "__main__":
    main()
