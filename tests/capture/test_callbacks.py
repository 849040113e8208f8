"""Callbacks: the state of functions and Cells that objects of minigraph store is guarded, their source translated."""

import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, grad, jit, nn, ops
from minigraph.capture.callbacks import child_cells, guards_of_callbacks
from tests.same_as_eager import same_as_eager

SCALE = [2.0]


def scaled_loss(out, label):
    return (out - label).sum() * SCALE[0]


def loss_by_exact_type(out, label):
    def double(x):
        return x * 2

    return double(out - label).sum() if type(out) is Tensor else label.sum()


def loss_with_branch(out, label):
    if (out - label).sum() > 0:
        return out.sum()
    return label.sum()


def changing_scale(fn):
    """A program whose state is ``SCALE``, which changes between the calls."""

    def between(number):
        SCALE[0] += 1

    SCALE[0] = 2.0
    return fn, lambda: SCALE[0], between


def with_loss(loss):
    def program():
        step = nn.WithLossCell(nn.SequentialCell(nn.ReLU()), loss)
        return changing_scale(lambda x: step(x, x * 0.5))

    program.__name__ = loss.__name__
    return program


def evaluation():
    evaluate = nn.WithEvalCell(nn.ReLU(), scaled_loss)
    return changing_scale(lambda x: evaluate(x, x)[0])


def distance():
    loss = nn.TripletMarginWithDistanceLoss(lambda a, b: ((a - b) ** 2).sum(-1) * SCALE[0])
    return changing_scale(lambda x: loss(x, x * 2, x * 3))


def multitype_function():
    add = ops.MultitypeFuncGraph("add")

    @add.register("Tensor", "Tensor")
    def add_tensors(x, y):
        return (x + y) * SCALE[0] if type(x) is Tensor else x

    return changing_scale(lambda x: ops.HyperMap()(add, (x, [x]), (x, [x])))


def function_of_a_map():
    mapped = ops.Map(lambda x: x * SCALE[0])
    return changing_scale(lambda x: mapped((x, x + 1)))


def cell_in_a_list():
    class Scaled(nn.Cell):
        def construct(self, x):
            def scale(y):
                return y * SCALE[0]

            return scale(x)

    cells = nn.CellList([Scaled(), Scaled()])
    return changing_scale(lambda x: cells[1](cells[0](x)))


def cell_created_by_the_program():
    class Scaled(nn.Cell):
        def construct(self, x):
            return x * SCALE[0]

    return changing_scale(lambda x: nn.SequentialCell(Scaled())(x))


def hooked(register, hook):
    def program():
        net = nn.SequentialCell(nn.ReLU())
        getattr(net[0], register)(hook)
        return changing_scale(lambda x: net(x) + grad(net)(x))

    program.__name__ = register
    return program


def methods_of_a_primitive():
    class Scaled(ops.Primitive):
        def infer_shape(self, x_shape):
            return x_shape if SCALE else ()

        def infer_dtype(self, x_dtype):
            return x_dtype

        def vm_impl(self, x):
            return x.asnumpy() * SCALE[0]

        def get_bprop(self):
            return lambda x, out, dout: (dout * SCALE[0],)

    return changing_scale(grad(Scaled()))


HOOKS = (
    hooked("register_forward_pre_hook", lambda cell, inputs: inputs[0] * SCALE[0]),
    hooked("register_forward_hook", lambda cell, inputs, output: output * SCALE[0]),
    hooked("register_backward_hook", lambda cell, grad_input, grad_output: (grad_input[0] * SCALE[0],)),
)

test_callbacks_give_eager_modes_results = same_as_eager(
    *map(with_loss, (scaled_loss, loss_by_exact_type, loss_with_branch)),
    evaluation, distance, multitype_function, function_of_a_map, cell_in_a_list, cell_created_by_the_program,
    methods_of_a_primitive, *HOOKS,
)  # fmt: skip


def test_a_branch_of_a_loss_function_is_captured():
    step = nn.WithLossCell(nn.ReLU(), loss_with_branch)
    with warnings.catch_warnings(action="error"):
        compiled = jit(lambda x: step(x, x * 2))
        assert [compiled(Tensor(x)).tolist() for x in ([1.0, 2.0], [-1.0, -2.0])] == [6.0, 0.0]


