"""Deliberate differences from MindSpore: every row of the tables in docs/ is checked."""

import copy
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, dataset, nn, ops, train
from minigraph.ops._grad_experimental.grad_base import bprop_getters

DOCS = Path(__file__).parents[1] / "docs"
PAGES = DOCS / "concepts" / "capture.md", DOCS / "reference" / "mindspore.md"
X = Tensor([1.0, 2.0, 3.0])
N = 2.0  # a global that a check changes
LISTED = [1.0]


def tables():
    """The rows, as lists of cells, of every table about MindSpore 2.10 in PAGES, by the heading of its page."""
    tables_by_heading, heading, rows = {}, "", None
    for line in "\n".join(page.read_text("utf-8") for page in PAGES).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else None
        if line.startswith("# "):
            heading = line.removeprefix("# ")
        if cells is None:
            rows = None
        elif rows is None and any(cell.startswith("MindSpore 2.10") for cell in cells):
            rows = tables_by_heading[heading] = []
        elif rows is not None and not set(line) <= set("|- "):
            rows.append(cells)
    return tables_by_heading


CHECKS = {}


def checks(row):
    """Register a check for the row with this beginning."""

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
        assert results_in_modes(fn, *inputs) == expected


def values(x):
    return [values(item) for item in x] if isinstance(x, tuple | list) else x.asnumpy().tolist()


def with_mode(fn, mode):
    """A function run as it is, or captured one way or the other."""
    return fn if mode == "eager" else ms.jit(fn, capture_mode=mode)


def results_in_modes(fn, *inputs, modes=("eager", "ast", "trace")):
    """The result of a function, equal in every mode."""
    results = [values(with_mode(fn, mode)(*inputs)) for mode in modes]
    assert results == results[:1] * len(modes)
    return results[0]


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
        nn.LARS  # noqa: B018


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
    assert results_in_modes(lambda x: x.reshape(1, 3).expand(2, -1), X) == [[1, 2, 3]] * 2


# ---- captured functions ----------------------------------------------------------------------------


@checks("`x.transpose(0, 1)` in a graph")
def two_axes_are_swapped():
    matrix = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert results_in_modes(lambda m: m.transpose(0, 1), matrix) == [[1, 3], [2, 4]]
    assert results_in_modes(lambda m: m.transpose(-2, -1), matrix) == [[1, 3], [2, 4]]
    assert ms.jit(lambda m: m.transpose(-2, -1))(ops.ones((2, 3, 4, 5))).shape == (2, 3, 5, 4)


@checks("`ops.cond`, `ops.while_loop`")
def control_flow_by_hand():
    assert results_in_modes(lambda x: ops.cond(x.sum() > 1, lambda v: v + 1, lambda v: v - 1, x), X) == [2, 3, 4]
    assert results_in_modes(lambda x: ops.while_loop(lambda v: v.sum() < 10, lambda v: v * 2, x), X) == [2, 4, 6]


gives("a `lambda` in `ms.grad(...)` under `@jit`", lambda x: ms.grad(lambda v: v * v)(x), X, [2, 4, 6])


@checks("a dict returned from `@jit(fullgraph=True)`")
def dicts_stay_dicts():
    result = ms.jit(lambda x: {"a": x, "n": (3, None, "s")}, fullgraph=True)(X)
    assert values(result.pop("a")) == [1, 2, 3]
    assert result == {"n": (3, None, "s")}


def results_and_arguments(fn):
    """The result for [1, 2] in every mode, and the argument after the call."""
    for mode in ("eager", "ast", "trace"):
        argument = Tensor([1.0, 2.0])
        yield values(with_mode(fn, mode)(argument)), values(argument)


@checks("`x += 1` on an argument under `@jit`")
def adding_to_an_argument_rebinds_it():
    def add_one(x):
        x += 1
        return x

    assert [*results_and_arguments(add_one)] == [([2, 3], [1, 2])] * 3


