"""The base class of optimizers: errors, results, names, schedules, weight decay, updates that survive all passes."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, nn, ops
from tests.nn.cells import AttributeCell, names
from tests.tables import cases, error_cases, every

OPTIMIZERS = {
    "sgd": lambda params, **k: nn.SGD(params, **({"learning_rate": 0.1} | k)),
    "sgd with momentum": lambda params, **k: nn.SGD(params, **({"learning_rate": 0.1, "momentum": 0.5} | k)),
    "sgd dampened": lambda params, **k: nn.SGD(params, **({"momentum": 0.5, "dampening": 0.5} | k)),
    "momentum": lambda params, **k: nn.Momentum(params, **({"learning_rate": 0.1, "momentum": 0.9} | k)),
    "adam": lambda params, **k: nn.Adam(params, **k),
    "adam with decay apart": lambda params, **k: nn.AdamW(params, **k),
    "adam with weight decay": lambda params, **k: nn.AdamWeightDecay(params, **k),
    "rmsprop": lambda params, **k: nn.RMSProp(params, **k),
    "rmsprop centered": lambda params, **k: nn.RMSProp(params, **({"momentum": 0.5, "centered": True} | k)),
    "adafactor": lambda params, **k: nn.AdaFactor(params, **({"learning_rate": 0.1, "relative_step": False} | k)),
    "adagrad": lambda params, **k: nn.Adagrad(params, **k),
    "adadelta": lambda params, **k: nn.Adadelta(params, **k),
    "adamax": lambda params, **k: nn.AdaMax(params, **k),
    "asgd": lambda params, **k: nn.ASGD(params, **k),
    "rprop": lambda params, **k: nn.Rprop(params, **k),
    "adam offloaded": lambda params, **k: nn.AdamOffload(params, **k),
    "lazy adam": lambda params, **k: nn.LazyAdam(params, **k),
    "ftrl": lambda params, **k: nn.FTRL(params, **k),
    "proximal adagrad": lambda params, **k: nn.ProximalAdagrad(params, **k),
    "lamb": lambda params, **k: nn.Lamb(params, **({"learning_rate": 0.1} | k)),
}
EVERY = pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)


def parameters():
    return [Parameter(Tensor(start), name=name) for name, start in (("w", [1.0, 2.0, 3.0]), ("b", [[4.0]]), ("s", 5.0))]


def gradients(scale=1.0):
    return Tensor([0.1, -0.2, 0.3]) * scale, Tensor([[0.5]]) * scale, Tensor(-1.0) * scale


def bits(params):
    return [p.asnumpy().tobytes() for p in params]


def run(optimizer, jitted):
    return ms.jit(lambda *grads: optimizer(grads)) if jitted else lambda *grads: optimizer(grads)


def test_every_optimizer_is_tested():
    public = {item for item in vars(nn).values() if isinstance(item, type) and issubclass(item, nn.Optimizer)}
    assert public - {nn.Optimizer} == {type(make(parameters())) for make in OPTIMIZERS.values()}


# ---- both modes and every pass ---------------------------------------------------------------------


MODES = {
    "graph mode": lambda step: lambda *grads: step(grads),
    "jit": lambda step: ms.jit(lambda *grads: (step(grads), grads[0])[1]),
    "jit, tied by hand": lambda step: ms.jit(lambda *grads: ops.depend(grads[0], step(grads)), auto_depend=False),
    "jit, result returned": lambda step: ms.jit(lambda *grads: step(grads), auto_depend=False),
}


@EVERY
@every(mode=MODES)
def test_a_step_is_the_same_in_every_mode(make, mode):
    eager, compiled = parameters(), parameters()
    plain, optimizer = make(eager), make(compiled)
    step = MODES[mode](optimizer)
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph mode" else ms.PYNATIVE_MODE)
    for i in range(3):
        plain(gradients(i + 1.0))
        step(*gradients(i + 1.0))
    assert bits(compiled) != bits(parameters())
    assert bits(optimizer.get_parameters()) == bits(plain.get_parameters())


@EVERY
def test_state_is_not_trainable_and_dead_updates_are_removed(make):
    # without depend and auto depend the update is gone
    params = parameters()
    optimizer = make(params)
    ms.jit(lambda *grads: (optimizer(grads), grads[0] * 2)[1], auto_depend=False)(*gradients())
    assert bits(params) == bits(parameters())
    # state does not train and the weights keep their names inside of a cell
    params = parameters()
    net = AttributeCell(optimizer=make(params))
    assert names(net.trainable_params()) == names(params) == ["w", "b", "s"]
    assert all(name.startswith("optimizer.") for name in names(net.untrainable_params()))
    net.optimizer.update_parameters_name("g.")  # as MindSpore's DCGAN calls it: all names
    assert names(net.trainable_params()) == names(params) == ["g.w", "g.b", "g.s"]


@EVERY
def test_a_call_returns_true_for_every_parameter_and_steps_are_counted(make, mode):
    # a call returns true for every parameter
    result = make(parameters())(gradients())
    assert type(result) is tuple and len(result) == 3
    assert all(item is True for item in result)
    # steps are counted
    optimizer = make(parameters())
    for _ in range(3):
        optimizer(gradients())
    assert optimizer.global_step.asnumpy().tolist() == [3]


# ---- names -----------------------------------------------------------------------------------------


def test_names_of_state_and_the_order_of_parameters():
    # state is named after the parameters
    first = ["global_step", "learning_rate", "w", "b", "s"]
    assert names(nn.SGD(parameters()[:1], 0.1)) == [*first[:3], "momentum", "accum.w", "stat.w"]
    assert names(nn.Momentum(parameters(), 0.1, 0.9)) == [*first, "momentum", "moments.w", "moments.b", "moments.s"]
    assert names(nn.Adam(parameters()))[5:9] == ["beta1_power", "beta2_power", "moment1.w", "moment1.b"]
    # parameters is a parameter tuple in order and it prints as its name
    params = parameters()
    optimizer = nn.Momentum(iter(params), 0.1, 0.9)
    assert type(optimizer.parameters) is ms.ParameterTuple
    assert all(a is b for a, b in zip(optimizer.parameters, params, strict=True))
    assert repr(optimizer) == "Momentum()"


# ---- learning rate, decay, scale -------------------------------------------------------------------


def test_schedules_may_be_cells_and_rates_are_parameters_that_compiled_code_reads():
    # the learning rate is a parameter that compiled code reads
    params = parameters()
    optimizer = nn.SGD(params, 1)
    step = run(optimizer, jitted=True)
    for rate in (0.5, 0.0):
        optimizer.learning_rate.set_data(Tensor(rate))
        step(*gradients())
        assert params[2].item() == 5.5
    assert step.cache_info().misses == 1

    # a schedule may be a cell
    class Halving(nn.Cell):
        def construct(self, step):
            return ops.pow(0.5, step)

    params = parameters()
    optimizer = nn.SGD(params, Halving())
    for _ in range(2):
        optimizer(gradients())
    assert params[2].item() == 6.5


@every(shape=[(), (1,)], jitted=[False, True])
def test_a_schedule_gets_the_step_count(jitted, shape):
    params = parameters()
    optimizer = nn.SGD(params, lambda step: ((step + 1) * 0.25).reshape(shape))
    step = run(optimizer, jitted)
    for _ in range(3):
        step(*gradients())
    assert (params[2].item(), params[2].shape) == (5 + 0.25 + 0.5 + 0.75, ())
    assert optimizer.global_step.asnumpy().tolist() == [3]
    assert names(optimizer)[:2] == ["global_step", "w"]


def test_decay_leaves_out_beta_and_gamma_and_loss_scale_divides():
    # weight decay leaves out beta and gamma
    params = parameters_with_names(2.0, ("bn.gamma", "bn.beta", "fc.weight"))
    nn.SGD(params, 1.0, weight_decay=0.5)((Tensor([0.0]),) * 3)
    assert [p.item() for p in params] == [2.0, 2.0, 1.0]
    # loss scale divides the gradients
    params = parameters()
    nn.SGD(params, 1.0, loss_scale=4.0)(gradients(4.0))
    assert params[2].item() == 6.0


@pytest.mark.parametrize("dtype", [ms.float16, ms.float64])
@EVERY
def test_parameters_keep_their_dtype(make, dtype):
    p = Parameter(Tensor([1.0, 2.0], dtype), name="w")
    make([p])((Tensor([0.5, 0.5], dtype),))
    assert p.dtype is dtype
    assert p.asnumpy()[0] < 1.0


# ---- groups ----------------------------------------------------------------------------------------


def parameters_with_names(start, names):
    """A Parameter of each name with the same initial value."""
    return [Parameter(Tensor([start]), name=name) for name in names]


def halving_schedule(start):
    return nn.ExponentialDecayLR(start, 0.5, 1)


@cases(
    ({"lr": 0.5}, 0.25, [(0.5, 0.5), (0.25, 0.25)]),
    ({"lr": [0.5, 1.0]}, 0.25, [(0.5, 1.0), (0.25, 0.25)]),
    ({"lr": 0.5}, [0.25, 0.125], [(0.5, 0.5), (0.25, 0.125)]),
    ({"lr": Tensor([0.5, 1.0])}, halving_schedule(0.25), [(0.5, 1.0), (0.25, 0.125)]),
    ({"lr": halving_schedule(1.0)}, Tensor(0.25), [(1.0, 0.5), (0.25, 0.25)]),
    ({}, 0.25, [(0.25, 0.25), (0.25, 0.25)]),
)
def test_every_group_has_its_rate(mode, own, common, expected):
    params = parameters_with_names(0.0, "abc")
    optimizer = nn.SGD([{"params": params[1:2], **own}, {"params": params[::2]}, {"order_params": params}], common)
    for step in (0, 1):
        before = [p.item() for p in params]
        optimizer((Tensor([-1.0]),) * 3)
        moved = [p.item() - old for p, old in zip(params, before, strict=True)]
        assert moved == [expected[1][step], expected[0][step], expected[1][step]]


def test_rates_of_groups_are_parameters_named_after_the_group():
    params = parameters()
    optimizer = nn.Momentum([{"params": params[1:]}, {"params": params[:1], "lr": 0.5}], 0.25, 0.9)
    assert names(optimizer)[:3] == ["global_step", "learning_rate", "learning_rate_group_1"]
    assert names(optimizer.learning_rate) == ["learning_rate", "learning_rate", "learning_rate_group_1"]
    assert optimizer.get_lr_parameter(params[0]).name == "learning_rate_group_1"
    assert names(optimizer.get_lr_parameter(params[1:])) == ["learning_rate"] * 2
    assert [rate.item() for rate in optimizer.get_lr()] == [0.25, 0.25, 0.5]


@pytest.mark.parametrize("decay", [0.5, nn.PolynomialDecayLR(0.5, 0.5, 1, 1.0)], ids=["number", "schedule"])
def test_every_group_has_its_decay_and_in_groups_gamma_has_it_too(mode, decay):
    params = parameters_with_names(2.0, ("a", "bn.gamma", "c"))
    optimizer = nn.SGD([{"params": params[:2], "weight_decay": decay}, {"params": params[2:]}], 1.0, weight_decay=0.25)
    optimizer((Tensor([0.0]),) * 3)
    assert [p.item() for p in params] == [1.0, 1.0, 1.5]
    assert [value.item() for value in optimizer.get_weight_decay()] == [0.5, 0.5, 0.25]


def test_a_decay_may_follow_a_schedule(mode):
    params = parameters_with_names(2.0, ("a", "bn.gamma"))
    optimizer = nn.SGD(params, 1.0, weight_decay=halving_schedule(0.5))
    for position in (1.0, 0.75, 0.65625):
        optimizer((Tensor([0.0]),) * 2)
        assert [p.item() for p in params] == [position, 2.0]
    assert optimizer.get_weight_decay().item() == 0.0625


def test_gradient_centralization_of_convolutions():
    weight, bias = Parameter(ops.zeros((2, 1, 1, 2)), name="weight"), Parameter(ops.zeros((2, 2)), name="bias")
    gradients = Tensor(np.array([[[[1.0, 3.0]]], [[[4.0, 8.0]]]], np.float32)), Tensor([[1.0, 3.0], [4.0, 8.0]])
    nn.SGD([{"params": [weight, bias], "grad_centralization": True}], 1.0)(gradients)
    assert weight.asnumpy().ravel().tolist() == [1.0, -1.0, 2.0, -2.0]
    assert bias.asnumpy().ravel().tolist() == [-1.0, -3.0, -4.0, -8.0]


# ---- errors -------------------------------------------------------------------------------------------


@EVERY
@cases(
    (list(gradients()), RuntimeError, "gradients must be a tuple, got list"),
    (gradients()[:2], RuntimeError, "3 Parameters, but 2 gradients"),
    ((*gradients(), Tensor(1.0)), RuntimeError, "3 Parameters, but 4 gradients"),
    ((*gradients()[:2], 1.0), TypeError, "the gradient of 's' is a float, not a Tensor"),
    ((*gradients()[:2], Tensor([1.0])), ValueError, r"'s' is f32\[\], its gradient f32\[1\]"),
)
def test_wrong_gradients_raise_and_change_nothing(make, mode, grads, error, text):
    optimizer = make(parameters())
    before = bits(optimizer.get_parameters())
    with pytest.raises(error, match=text):
        optimizer(grads)
    assert bits(optimizer.get_parameters()) == before


NEITHER = "all elements of the argument 'parameters' must be 'Parameter' or 'dict'"


@EVERY
@cases(
    ([], ValueError, r"(?m)^For 'Optimizer', the argument parameters must not be empty\.$"),
    ([parameters()[0], parameters()[0]], ValueError, "its name 'w' already exists"),
    (parameters()[0], TypeError, NEITHER),
    ([Tensor([1.0])], TypeError, NEITHER),
    ([{"params": parameters()[:1]}, parameters()[1]], TypeError, NEITHER),
)
def test_wrong_parameters_raise(make, wrong, error, text):
    with pytest.raises(error, match=text):
        make(wrong)


@EVERY
@cases(
    ({"learning_rate": -0.1}, ValueError, "the 'learning rate' must be float and must >= 0, but got '-0.1'"),
    ({"learning_rate": "fast"}, TypeError, "'learning_rate' must be int, float, Tensor, .*, but got <class 'str'>"),
    ({"learning_rate": None}, TypeError, "'learning_rate' must be int, float, Tensor, Iterable"),
    ({"learning_rate": []}, ValueError, "a list of learning rates must hold numbers"),
    ({"learning_rate": Tensor([[0.1]])}, ValueError, "the dimension of it should be 0 or 1, but got 2"),
    ({"weight_decay": -1.0}, ValueError, "the 'weight_decay' must be float and must >= 0, but got '-1.0'"),
    ({"weight_decay": "much"}, TypeError, "'Weight_decay' must be int, float or Cell.but got <class 'str'>"),
)
def test_wrong_numbers_raise(make, wrong, error, text):
    if wrong == {"learning_rate": None} and make is OPTIMIZERS["adafactor"]:
        error, text = ValueError, "relative_step=False needs a learning_rate"
    with pytest.raises(error, match=text):
        make(parameters(), **wrong)


test_errors = error_cases(
    (lambda: nn.SGD(parameters(), 0.1, loss_scale=0.0), ValueError, "'SGD', the 'loss_scale' must be float and .* > 0"),
    (lambda: nn.SGD(parameters(), 0.1, loss_scale=-1.0), ValueError, "'SGD', the 'loss_scale' must be .* > 0"),
    (lambda: nn.Optimizer(0.1, parameters())(gradients()), TypeError, "must define update"),
    (lambda: nn.Momentum(nn.Dense(2, 1), 0.1, 0.9), TypeError, r"be Iterable type, .*; pass net.trainable_params\(\)"),
)
