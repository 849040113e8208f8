"""What the program reads of Parameters and settings through methods and functions of minigraph is guarded."""

import numpy as np

import minigraph as ms
from minigraph import Parameter, ParameterTuple, Tensor, nn, ops
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