@checks("`x[0] = v` on an argument under `@jit`")
def writing_into_an_argument_is_seen_by_the_caller():
    def write_first(x):
        x[0] = 9.0
        return x * 2

    assert [*results_and_arguments(write_first)] == [([18, 4], [9, 2])] * 3


def absolute(x):
    if x.sum() > 0:
        return x
    return -x


@checks('`if` on a tensor under `capture_mode="trace"`')
def tracing_never_chooses_a_branch():
    step = ms.jit(absolute, capture_mode="trace")
    with pytest.warns(match=r"while tracing 'absolute' in .*test_differences.py:\d+.*; use ops.where"):
        assert values(step(X)) == values(step(-X)) == [1, 2, 3]
    with pytest.raises(TypeError, match="while tracing 'absolute'"):
        ms.jit(absolute, capture_mode="trace", fullgraph=True)(X)
    assert values(with_mode(absolute, "ast")(X)) == values(with_mode(absolute, "ast")(-X)) == [1, 2, 3]


@checks('`float(x)` under `capture_mode="trace"`')
def tracing_never_keeps_a_value():
    step = ms.jit(lambda x: x * float(x.sum()), capture_mode="trace")
    with pytest.warns(match=r"unavailable while tracing .*test_differences.py:\d+"):
        assert [values(step(x)) for x in (X, -X)] == [[6, 12, 18]] * 2


@checks('effects under `capture_mode="trace"`')
def effects_happen_once():
    counter = Parameter(Tensor([0.0]), name="counter")
    step = with_mode(lambda x: ops.assign_add(counter, x), "trace")
    for expected in (1.0, 2.0):
        step(Tensor([1.0]))
        assert counter.item() == expected


@checks('a failed `capture_mode="trace"`')
def a_failed_trace_leaves_nothing_behind():
    with pytest.raises(TypeError):
        ms.jit(absolute, capture_mode="trace", fullgraph=True)(X)
    step = with_mode(lambda x: x + 1, "trace")
    step(X), step(X)
    assert step.cache_info()[:2] == (1, 1)