def test_a_function_registered_after_the_capture_is_used():
    add = ops.MultitypeFuncGraph("add")
    add.register("Number", "Number")(lambda x, y: x + y)
    compiled = jit(lambda x, y: add(x, y))
    with pytest.raises(TypeError, match="nothing registered"):
        compiled(Tensor([1.0]), Tensor([2.0]))
    add.register("Tensor", "Tensor")(lambda x, y: x + y)
    assert compiled(Tensor([1.0]), Tensor([2.0])).tolist() == [3.0]


def test_only_attributes_that_hold_code_of_the_user_are_guarded():
    names = [guard.name for guard in guards_of_callbacks(nn.WithLossCell(nn.ReLU(), scaled_loss))]
    assert names == ["_loss_fn"]
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    assert not list(guards_of_callbacks(net)) and len(list(child_cells(net))) == 2


# ---- state that objects of minigraph keep ------------------------------------------------------------


def a_metric():
    accuracy = nn.Accuracy()
    accuracy.clear()
    accuracy.update(np.array([[0.2, 0.8]]), np.array([1]))
    return (
        lambda x: x * accuracy.eval(), None, lambda n: accuracy.update(np.array([[0.2, 0.8]]), np.array([n % 2]))
    )  # fmt: skip


def a_loss_scale():
    manager = ms.DynamicLossScaleManager(16.0, 2, 3)
    return lambda x: x * manager.get_loss_scale(), None, lambda n: manager.update_loss_scale(n % 2 == 0)


def an_attribute_of_a_callback():
    monitor = ms.LossMonitor(2)

    def change(n):
        monitor._per_print_times = n + 5

    return lambda x: x * monitor._per_print_times, None, change


def a_sum_of_losses():
    loss = nn.Loss()
    loss.clear()
    loss.update(Tensor(1.0))
    return lambda x: x * loss.eval(), None, lambda n: loss.update(Tensor(n + 3.0))


test_objects_that_count = same_as_eager(a_metric, a_loss_scale, an_attribute_of_a_callback, a_sum_of_losses)


# ---- the tables of a Cell ------------------------------------------------------------------------


def layers():
    return nn.SequentialCell(nn.ReLU(), nn.Tanh(), nn.Sigmoid())


def a_child_replaced_in_the_table():
    net = layers()

    def change(n):
        net._cells[str(n % 3)] = nn.Sigmoid() if n % 2 else nn.ELU()

    return lambda x: net(x), None, change


def children_in_another_order():
    net = layers()

    def change(n):
        net._cells["0"] = net._cells.pop("0")

    return lambda x: net(x), None, change


def a_child_without_children_gets_one():
    net = layers()

    def change(n):
        net[0]._cells[str(n)] = nn.ReLU()

    return lambda x: x * len([*net.cells_and_names()]), None, change


def a_member_of_a_list_and_a_dict():
    cells, named = nn.CellList([nn.ReLU()]), nn.CellDict({"tanh": nn.Tanh()})

    def change(n):
        cells._cells["0"] = nn.Tanh()
        named._cells.update({f"elu{n}": nn.ELU()})

    return lambda x: sum(cell(x) for cell in (*cells, *named.values())), None, change


def parameters_in_the_table():
    net = nn.Dense(2, 2)

    def change(n):
        net._params[f"w{n}"] = ms.Parameter(Tensor([1.0]), name=f"w{n}")

    return lambda x: x * len(net.trainable_params()), None, change


def a_child_added_to_the_table_by_the_function():
    net = layers()

    def step(x):
        net._cells[str(len(net))] = nn.ReLU()
        return net(x)

    return step, lambda: len(net)


test_tables_of_a_cell = same_as_eager(
    a_child_replaced_in_the_table, children_in_another_order, a_child_without_children_gets_one,
    a_member_of_a_list_and_a_dict, parameters_in_the_table, a_child_added_to_the_table_by_the_function,
)  # fmt: skip


def test_the_network_itself_follows_its_table():
    ms.set_context(mode=ms.GRAPH_MODE)
    net = layers()
    assert net(Tensor([-1.0])).tolist() == [0.5]
    net._cells["2"] = nn.ReLU()
    assert net(Tensor([-1.0])).tolist() == [0.0]
