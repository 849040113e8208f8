"""Cell: names and order of members, attributes that are Parameters, both modes, errors, printing."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, ParameterTuple, Tensor, errors, nn, ops
from minigraph.compilation import OpByOpWarning
from tests.nn.cells import AttributeCell, Leaf, Net, names
from tests.tables import cases, error_cases, every


class Counter(AttributeCell):
    """Counts its calls in a Parameter."""

    def construct(self, x):
        self.n += 1
        return x * self.n


def counter_cell():
    return Counter(n=Parameter(Tensor([0.0])))


# ---- registration ---------------------------------------------------------------------------------


def test_names_of_parameters_in_a_second_cell_inserted_and_in_a_tuple():
    # a parameter that has a name keeps it in a second cell
    net = AttributeCell(first=Parameter(Tensor([1.0])))
    assert names(AttributeCell(second=net.first)) == ["first"]
    # insert param to cell names like an attribute and insert child does not
    net = nn.Cell()
    net.insert_param_to_cell("late", Parameter(Tensor([0.0])))
    net.insert_child_to_cell("kid", nn.Dense(1, 1))
    assert names(net) == ["late", "weight", "bias"]
    assert (net.late.name, type(net.kid)) == ("late", nn.Dense)
    # a parameter tuple registers its parameters
    net = AttributeCell(state=ParameterTuple(Parameter(Tensor([0.0]), name=name) for name in ("s.a", "s.b")))
    assert names(net) == ["s.a", "s.b"]
    net.state = None
    assert names(net) == []


def test_deleting_or_setting_none_unregisters():
    net = Net()
    del net.leaf
    net.own = net.seq = None
    assert (names(net), list(net.cells()), hasattr(net, "leaf")) == ([], [], False)


# ---- assigning -------------------------------------------------------------------------------------


def test_adding_to_a_parameter_attribute_assigns_in_both_modes_and_inside_of_functions(mode):
    # adding to a parameter attribute assigns in both modes
    counter = counter_cell()
    parameter = counter.n
    assert [counter(Tensor([1.0])).item() for _ in range(3)] == [1.0, 2.0, 3.0]
    assert counter.n is parameter
    assert parameter.item() == 3.0
    # adding to a parameter attribute inside a jitted function
    counter = counter_cell()
    step = ms.jit(lambda x: counter(x) + counter(x))
    assert [step(Tensor([1.0])).item() for _ in range(2)] == [3.0, 7.0]


def test_assigning_a_tensor_casts_and_another_shape_raises():
    # assigning a tensor sets the parameters value and casts
    leaf = Leaf()
    parameter = leaf.plain
    leaf.plain = Tensor([7])
    assert leaf.plain is parameter
    assert (parameter.dtype, parameter.item()) == (ms.float32, 7.0)
    # assigning another shape raises and changes nothing
    leaf = Leaf()
    with pytest.raises(ms.errors.ShapeError, match="plain"):
        leaf.plain = Tensor([1.0, 2.0])
    assert leaf.plain.item() == 1.0


@cases(
    ("own", 3.0, "Parameter 'own' already exists in network, can not assign this type"),
    ("leaf", 3.0, "the type of leaf must be cell, but got float"),
    ("own", nn.ReLU(), "'own' is a Parameter, got a ReLU"),
    ("leaf", Parameter(Tensor([1.0])), "'leaf' is a Leaf, got a Parameter"),
)
def test_a_name_is_a_parameter_or_a_cell(attribute, value, text):
    net = Net()
    before = names(net)
    with pytest.raises(TypeError, match=text):
        setattr(net, attribute, value)
    assert names(net) == before


@pytest.mark.parametrize("name", ["", "a.b", "leaf", "construct", 3])
def test_invalid_attribute_names_raise(name):
    net = Net()
    with pytest.raises(KeyError if name == "a.b" else ValueError, match=r"Net: "):
        net.insert_child_to_cell(name, nn.ReLU())
    assert list(net.name_cells()) == ["leaf", "seq"]


# ---- MindSpore's error messages -------------------------------------------------------------------


def test_a_cell_without_construct_raises():
    with pytest.raises(AttributeError, match=r"(?m)^For 'Cell', the method 'construct' is not defined\.$") as caught:
        nn.Cell()(Tensor([1.0]))
    assert type(caught.value).__name__ == "AttributeError"


@pytest.mark.parametrize("value", [Parameter(Tensor([1.0])), nn.ReLU(), ParameterTuple(())])
def test_a_forgotten_super_init_raises(value):
    class Forgetful(nn.Cell):
        def __init__(self):
            self.thing = value

    with pytest.raises(AttributeError, match="The 'Forgetful' object has no attribute '_auto_prefix'"):
        Forgetful()


# ---- both modes ------------------------------------------------------------------------------------


def test_graph_mode_captures_once_with_equal_results():
    class Doubled(nn.Cell):
        def construct(self, x):
            return ops.exp(x) * 2

    x, doubled = Tensor([0.1, 0.2]), Doubled()
    eager = doubled(x).asnumpy().tobytes()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert [doubled(x).asnumpy().tobytes() for _ in range(2)] == [eager, eager]
    assert doubled._compiled.cache_info()[:3] == (1, 1, 1)


def test_gradients_flow_through_a_compiled_cell():
    net, result = Net(), []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        by_input, by_weight = ms.grad(net, 0, net.trainable_params()[:2])(Tensor([2.0]))
        result.append((by_input.item(), [g.item() for g in by_weight]))
    assert result == [(1.0, [1.0, 2.0])] * 2


def test_a_changed_attribute_recompiles():
    class Scale(AttributeCell):
        def construct(self, x):
            return x * self.factor * self.table

    ms.set_context(mode=ms.GRAPH_MODE)
    scale, x = Scale(factor=2.0, table=Tensor([1.0])), Tensor([1.0])
    assert scale(x).item() == 2.0
    for name, value, result in (("factor", 5.0, 5.0), ("table", Tensor([10.0]), 50.0)):
        setattr(scale, name, value)
        assert scale(x).item() == result
    for zero in (0.0, -0.0):
        scale.factor = zero
        assert np.signbit(scale(x).item()) == np.signbit(zero)


def test_a_counter_in_python_counts_every_call_of_compiled_code():
    class Python(AttributeCell):
        def construct(self, x):
            self.calls += 1
            return x * self.calls

    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Python(calls=0)
    with pytest.warns(OpByOpWarning, match="'calls' of a Python is set"):
        assert [cell(Tensor([1.0])).item() for _ in range(3)] == [1.0, 2.0, 3.0]


def test_switching_to_training_compiles_each_side_once():
    class Switch(nn.Cell):
        def construct(self, x):
            return x * 2 if self.training else x * 3

    switch = Switch()
    step = ms.jit(lambda x: switch(x))
    results = [step(Tensor([1.0])).item() for _ in range(3) if switch.set_train(not switch.training)]
    assert (results, step.cache_info().misses) == ([2.0, 3.0, 2.0], 2)


def test_setting_the_same_value_again_compiles_nothing():
    class Remembering(nn.Cell):
        def construct(self, x):
            self.last_shape = x.shape[0]
            return x + 1

    cell = Remembering()
    step = ms.jit(lambda x: cell(x))
    with pytest.warns(OpByOpWarning, match="'last_shape' of a Remembering is set"):
        for _ in range(4):
            step(Tensor([1.0]))
    assert step.cache_info()[:2] == (2, 1)  # the attribute is new at the first call only


def test_a_jitted_construct_is_compiled_per_instance():
    class Jitted(AttributeCell):
        @ms.jit
        def construct(self, x):
            return x * self.factor

    two, three = (Jitted(factor=Parameter(Tensor([factor]))) for factor in (2.0, 3.0))
    assert [two(Tensor([1.0])).item(), three(Tensor([1.0])).item(), two(Tensor([4.0])).item()] == [2.0, 3.0, 8.0]
    assert two.construct.cache_info()[:4] == (1, 1, 1, ("first call (f32[1])",))


def test_jit_of_a_class_compiles_the_construct_of_every_instance():
    @ms.jit(auto_depend=False)
    class Scale(AttributeCell):
        def construct(self, x):
            return x * self.factor

    created = [Scale(factor=factor) for factor in (2.0, 4.0)]
    assert isinstance(created[0], nn.Cell)
    assert [scale(Tensor([3.0])).item() for scale in created] == [6.0, 12.0]
    assert created[0].construct.settings.auto_depend is False


def test_deleting_an_attribute_recompiles():
    class Optional(AttributeCell):
        def construct(self, x):
            return x + self.extra if hasattr(self, "extra") else x

    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Optional(extra=Parameter(Tensor([1.0])))
    assert cell(Tensor([1.0])).item() == 2.0
    del cell.extra
    assert cell(Tensor([1.0])).item() == 1.0


def test_jit_of_a_cell_leaves_its_attributes_its_own():
    net = Net()
    net.graph = 3
    step = ms.jit(net)
    assert step(Tensor([2.0])).item() == 7.0
    assert step.graph(Tensor([2.0])).title == "Net"


def test_copies_and_pickles_are_independent_and_compile_anew():
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = Net(), Tensor([1.0])
    net(x)
    for clone in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert names(clone.get_parameters()) == names(net.get_parameters())
        clone.own.set_data(Tensor([10.0]))
        assert (clone(x).item(), net(x).item()) == (13.0, 6.0)


# ---- bprop -----------------------------------------------------------------------------------------


class TenFold(nn.Cell):
    """x * y with gradients ten times too large, to distinguish them."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return 10 * y * dout, 10 * x * dout