@checks("`ops.Print` in a graph")
def prints_look_the_same(capsys):
    for mode in ("eager", "ast", "trace"):
        with_mode(lambda x: (ops.Print()("x is", x), x)[1], mode)(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines == lines[:2] * 3
    assert lines[1] == "Tensor(shape=[3], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00,  3.00000000e+00])"


# ---- gradients -------------------------------------------------------------------------------------


@checks("the same tensor twice, `grad(f, (0, 1))(x, x)`, `GradOperation`")
def one_gradient_for_each_position():
    assert results_in_modes(lambda x: ops.GradOperation(get_all=True)(ops.Mul())(x, x), Tensor([3.0])) == [[3], [3]]
    assert results_in_modes(lambda x: ms.grad(lambda a, b: a * b * b, (0, 1))(x, x), Tensor([3.0])) == [[9], [18]]


@checks("the gradient of `argmax`, a comparison, integers")
def values_without_a_derivative_are_named():
    for mode in ("eager", "ast"):
        ms.set_context(nondifferentiable="warn")
        gradient = with_mode(ms.grad(lambda x: (x * 2).astype(ms.int32).sum()), mode)
        with pytest.warns(UserWarning, match=r"`\(x \* 2\).astype\(ms.int32\)` .* is not differentiable"):
            assert values(gradient(X)) == [0, 0, 0]
        ms.set_context(nondifferentiable="error")
        with pytest.raises(ValueError, match="is not differentiable"):
            gradient(X)


@checks("a Parameter assigned after its use, `grad`")
def a_later_assignment_does_not_change_the_gradient():
    def fn(x):
        y = (w * x).sum()
        ops.assign(w, x * 10)
        return y

    for mode in ("eager", "ast"):
        w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
        assert values(with_mode(ms.grad(fn), mode)(X)) == [1, 2, 3]


@checks("second order through softmax")
def softmax_twice():
    weights = np.array([1.0, 2.0, 4.0])
    second = lambda x: ms.grad(lambda v: ms.grad(lambda u: (ops.softmax(u) * Tensor(weights)).sum())(v)[0])(x)  # noqa: E731
    result, shares = (
        results_in_modes(second, Tensor([1.0, 2.0, 3.0], ms.float64)),
        np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum(),
    )
    mean, first = shares @ weights, np.eye(3)[0]
    expected = shares[0] * ((first - shares) * (weights[0] - mean) - shares * (weights - mean))
    np.testing.assert_allclose(result, expected, rtol=1e-9)


@checks("second order through matmul")
def matmul_twice():
    second = lambda x: ms.grad(lambda v: ms.grad(lambda u: ((u @ u) ** 2).sum())(v).sum())(x)  # noqa: E731
    assert results_in_modes(second, Tensor([[1.0, 2.0], [3.0, 4.0]])) == [[208, 308], [308, 448]]


@checks("the derivative of `nn.SeLU` below 0")
def selu_has_its_derivative():
    gradient = ms.grad(nn.SeLU())(Tensor([-1.0])).item()
    assert gradient == pytest.approx(1.05070098 * 1.67326324 * math.exp(-1), rel=1e-6)


@checks("`bprop_getters.register` for an operator")
def another_gradient_for_an_operator():
    bprop_getters.register(ops.Sin)(lambda self: lambda x, out, dout: (dout * 100,))
    try:
        assert results_in_modes(lambda x: ms.grad(ops.Sin())(x), X) == [100, 100, 100]
    finally:
        bprop_getters.unregister(ops.Sin)
    assert ms.grad(ops.Sin())(Tensor(0.0)).item() == 1.0


@checks("`ops.HookBackward` in a graph")
def a_hook_of_a_gradient_in_a_graph():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.triple = ops.HookBackward(lambda gradients: (gradients[0] * 3,))

        def construct(self, x):
            return self.triple(x) * 2

    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        assert ms.grad(Net())(X).asnumpy().tolist() == [6, 6, 6]


@checks("a hook in a graph")
def a_hook_is_called_by_each_call_until_it_is_removed():
    seen, net = [], nn.ReLU()
    handles = [
        net.register_forward_pre_hook(lambda cell, inputs: seen.append("before")),
        net.register_forward_hook(lambda cell, inputs, output: seen.append("after")),
        net.register_backward_pre_hook(lambda cell, gradients: seen.append("backward")),
        net.register_backward_hook(lambda cell, inputs, outputs: seen.append("done")),
    ]
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.warns(UserWarning, match="a list is changed in place"):
        for _ in range(2):
            ms.grad(net)(X)
    assert seen == ["before", "after", "backward", "done"] * 2
    for handle in handles:
        handle.remove()
    ms.grad(net)(X)
    assert len(seen) == 8


# ---- programs of MindSpore's tutorials that need a device, a cluster or its library ----------------


@checks("`type(ms.float32)`")
def dtypes_have_one_class():
    assert {type(dtype).__name__ for dtype in (ms.float32, ms.int64, ms.bool_)} == {"DType"}


@checks("`communication.init()` without a cluster")
def one_process_is_no_cluster():
    ms.communication.init()
    assert (ms.communication.get_rank(), ms.communication.get_group_size()) == (0, 1)


def refuses(row, module, names, text):
    """Register a check that names are refused for a reason."""

    @checks(row)
    def check():
        for name in names.split():
            with pytest.raises(AttributeError, match=text):
                getattr(module, name)


refuses(
    "`nn.DistributedGradReducer` and operators between devices",
    nn, "DistributedGradReducer", "train.DataParallel trains in several",
)  # fmt: skip
refuses(
    "`ops.GenerateEodMaskV2`, `ops.NPUGetFloatStatus` and other operators without a kernel for a CPU",
    ops, "GenerateEodMaskV2 NPUAllocFloatStatus NPUClearFloatStatus NPUGetFloatStatus",
    "MindSpore has no kernel for it on a CPU",
)  # fmt: skip
refuses("`dataset.DatasetCache`", dataset, "DatasetCache", "those of another project")
refuses("`dataset.serialize`, `dataset.deserialize`", dataset, "serialize deserialize", "made of Python objects")
refuses(
    "`ops.CustomOpBuilder`, `ops.CustomRegOp`, `ops.DataType`",
    ops, "CustomOpBuilder CustomRegOp DataType", "use ops.Custom with a Python function",
)  # fmt: skip


@checks("`ms.profiler`")
def only_operators_of_pynative_mode_are_recorded():
    events, compiled = [], ms.jit(lambda x: ops.exp(x) + 1)
    with ms.profiler.profile(on_trace_ready=lambda prof: events.extend(prof.trace())):
        compiled(X)
        ops.sin(X)
    assert [event["name"] for event in events if event["ph"] == "X"] == ["sin"]


@checks("`dataset.config.set_enable_autotune(True, file)`")
def nothing_is_tuned(tmp_path):
    with pytest.warns(UserWarning, match="nothing is tuned"):
        dataset.config.set_enable_autotune(True, str(tmp_path / "settings"))
    dataset.config.set_enable_autotune(False)
    assert not list(tmp_path.iterdir())


@checks("`nn.utils.no_init_parameters`")
def values_are_drawn_at_once():
    with nn.utils.no_init_parameters():
        net = nn.Dense(2, 2, weight_init="ones")
    assert net.weight.asnumpy().tolist() == [[1, 1], [1, 1]]


# ---- values ----------------------------------------------------------------------------------------


@checks("`ops.full((2,), 1.5)`")
def full_is_what_was_asked_for():
    result = ops.full((2,), 1.5)
    assert (result.dtype, values(result)) == (ms.float32, [1.5, 1.5])


@checks("`Tensor(x)` of a tensor `x`")
def a_tensor_of_a_tensor_is_a_copy():
    x = Tensor([1.0, 2.0])
    copied, shared = Tensor(x), ms.tensor(x)
    x[0] = 7.0
    assert copied.asnumpy().tolist() == [1, 2] and shared.asnumpy().tolist() == [7, 2]


@checks("the gradient through `copy.copy(x)`")
def gradients_pass_through_copies():
    for copied in (copy.copy, copy.deepcopy):
        assert ms.grad(lambda x, copied=copied: (copied(x) * x).sum())(X).tolist() == (X * 2.0).tolist()


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


@checks("the numbers of a seed")
def seeds_give_the_same_numbers_in_both_modes():
    numbers = []
    for mode in ("eager", "ast", "trace", "eager"):
        ms.set_seed(4)
        numbers.append(values(with_mode(lambda: ops.standard_normal((3,)), mode)()))
    assert numbers == numbers[:1] * 4
    philox = np.random.Generator(np.random.Philox(key=4, counter=[0, 0, 0, 0]))
    np.testing.assert_allclose(numbers[0], philox.standard_normal(3), rtol=1e-6)


@checks("initial weights after `numpy.random.seed`")
def initial_weights_leave_the_generator_of_numpy_as_it_is():
    np.random.seed(3)
    expected = np.random.rand()
    np.random.seed(3)
    first, second = nn.Dense(3, 4).weight, nn.Dense(3, 4).weight
    assert np.random.rand() == expected
    assert values(first) != values(second)
    ms.set_seed(3)
    numbers = values(nn.Dense(3, 4).weight)
    ms.set_seed(3)
    assert values(nn.Dense(3, 4).weight) == numbers


@checks("`tanh`, `exp`")
def functions_are_those_of_numpy():
    array = np.linspace(-9, 9, 1000, dtype=np.float32)
    for op, same in ((ops.tanh, np.tanh), (ops.exp, np.exp)):
        assert np.array_equal(op(Tensor(array)).asnumpy(), same(array))


# ---- layers, losses, optimizers --------------------------------------------------------------------


@checks("Int64 class labels")
def labels_may_be_any_integers():
    scores = Tensor([[1.0, 2.0], [3.0, 4.0]])
    losses = [nn.CrossEntropyLoss()(scores, Tensor([0, 1], dtype)).item() for dtype in (ms.int32, ms.int64, ms.int8)]
    assert losses == losses[:1] * 3


gives("`x.clip(-1, 1)`, where `x` has a NaN",
      lambda x: (ops.isnan(x.clip(-1, 1)), x.nan_to_num().clip(-1, 1)), Tensor([math.nan, 3.0]),
      [[True, False], [0.0, 1.0]])  # fmt: skip


@checks("a number that the dtype cannot hold, such as -1 for UInt8")
def numbers_do_not_wrap():
    x = Tensor([1, 2], ms.uint8)
    for fn in (lambda x: x.clip(-1, 1), lambda x: x + 256):
        for mode in ("eager", "ast", "trace"):
            with pytest.raises(TypeError, match="does not fit into UInt8"):
                with_mode(fn, mode)(x)


@checks("`x.add_(y)`, `x.mul_(y)` and the like in eager mode")
def in_place_methods_write():
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
def max_uses_initial_and_where():
    assert ops.max(X, initial=9.0)[0].item() == 9
    assert ops.max(X, initial=0.0, where=X < 3)[0].item() == 2


@checks("`zero_infinity=True` of `ops.ctc_loss`")
def impossible_alignments_cost_nothing():
    logs = ops.log_softmax(ops.zeros((1, 1, 3)))
    assert ops.ctc_loss(logs, Tensor([[1, 2]]), [1], [2], 0, "sum", True)[0].item() == 0


gives("`ops.ReduceSum(skip_mode=True)(x, ())`", lambda x: ops.ReduceSum(skip_mode=True)(x, ()), X, [1, 2, 3])


@checks("`reduction` of `nn.SampledSoftmaxLoss`")
def a_sampled_loss_is_reduced():
    loss = nn.SampledSoftmaxLoss(1, 2, reduction="mean")
    assert loss(ops.ones((2, 1)), ops.zeros(2), Tensor([0, 1]), ops.ones((2, 1))).item() == pytest.approx(math.log(2))


@checks("`max_norm` of `nn.EmbeddingLookup`")
def rows_have_at_most_the_norm():
    net = nn.EmbeddingLookup(3, 2, ops.arange(6).reshape(3, 2).astype(ms.float32), max_norm=2.0)
    rows = net(Tensor([0, 1, 2])).asnumpy()
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 2, 2], rtol=1e-6)


