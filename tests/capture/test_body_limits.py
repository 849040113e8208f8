"""Python code in the body of a branch that does not run may have no end."""

import itertools
import sys
from itertools import repeat

import pytest

from minigraph import Tensor, jit, ops
from minigraph.compilation import OpByOpWarning
from minigraph.core import bytecode


def numbers():
    n = 0
    while True:
        yield n
        n += 1


class Unbounded:
    def __iter__(self):
        return itertools.count()


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

    with pytest.warns(OpByOpWarning, match=r"without end|Python loops|100,000 times|'yield n'"):
        assert fn(Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
    assert fn(Tensor([3.0, 2.0])).tolist() == [4.0, 3.0]


@pytest.fixture(params=[True, False], ids=["known instructions", "unknown instructions"])
def _known_instructions(request, monkeypatch):
    monkeypatch.setattr(bytecode, "IS_SUPPORTED", request.param and bytecode.IS_SUPPORTED)


@pytest.mark.usefixtures("_known_instructions")
@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize(
    "use",
    [
        lambda: sum(itertools.count()),
        lambda: max(iter(int, 1)),
        lambda: [*repeat(1)],
        lambda: -1 in itertools.cycle([1]),
        lambda: sum(itertools.repeat(times)) if (times := 1) else 0,
        lambda: [].extend(Unbounded()),
    ],
    ids=["count", "iter", "repeat", "cycle", "a variable", "a method"],
)
def test_code_that_runs_as_written_makes_no_iterator_without_end_in_a_branch(use, mode):
    def fn(x):
        return ops.cond(x.sum() > 100, lambda: x * use(), lambda: x + 1)

    with pytest.warns(OpByOpWarning, match="without end"):
        assert jit(fn, capture_mode=mode)(Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]


def test_code_that_runs_as_written_may_make_iterators_with_an_end_in_a_branch():
    def fn(x):
        return ops.cond(x.sum() > 2, lambda: x * next(iter([2.0])) + sum(repeat(1.0, 3)), lambda: x)

    compiled = jit(fn, capture_mode="trace")
    assert compiled(Tensor([1.0, 2.0])).tolist() == [5.0, 7.0]
    assert not compiled.cache_info().segments


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

    for fn, reason in ((of_outside, "without end"), (of_cond, "Python loops run more")):
        with pytest.warns(OpByOpWarning, match=reason):
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


def endless(x):
    n = 0
    while True:
        n += 1


def endless_on_one_line(x):
    while True:
        pass


def endless_inner(x):
    return sum(endless(x) for _ in range(2))


def endless_walk(x):
    n = 1
    while n != 0:
        for _ in range(3):
            n += 1
    return x


exec("def endless_without_source(x):\n    n = 0\n    while True:\n        n += 1\n", globals())


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize(
    "loop",
    [endless, endless_on_one_line, endless_inner, endless_walk, endless_without_source],  # noqa: F821
    ids=lambda loop: loop.__name__,
)
def test_a_loop_without_end_for_cond_and_while_loop_runs_op_by_op(loop, mode):
    def of_cond(x):
        return ops.cond(x.sum() > 100, loop, lambda x: x + 1, x)

    def of_loop(x):
        return ops.while_loop(lambda x: x.sum() > 100, loop, x) + 1

    for fn in (of_cond, of_loop):
        with pytest.warns(OpByOpWarning, match=r"Python loops run more than 10,000 iterations"):
            assert jit(fn, capture_mode=mode)(Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
        assert sys.gettrace() is None


def test_a_helper_without_source_in_a_branch_runs_op_by_op_if_its_loop_has_no_end():
    def fn(x):
        if x.sum() > 100:
            x = endless_without_source(x)  # noqa: F821
        return x + 1

    with pytest.warns(OpByOpWarning, match=r"Python loops run more than 10,000 iterations"):
        assert jit(fn)(Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]


def test_long_loops_of_functions_for_cond_are_captured():
    def long(x):
        n = 0
        for k in range(9_000):
            n += k % 2
        return x * n

    compiled = jit(lambda x: ops.cond(x.sum() > 0, long, lambda x: x, x), capture_mode="trace")
    assert [compiled(Tensor([k])).tolist() for k in (1.0, -1.0)] == [[4500.0], [-1.0]]
    assert compiled.cache_info().entries == 1