class Around(AttributeCell):
    """A Cell with a ``bprop`` inside of another."""

    def construct(self, x, y):
        return self.inner(x, y) + x


JITTED = {
    "not jitted": lambda cell: ms.grad(cell, (0, 1)),
    "jitted gradient": lambda cell: ms.jit(ms.grad(cell, (0, 1))),
    "jitted caller": lambda cell: ms.grad(ms.jit(lambda x, y: cell(x, y)), (0, 1)),
}


@pytest.mark.parametrize("gradient", JITTED.values(), ids=JITTED)
@cases((TenFold, [30.0, 20.0]), (lambda: Around(inner=TenFold()), [31.0, 20.0]))
def test_bprop_replaces_the_gradient_in_both_modes_and_inside_jit(gradient, mode, make, expected):
    assert [g.item() for g in gradient(make())(Tensor([2.0]), Tensor([3.0]))] == expected


# ---- training, printing ----------------------------------------------------------------------------


def test_training_starts_off_and_set_train_recurses_and_returns_the_cell():
    net = Net()
    assert not net.training
    assert net.set_train() is net
    assert net.training and net.seq[0].training
    assert not net.set_train(False).leaf.training
    assert net.set_grad() is net
    assert net.requires_grad


def test_a_tree_prints_with_names_and_indents():
    assert repr(nn.ReLU()) == "ReLU()"
    assert str(AttributeCell(fc=nn.Dense(4, 2), seq=nn.SequentialCell(nn.ReLU()))) == (
        "AttributeCell(\n  (fc): Dense(input_channels=4, output_channels=2, has_bias=True)\n"
        "  (seq): SequentialCell(\n    (0): ReLU()\n  )\n)"
    )