@checks("the gradient of `ops.ROIAlign(..., roi_end_mode=0)`")
def gradients_of_regions_are_those_of_the_result():
    features, rois, pooled = ops.zeros((1, 1, 4, 4)), Tensor([[0, 0.0, 0.0, 2.0, 2.0]]), ops.ROIAlign(1, 1, 1.0, 1, 0)
    slope = ms.grad(lambda f: pooled(f, rois).sum())(features)[0, 0]
    assert slope[1, 1].item() == 1 and slope.sum().item() == 1


@checks("`use_nesterov=True` of `nn.Momentum`")
def nesterov_looks_ahead():
    (weight,) = parameters()
    nn.Momentum([weight], 0.1, 0.5, use_nesterov=True)((Tensor([1.0]),))
    assert weight.item() == pytest.approx(1 - 0.1 * 1.5)


@checks("`l1` of `nn.FTRL`, where the sum of gradients is negative")
def shrinks_towards_zero():
    values = []
    for sign in (1.0, -1.0):
        weight = Parameter(Tensor([0.0]), name="w")
        nn.FTRL([weight], learning_rate=0.1, l1=0.5)((Tensor([sign]),))
        values.append(weight.item())
    assert values[0] == -values[1] != 0


@checks("the gradient of `nn.BCEWithLogitsLoss` for a second batch of another size")
def every_batch_has_its_own_size():
    for size in (5, 2):
        gradient = ms.grad(nn.BCEWithLogitsLoss())(ops.zeros((size,)), ops.ones((size,)))
        assert gradient.asnumpy() == pytest.approx(-0.5 / size)


