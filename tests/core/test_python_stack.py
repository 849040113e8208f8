"""Whether the stack is short, and errors that come from the machine or from a deadline."""

import inspect
import linecache
import os
import signal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit, ops
from minigraph._version import __version__
from minigraph.capture.structure import is_tensor
from minigraph.cli.target import _source, user_code_errors
from minigraph.compilation import disk_cache
from minigraph.core.files import named_errors, suppress_file_errors
from minigraph.core.location import Loc, real_path
from minigraph.core.op import Op, apply
from minigraph.core.processes import SerialExecutor
from minigraph.core.python_stack import is_stack_short
from minigraph.core.pytree import flatten_call
from minigraph.core.scope_guard import external_error, raise_external_error, reraise_handler_error
from minigraph.dataset.readers.annotated_images import read_image
from minigraph.dataset.readers.image_files import read_idx
from minigraph.dataset.readers.tensor_records import _is_record_file
from minigraph.execute.compile import compile_graph
from minigraph.lessons.notebook import answer_in
from minigraph.npu.chips import load_chip
from minigraph.npu.schedules import load_schedules
from minigraph.npu.sweeps import models, work_item
from minigraph.npu.sweeps.table import _file_errors
from minigraph.operators.pyfunc import call_python
from minigraph.translate import host_arrays
from tests.inspection import at_depth
from viz.common.elements import svg_or_error
from viz.common.labels import node_label
from viz.explore.source_text import lines_of


def test_the_stack_is_short_if_its_callers_use_more_than_half_of_it():
    assert [at_depth(depth, is_stack_short) for depth in (0.3, 0.9)] == [False, True]


def caused(error, cause):
    try:
        raise error from cause
    except Exception as raised:
        return raised


def test_the_cause_of_an_error_may_be_a_lack_of_memory():
    memory, loop = MemoryError(), ValueError()
    loop.__cause__ = loop
    assert external_error(memory) is memory is external_error(caused(ValueError(), memory))
    assert external_error(caused(KeyError(), ValueError())) is None is external_error(loop)


class Stop:
    def __call__(self, *_):
        raise TimeoutError("too late")


def stop(late, *_):
    raise TimeoutError(late)


@pytest.fixture(params=["function", "method", "partial", "object"])
def deadline(request):
    """A function that a signal handler stops."""
    handlers = {
        "function": lambda *_: stop("too late"), "method": Stop().__call__, "object": Stop(),
        "partial": partial(stop, "too late"),
    }  # fmt: skip
    if not hasattr(signal, "SIGUSR1"):
        pytest.skip("needs signals of POSIX")
    before = signal.signal(signal.SIGUSR1, handlers[request.param])
    yield lambda *args, **kwargs: signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


def test_the_cause_of_an_error_may_be_a_deadline(deadline):
    with pytest.raises(TimeoutError) as late:
        deadline()
    assert external_error(caused(ValueError(), late.value)) is late.value
    assert external_error(TimeoutError()) is None
    with pytest.raises(ValueError, match="is not a valid") as other:
        signal.Handlers(12345)  # an enumeration calls Python code
    assert external_error(other.value) is None


def test_the_cause_is_raised_with_its_own_cause(deadline):
    reason, memory = KeyError(), MemoryError()
    with pytest.raises(TimeoutError) as late:
        deadline()
    late.value.__cause__ = reason
    for handle in (raise_external_error, reraise_handler_error):
        with pytest.raises(TimeoutError) as raised:
            handle(caused(ValueError(), late.value))
        assert raised.value is late.value and raised.value.__cause__ is reason
    reraise_handler_error(memory)
    with pytest.raises(MemoryError):
        raise_external_error(memory)


X = Tensor(np.float32([1, 2]))


def operator(infer=lambda x: x, forward=lambda x: x, label=None):
    return Op("stopped", forward, infer, label=label)


def graph_of(op):
    graph = ms.Graph()
    graph.inputs = [graph.emit(ms.op_named("input"), (), {"name": "x"}, [X.type])]
    graph.set_outs([graph.emit(op, (0,), {}, [X.type])])
    return graph


class Stopping:
    """An object whose attributes stop."""

    version = __version__

    def __init__(self, stop):
        self.stop = stop

    def __getattr__(self, name):
        return self.stop()


def once(stop):
    """An operator's function that is stopped the first time only."""
    calls = []

    def function(x, **_):
        calls.append(x)
        return stop() if len(calls) == 1 else x

    return function


def read_cache(stop):
    disk_cache._read_entry(Stopping(stop), ms.Graph())


def apply_to_examples(function):
    leaves, spec = flatten_call((X,), {}, is_tensor)
    host_arrays._run_on_examples(function, spec, leaves, "f")


