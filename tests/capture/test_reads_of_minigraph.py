"""What the program reads of Parameters and settings through methods and functions of minigraph is guarded."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, ParameterTuple, Tensor, nn, ops
from minigraph.compilation import OpByOpWarning
from minigraph.core.errors import CaptureError
from tests.same_as_eager import same_as_eager


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1, weight_init="ones", bias_init="ones")

    def construct(self, x):
        return self.dense(x)


def freezing(read):
    """A program that reads the flags of Parameters with ``read(net)``, and freezes one after each second call."""

    def program():
        net = Net()

        def change(n):
            net.dense.weight.requires_grad = bool(n % 2)

        return lambda x: (x * 2, read(net)), None, change

    program.__name__ = read.__name__
    return program


def flags_of_parameters(net):
    return [p.requires_grad for p in net.get_parameters()]


def flags_by_name(net):
    return {name: p.requires_grad for name, p in net.parameters_and_names()}


def flags_in_a_dict(net):
    return [p.requires_grad for p in sorted(net.parameters_dict().values(), key=lambda p: p.name)]


def flag_of_the_first(net):
    return next(net.dense.get_parameters()).requires_grad


def flags_by_a_generator(net):
    def trainable(cell):
        for p in cell.get_parameters():
            if p.requires_grad:
                yield p.name

    return list(trainable(net))


def flags_by_a_computed_name(net):
    attribute = "".join(["requires", "_grad"])
    return [getattr(p, attribute) for p in net.get_parameters()]


def sum_of_squares(net):
    return sum((p * p).sum() for p in net.get_parameters() if p.requires_grad)


def gradients(net):
    weights = [p for p in net.get_parameters() if p.requires_grad]
    return ms.grad(lambda a: net(a).sum(), None, weights)(Tensor([[1.0, 2.0]]))


def text_of_a_parameter(net):
    return f"{net.dense.weight}", f"{net.dense.weight!s:>90}", repr([net.dense.bias]), str(net.dense.weight)


def text_of_a_tuple(net):
    return str(ParameterTuple(net.get_parameters()))


test_flags_and_texts_of_parameters = same_as_eager(
    *map(freezing, (
        flags_of_parameters, flags_by_name, flags_in_a_dict, flag_of_the_first, flags_by_a_generator,
        flags_by_a_computed_name, sum_of_squares, gradients, text_of_a_parameter, text_of_a_tuple,
    )),
)  # fmt: skip


def a_cell_that_reads_its_own_flags():
    class Penalty(Net):
        def construct(self, x):
            return self.dense(x.reshape(1, 2)) + sum((p * p).sum() for p in self.get_parameters() if p.requires_grad)

    net = Penalty()

    def change(n):
        net.dense.weight.requires_grad = bool(n % 2)

    return lambda x: net(x), None, change


def text_after_a_change_of_the_name_and_the_shape():
    weight = Parameter(Tensor([1.0]), name="w")

    def change(n):
        weight.name = f"w{n}"
        weight.set_data(Tensor(np.ones(n + 2, np.float32)), slice_shape=True)

    return lambda x: (x, f"{weight}"), None, change


def settings():
    before = ms.get_context("max_call_depth")

    def change(n):
        ms.set_context(max_call_depth=before if n == 3 else 500 + n)

    return lambda x: ops.relu(x) * (ms.get_context("max_call_depth") / before), None, change


test_own_flags_texts_and_settings = same_as_eager(
    a_cell_that_reads_its_own_flags, text_after_a_change_of_the_name_and_the_shape, settings
)


# ---- hooks of gradients --------------------------------------------------------------------------


def hooked(read, tensor):
    """A program that takes a gradient with ``read``; hooks of a tensor come and go between the calls."""

    def program():
        handles, log = [], []

        def change(n):
            if n % 2:
                handles.pop().remove()
            else:
                handles.append(tensor.register_hook(lambda g: log.append(n) or g * (n + 2)))

        return read, lambda: log, change

    program.__name__ = read.__name__
    return program


weight, scale = Parameter(Tensor([3.0, 4.0]), name="weight"), Tensor([5.0, 6.0])


def gradient_of_a_parameter(x):
    return ms.grad(lambda a: (a * weight).sum(), None, weight)(x)


def gradient_of_a_parameter_and_an_argument(x):
    return ms.value_and_grad(lambda a: (a * weight).sum(), 0, weight)(x)


def gradient_of_a_closed_over_tensor(x):
    return ms.grad(lambda a: (a * x).sum())(scale)


test_hooks_that_come_and_go = same_as_eager(
    hooked(gradient_of_a_parameter, weight), hooked(gradient_of_a_parameter_and_an_argument, weight),
    hooked(gradient_of_a_closed_over_tensor, scale),
)  # fmt: skip


def test_hooks_of_other_networks_compile_nothing_again():
    step = ms.jit(lambda x: (gradient_of_a_parameter(x), ms.grad(lambda a: (a * x).sum())(x * 2)))
    before, others = step(Tensor([1.0, 2.0]))[0], []
    for _ in range(3):
        others.append(Parameter(Tensor([1.0]), name="other"))
        others[-1].register_hook(lambda g: g * 9)
        assert step(Tensor([1.0, 2.0]))[0].tolist() == before.tolist()
    assert step.cache_info().misses == 1


def a_hook_of_each_call():
    w, gradients = Parameter(Tensor([3.0, 4.0]), name="w"), []

    def step(x):
        gradient = ms.grad(lambda a: (a * w).sum(), None, w)
        handle = w.register_hook(lambda g: g * 10)
        result = gradient(x)
        handle.remove()
        w.register_hook(gradients.append)
        return result, gradient(x)

    return step, lambda: gradients


def a_hook_that_the_call_removes():
    w, handles = Parameter(Tensor([3.0, 4.0]), name="w"), []

    def step(x):
        if handles:
            handles.pop().remove()
        return ms.grad(lambda a: (a * w).sum(), None, w)(x)

    return step, None, lambda n: handles.append(w.register_hook(lambda g: g * 10)) if n == 1 else None


test_hooks_that_the_function_registers_and_removes = same_as_eager(a_hook_of_each_call, a_hook_that_the_call_removes)


@pytest.mark.parametrize("is_parameter", [False, True])
def test_a_hook_of_an_argument(is_parameter):
    def gradient(x):
        return ms.grad(lambda a: (a * a).sum())(x)

    x = Parameter(Tensor([1.0, 2.0]), name="x") if is_parameter else Tensor([1.0, 2.0])
    compiled = ms.jit(gradient)
    assert compiled(x).tolist() == [2.0, 4.0]
    handle = x.register_hook(lambda g: g * 10)
    with pytest.warns(OpByOpWarning, match="a tensor has gradient hooks"):
        assert compiled(x).tolist() == gradient(x).tolist() == [20.0, 40.0]
    assert compiled(Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    handle.remove()
    assert compiled(x).tolist() == [2.0, 4.0]


def test_hooks_of_other_tensors_do_not_prevent_graphs():
    def of_an_argument(x):
        return ms.grad(lambda a: (a * a).sum())(x)

    def of_a_result(x):
        return ms.grad(lambda a: (a * a).sum())(x * 2.0)

    x, p, other = Tensor([1.0, 2.0]), Parameter(Tensor([1.0, 2.0]), name="p"), Tensor([1.0])
    weight.register_hook(lambda g: g * 10)
    for function in (of_an_argument, of_a_result):
        compiled = ms.jit(function)
        assert compiled(x).tolist() == function(x).tolist() and compiled.cache_info().entries
    with pytest.warns(OpByOpWarning, match="a tensor has gradient hooks"):  # any Parameter may be the hooked one
        assert ms.jit(of_an_argument)(p).tolist() == [2.0, 4.0]
    other.register_hook(lambda g: g * 10)
    assert ms.jit(of_a_result)(x).tolist() == of_a_result(x).tolist()
    with pytest.warns(OpByOpWarning, match="a tensor has gradient hooks"):
        assert ms.jit(of_an_argument)(x).tolist() == [2.0, 4.0]


def test_a_hook_that_stays_is_no_part_of_a_graph():
    def step(x):
        weight.register_hook(lambda g: g)
        return x * weight

    with pytest.raises(CaptureError, match="a gradient hook is registered in `weight.register_hook"):
        ms.jit(step, fullgraph=True)(Tensor([1.0, 2.0]))