@checks("`not x` of a tensor under `@jit`")
def not_gives_a_bool():
    with pytest.warns(Warning, match="a Python number depends on a tensor"):
        assert ms.jit(lambda x: not x)(Tensor(True)) is False


@checks("`update_slots=False` of `nn.Adagrad`")
def slots_stay():
    (weight,) = parameters()
    optimizer = nn.Adagrad([weight], accum=4.0, learning_rate=0.5, update_slots=False)
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    assert weight.item() == pytest.approx(1 - 2 * 0.5 / 2)
    assert values(optimizer.accum[0].value()) == [4]


@checks("`grad_centralization` of a group")
def gradients_are_centered():
    weight = Parameter(ops.zeros((1, 1, 1, 2)), name="w")
    nn.SGD([{"params": [weight], "grad_centralization": True}], 1.0)((Tensor([[[[1.0, 3.0]]]]),))
    assert values(weight.value()) == [[[[1, -1]]]]


@checks("a list of learning rates that ends")
def the_last_rate_stays():
    (weight,) = parameters()
    optimizer = nn.SGD([weight], [0.5, 0.25])
    for expected in (0.5, 0.25, 0.0):
        optimizer((Tensor([1.0]),))
        assert weight.item() == expected


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
    result = nn.Conv2dTranspose(1, 1, 3, padding=1, output_padding=1, **options)(ops.ones((1, 1, 2, 2)))
    uncropped = nn.Conv2dTranspose(1, 1, 3, padding=0, **options)(ops.ones((1, 1, 2, 2)))
    assert np.array_equal(result.asnumpy()[0, 0], uncropped.asnumpy()[0, 0, 1:, 1:])


