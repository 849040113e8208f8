"""Graphs computed elsewhere: what is sent, what is refused, what a worker keeps."""

from concurrent.futures import Future

import numpy as np
import pytest

from minigraph import Parameter, Tensor, errors, jit, ops
from minigraph.core.processes import Serial
from minigraph.train import remote_execution
from minigraph.train.remote_execution import KEPT, all_computed, computed, portable
from tests.tables import refusals

X = np.float32([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    """A worker that knows nothing yet."""
    monkeypatch.setattr(remote_execution, "_programs", {})


class Counting(Serial):
    """Counts the calls and the texts that were sent."""

    def __init__(self):
        self.calls, self.texts = 0, 0

    def submit(self, fn, /, digest, text, arrays):
        self.calls, self.texts = self.calls + 1, self.texts + (text is not None)
        return super().submit(fn, digest, text, arrays)


def graph_of(factor=2.0):
    weight = Parameter(Tensor([1.0, -1.0]), name="weight")
    return jit(lambda x: (x * weight).sum(1) * factor).graph(Tensor(X))


def test_the_text_goes_out_once():
    executor, sent = Counting(), portable(graph_of())
    calls = [(sent, [X, np.float32([k, 0.0])]) for k in range(3)]
    first = all_computed(executor, calls)
    assert [r.tolist() for (r,) in first] == [[2.0 * k, 6.0 * k] for k in range(3)]
    assert (executor.calls, executor.texts) == (6, 3)
    all_computed(executor, calls)
    assert (executor.calls, executor.texts) == (9, 3)


def test_parameters_become_inputs():
    graph = graph_of()
    sent = portable(graph)
    assert sent.keys == ("weight",)
    assert "parameter" not in sent.text and list(graph.params) == ["weight"], "the graph itself stays as it was"
    (result,) = computed(sent.digest, sent.text, [X, np.float32([10.0, 1.0])])
    assert result.tolist() == [24.0, 68.0]


def test_a_worker_keeps_the_newest():
    sent = [portable(graph_of(float(k))) for k in range(KEPT + 1)]
    for graph in sent:
        computed(graph.digest, graph.text, [X, X[0]])
    assert [computed(graph.digest, None, [X, X[0]]) is None for graph in (sent[0], sent[-1])] == [True, False]
    assert len(remote_execution._programs) == KEPT


def counts(x):
    ops.assign_add(Parameter(Tensor([1.0, -1.0]), name="weight"), x[0])
    return x


test_what_changes_something_or_calls_python_is_refused = refusals(
    (counts, "changes something"),
    (lambda x: Tensor(np.sin(x.asnumpy())) + x, "calls Python while it computes"),
    by=lambda fn: portable(jit(fn).graph(Tensor(X))),
    error=errors.UsageError,
)


def test_an_error_of_one_calls_off_the_others():
    class Lazy(Serial):
        waiting: list[Future] = []  # noqa: RUF012 - of this test alone

        def submit(self, fn, /, *args):
            future = Future() if self.waiting else super().submit(fn, "no digest", "no graph", ())
            self.waiting.append(future)
            return future

    executor = Lazy()
    with pytest.raises(errors.MinigraphError, match="graph text"):
        all_computed(executor, [(portable(graph_of()), [X, X[0]])] * 3)
    assert [future.cancelled() for future in executor.waiting] == [False, True, True]
