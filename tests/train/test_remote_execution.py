"""Remote execution of graphs: the sent data, errors, and the cache of a worker."""

from concurrent.futures import Future

import numpy as np
import pytest

from minigraph import Parameter, Tensor, errors, jit, ops
from minigraph.core.processes import SerialExecutor
from minigraph.train import remote_execution
from minigraph.train.remote_execution import MAX_CACHED_PROGRAMS, export_graph, run_graph, run_graphs
from tests.tables import error_cases

X = np.float32([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch):
    """A worker with an empty cache."""
    monkeypatch.setattr(remote_execution, "_programs", {})


class Counting(SerialExecutor):
    """Counts the calls and the texts that were sent."""

    def __init__(self):
        self.calls, self.texts = 0, 0

    def submit(self, fn, /, digest, text, arrays):
        self.calls, self.texts = self.calls + 1, self.texts + (text is not None)
        return super().submit(fn, digest, text, arrays)


def graph_of(factor=2.0):
    weight = Parameter(Tensor([1.0, -1.0]), name="weight")
    return jit(lambda x: (x * weight).sum(1) * factor).graph(Tensor(X))


def test_the_text_is_sent_once():
    executor, sent = Counting(), export_graph(graph_of())
    calls = [(sent, [X, np.float32([k, 0.0])]) for k in range(3)]
    first = run_graphs(executor, calls)
    assert [r.tolist() for (r,) in first] == [[2.0 * k, 6.0 * k] for k in range(3)]
    assert (executor.calls, executor.texts) == (6, 3)
    run_graphs(executor, calls)
    assert (executor.calls, executor.texts) == (9, 3)


def test_parameters_become_inputs():
    graph = graph_of()
    sent = export_graph(graph)
    assert sent.keys == ("weight",)
    assert "parameter" not in sent.text and list(graph.params) == ["weight"], "the graph itself stays as it was"
    (result,) = run_graph(sent.digest, sent.text, [X, np.float32([10.0, 1.0])])
    assert result.tolist() == [24.0, 68.0]


def test_a_worker_caches_the_latest_graphs():
    sent = [export_graph(graph_of(float(k))) for k in range(MAX_CACHED_PROGRAMS + 1)]
    for graph in sent:
        run_graph(graph.digest, graph.text, [X, X[0]])
    assert [run_graph(graph.digest, None, [X, X[0]]) is None for graph in (sent[0], sent[-1])] == [True, False]
    assert len(remote_execution._programs) == MAX_CACHED_PROGRAMS


WEIGHT = Parameter(Tensor([1.0, -1.0]), name="weight")


def counts(x):
    ops.assign_add(WEIGHT, x[0])
    return x


test_side_effects_and_python_calls_raise = error_cases(
    (counts, "has a side effect"),
    (lambda x: Tensor(np.sin(x.asnumpy())) + x, "calls Python functions"),
    by=lambda fn: export_graph(jit(fn).graph(Tensor(X))),
    error=errors.UsageError,
)


def test_an_error_cancels_the_other_calls():
    class Lazy(SerialExecutor):
        waiting: list[Future] = []  # noqa: RUF012 - of this test alone

        def submit(self, fn, /, *args):
            future = Future() if self.waiting else super().submit(fn, "no digest", "no graph", ())
            self.waiting.append(future)
            return future

    executor = Lazy()
    with pytest.raises(errors.MinigraphError, match="graph text"):
        run_graphs(executor, [(export_graph(graph_of()), [X, X[0]])] * 3)
    assert [future.cancelled() for future in executor.waiting] == [False, True, True]
