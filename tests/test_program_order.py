"""Effects run in program order in every mode, without explicit dependencies; a failed call has no effect."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, dataset, nn, ops
from minigraph.operators.random import STATE
from tests.inspection import to_lists
from tests.tables import every

MODES = ["eager", "ast", "trace", "graph"]
GRAPHS = MODES[1:]
X = Tensor([1.0])


class Counting(nn.Cell):
    """A Parameter ``counter``, and a body that uses it."""

    def __init__(self, body):
        super().__init__()
        self.counter = Parameter(Tensor([0.0]), name="counter")
        self.body = body

    def construct(self, *inputs):
        return self.body(self.counter, *inputs)


def runner(cell, mode):
    """The Cell as a function in eager mode, captured from source or by tracing, or in Graph mode."""
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    return cell if mode in ("eager", "graph") else ms.jit(cell, capture_mode=mode)


def results_and_counter(body, mode, *inputs, calls=2):
    """The results of two calls, and the counter afterwards."""
    ms.set_seed(3)
    cell = Counting(body)
    run = runner(cell, mode)
    return [run(*inputs).tolist() for _ in range(calls)], cell.counter.tolist()


# ---- assignments -----------------------------------------------------------------------------------


def reads_between_writes(counter, x):
    before = counter + 0
    ops.assign_add(counter, x)
    between = counter * 10
    ops.assign(counter, counter * 2 + x)
    ops.assign_sub(counter, x)
    return before + between + counter * 100


def writes_in_branches_and_loops(counter, x):
    if x.sum() > 0:
        ops.assign_add(counter, x)
    else:
        ops.assign_sub(counter, x)
    for _ in range(2):
        ops.assign(counter, counter * 2)
    while counter.sum() < 20:
        ops.assign_add(counter, x)
    return counter + 0


SEEN = [(reads_between_writes, mode, [[0 + 10 + 200.0], [2 + 30 + 600.0]], [6.0]) for mode in MODES]
SEEN += [(writes_in_branches_and_loops, mode, [[20.0], [84.0]], [84.0]) for mode in MODES if mode != "trace"]


@pytest.mark.parametrize(("body", "mode", "expected", "counter"), SEEN)
def test_reads_see_the_writes_before_them_and_no_others(body, mode, expected, counter):
    assert results_and_counter(body, mode, X) == (expected, counter)


@pytest.mark.parametrize("mode", MODES)
def test_an_unused_optimizer_step_keeps_its_place_in_program_order(mode):
    net = nn.Dense(1, 1, weight_init="ones", has_bias=False)
    optimizer = nn.SGD(net.trainable_params(), 0.5)

    def body(counter, x):
        first = net(x)
        optimizer((ops.ones((1, 1)),))
        second = net(x)
        optimizer((ops.ones((1, 1)),))
        return ops.concat((first, second, net(x)), 1)

    cell = Counting(body)
    cell.net, cell.optimizer = net, optimizer
    assert runner(cell, mode)(Tensor([[1.0]])).tolist() == [[1.0, 0.5, 0.0]]
    assert optimizer.global_step.asnumpy().tolist() == [2]


# ---- printing --------------------------------------------------------------------------------------


def prints_around_writes(counter, x):
    ops.print_("before", counter)
    ops.assign_add(counter, x)
    ops.Print()("after", counter, (x.shape, [x]))
    return x * 2


@pytest.mark.parametrize("mode", MODES)
def test_a_print_shows_the_values_at_its_place_at_every_call(mode, capsys):
    results_and_counter(prints_around_writes, mode, X)
    zero, one, two = (f"Tensor(shape=[1], dtype=Float32, value= [ {n}.00000000e+00])" for n in "012")
    pairs = ((zero, one), (one, two))
    expected = [line for pair in pairs for line in ("before", pair[0], "after", pair[1], f"((1,), [{one}])")]
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "trace"])
def test_prints_under_control_flow(mode, capsys):
    def body(counter, x):
        for i in range(2):
            if x.sum() > i:
                ops.print_("above", i)
            else:
                ops.print_("not above", i)
        return x + 0

    results_and_counter(body, mode, X)
    assert capsys.readouterr().out.split("\n")[:-1] == ["above", "0", "not above", "1"] * 2


# ---- random numbers --------------------------------------------------------------------------------


def draws_between_writes(counter, x):
    first = ops.standard_normal((1,))
    ops.assign_add(counter, first)
    second = ops.dropout(ops.ones((8,)), p=0.5).sum()
    return ops.concat((first, second.reshape(1), ops.rand(1), counter))


def unused_draws(counter, x):
    ops.standard_normal((3,))
    return ops.standard_normal((1,))


@every(draws=[draws_between_writes, unused_draws], mode=MODES)
def test_draws_equal_eager_mode_in_order_and_a_seed_restarts_them(draws, mode):
    eager = results_and_counter(draws, "eager", X)
    assert eager[0][0] != eager[0][1]
    assert results_and_counter(draws, mode, X) == results_and_counter(draws, mode, X) == eager


def test_calls_of_both_kinds_share_one_sequence():
    def draws(kinds):
        ms.set_seed(9)
        plain = lambda: ops.standard_normal((2,))  # noqa: E731 - jitted below
        jitted = ms.jit(plain)
        return [(jitted if kind else plain)().asnumpy().tolist() for kind in kinds]

    assert draws([0, 0, 0, 0]) == draws([1, 1, 1, 1]) == draws([0, 1, 1, 0])


# ---- data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_rows_of_a_dataset_come_in_their_order_between_steps(mode):
    def train():
        dataset.config.set_seed(1)
        data = dataset.NumpySlicesDataset(np.arange(6, dtype=np.float32), "n").batch(2)
        cell = Counting(lambda counter, n: ops.assign(counter, counter * 10 + n.sum()))
        run = runner(cell, mode)
        return [[run(n).item() for (n,) in data] for _ in range(2)]

    ms.set_context(mode=ms.PYNATIVE_MODE)
    results = train()
    assert results[0] != results[1]
    assert train() == results


# ---- depend ----------------------------------------------------------------------------------------

VALUES = [3, None, "text", 2.5, True, [], {}, (1, (2, [3])), {"a": [X, (X,)], "b": None}, (X, {"k": X}), [[X], X]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("value", VALUES, ids=str)
@pytest.mark.parametrize("after", ["write", "None", "nested", "value"])
def test_depend_takes_anything_and_gives_it_back(mode, value, after):
    def body(counter, x):
        write = ops.assign_add(counter, x)
        expression = {"write": write, "None": None, "nested": [{"k": (write, 3)}, "s"], "value": value}[after]
        returned.append(ops.depend(value, expression))
        return x + 0

    returned = []
    if mode == "eager":
        _, counter = results_and_counter(body, mode, X, calls=1)
        assert str(returned[0]) == str(value)
    else:
        cell = Counting(lambda counter, x: ops.depend((x, value), ops.assign_add(counter, x)))
        result = runner(cell, mode)(X)
        counter = cell.counter.asnumpy().tolist()
        assert str(result) == str((X, value))
    assert counter == [1.0]


@pytest.mark.parametrize("mode", ["ast", "trace"])  # auto_depend is an argument of jit
def test_depend_alone_keeps_an_unused_value(mode):
    counter = Parameter(Tensor([0.0]), name="counter")
    ms.jit(lambda x: ops.depend(x, [ops.assign_add(counter, x)]), capture_mode=mode, auto_depend=False)(X)
    assert counter.item() == 1.0


# ---- all or nothing --------------------------------------------------------------------------------


class Boom(Exception):
    """An error of a host function."""


def raise_in_host(error):
    def forward(x, i):
        if int(i) == 9:
            raise error("broken off")
        return x

    return ops.Custom(
        forward, lambda x, i: x, lambda x, i: x, func_type="pyfunc", bprop=lambda x, i, out, dout: (dout, i)
    )


BREAKERS = {
    "an index outside": (lambda y, i: y[:, i].expand_dims(1), IndexError),
    "a host function": (raise_in_host(Boom), Exception),
    "an interrupt": (raise_in_host(KeyboardInterrupt), KeyboardInterrupt),
}


class Training(nn.Cell):
    """One step with every kind of state: weights, Adam's state, batch statistics, random draws, a counter."""

    def __init__(self, breaker):
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dropout(p=0.5), nn.Dense(4, 2)).set_train()
        self.counter = Parameter(Tensor([0.0]), name="counter")
        self.breaker = breaker
        self.optimizer = nn.Adam(self.net.trainable_params(), 0.1)
        self.gradient = ms.value_and_grad(self.loss, None, self.optimizer.parameters)

    def loss(self, x, i):
        ops.assign_add(self.counter, X)
        value = self.breaker(self.net(x), i)
        ops.assign_add(self.counter, X)
        return value.sum()

    def construct(self, x, i):
        loss, grads = self.gradient(x, i)
        self.optimizer(grads)
        return loss


