"""Compiled programs: the bits of eager mode despite buffer reuse; Parameters are updated atomically."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, interpret, jit, ops, trace
from minigraph.core.errors import RangeError, ShapeError, UsageError
from minigraph.core.op import TABLE, Op
from minigraph.core.seams import is_available
from minigraph.execute.compile import Program, compile_graph
from tests.inspection import bits
from tests.random_programs import random_program

accelerated = pytest.param("accelerated", marks=pytest.mark.skipif(not is_available(), reason="no accelerator"))
pytestmark = pytest.mark.parametrize("program_kind", ["plain", accelerated], indirect=True)

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


def compile_function(fn, *args):
    return compile_graph(trace(fn, *args))


def test_the_context_selects_the_program(program_kind):
    assert (type(compile_function(double, Tensor(X))) is Program) == (program_kind == "plain")
    assert (type(jit(double).program(Tensor(X))) is Program) == (program_kind == "plain")


# ---- equal to eager ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(120))
def test_random_programs_give_the_same_bits_in_every_mode(seed):
    program = random_program(seed)
    first, second = program.arguments(0), program.arguments(1)
    argument_bits = bits(first)
    expected = bits(program.function(*first))
    graph = trace(program.function, *first)
    assert bits(interpret(graph, *first)) == expected
    run = compile_graph(graph)
    outs = run(*[arg.array for arg in first])
    assert bits(outs) == expected
    assert bits(run(*[arg.array for arg in second])) == bits(program.function(*second))
    assert bits(outs) == expected, "the second call changed results of the first"
    assert bits(run(*[arg.array for arg in first])) == expected
    assert bits(jit(program.function)(*first)) == expected, "the default pipeline is not bit-honest"
    assert bits(first) == argument_bits, "an argument was overwritten"


def test_casts_between_sizes_are_not_computed_in_place():
    """In place, a cast to wider elements would overwrite operands it has not read yet."""

    def add_in_float64(x):
        return (x + 1.0).astype(ms.float64) * 1.0

    x = Tensor(np.arange(100, dtype=np.float32))
    assert bits(compile_function(add_in_float64, x)(x.array)) == bits([add_in_float64(x).array])


# ---- outputs do not share memory with buffers ----------------------------------------------------------


def double(x):
    return x * 2.0


VIEWS = {
    "the value": lambda y: y,
    "a transpose": lambda y: y.T,
    "a reshape": lambda y: y.reshape(-1),
    "a slice": lambda y: y[:, ::2],
    "one row": lambda y: y[1],
    "a new axis": lambda y: y[None],
    "a broadcast": lambda y: y.broadcast_to(2, 2, 3),
    "a view of a view": lambda y: y.T[1:].reshape(2, 2)[::-1],
    "a piece": lambda y: TABLE["split"](y, sizes=1, axis=0)[1],
    "a dependent": lambda y: ops.depend(y, y.sum()),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_no_view_of_a_buffer_escapes(view):
    def fn(x):
        y = double(x)
        return view(y), double(y).sum(), -y

    run = compile_function(fn, Tensor(X))
    outs = run(X)
    first_bits = bits(outs)
    for _ in range(3):
        run(X * 100 + 7)
    assert bits(outs) == first_bits == bits(fn(Tensor(X)))


def test_the_same_value_may_be_returned_twice_inputs_and_constants_too_or_nothing():
    def fn(x):
        y = double(x)
        return y, y, x, x.T, y.T

    assert bits(compile_function(fn, Tensor(X))(X)) == bits(fn(Tensor(X)))
    assert bits(compile_function(lambda x: x, Tensor(X))(X)) == bits([X])
    assert compile_function(lambda: ())() == []
    constant = Tensor([1.0, 2.0])
    run = compile_function(lambda x: (constant, x), Tensor(X))
    run(X)[0][:] = 99.0
    assert run(X)[0].tolist() == constant.tolist() == [1.0, 2.0], "it is the caller's own"


# ---- Parameters --------------------------------------------------------------------------------------


def divide(array):
    raise ZeroDivisionError("the kernel's own error")


def refuse(array):
    raise ValueError("no such thing")


FAILING, PICKY = (Op(name, fn, lambda x: x, vjp=(None,)) for name, fn in (("failing", divide), ("picky", refuse)))


def test_a_kernel_that_raises_is_named():
    run = compile_function(lambda x: PICKY(x + 1.0), Tensor([1.0]))
    with pytest.raises(ShapeError, match=r"picky: no such thing in `PICKY\(x \+ 1.0\)`") as caught:
        run(np.float32([1.0]))
    assert caught.value.__suppress_context__


def test_parameters_are_written_all_or_none():
    first, second = Parameter(Tensor([1.0]), name="first"), Parameter(Tensor([2.0]), name="second")

    def step(x):
        ops.assign(first, x)
        ops.assign(second, FAILING(x))
        return x * first

    with pytest.raises(ZeroDivisionError, match="own error"):
        compile_function(step, Tensor([9.0]))(np.float32([9.0]))
    assert (first.tolist(), second.tolist()) == ([1.0], [2.0])


def test_parameters_swap_through_each_others_views():
    a, b = Parameter(Tensor(X), name="a"), Parameter(Tensor(X + 10), name="b")

    def swap(x):
        old = a.T.T + 0.0
        ops.assign(a, b.reshape(3, 2).reshape(2, 3))
        ops.assign(b, old)
        return x

    run = compile_function(swap, Tensor(X))
    run(X)
    assert (a.tolist(), b.tolist()) == ((X + 10).tolist(), X.tolist())
    a.array[0, 0] = 77.0
    assert b.array[0, 0] != 77.0
    run(X)
    assert (a.array[0, 0], b.array[0, 0]) == (X[0, 0], 77.0)


def test_a_stored_value_is_neither_a_buffer_nor_an_argument():
    weight, value = Parameter(Tensor([0.0, 0.0]), name="w"), np.float32([1.0, 2.0])
    run = compile_function(lambda x: ops.assign(weight, x), Tensor([1.0, 2.0]))
    run(value)
    value[:] = 50.0
    first = weight.array
    run(value)
    assert first.tolist() == [1.0, 2.0]


def test_reads_between_writes_see_program_order():
    weight = Parameter(Tensor([1.0]), name="w")

    def fn(x):
        before = weight * 1.0
        ops.assign(weight, x)
        between = weight * 1.0
        ops.assign_add(weight, x)
        return before, between, weight * 1.0

    run = compile_function(fn, Tensor([5.0]))
    assert [out.item() for out in run(np.float32([5.0]))] == [1.0, 5.0, 10.0]
    assert [out.item() for out in run(np.float32([5.0]))] == [10.0, 5.0, 10.0]


def test_guards_detect_changed_parameter_types():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    run = compile_function(lambda x: x * weight, Tensor([1.0]))
    (guard,) = run.guards
    weight.set_data(Tensor([5.0, 6.0]))
    assert guard.holds
    weight.set_data(Tensor([1.0, 2.0, 3.0]), slice_shape=True)
    assert not guard.holds
    assert compile_function(lambda x: x, Tensor([1.0])).guards == []


def test_printing_keeps_program_order(capsys):
    def fn(x):
        ops.Print()("first")
        ops.Print()(x)
        ops.Print()("last")
        return x

    compile_function(fn, Tensor([1.0]))(np.float32([2.0]))
    output = capsys.readouterr().out
    assert output.index("first") < output.index("2.0") < output.index("last")


# ---- threads and errors ------------------------------------------------------------------------------


def test_threads_share_a_program_but_no_buffers():
    def fn(x):
        for _ in range(20):
            x = (x * 1.5 - 1.0).tanh()
        return x.T

    run, start = compile_function(fn, Tensor(X)), threading.Barrier(8)

    def work(n):
        start.wait()
        return all(bits(run(X + n)) == bits([fn(Tensor(X + n)).array]) for _ in range(30))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_an_error_at_run_time_names_the_users_line_and_leaves_the_program_usable():
    run = compile_function(lambda x, i: x[i] * 2.0, Tensor([1.0, 2.0]), Tensor([0]))
    with pytest.raises(RangeError, match=r"index 5 is out of bounds .* in `x\[i\]` \(test_compile.py:\d+\)"):
        run(np.float32([1.0, 2.0]), np.array([5]))
    assert run(np.float32([1.0, 2.0]), np.array([1]))[0].tolist() == [4.0]
    with pytest.raises(UsageError, match="takes 1 arrays, got 2"):
        compile_function(double, Tensor(X))(X, X)


# ---- inf and nan ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("loud", [lambda: np.errstate(all="raise"), lambda: np.errstate(all="warn")])
def test_inf_and_nan_are_values_also_where_numpy_raises_or_warns(loud):
    program = compile_graph(trace(lambda x: (1.0 / x, x.log()), Tensor(X[0, :2])))
    with loud(), warnings.catch_warnings():
        warnings.simplefilter("error")
        quotient, logarithm = program(np.array([0.0, -1.0], np.float32))
    assert (str(quotient), str(logarithm)) == ("[inf -1.]", "[-inf  nan]")


def test_operators_with_effects_run_once_even_then():
    seen = []

    def look(x):
        seen.append(x.tolist())
        return x

    looking = Op("looking", look, lambda x: x, effects=("io:seen",))
    program = compile_graph(trace(lambda x: (1.0 / looking(x)).log(), Tensor(X[0, :2])))
    with np.errstate(all="raise"):
        program(np.array([0.0, 2.0], np.float32))
    assert seen == [[0.0, 2.0]]