@checks("an axis or index outside of a compiled program")
def indices_are_index_errors():
    for mode in ("eager", "ast", "trace"):
        with pytest.raises(IndexError):
            with_mode(lambda x, i: x[i], mode)(X, Tensor(9))


# ---- checkpoints and data --------------------------------------------------------------------------


@checks("`load_param_into_net` with other names")
def names_are_not_guessed():
    net = nn.Dense(2, 1)
    before = values(net.weight)
    values_by_name = {"net.weight": Parameter(ops.ones((1, 2)), name="net.weight")}
    assert ms.load_param_into_net(net, values_by_name) == (["weight", "bias"], ["net.weight"])
    assert values(net.weight) == before


@checks("`save_checkpoint` of a dict of Tensors")
def dicts_are_saved(tmp_path):
    ms.save_checkpoint({"w": X}, tmp_path / "net")
    assert values(ms.load_checkpoint(tmp_path / "net.ckpt")["w"]) == [1, 2, 3]


@checks('`ms.export(..., file_format="MINDIR")`')
def mindir_files_are_onnx(tmp_path):
    onnx = pytest.importorskip("onnx")
    ms.export(nn.ReLU(), X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    onnx.checker.check_model(onnx.load(str(tmp_path / "net.mindir")))
    assert nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(X).tolist() == [1, 2, 3]


@checks("`ms.SummaryRecord`, `ms.SummaryCollector`")
def summaries_are_tensorboards(tmp_path):
    try:
        ms.SummaryRecord(str(tmp_path))
    except ValueError as error:
        assert "tensorboard" in str(error)
    assert all("tfevents" in path.name for path in tmp_path.iterdir())


@checks("`vision.NormalizePad` of an image [H, W, C]")
def each_pixel_gets_a_channel_of_zeros():
    pixels = ms.dataset.vision.NormalizePad([1.0], [2.0])(np.full((2, 2, 1), 9, np.uint8))
    assert pixels.tolist() == [[[4, 0], [4, 0]]] * 2


@checks("a checkpoint file")
def checkpoints_are_safetensors(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    ms.save_checkpoint({"w": X}, tmp_path / "net")
    path = tmp_path / "net.ckpt"
    assert safetensors.load_file(path)["w"].tolist() == [1, 2, 3]
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ValueError, match="the checksum of 'w' is wrong; nothing was loaded"):
        ms.load_checkpoint(path)


def loop_forever():
    yield (1,)


@checks("`shuffle=True` for a generator")
def generators_cannot_be_shuffled():
    with pytest.raises(ValueError, match=r"use \.shuffle\(n\)"):
        dataset.GeneratorDataset(loop_forever, ["n"], shuffle=True)


@checks("an unknown column")
def columns_are_known_before_any_row():
    with pytest.raises(LookupError, match="no column 'labl'; did you mean 'label'"):
        dataset.NumpySlicesDataset([1], "label").map(abs, "labl")


@checks("an error in a function of `map`")
def the_users_errors_come_through():
    with pytest.raises(ZeroDivisionError):
        list(dataset.NumpySlicesDataset([0], "n").map(lambda n: 1 // int(n), "n"))


# ---- promises of @jit ------------------------------------------------------------------------------


def scale(x):
    return x * N + LISTED[0]


@checks("keeps the old value of a changed global, closed-over variable, attribute, or element of a list or dict")
def captured_values_are_guarded(monkeypatch):
    step = ms.jit(scale)
    assert values(step(X)) == [3, 5, 7]
    monkeypatch.setitem(globals(), "N", 3.0)
    assert values(step(X)) == [4, 7, 10]
    monkeypatch.setitem(globals(), "LISTED", [0.0])
    assert values(step(X)) == [3, 6, 9]
    assert any("'N'" in reason or " N " in f" {reason} " for reason in step.cache_info().reasons)


@checks("keeps the elements of a captured numpy array")
def captured_arrays_are_guarded():
    array = np.array([1.0, 2.0, 3.0], np.float32)
    step = ms.jit(lambda x: x + Tensor(array))
    assert values(step(X)) == [2, 4, 6]
    array[0] = 9.0
    assert values(step(X)) == [10, 4, 6]


def result_and_warnings(act):
    """The result of a call, and the classes of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = act()
    return result, {type(warning.message).__name__ for warning in caught}


@checks("drops changes by the function itself to globals, lists and attributes, or makes them once")
def side_effects_happen_at_every_call():
    log = []
    step = ms.jit(lambda x: (log.append(len(log)), x + 1)[1])
    _, kinds = result_and_warnings(lambda: [step(X) for _ in range(3)])
    assert (log, kinds) == ([0, 1, 2], {"OpByOpWarning"})


@checks("repeats one random number of `numpy.random` or `random`, one time of day")
def numbers_of_numpy_are_drawn_at_every_call():
    step = ms.jit(lambda x: x + float(np.random.rand()))
    result, kinds = result_and_warnings(lambda: [values(step(X))[0] for _ in range(4)])
    assert len(set(result)) == 4
    assert kinds == {"OpByOpWarning"}


@checks("leaves a list or dict argument as it was, though the function changes it")
def lists_are_the_callers():
    tensors = [X]
    ms.jit(lambda x, tensors: (tensors.append(x * 2), x)[1])(X, tensors)
    assert values(tensors) == [[1, 2, 3], [2, 4, 6]]


def of_two_lengths(x):
    if x.sum() > 0:
        return x
    return x[:1]


@checks("gives branches of different shapes one of the two")
def branches_may_differ_in_shape():
    step = ms.jit(of_two_lengths)
    result, kinds = result_and_warnings(lambda: (values(step(X)), values(step(-X))))
    assert result == ([1, 2, 3], [-1])
    assert kinds == {"OpByOpWarning"}


class Holder:
    """An object whose attribute a function reads."""

    k = 1.0


@checks("keeps the result of `getattr` on an object")
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
            with_mode(lambda x: ms.grad(lambda v: 3)(x), mode)(X)


@checks("the order of `ops.eigvals`, signs of the factors of `ops.geqrf`")
def factorizations_are_those_of_lapack():
    matrix = np.array([[0.0, 2.0, 1.0], [3.0, 1.0, 0.0], [6.0, 0.5, 4.0]])
    np.testing.assert_array_equal(ops.eigvals(Tensor(matrix)).asnumpy(), np.linalg.eigvals(matrix))
    assert ops.geqrf(Tensor(matrix))[0][0, 0].item() < 0


@checks("`skip_channel` of `ConfusionMatrixMetric`")
def the_background_is_left_out():
    predicted, labels = np.array([[[1], [0], [1]]]), np.array([[[0], [0], [1]]])
    rates = [train.ConfusionMatrixMetric(skip, "precision")(predicted, labels)[0] for skip in (True, False)]
    assert rates == [1.0, 0.5]


@checks("the class of an error")
def errors_have_names_of_their_own():
    with pytest.raises(ValueError, match="shape") as caught:
        ops.reshape(X, (2, 2))
    assert type(caught.value).__name__ == "ShapeError"


@checks('`Tensor(b"a")`, a tensor of text')
def text_is_no_tensor():
    for text in (b"a", np.array("a")):
        with pytest.raises(TypeError, match="Tensor"):
            Tensor(text)


@checks("`x.type`")
def the_type_has_dtype_and_shape():
    assert str(X.type) == "f32[3]"


@checks("`x.bitwise_right_shift(2.5)`")
def a_shift_is_an_integer():
    with pytest.raises(TypeError, match="integer"):
        Tensor([8]).bitwise_right_shift(2.5)


@checks("`ms.numpy.unique(x)`")
def unique_sorts():
    assert ms.numpy.unique(Tensor([3.0, 1.0, 3.0])).tolist() == [1, 3]


@checks("a Parameter in a tuple that a graph returns")
def a_returned_parameter_is_itself():
    (w,) = parameters()
    assert ms.jit(lambda x: (w, x))(X)[0] is w


@checks("a printed layer")
def layers_print_their_arguments():
    assert "weight_init=Uniform(scale=" in repr(nn.Conv2d(3, 4, 3))
    assert "input_size=3, hidden_size=4" in repr(nn.LSTM(3, 4))


@checks("a printed tensor of a dataset")
def tensors_of_a_dataset_are_tensors():
    ((row,),) = dataset.NumpySlicesDataset([[1.0, 2.0]], shuffle=False)
    assert repr(row).endswith("value= [ 1.00000000e+00,  2.00000000e+00])")


# ---- the tables ------------------------------------------------------------------------------------

TABLES = tables()
ROWS = [row[0] for rows in TABLES.values() for row in rows]


def test_both_tables_are_found_and_every_row_is_complete_and_checked():
    assert list(TABLES) == ["What `@jit` promises", "Where we differ from MindSpore, on purpose"]
    assert len(ROWS) == len(set(ROWS)) > 40
    assert set(ROWS) == set(CHECKS)
    assert [{len(row) for row in rows} for rows in TABLES.values()] == [{2}, {3}]
    assert all(re.search(r"\w", cell) for rows in TABLES.values() for row in rows for cell in row)


@pytest.mark.parametrize("row", CHECKS)
def test_the_row_is_true(row, request):
    expected = CHECKS[row].__code__.co_varnames[: CHECKS[row].__code__.co_argcount]
    CHECKS[row](*map(request.getfixturevalue, expected))