def state_bits(cell):
    parameters = [*cell.get_parameters(), *cell.optimizer.get_parameters(), STATE]
    return [(p.name, p.asnumpy().tobytes()) for p in parameters]


INPUT = Tensor(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32))


@pytest.mark.filterwarnings("ignore")
@every(name=BREAKERS, mode=GRAPHS)
def test_an_interrupted_call_changes_nothing_and_the_next_one_works(name, mode):
    def losses(with_failure):
        ms.set_seed(5)
        cell = Training(BREAKERS[name][0])
        run = runner(cell, mode)
        values = [run(INPUT, Tensor(1)).item()]
        if with_failure:
            before = state_bits(cell)
            with pytest.raises(BREAKERS[name][1]):
                run(INPUT, Tensor(9))
            assert state_bits(cell) == before
        return values + [run(INPUT, Tensor(1)).item() for _ in range(2)], state_bits(cell)

    assert losses(with_failure=True) == losses(with_failure=False)


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_failed_steps_have_no_effect_under_a_gradient(mode):
    counter = Parameter(Tensor([0.0]), name="counter")

    @ms.jit(capture_mode=mode)
    def step(x, i):
        ops.assign_add(counter, X)
        row = (x * ops.standard_normal((3,)))[i]
        ops.assign_add(counter, X)
        return row

    before = to_lists(STATE)
    with pytest.raises(IndexError):
        ms.grad(step)(Tensor([1.0, 2.0, 3.0]), Tensor(9))
    assert (counter.item(), to_lists(STATE)) == (0.0, before)


@pytest.mark.parametrize("mode", GRAPHS)
def test_functions_that_cannot_be_captured_have_the_effects_of_eager_mode(mode):
    def body(counter, x):
        ops.assign_add(counter, x)
        ops.standard_normal((2,))
        return x @ ops.ones((5, 5))

    def left_by(run, cell):
        ms.set_seed(3)
        with pytest.raises(ms.errors.ShapeError):
            run(cell)(X)
        return cell.counter.item(), to_lists(STATE)

    assert left_by(lambda cell: runner(cell, mode), Counting(body)) == left_by(lambda cell: cell, Counting(body))
