"""Python code in the body of a branch that does not run may have no end."""

import itertools

import pytest

from minigraph import Tensor, jit, ops
from minigraph.capture.body_limits import MAX_CALLS
from minigraph.compilation import RunsOpByOp


def numbers():
    n = 0
    while True:
        yield n
        n += 1


def successor(n):
    return n + 1


ENDLESS = {
    "a comprehension": lambda: [n + 1 for n in iter(int, 1)],
    "a comprehension of pairs": lambda: {n: m for n in (1, 2) for m in itertools.cycle((n, 2))},
    "a generator": lambda: max(n for n in itertools.count()),
    "a function that yields": lambda: sum(numbers()),
    "a function in C": lambda: sum(itertools.repeat(1)),
    "an iterator of another": lambda: list(zip(itertools.count(), itertools.repeat(1), strict=False)),
    "a list": lambda: [].extend(map(successor, itertools.count())),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_branch_without_end_that_does_not_run_runs_op_by_op(name):
    make = ENDLESS[name]

    @jit
    def fn(x):
        if x.sum() > 100:
            x = x * len(make())
        return x + 1

    with pytest.warns(RunsOpByOp, match=r"without end|Python loops|100,000 times|'yield n'"):
        assert fn(Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
    assert fn(Tensor([3.0, 2.0])).tolist() == [4.0, 3.0]


def test_an_iterator_of_outside_and_one_in_a_function_for_cond_are_refused_likewise():
    @jit
    def of_outside(x):
        counter = zip(itertools.count(), itertools.count(), strict=False)
        if x.sum() > 100:
            x = x * len(list(counter))
        return x + 1

    @jit(capture_mode="trace")
    def of_cond(x):
        return ops.cond(x.sum() > 100, lambda: x * sum(numbers()), lambda: x + 1)

    for fn, reason in ((of_outside, "without end"), (of_cond, f"{MAX_CALLS:,} times")):
        with pytest.warns(RunsOpByOp, match=reason):
            assert fn(Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]


def test_iterators_with_an_end_are_captured():
    @jit
    def fn(x):
        if x.sum() > 2:
            pairs = zip([1.0, 2.0], itertools.repeat(3.0, 2), strict=True)
            x = x * sum(a * b for a, b in pairs) + sum([k + 0 for k in range(100)])
        return x + 1

    assert fn(Tensor([1.0, 2.0])).tolist() == [4960.0, 4969.0]
    assert fn.cache_info().misses == 1 and not fn.cache_info().segments
