"""Where we differ from MindSpore, on purpose: the tables of the README, every row of them checked."""

import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, dataset, nn, ops, train
from minigraph.ops._grad_experimental.grad_base import bprop_getters

README = Path(__file__).parents[1] / "README.md"
X = Tensor([1.0, 2.0, 3.0])
N = 2.0  # a global that a check changes
LISTED = [1.0]


def tables():
    """The rows, as lists of cells, of every table of the README that speaks of MindSpore 2.10, by heading."""
    found, heading, rows = {}, "", None
    for line in README.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else None
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        if cells is None:
            rows = None
        elif rows is None and any(cell.startswith("MindSpore 2.10") for cell in cells):
            rows = found[heading] = []
        elif rows is not None and not set(line) <= set("|- "):
            rows.append(cells)
    return found


CHECKS = {}


def checks(row):
    """Register a check for the row that begins so."""

    def register(check):
        assert row not in CHECKS
        CHECKS[row] = check
        return check

    return register


def gives(row, fn, *inputs_and_expected):
    """Register a check that a function returns the same in every mode."""
    *inputs, expected = inputs_and_expected

    @checks(row)
    def check():
        assert alike(fn, *inputs) == expected


def values(x):
    return [values(item) for item in x] if isinstance(x, tuple | list) else x.asnumpy().tolist()


def jitted(fn, mode):
    """A function run as it is, or captured one way or the other."""
    return fn if mode == "eager" else ms.jit(fn, capture_mode=mode)


def alike(fn, *inputs, modes=("eager", "ast", "trace")):
    """What a function returns, the same in every mode."""
    found = [values(jitted(fn, mode)(*inputs)) for mode in modes]
    assert found == found[:1] * len(modes)
    return found[0]


def parameters():
    return [Parameter(Tensor([1.0]), name="w")]


# ---- errors and names ------------------------------------------------------------------------------


@checks("errors in PyNative mode")
def errors_come_at_the_operator():
    with pytest.raises(ValueError, match=r"f32\[2\] and f32\[3\] .*test_differences.py:\d+"):
        Tensor([1.0, 2.0]) + X
    assert ops.exp(Tensor(0.0)).item() == 1.0  # nothing of it comes up again


@checks("an unknown name")
def unknown_names_say_the_nearest():
    with pytest.raises(AttributeError, match="did you mean 'Dense'"):
        nn.Dnese  # noqa: B018 - the access is what fails
    with pytest.raises(AttributeError, match=r"exists in MindSpore 2.10 but is not supported"):
        nn.Conv3d  # noqa: B018


@checks('`device_target="Ascend"` without one')
def ascend_is_simulated():
    step = ms.jit(lambda x: ops.relu(x) + 1)
    ms.set_context(device_target="Ascend")
    assert values(step(X)) == [2, 3, 4]
    assert step.last_report.cycles > 0


@checks("`nn.Parameter`, `train.TrainOneStepCell`, `x.expand(n, -1)`")
def published_spellings_work():
    assert nn.Parameter is Parameter
    assert train.TrainOneStepCell is nn.TrainOneStepCell
    assert alike(lambda x: x.reshape(1, 3).expand(2, -1), X) == [[1, 2, 3]] * 2


# ---- captured functions ----------------------------------------------------------------------------


@checks("`x.transpose(0, 1)` in a graph")
def two_axes_are_swapped():
    matrix = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert alike(lambda m: m.transpose(0, 1), matrix) == [[1, 3], [2, 4]]
    assert alike(lambda m: m.transpose(-2, -1), matrix) == [[1, 3], [2, 4]]
    assert ms.jit(lambda m: m.transpose(-2, -1))(ops.ones((2, 3, 4, 5))).shape == (2, 3, 5, 4)


@checks("`ops.cond`, `ops.while_loop`")
def control_flow_by_hand():
    assert alike(lambda x: ops.cond(x.sum() > 1, lambda v: v + 1, lambda v: v - 1, x), X) == [2, 3, 4]
    assert alike(lambda x: ops.while_loop(lambda v: v.sum() < 10, lambda v: v * 2, x), X) == [2, 4, 6]


gives("a `lambda` in `ms.grad(...)` under `@jit`", lambda x: ms.grad(lambda v: v * v)(x), X, [2, 4, 6])


@checks("a dict returned from `@jit(fullgraph=True)`")
def dicts_stay_dicts():
    found = ms.jit(lambda x: {"a": x, "n": (3, None, "s")}, fullgraph=True)(X)
    assert values(found.pop("a")) == [1, 2, 3]
    assert found == {"n": (3, None, "s")}


