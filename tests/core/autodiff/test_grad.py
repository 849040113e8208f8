"""Results of grad, value_and_grad, GradOperation and custom gradients, to any order, inside and outside of jit."""

import math
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import minigraph as ms
from minigraph import GradOperation, Parameter, ParameterTuple, Tensor, grad, jit, nn, ops, value_and_grad
from minigraph.core.autodiff.grad import UnusedParameterWarning
from tests.inspection import bits, to_lists
from tests.random_programs import random_program
from tests.tables import error_of

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
SEED = Tensor([10.0, 100.0])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0, 6.0]), name="w")
        self.b = Parameter(Tensor([0.5, 0.5]), name="b")

    def construct(self, x, y):
        return x * y * self.w + self.b


net = Net()
WEIGHTS = net.trainable_params()
FIRST = WEIGHTS[0]


def one(x, y):
    return x * y


def two(x, y):
    return x * y, x + y


def as_list(x, y):
    return [x * y, x + y]


def as_dict(x, y):
    return {"a": x * y, "b": x}


def apply_net(x, y):
    return net(x, y)


def apply_net_with_aux(x, y):
    return net(x, y), x


# ---- return structures of MindSpore 2.10 ---------------------------------------------------------------

GX, GY = [3.0, 4.0], [1.0, 2.0]  # of one: gradients with respect to x and y

NX, NY, GW, GB = [15.0, 24.0], [5.0, 12.0], [3.0, 8.0], [1.0, 1.0]  # of net: by x, y and its weights

RECORDED = (Path(__file__).parents[2] / "programs" / "conf_grad_returns.out").read_text("utf-8").splitlines()
PAIRS = [(line[:46].strip(), line[47:]) for line in RECORDED if line.startswith(("grad(", "value_and_grad("))]
NAMES = {
    "grad": grad, "value_and_grad": value_and_grad, "one": one, "two": two, "lst": as_list, "dct": as_dict, "net": net,
    "wnet": apply_net, "wnet2": apply_net_with_aux, "W": WEIGHTS, "W0": FIRST, "a": "a", "b": "b",
}  # fmt: skip
STRUCTURES = {call: (eval(call, NAMES), eval(text.replace("L[", "["), NAMES)) for call, text in PAIRS} | {
    "grad(apply_net, None, ParameterTuple)": (grad(apply_net, None, ParameterTuple(WEIGHTS)), (GW, GB)),
    "grad(one, (), W) of no weights": (grad(one, None, ()), ()),
    "a position wanted twice": (grad(one, (0, 0)), (GX, GX)),
    "a weight wanted twice": (grad(apply_net, None, [FIRST, FIRST]), (GW, GW)),
    "unused inputs have zero gradients": (grad(lambda x, y: x, (0, 1)), ([1.0, 1.0], [0.0, 0.0])),
    "GradOperation()": (GradOperation()(net), NX),
    "GradOperation(get_all)": (GradOperation(get_all=True)(net), (NX, NY)),
    "GradOperation(get_by_list)": (GradOperation(get_by_list=True)(net, ParameterTuple(WEIGHTS)), (GW, GB)),
    "GradOperation(get_by_list), all weights": (GradOperation(get_by_list=True)(net), (GW, GB)),
    "GradOperation(both)": (GradOperation(True, True)(net, ParameterTuple(WEIGHTS)), ((NX, NY), (GW, GB))),
}


@pytest.mark.parametrize(("gradient", "expected"), STRUCTURES.values(), ids=STRUCTURES)
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_return_structures(gradient, expected, wrapped):
    assert to_lists(wrapped(gradient)(X, Y)) == expected
    assert len(PAIRS) == 32, "the recording is read"


SENSITIVE = {
    "grad": (grad(one, 0, sens_param=True), [30.0, 400.0]),
    "GradOperation": (GradOperation(sens_param=True)(net), [150.0, 2400.0]),
    "GradOperation(get_all)": (GradOperation(get_all=True, sens_param=True)(net), ([150.0, 2400.0], [50.0, 1200.0])),
}


@pytest.mark.parametrize(("gradient", "expected"), SENSITIVE.values(), ids=SENSITIVE)
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_the_sensitivity_is_the_last_argument_or_a_keyword(gradient, expected, wrapped):
    assert to_lists(wrapped(gradient)(X, Y, SEED)) == expected
    assert to_lists(wrapped(gradient)(X, Y, sens=SEED)) == expected


