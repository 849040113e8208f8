"""Dead assignments are erased; state and printed text stay the same."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, ops
from minigraph.core.op import Op, apply

X = Tensor(np.array([0.5, -2.0], np.float32))


READER = Op("reader_of_p", print, lambda x, *, texts: (), effects=("read:p",), doc="Reads p.")


def assign_twice(p, x):
    """The second assignment uses the first."""
    ops.assign(p, p + x)
    ops.Print()(p)
    return ops.assign(p, p * 2.0)


def update_five_times(p, x):
    """Five updates in a row."""
    for _ in range(5):
        ops.assign(p, p + x)
    return x * 1.0


def assign_own_value(p, x):
    """Assigns the value that the Parameter has."""
    ops.assign(p, p)
    return x + p


def depend(p, x):
    """A value with a depend on the assignment."""
    first = ops.assign(p, x)
    late = ops.depend(x * 3.0, first)
    ops.assign(p, x * 2.0)
    return late


@pytest.mark.parametrize(
    ("fn", "store_count"), [(assign_twice, 1), (update_five_times, 1), (assign_own_value, 0), (depend, 1)]
)
def test_state_results_and_prints_are_the_same(fn, store_count, capsys):
    seen = []
    for pipeline in ((), "lower_depend,dead_stores,dce"):
        p = Parameter(Tensor(np.array([1.0, 3.0], np.float32)), name="p")
        step = jit(lambda x, p=p: fn(p, x), pipeline=pipeline)
        seen.append((step(X).asnumpy().tobytes(), p.asnumpy().tobytes(), capsys.readouterr().out))
        stores = sum(step.graph(X).op(node).stores for node in step.graph(X))
    assert seen[0] == seen[1]
    assert stores == store_count


def read_by_effect(p, x):
    """Stores that an effect reads stay."""
    ops.assign(p, x)
    apply(READER, x, texts=())
    return ops.assign(p, x * 2.0)


def return_first(p, x):
    """The first store would be dead, but what it returns is a copy of the input."""
    first = ops.assign(p, x)
    ops.assign(p, x + 1.0)
    return first


@pytest.mark.parametrize(("fn", "store_count"), [(read_by_effect, 2), (return_first, 2)])
def test_stores_that_effects_read_stay_and_a_returned_input_is_not_the_callers_own_array(fn, store_count):
    p = Parameter(Tensor(np.zeros(2, np.float32)), name="p")
    graph = jit(lambda x: fn(p, x), pipeline="dead_stores").graph(X)
    assert sum(graph.op(node).stores for node in graph) == store_count
    assert graph.outs[0] not in graph.inputs


def test_a_returned_copy_of_an_input_stays_a_copy_in_the_program():
    p = Parameter(Tensor(np.zeros(2, np.float32)), name="p")
    first = jit(lambda x: return_first(p, x), pipeline="dead_stores")(X)
    assert first.tolist() == X.tolist()
    assert not np.shares_memory(first.array, X.array)