def after(fn):
    """What a function makes of [1, 2] in every mode, and what it leaves of its argument."""
    for mode in ("eager", "ast", "trace"):
        given = Tensor([1.0, 2.0])
        yield values(jitted(fn, mode)(given)), values(given)


@checks("`x += 1` on an argument under `@jit`")
def adding_to_an_argument_rebinds_it():
    def added(x):
        x += 1
        return x

    assert [*after(added)] == [([2, 3], [1, 2])] * 3


@checks("`x[0] = v` on an argument under `@jit`")
def writing_into_an_argument_is_seen_by_the_caller():
    def written(x):
        x[0] = 9.0
        return x * 2

    assert [*after(written)] == [([18, 4], [9, 2])] * 3


def signed(x):
    if x.sum() > 0:
        return x
    return -x


@checks('`if` on a tensor under `capture_mode="trace"`')
def tracing_never_chooses_a_branch():
    step = ms.jit(signed, capture_mode="trace")
    with pytest.warns(match=r"while tracing 'signed' in .*test_differences.py:\d+.*; use ops.where"):
        assert values(step(X)) == values(step(-X)) == [1, 2, 3]
    with pytest.raises(TypeError, match="while tracing 'signed'"):
        ms.jit(signed, capture_mode="trace", fullgraph=True)(X)
    assert values(jitted(signed, "ast")(X)) == values(jitted(signed, "ast")(-X)) == [1, 2, 3]


@checks('`float(x)` under `capture_mode="trace"`')
def tracing_never_keeps_a_value():
    step = ms.jit(lambda x: x * float(x.sum()), capture_mode="trace")
    with pytest.warns(match=r"not known while tracing .*test_differences.py:\d+"):
        assert [values(step(x)) for x in (X, -X)] == [[6, 12, 18]] * 2


@checks('effects under `capture_mode="trace"`')
def effects_happen_once():
    counter = Parameter(Tensor([0.0]), name="counter")
    step = jitted(lambda x: ops.assign_add(counter, x), "trace")
    for wanted in (1.0, 2.0):
        step(Tensor([1.0]))
        assert counter.item() == wanted


@checks('a failed `capture_mode="trace"`')
def a_failed_trace_leaves_nothing_behind():
    with pytest.raises(TypeError):
        ms.jit(signed, capture_mode="trace", fullgraph=True)(X)
    step = jitted(lambda x: x + 1, "trace")
    step(X), step(X)
    assert step.cache_info()[:2] == (1, 1)