def with_stopped(owner, name, stop, fn, *args):
    with mock.patch.object(owner, name, stop):
        fn(*args)


def call_in(block, stop):
    with block:
        stop()


def user_code(stop):
    call_in(user_code_errors("net.py", "net.py does not run"), stop)


INTERRUPTED_CALLS = {
    "type of an eager call": lambda stop: apply(operator(infer=once(stop)), X),
    "verify": lambda stop: ms.ir.verify.verify(graph_of(operator(infer=once(stop)))),
    "entry of the compile cache": read_cache,
    "old entries of the compile cache": lambda stop: disk_cache._remove_oldest(SimpleNamespace(iterdir=stop)),
    "text of a location": lambda stop: with_stopped(linecache, "getline", stop, lambda: Loc("a.py", 1).text),
    "source of a picture": lambda stop: with_stopped(linecache, "getlines", stop, lines_of, "a.py"),
    "path without links": lambda stop: with_stopped(os, "lstat", stop, real_path, os.path.abspath("a.py")),
    "source of a program": lambda stop: with_stopped(inspect, "getsource", stop, _source, jit(stop)),
    "program of the command line": lambda stop: user_code(stop),
    "chip file": lambda stop: with_stopped(Path, "read_text", stop, load_chip, "chip.toml"),
    "schedule file": lambda stop: with_stopped(Path, "read_text", stop, load_schedules, "schedule.toml"),
    "answer to a lesson": lambda stop: with_stopped(Path, "read_text", stop, answer_in, Path("answer.py")),
    "records": lambda stop: with_stopped(Path, "read_bytes", stop, _is_record_file, Path("a.tfrecord")),
    "idx file": lambda stop: with_stopped(Path, "read_bytes", stop, read_idx, Path("a.idx")),
    "file of images": lambda stop: read_image(Path("a.png"), stop),
    "temporary file": lambda stop: call_in(suppress_file_errors(), stop),
    "name of a file": lambda stop: call_in(named_errors("a.txt"), stop),
    "table of a sweep": lambda stop: call_in(_file_errors(Path("a.csv")), stop),
    "point of a sweep": lambda stop: work_item.evaluate(Stopping(stop)),
    "pipeline of a sweep": lambda stop: models._model_jobs(Stopping(stop), None),
    "serial executor": lambda stop: SerialExecutor().submit(stop),
    "call on examples": lambda stop: apply_to_examples(once(stop)),
    "picture": lambda stop: svg_or_error(stop),
    "label": lambda stop: node_label(graph_of(operator(label=stop)), 1),
}


@pytest.mark.parametrize("place", INTERRUPTED_CALLS)
def test_a_deadline_is_raised_wherever_errors_of_other_code_are_handled(place, deadline):
    with pytest.raises(TimeoutError, match="too late"):
        INTERRUPTED_CALLS[place](deadline)


def stop_with_value_error(*_):
    raise ValueError("too late")


@pytest.fixture
def handled():
    """A function that a signal handler stops by a ``ValueError``, with which numpy also rejects operands."""
    if not hasattr(signal, "SIGUSR1"):
        pytest.skip("needs signals of POSIX")
    before = signal.signal(signal.SIGUSR1, stop_with_value_error)
    yield once(lambda: signal.raise_signal(signal.SIGUSR1))
    signal.signal(signal.SIGUSR1, before)


def stopped_kernel(stop):
    return operator(forward=lambda x: stop(x))


KERNELS = {
    "eager": lambda stop: apply(stopped_kernel(stop), X),
    "program": lambda stop: compile_graph(graph_of(stopped_kernel(stop)))(X.array),
    "Python function": lambda stop: call_python("f", stop, (X,)),
}


@pytest.mark.parametrize("accel", [True, False])
@pytest.mark.parametrize("name", KERNELS)
def test_a_value_error_of_a_signal_handler_in_a_kernel_is_raised_unchanged(name, accel, handled):
    ms.set_context(accel=accel)
    with pytest.raises(ValueError, match="^too late$") as error:
        KERNELS[name](handled)
    assert type(error.value) is ValueError


@pytest.mark.parametrize("accel", [True, False])
@pytest.mark.parametrize("call", [lambda x: 1 / x, lambda x: (x - x / 0).sum(), lambda x: ops.exp(x * 1000)])
def test_a_value_error_of_the_error_callback_of_numpy_is_raised_unchanged(call, accel):
    ms.set_context(accel=accel)
    before = np.seterrcall(stop_with_value_error)
    try:
        for _ in range(2):
            with np.errstate(all="call"), pytest.raises(ValueError, match="^too late$") as error:
                call(Tensor([0.0, 1.0]))
            assert type(error.value) is ValueError
    finally:
        np.seterrcall(before)