# ---- names of MindSpore that minigraph lacks ------------------------------------------------------


def test_unsupported_methods_raise_by_name():
    net = nn.Dense(1, 1)
    with pytest.raises(AttributeError, match=r"^mindspore.nn.Cell.shard exists in MindSpore 2.10 but is not supp"):
        net.shard(((1, 1),))
    assert not hasattr(net, "compiled")
    net.compiled = True
    assert net.compiled is True


STEP = nn.SGD(nn.Dense(2, 2).trainable_params(), 0.1)


def error_and_position(call):
    """The error, and the end of the note with the line of the call."""
    with pytest.raises(errors.MinigraphError) as caught:
        call()
    return caught.value, f"(test_cell.py:{call.__code__.co_firstlineno})"


@every(
    call=[
        lambda: nn.Cell()(Tensor([1.0])),
        lambda: nn.Momentum([Parameter(Tensor([1.0]), name="a")], 0.1, 1),
        lambda: nn.SequentialCell(nn.Cell())(Tensor([1.0])),
        lambda: STEP((Tensor([1.0]),)),
    ]
)
def test_mindspores_messages_are_unchanged_and_the_line_is_in_a_note(call):
    error, position = error_and_position(call)
    assert "test_cell.py" not in str(error)
    (note,) = error.__notes__
    assert note.startswith("in `") and note.endswith(position)


@every(
    call=[
        lambda: nn.Dense(2, 2, activation="foo"),
        lambda: nn.BatchNorm2d(3)(Tensor([[1.0]])),
        lambda: nn.SequentialCell(nn.BatchNorm2d(3))(Tensor([[1.0]])),
    ]
)
def test_errors_of_layers_report_the_users_line_once(call):
    error, position = error_and_position(call)
    assert str(error).count(position) == 1


test_errors = error_cases(
    (lambda: nn.Cell().insert_param_to_cell("w", Tensor([1.0])), "must be a Parameter, got Tensor"),
    (lambda: nn.Cell().insert_child_to_cell("f", lambda x: x), "must be a Cell, got function"),
    error=TypeError,
)


class Counted(nn.Cell):
    """Its ``__call__`` calls the one of ``Cell`` once, and changes the inputs, the outputs and its state."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def __call__(self, x, scale=2):
        self.calls += 1
        return super().__call__(x * scale) * 10

    def construct(self, x):
        if x.sum() > 2:
            return x + 1
        return x - 1


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Counted()

    def construct(self, x):
        return self.inner(x)


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_an_overridden_call_runs_once(mode):
    ms.set_context(mode=mode)
    net, outer = Counted(), Outer()
    assert [net(Tensor([1.0])).tolist(), net(Tensor([3.0]), scale=1).tolist()] == [[10.0], [40.0]]
    assert [outer(Tensor([1.0])).tolist(), outer(Tensor([3.0])).tolist()] == [[10.0], [70.0]]
    assert (net.calls, outer.inner.calls) == (2, 2)


def test_an_overridden_call_with_a_part_op_by_op():
    class Split(Counted):
        def construct(self, x):
            y = x * 2 + 1
            limit = float(y.sum())
            z = y * limit + 1
            return z * 2

    results = []
    for context_mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=context_mode)
        net = Split()
        with warnings.catch_warnings(action="ignore"):
            results.append([net(Tensor([value])).tolist() for value in (1.0, 2.0)])
    assert results[0] == results[1]