@checks("`ops.Print` in a graph")
def prints_look_the_same(capsys):
    for mode in ("eager", "ast", "trace"):
        jitted(lambda x: (ops.Print()("x is", x), x)[1], mode)(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines == lines[:2] * 3
    assert lines[1] == "Tensor(shape=[3], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00,  3.00000000e+00])"


# ---- gradients -------------------------------------------------------------------------------------


@checks("the same tensor twice, `grad(f, (0, 1))(x, x)`")
def one_gradient_for_each_position():
    assert alike(lambda x: ms.grad(lambda a, b: a * b * b, (0, 1))(x, x), Tensor([3.0])) == [[9], [18]]


@checks("second order through softmax")
def softmax_twice():
    weights = np.array([1.0, 2.0, 4.0])
    second = lambda x: ms.grad(lambda v: ms.grad(lambda u: (ops.softmax(u) * Tensor(weights)).sum())(v)[0])(x)  # noqa: E731
    found, shares = alike(second, Tensor([1.0, 2.0, 3.0], ms.float64)), np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum()
    mean, first = shares @ weights, np.eye(3)[0]
    wanted = shares[0] * ((first - shares) * (weights[0] - mean) - shares * (weights - mean))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


@checks("second order through matmul")
def matmul_twice():
    second = lambda x: ms.grad(lambda v: ms.grad(lambda u: ((u @ u) ** 2).sum())(v).sum())(x)  # noqa: E731
    assert alike(second, Tensor([[1.0, 2.0], [3.0, 4.0]])) == [[208, 308], [308, 448]]


@checks("the derivative of `nn.SeLU` below 0")
def selu_has_its_derivative():
    found = ms.grad(nn.SeLU())(Tensor([-1.0])).item()
    assert found == pytest.approx(1.05070098 * 1.67326324 * math.exp(-1), rel=1e-6)


@checks("`bprop_getters.register` for an operator")
def another_gradient_for_an_operator():
    bprop_getters.register(ops.Sin)(lambda self: lambda x, out, dout: (dout * 100,))
    try:
        assert alike(lambda x: ms.grad(ops.Sin())(x), X) == [100, 100, 100]
    finally:
        bprop_getters.unregister(ops.Sin)
    assert ms.grad(ops.Sin())(Tensor(0.0)).item() == 1.0


# ---- values ----------------------------------------------------------------------------------------


@checks("`ops.full((2,), 1.5)`")
def full_is_what_was_asked_for():
    found = ops.full((2,), 1.5)
    assert (found.dtype, values(found)) == (ms.float32, [1.5, 1.5])


@checks("`np.ones(2) + Tensor(...)`")
def arrays_are_no_operands():
    for add in (lambda: np.ones(3) + X, lambda: X + np.ones(3)):
        with pytest.raises(TypeError, match="ndarray"):
            add()


@checks("`t.asnumpy()` after `t[0] = v`")
def arrays_keep_their_numbers():
    tensor = Tensor([1.0, 2.0])
    array = tensor.asnumpy()
    tensor[0] = 9.0
    assert (array.tolist(), values(tensor)) == ([1, 2], [9, 2])


@checks("`set_data` with another shape")
def set_data_keeps_the_shape():
    (weight,) = parameters()
    with pytest.raises(ValueError, match=r"f32\[1\], the new value has shape \[2\]"):
        weight.set_data(Tensor([1.0, 2.0]))
    assert values(weight) == [1]


@checks("the numbers behind a seed")
def seeds_give_the_same_numbers_in_both_modes():
    found = []
    for mode in ("eager", "ast", "trace", "eager"):
        ms.set_seed(4)
        found.append(values(jitted(lambda: ops.standard_normal((3,)), mode)()))
    assert found == found[:1] * 4
    philox = np.random.Generator(np.random.Philox(key=4, counter=[0, 0, 0, 0]))
    np.testing.assert_allclose(found[0], philox.standard_normal(3), rtol=1e-6)


@checks("`tanh`, `exp`")
def functions_are_those_of_numpy():
    array = np.linspace(-9, 9, 1000, dtype=np.float32)
    for op, same in ((ops.tanh, np.tanh), (ops.exp, np.exp)):
        assert np.array_equal(op(Tensor(array)).asnumpy(), same(array))


# ---- layers, losses, optimizers --------------------------------------------------------------------


@checks("Int64 class labels")
def classes_are_ints():
    scores = Tensor([[1.0, 2.0], [3.0, 4.0]])
    losses = [nn.CrossEntropyLoss()(scores, Tensor([0, 1], dtype)).item() for dtype in (ms.int32, ms.int64, ms.int8)]
    assert losses == losses[:1] * 3


@checks("`x.add_(y)`, `x.mul_(y)` and the like in eager mode")
def methods_in_place_are():
    for change in (lambda x: x.add_(X), lambda x: x.mul_(2.0)):
        changed = Tensor([1.0, 2.0, 3.0])
        change(changed)
        assert values(changed) == [2, 4, 6]


@checks("a vector as `weight` of `nn.BCELoss`")
def weights_count_in_every_row():
    chances, targets = Tensor([[0.5, 0.5]] * 2), Tensor([[1.0, 0.0]] * 2)
    losses = nn.BCELoss(Tensor([1.0, 3.0]), reduction="none")(chances, targets).asnumpy()
    np.testing.assert_allclose(losses, [[math.log(2), 3 * math.log(2)]] * 2, rtol=1e-6)


@checks("`initial` and `where` of `ops.max(x)` over all axes")
def the_largest_of_what_counts():
    assert ops.max(X, initial=9.0)[0].item() == 9
    assert ops.max(X, initial=0.0, where=X < 3)[0].item() == 2


@checks("`zero_infinity=True` of `ops.ctc_loss`")
def what_cannot_be_aligned_costs_nothing():
    logs = ops.log_softmax(ops.zeros((1, 1, 3)))
    assert ops.ctc_loss(logs, Tensor([[1, 2]]), [1], [2], 0, "sum", True)[0].item() == 0


gives("`ops.ReduceSum(skip_mode=True)(x, ())`", lambda x: ops.ReduceSum(skip_mode=True)(x, ()), X, [1, 2, 3])


@checks("`use_nesterov=True` of `nn.Momentum`")
def nesterov_looks_ahead():
    (weight,) = parameters()
    nn.Momentum([weight], 0.1, 0.5, use_nesterov=True)((Tensor([1.0]),))
    assert weight.item() == pytest.approx(1 - 0.1 * 1.5)


@checks("`update_slots=False` of `nn.Adagrad`")
def slots_stay():
    (weight,) = parameters()
    optimizer = nn.Adagrad([weight], accum=4.0, learning_rate=0.5, update_slots=False)
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    assert weight.item() == pytest.approx(1 - 2 * 0.5 / 2)
    assert values(optimizer.accum[0].value()) == [4]


@checks("`grad_centralization` of a group")
def gradients_are_centred():
    weight = Parameter(ops.zeros((1, 1, 1, 2)), name="w")
    nn.SGD([{"params": [weight], "grad_centralization": True}], 1.0)((Tensor([[[[1.0, 3.0]]]]),))
    assert values(weight.value()) == [[[[1, -1]]]]


@checks("a list of learning rates that ends")
def the_last_rate_stays():
    (weight,) = parameters()
    optimizer = nn.SGD([weight], [0.5, 0.25])
    for wanted in (0.5, 0.25, 0.0):
        optimizer((Tensor([1.0]),))
        assert weight.item() == wanted


@checks("a gradient that is `None` or an array")
def gradients_are_tensors():
    for wrong in (None, np.ones(1, np.float32)):
        for kind in (nn.Adam, lambda params: nn.Momentum(params, 0.1, 0.9)):
            optimizer = kind(parameters())
            with pytest.raises(TypeError, match="the gradient of 'w' is a "):
                optimizer((wrong,))
            assert optimizer.parameters[0].item() == 1.0


@checks("state of an optimizer")
def optimizers_are_not_trained():
    net = nn.Dense(2, 1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    assert [p.name for p in step.trainable_params()] == ["weight", "bias"]


@checks("`output_padding` of `nn.Conv2dTranspose`")
def transposed_convolutions_reach_the_border():
    options = {"stride": 2, "pad_mode": "pad", "has_bias": True, "weight_init": "ones", "bias_init": "ones"}
    found = nn.Conv2dTranspose(1, 1, 3, padding=1, output_padding=1, **options)(ops.ones((1, 1, 2, 2)))
    whole = nn.Conv2dTranspose(1, 1, 3, padding=0, **options)(ops.ones((1, 1, 2, 2)))
    assert np.array_equal(found.asnumpy()[0, 0], whole.asnumpy()[0, 0, 1:, 1:])


@checks("an axis or index outside of a compiled program")
def indices_are_index_errors():
    for mode in ("eager", "ast", "trace"):
        with pytest.raises(IndexError):
            jitted(lambda x, i: x[i], mode)(X, Tensor(9))


# ---- checkpoints and data --------------------------------------------------------------------------


@checks("`load_param_into_net` with other names")
def names_are_not_guessed():
    net = nn.Dense(2, 1)
    before = values(net.weight)
    given = {"net.weight": Parameter(ops.ones((1, 2)), name="net.weight")}
    assert ms.load_param_into_net(net, given) == (["weight", "bias"], ["net.weight"])
    assert values(net.weight) == before


@checks("`save_checkpoint` of a dict of Tensors")
def dicts_are_saved(tmp_path):
    ms.save_checkpoint({"w": X}, tmp_path / "net")
    assert values(ms.load_checkpoint(tmp_path / "net.ckpt")["w"]) == [1, 2, 3]


@checks("a checkpoint file")
def checkpoints_are_safetensors(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    ms.save_checkpoint({"w": X}, tmp_path / "net")
    path = tmp_path / "net.ckpt"
    assert safetensors.load_file(path)["w"].tolist() == [1, 2, 3]
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ValueError, match="the checksum of 'w' is wrong; nothing was loaded"):
        ms.load_checkpoint(path)


def endless():
    yield (1,)


@checks("`shuffle=True` for a generator")
def generators_cannot_be_shuffled():
    with pytest.raises(ValueError, match=r"use \.shuffle\(n\)"):
        dataset.GeneratorDataset(endless, ["n"], shuffle=True)


@checks("an unknown column")
def columns_are_known_before_any_row():
    with pytest.raises(LookupError, match="no column 'labl'; did you mean 'label'"):
        dataset.NumpySlicesDataset([1], "label").map(abs, "labl")


@checks("an error in a function of `map`")
def the_users_errors_come_through():
    with pytest.raises(ZeroDivisionError):
        list(dataset.NumpySlicesDataset([0], "n").map(lambda n: 1 // int(n), "n"))


# ---- what @jit promises ----------------------------------------------------------------------------


def scaled(x):
    return x * N + LISTED[0]


@checks("keeps a changed global, closed-over variable, attribute, or what a list or dict held")
def what_was_read_is_looked_at_again(monkeypatch):
    step = ms.jit(scaled)
    assert values(step(X)) == [3, 5, 7]
    monkeypatch.setitem(globals(), "N", 3.0)
    assert values(step(X)) == [4, 7, 10]
    monkeypatch.setitem(globals(), "LISTED", [0.0])
    assert values(step(X)) == [3, 6, 9]
    assert any("'N'" in reason or " N " in f" {reason} " for reason in step.cache_info().reasons)


@checks("keeps the elements of a captured numpy array")
def arrays_are_looked_at_again():
    array = np.array([1.0, 2.0, 3.0], np.float32)
    step = ms.jit(lambda x: x + Tensor(array))
    assert values(step(X)) == [2, 4, 6]
    array[0] = 9.0
    assert values(step(X)) == [10, 4, 6]


def warned(act):
    """What a call returns, and the kinds of warnings it gave."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = act()
    return found, {type(warning.message).__name__ for warning in told}


@checks("drops what the function itself does to globals, lists and attributes, or does it once")
def side_effects_happen_at_every_call():
    log = []
    step = ms.jit(lambda x: (log.append(len(log)), x + 1)[1])
    _, told = warned(lambda: [step(X) for _ in range(3)])
    assert (log, told) == ([0, 1, 2], {"RunsOpByOp"})


@checks("repeats one random number of `numpy.random` or `random`, one time of day")
def numbers_of_numpy_are_drawn_at_every_call():
    step = ms.jit(lambda x: x + float(np.random.rand()))
    found, told = warned(lambda: [values(step(X))[0] for _ in range(4)])
    assert len(set(found)) == 4
    assert told == {"RunsOpByOp"}


@checks("leaves a list or dict argument as it was, though the function changes it")
def lists_are_the_callers():
    held = [X]
    ms.jit(lambda x, held: (held.append(x * 2), x)[1])(X, held)
    assert values(held) == [[1, 2, 3], [2, 4, 6]]


def of_two_lengths(x):
    if x.sum() > 0:
        return x
    return x[:1]


@checks("gives branches of different shapes one of the two")
def branches_may_differ_in_shape():
    step = ms.jit(of_two_lengths)
    found, told = warned(lambda: (values(step(X)), values(step(-X))))
    assert found == ([1, 2, 3], [-1])
    assert told == {"RunsOpByOp"}


class Holder:
    """An object whose attribute a function reads."""

    k = 1.0


@checks("keeps what `getattr` of an object reads")
def an_attribute_read_by_name_is_never_stale():
    holder, name = Holder(), "k"
    steps = [ms.jit(lambda x: x * getattr(holder, "k")), ms.jit(lambda x: x * getattr(holder, name))]  # noqa: B009
    assert [values(step(X))[0] for step in steps] == [1, 1]
    holder.k = 2.0
    assert [values(step(X))[0] for step in steps] == [2, 2]


@checks("compiles at every call for a list, or a tuple of new tensors")
def lists_and_tuples_hit_the_cache():
    step = ms.jit(lambda pair: pair[0] + pair[1])
    for kind in (list, tuple):
        for i in range(3):
            step(kind((X + i, X)))
    assert step.cache_info().misses == 2


@checks("gives zeros as the gradient of a function that returns no tensor")
def no_tensor_has_no_gradient():
    for mode in ("eager", "ast"):
        with pytest.raises(ms.errors.MinigraphError):
            jitted(lambda x: ms.grad(lambda v: 3)(x), mode)(X)


# ---- the tables ------------------------------------------------------------------------------------

TABLES = tables()
ROWS = [row[0] for rows in TABLES.values() for row in rows]


def test_both_tables_are_found_every_row_says_what_is_there_and_here_and_is_checked():
    assert list(TABLES) == ["What `@jit` promises", "Where we differ from MindSpore, on purpose"]
    assert len(ROWS) == len(set(ROWS)) > 40
    assert set(ROWS) == set(CHECKS)
    assert [{len(row) for row in rows} for rows in TABLES.values()] == [{2}, {3}]
    assert all(re.search(r"\w", cell) for rows in TABLES.values() for row in rows for cell in row)


@pytest.mark.parametrize("row", CHECKS)
def test_the_row_is_true(row, request):
    wanted = CHECKS[row].__code__.co_varnames[: CHECKS[row].__code__.co_argcount]
    CHECKS[row](*map(request.getfixturevalue, wanted))