NO_WEIGHTS = "TypeError: grad: weights must be Parameters, got "
NO_POSITION = "TypeError: For 'F.grad', the 'grad_position' must be int or tuple."
TOO_FAR = "RuntimeError: Position index 2 is exceed input size."
ONE_OUTPUT = "ValueError: When has_aux is True, origin fn requires more than one outputs."
BY_LIST = "UsageError: GradOperation: get_by_list of a function"
OTHER_SHAPE = "ValueError: grad: outputs have shapes [(2,)], sensitivities [()]; give one for each"
REFUSALS = {
    "neither": (lambda: grad(one, None), "ValueError: `grad_position` and `weight` can not be None at the same time."),
    "position -1": (lambda: grad(one, -1), "ValueError: grad_position must be >= 0."),
    "position [0]": (lambda: grad(one, [0]), NO_POSITION),
    "out of range": (lambda: grad(one, 2)(X, Y), TOO_FAR),
    "has_aux, one output": (lambda: grad(one, 0, None, True)(X, Y), ONE_OUTPUT),
    "out of range, inside of jit": (lambda: jit(grad(one, 2))(X, Y), TOO_FAR),
    "has_aux, inside of jit": (lambda: jit(grad(one, 0, None, True))(X, Y), ONE_OUTPUT),
    "a weight that is none": (lambda: grad(one, None, [X]), NO_WEIGHTS + "Tensor"),
    "a tensor for the weights": (lambda: grad(one, None, X), NO_WEIGHTS + "Tensor"),
    "a number for the weights": (lambda: grad(one, None, 3), NO_WEIGHTS + "int"),
    "position True": (lambda: grad(one, True), NO_POSITION),
    "position text": (lambda: grad(one, (0, "x")), NO_POSITION),
    "no function": (lambda: grad(X), "TypeError: grad: needs a function or a Cell, got Tensor"),
    "weights of a function": (lambda: GradOperation(get_by_list=True)(one), BY_LIST),
    "no sensitivity": (lambda: grad(one, None, FIRST, sens_param=True)(), "UsageError: grad: sens_param=True needs"),
    "a sensitivity of another shape": (lambda: grad(one, sens_param=True)(X, Y, Tensor(1.0)), OTHER_SHAPE),
}


@pytest.mark.parametrize(("call", "message"), REFUSALS.values(), ids=REFUSALS)
def test_errors(call, message):
    text = error_of(call, error=ms.errors.MinigraphError)
    assert text.startswith(message) and f"(test_grad.py:{call.__code__.co_firstlineno}" in text
    assert len(text.splitlines()) <= 2


# ---- values ------------------------------------------------------------------------------------------


ONES = Tensor([1.0, 1.0])
VALUES = {
    "equal arguments have gradients of their own": (grad(one, (0, 1)), (X, X), (GY, GY)),
    "the same tensor used often": (grad(lambda x: x * x * x + x), (X,), [4.0, 13.0]),
    "an argument that is no tensor has no gradient": (grad(lambda x, k: x * k, (0, 1)), (X, 2.0), [2.0, 2.0]),
    "nor has it alone": (grad(lambda k, x: x * k), (2.0, X), ()),
    "none flows through bools": (grad(lambda x: x * 2.5), (Tensor([True]),), [False]),
    "nor through cut off fractions": (grad(lambda x: x.astype(ms.int32).astype(ms.float32) * 3.0), (X,), [0.0, 0.0]),
    "keywords reach the function": (partial(grad(lambda x, *, k: x * k), k=Y), (X,), GX),
    "a function that returns its argument": (grad(lambda x: x), (X,), [1.0, 1.0]),
    "outputs that are no scalars are seeded with ones": (grad(lambda x: x.reshape(2, 1) * Y), (X,), [7.0, 7.0]),
    "get_all of one input is a tuple of one": (GradOperation(get_all=True)(lambda x: x * x), (X,), ([2.0, 4.0],)),
    "sensitivities of several outputs": (grad(two, 0, sens_param=True), (X, Y, (SEED, SEED)), [40.0, 500.0]),
    "perturbations are not confused": (grad(lambda x: x * grad(lambda y: x + y)(ONES)), (X,), [1.0, 1.0]),
    "nor by a product": (grad(lambda x: x * grad(lambda y: x * y)(x)), (X,), [2.0, 4.0]),
    "an outer variable of an inner gradient": (grad(lambda x: grad(lambda y: y * y * x)(Y).sum()), (X,), [6.0, 8.0]),
}


@pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")
@pytest.mark.parametrize(("gradient", "args", "expected"), VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_values(gradient, args, expected, wrapped):
    assert to_lists(wrapped(gradient)(*args)) == expected


def test_loops_and_branches_of_python():
    def fn(x, n):
        for i in range(n):
            x = x * 2.0 if i % 2 else x * x
        return x if x.sum() > 100.0 else -x

    assert to_lists(grad(fn)(X, 3)) == [-16.0, -128.0]
    assert to_lists(grad(fn)(X * 2.0, 3)) == [128.0, 1024.0]
    while_loop = grad(lambda x: x * 3.0 if x.sum() < 5.0 else x)
    assert to_lists(while_loop(X)) == [3.0, 3.0]
    assert to_lists(while_loop(X * 10.0)) == [1.0, 1.0]


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_an_unused_weight_causes_a_warning_with_its_name_at_the_users_line(wrapped):
    unused = Parameter(Tensor([1.0]), name="fc.bias")
    with pytest.warns(UnusedParameterWarning, match="gradient w.r.t. 'fc.bias' is zero because the loss") as caught:
        assert to_lists(wrapped(grad(lambda x: x * 2.0, None, unused))(X)) == [0.0]
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("dtype", [ms.int8, ms.int64])
def test_gradients_of_integers_are_integers_and_a_float_cast_is_undone(dtype):
    squared = grad(lambda x: x * x)(Tensor([3, 4], dtype))
    spread = grad(lambda x: x * Tensor([1, 2, 3], dtype))(Tensor([3], dtype))
    assert (squared.dtype, to_lists([squared, spread]), spread.dtype) == (dtype, [[6, 8], [6]], dtype)
    cast = grad(lambda x: (x.astype(ms.float64) * 3.0).sum())(Tensor([1.0], ms.float16))
    assert (cast.dtype, cast.tolist()) == (ms.float16, [3.0])


A_TUPLE = "tuple without a tensor"
NO_TENSORS = [(lambda x: None, "None"), (lambda x: 3.0, "float without a tensor")]
NO_TENSORS += [(lambda x: (1, "a"), A_TUPLE), (lambda x: x.shape, A_TUPLE)]


@pytest.mark.parametrize("of", [grad, value_and_grad, lambda fn: jit(grad(fn)), lambda fn: grad(jit(fn))])
@pytest.mark.parametrize(("fn", "kind"), NO_TENSORS)
def test_arguments_that_are_not_tensors_have_no_gradient(of, fn, kind):
    """MindSpore returns zeros."""
    with pytest.raises(ValueError, match=rf"the function returns {kind}, which has no gradient in .*test_grad.py:\d+"):
        of(fn)(X)
    with pytest.raises(ValueError, match="ndarray without a tensor"):
        grad(lambda x: x.asnumpy() * 2)(X)
    with pytest.raises(TypeError, match=r"(?s)argument 0 is a numpy.ndarray, not a tensor; wrap it.*test_grad.py:\d+"):
        grad(lambda x: x * 2)(np.ones(3, np.float32))


SCALAR = Tensor(2.0)
UNWRITTEN = {
    "of a sum": (lambda: grad(lambda x: x.sum())(X), [1.0, 1.0]),
    "of the argument itself": (lambda: grad(lambda x: x)(SCALAR), 1.0),
    "of what is not used": (lambda: grad(lambda x, y: y)(SCALAR, SCALAR), 0.0),
    "in an inner gradient": (lambda: grad(lambda x: grad(lambda y: (x * y).sum())(x).sum())(X), [1.0, 1.0]),
}


@pytest.mark.parametrize(("gradient", "expected"), UNWRITTEN.values(), ids=UNWRITTEN)
def test_gradients_may_be_written_to(gradient, expected):
    """Constants and repeated elements share memory internally; results must not."""
    gradient().asnumpy()[...] = 7.0
    assert to_lists(gradient()) == expected


# ---- weights that change -----------------------------------------------------------------------------


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_a_weight_assigned_between_forward_and_backward(wrapped):
    weight = Parameter(Tensor([2.0]), name="w")

    def multiply_and_assign(x):
        y = x * weight
        ops.assign(weight, Tensor([100.0]))
        return y

    def fn(x):
        before = weight * x
        ops.assign(weight, x * x)
        return before + weight * 10.0

    assert to_lists(wrapped(grad(multiply_and_assign, 0, weight))(Tensor([3.0]))) == ([2.0], [3.0])
    assert weight.tolist() == [100.0]
    weight.set_data(Tensor([2.0]))
    assert to_lists(wrapped(grad(fn, 0, weight))(Tensor([3.0]))) == ([2.0], [3.0 + 10.0])


def assign_before(x):
    ops.assign(assigned, x * 2)
    return (assigned * x).sum()


def assign_after(x):
    y = (assigned * x).sum()
    ops.assign(assigned, x * 2)
    return y


def assign_twice(x):
    ops.assign(assigned, x * 2)
    ops.assign(assigned, assigned * assigned)
    return assigned.sum()


def assign_result(x):
    return (ops.assign(assigned, x * x) * x).sum()


def assign_add(x):
    ops.assign_add(assigned, x * x)
    return assigned.sum()


def assign_in_a_branch(x):
    if x.sum() > 2:
        ops.assign(assigned, x * x)
        x = x * assigned
    return x


def assign_in_a_loop(x):
    i = Tensor(0)
    while i < 2:
        ops.assign(assigned, x * assigned)
        x = x * assigned
        i = i + 1
    return x


def assign_between_reads(x):
    y = assigned * 2
    ops.assign(assigned, x)
    return (y * assigned).sum()


def assign_a_tensor(x):
    t = x * 2
    ops.assign(t, x * x)
    return (t * x + assigned).sum()


assigned = Parameter(Tensor([1.0, 2.0, 3.0]), name="assigned")
ASSIGNING = {  # the answers of MindSpore 2.10, but for the first, where its two modes differ
    "after": (assign_after, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]),
    "before": (assign_before, [2.0, 6.0, 4.0], [1.0, 3.0, 2.0]),
    "twice": (assign_twice, [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
    "its result": (assign_result, [1.0, 9.0, 4.0], [1.0, 3.0, 2.0]),
    "in place": (assign_add, [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
    "in a branch": (assign_in_a_branch, [1.0, 9.0, 4.0], [1.0, 3.0, 2.0]),
    "in a loop": (assign_in_a_loop, [1.0, 648.0, 432.0], [2.0, 342.0, 156.0]),
    "between reads": (assign_between_reads, [0.0, 0.0, 0.0], [4.0, 10.0, 10.0]),
    "a tensor": (assign_a_tensor, [3.0, 15.0, 8.0], [1.0, 1.0, 1.0]),
}


@pytest.mark.parametrize("way", ["eager", "captured", "of a captured function"])
@pytest.mark.parametrize(("fn", "by_x", "by_weight"), ASSIGNING.values(), ids=ASSIGNING)
def test_the_value_of_ops_assign_is_a_constant_to_gradients(fn, by_x, by_weight, way):
    assigned.set_data(Tensor([1.0, 2.0, 3.0]))
    gradient = grad(jit(fn) if way == "of a captured function" else fn, 0, assigned)
    gradients = (jit(gradient) if way == "captured" else gradient)(Tensor([1.0, 3.0, 2.0]))
    assert to_lists(gradients) == (by_x, by_weight)


def test_plain_tensors_that_are_assigned_while_a_gradient_is_recorded():
    def fn(x):
        y = x * x
        ops.assign(x, x * 10.0)
        return y + x

    x = Tensor([3.0])
    assert to_lists(value_and_grad(fn)(x)) == ([39.0], [7.0])


def test_an_assigned_constant_has_no_gradient_even_if_it_is_garbage():
    """The tape must not mistake another tensor at the same address for the assigned value."""
    for _ in range(50):
        weight = Parameter(Tensor([2.0]), name="w")

        def fn(x, weight=weight):
            ops.assign(weight, Tensor([7.0]))
            others = [x * x for _ in range(20)]
            return weight * 1.0 + others[0] * 0.0

        assert to_lists(grad(fn)(Tensor([3.0]))) == [0.0]


# ---- any order ---------------------------------------------------------------------------------------


def derivative(fn, order):
    for _ in range(order):
        fn = grad(fn)
    return fn


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_orders_one_to_four(order, wrapped):
    x = Tensor([0.3, -0.7], ms.float64)
    fourth, sine = (wrapped(derivative(fn, order))(x).array for fn in (lambda x: x**4, ops.sin))
    assert np.allclose(fourth, math.perm(4, order) * x.array ** (4 - order))
    assert np.allclose(sine, np.sin(x.array + order * np.pi / 2))


def test_mixed_orders_of_inputs_and_weights():
    weight = Parameter(Tensor([2.0, 3.0]), name="w")

    by_weight = grad(lambda x: (x * x * weight * weight).sum(), None, weight)
    assert to_lists(grad(lambda x: by_weight(x).sum())(X)) == [8.0, 24.0]
    assert to_lists(grad(lambda x: by_weight(x).sum(), None, weight)(X)) == [2.0, 8.0]


def test_hessian_vector_products():
    def loss(x):
        return (x.tanh() * x).sum()

    x, v, step = Tensor([0.3, -0.8], ms.float64), Tensor([1.0, 2.0], ms.float64), 1e-6
    product = grad(lambda x: (grad(loss)(x) * v).sum())(x)
    numeric = (grad(loss)(x + v * step).array - grad(loss)(x - v * step).array) / (2 * step)
    assert np.allclose(product.array, numeric, atol=1e-8)


# ---- against jax -------------------------------------------------------------------------------------


def attention(module, q, k, v):
    weights = module.softmax(q @ k.swapaxes(-2, -1) / 2.0)
    return (weights @ v).sum()


def perceptron(module, x, w, b):
    return (module.tanh(x @ w + b[0]) @ w.swapaxes(0, 1)).mean()


def recurrent(module, h, w, x):
    for _ in range(5):
        h = module.tanh(h @ w + x * 0.1)
    return (h * h).sum()


def loop_with_branches(module, x, y, z):
    for i in range(6):
        x = x * y if i % 3 else module.exp(x * 0.1) / (z * z + 1.0)
    return x.sum()


def loss_with_penalty(module, x, y, z):
    return module.log(module.exp(x).sum(-1)).mean() + (x[0] * y).sum() ** 2 + ((z - z.mean()) ** 2).mean()


@pytest.mark.parametrize("fn", [attention, perceptron, recurrent, loop_with_branches, loss_with_penalty])
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_functions_of_many_operators_have_the_gradients_of_jax(fn, wrapped):
    jax = pytest.importorskip("jax")
    jax_functions = SimpleNamespace(softmax=jax.nn.softmax, tanh=jax.numpy.tanh, exp=jax.numpy.exp, log=jax.numpy.log)
    args = [np.random.default_rng(seed).normal(size=(4, 4)) for seed in range(3)]
    with jax.enable_x64(True):
        expected = jax.grad(lambda *xs: fn(jax_functions, *xs), (0, 1, 2))(*args)
    gradients = wrapped(grad(lambda *xs: fn(ops, *xs), (0, 1, 2)))(*map(Tensor, args))
    for gradient, other in zip(gradients, expected, strict=True):
        assert np.allclose(gradient.array, other, rtol=1e-10, atol=1e-12)


# ---- the same bits everywhere ------------------------------------------------------------------------


def as_loss(fn):
    def loss(*args):
        outs, more = fn(*args)
        total = args[0].astype(ms.float32).sum() * 0.0
        for out in (*outs, *more):
            if out.dtype.is_float and out.size:
                total = total + out.astype(ms.float32).sum()
        return total

    return loss


@pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")
@pytest.mark.parametrize("seed", range(40))
def test_gradients_of_random_programs_have_the_same_bits_in_every_mode(seed):
    program = random_program(seed)
    args, loss, positions = program.arguments(0), as_loss(program.function), (0, 1, 2, 3)
    eager = grad(loss, positions)(*args)
    assert [gradient.type for gradient in eager] == [arg.type for arg in args]
    for mode in (jit(grad(loss, positions)), grad(jit(loss), positions), jit(grad(jit(loss), positions))):
        assert bits(mode(*args)) == bits(eager)


def test_used_weights_cause_no_warning_and_may_come_from_a_generator():
    gradient = grad(apply_net, None, (weight for weight in WEIGHTS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert to_lists(gradient(X, Y)) == to_lists(gradient(X, Y)) == (GW, GB)
