"""Cell: names and order of what is inside, attributes that are Parameters, both modes, errors, printing."""

import copy
import pickle

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, ParameterTuple, Tensor, nn, ops
from minigraph.capture.sideeffects import SideEffect
from minigraph.core.errors import MinigraphError
from tests.tables import cases, refusals


def names(cells_or_parameters):
    return [item.name for item in cells_or_parameters]


class Leaf(nn.Cell):
    """One named and one unnamed Parameter."""

    def __init__(self):
        super().__init__()
        self.plain = Parameter(Tensor([1.0]))
        self.moving = Parameter(Tensor([2.0]), name="explicit", requires_grad=False)

    def construct(self, x):
        return x * self.plain + self.moving


class Net(nn.Cell):
    """A child before the own Parameter: own ones still come first."""

    def __init__(self):
        super().__init__()
        self.leaf = Leaf()
        self.own = Parameter(Tensor([3.0]))
        self.seq = nn.SequentialCell(nn.Dense(1, 1), nn.ReLU())

    def construct(self, x):
        return self.leaf(x) + self.own


class Counter(nn.Cell):
    """Counts its calls in a Parameter."""

    def __init__(self):
        super().__init__()
        self.n = Parameter(Tensor([0.0]))

    def construct(self, x):
        self.n += 1
        return x * self.n


# ---- what is registered ---------------------------------------------------------------------------


def test_a_parameter_that_has_a_name_keeps_it_in_a_second_cell():
    net, other = nn.Cell(), nn.Cell()
    net.first = Parameter(Tensor([1.0]))
    other.second = net.first
    assert names(other.get_parameters()) == ["first"]


def test_insert_param_to_cell_names_like_an_attribute_and_insert_child_does_not():
    net = nn.Cell()
    net.insert_param_to_cell("late", Parameter(Tensor([0.0])))
    net.insert_child_to_cell("kid", nn.Dense(1, 1))
    assert names(net.get_parameters()) == ["late", "weight", "bias"]
    assert net.late.name == "late"
    assert isinstance(net.kid, nn.Dense)


def test_a_parameter_tuple_registers_its_parameters():
    net = nn.Cell()
    net.state = ParameterTuple((Parameter(Tensor([0.0]), name="s.a"), Parameter(Tensor([0.0]), name="s.b")))
    assert names(net.get_parameters()) == ["s.a", "s.b"]
    net.state = None
    assert list(net.get_parameters()) == []


def test_deleting_or_setting_none_forgets():
    net = Net()
    del net.leaf
    net.own = None
    net.seq = None
    assert list(net.get_parameters()) == []
    assert list(net.cells()) == []
    assert not hasattr(net, "leaf")


# ---- assigning -------------------------------------------------------------------------------------


def test_adding_to_a_parameter_attribute_assigns_in_both_modes(mode):
    counter = Counter()
    parameter = counter.n
    assert [counter(Tensor([1.0])).item() for _ in range(3)] == [1.0, 2.0, 3.0]
    assert counter.n is parameter
    assert parameter.item() == 3.0


def test_adding_to_a_parameter_attribute_inside_a_jitted_function():
    counter = Counter()
    step = ms.jit(lambda x: counter(x) + counter(x))
    assert step(Tensor([1.0])).item() == 3.0
    assert step(Tensor([1.0])).item() == 7.0


def test_assigning_a_tensor_sets_the_parameters_value_and_casts():
    leaf = Leaf()
    parameter = leaf.plain
    leaf.plain = Tensor([7])
    assert leaf.plain is parameter
    assert parameter.dtype is ms.float32
    assert parameter.item() == 7.0


def test_assigning_another_shape_is_refused_with_nothing_changed():
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
def test_a_name_holds_one_kind_of_thing(attribute, value, text):
    net = Net()
    before = names(net.get_parameters())
    with pytest.raises(TypeError, match=text):
        setattr(net, attribute, value)
    assert names(net.get_parameters()) == before


@pytest.mark.parametrize("name", ["", "a.b", "leaf", "construct", 3])
def test_a_name_that_cannot_be_an_attribute_is_refused(name):
    net = Net()
    with pytest.raises(ValueError, match=r"Net: "):
        net.insert_child_to_cell(name, nn.ReLU())
    assert list(net.name_cells()) == ["leaf", "seq"]


# ---- errors in MindSpore's words -------------------------------------------------------------------


def test_a_cell_without_construct_says_so():
    with pytest.raises(AttributeError, match=r"(?m)^For 'Cell', the method 'construct' is not defined\.$") as caught:
        nn.Cell()(Tensor([1.0]))
    assert type(caught.value).__name__ == "AttributeError"


@pytest.mark.parametrize("value", [Parameter(Tensor([1.0])), nn.ReLU(), ParameterTuple(())])
def test_a_forgotten_super_init_says_so(value):
    class Forgetful(nn.Cell):
        def __init__(self):
            self.thing = value

    with pytest.raises(AttributeError, match="The 'Forgetful' object has no attribute '_auto_prefix'"):
        Forgetful()


# ---- both modes ------------------------------------------------------------------------------------


def test_graph_mode_captures_once_and_gives_the_same():
    class Doubled(nn.Cell):
        def construct(self, x):
            return ops.exp(x) * 2

    x, doubled = Tensor([0.1, 0.2]), Doubled()
    eager = doubled(x)
    ms.set_context(mode=ms.GRAPH_MODE)
    compiled = [doubled(x), doubled(x)]
    assert doubled._compiled.cache_info()[:3] == (1, 1, 1)
    assert all(np.array_equal(eager.asnumpy(), c.asnumpy()) for c in compiled)


def test_gradients_flow_through_a_compiled_cell():
    net, x = Net(), Tensor([2.0])
    eager = ms.grad(net, 0, net.trainable_params()[:2])(x)
    ms.set_context(mode=ms.GRAPH_MODE)
    compiled = ms.grad(net, 0, net.trainable_params()[:2])(x)
    assert eager[0].item() == compiled[0].item() == 1.0
    assert [g.item() for g in eager[1]] == [g.item() for g in compiled[1]] == [1.0, 2.0]


def test_a_changed_attribute_is_seen_by_compiled_code():
    class Scale(nn.Cell):
        def __init__(self):
            super().__init__()
            self.factor = 2.0
            self.table = Tensor([1.0])

        def construct(self, x):
            return x * self.factor * self.table

    ms.set_context(mode=ms.GRAPH_MODE)
    scale, x = Scale(), Tensor([1.0])
    assert scale(x).item() == 2.0
    scale.factor = 5.0
    assert scale(x).item() == 5.0
    scale.table = Tensor([10.0])
    assert scale(x).item() == 50.0
    scale.factor = 0.0
    assert not np.signbit(scale(x).item())
    scale.factor = -0.0
    assert np.signbit(scale(x).item())


def test_setting_the_same_value_again_compiles_nothing():
    class Remembering(nn.Cell):
        def construct(self, x):
            self.last_shape = x.shape[0]
            return x + 1

    cell = Remembering()
    step = ms.jit(lambda x: cell(x))
    with pytest.warns(SideEffect, match="'last_shape' of a Remembering is set"):
        for _ in range(4):
            step(Tensor([1.0]))
    assert step.cache_info().misses == 2  # the attribute is new at the first call only


def test_a_counter_in_python_counts_every_call_of_compiled_code():
    class Python(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            return x * self.calls

    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Python()
    with pytest.warns(SideEffect, match="'calls' of a Python is set"):
        assert [cell(Tensor([1.0])).item() for _ in range(3)] == [1.0, 2.0, 3.0]


def test_switching_to_training_compiles_each_side_once():
    class Switch(nn.Cell):
        def construct(self, x):
            return x * 2 if self.training else x * 3

    switch = Switch()
    step = ms.jit(lambda x: switch(x))
    results = [step(Tensor([1.0])).item() for _ in range(3) if switch.set_train(not switch.training)]
    assert results == [2.0, 3.0, 2.0]
    assert step.cache_info().misses == 2


def test_a_jitted_construct_is_compiled_per_instance():
    class Jitted(nn.Cell):
        def __init__(self, factor):
            super().__init__()
            self.factor = Parameter(Tensor([factor]))

        @ms.jit
        def construct(self, x):
            return x * self.factor

    two, three = Jitted(2.0), Jitted(3.0)
    assert [two(Tensor([1.0])).item(), three(Tensor([1.0])).item(), two(Tensor([4.0])).item()] == [2.0, 3.0, 8.0]
    assert two.construct.cache_info() == (1, 1, 1, ("first call (f32[1])",))


def test_jit_of_a_class_compiles_the_construct_of_every_instance():
    @ms.jit(auto_depend=False)
    class Scale(nn.Cell):
        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def construct(self, x):
            return x * self.factor

    assert isinstance(Scale(2.0), nn.Cell)
    assert [Scale(factor)(Tensor([3.0])).item() for factor in (2.0, 4.0)] == [6.0, 12.0]
    assert Scale(2.0).construct.settings.auto_depend is False


def test_deleting_an_attribute_is_noticed_by_compiled_code():
    class Optional(nn.Cell):
        def __init__(self):
            super().__init__()
            self.extra = Parameter(Tensor([1.0]))

        def construct(self, x):
            return x + self.extra if hasattr(self, "extra") else x

    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Optional()
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
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert names(twin.get_parameters()) == names(net.get_parameters())
        twin.own.set_data(Tensor([10.0]))
        assert (twin(x).item(), net(x).item()) == (13.0, 6.0)


# ---- bprop -----------------------------------------------------------------------------------------


class TenFold(nn.Cell):
    """x * y with gradients ten times too large, to be told from the right ones."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return 10 * y * dout, 10 * x * dout


class Around(nn.Cell):
    """A Cell with a ``bprop`` inside of another."""

    def __init__(self):
        super().__init__()
        self.inner = TenFold()

    def construct(self, x, y):
        return self.inner(x, y) + x


JITTED = {
    "not jitted": lambda cell: ms.grad(cell, (0, 1)),
    "jitted gradient": lambda cell: ms.jit(ms.grad(cell, (0, 1))),
    "jitted caller": lambda cell: ms.grad(ms.jit(lambda x, y: cell(x, y)), (0, 1)),
}


@pytest.mark.parametrize("gradient", JITTED.values(), ids=JITTED)
@pytest.mark.parametrize(("make", "wanted"), [(TenFold, [30.0, 20.0]), (Around, [31.0, 20.0])])
def test_bprop_replaces_the_gradient_in_both_modes_and_inside_jit(make, wanted, gradient, mode):
    assert [g.item() for g in gradient(make())(Tensor([2.0]), Tensor([3.0]))] == wanted


# ---- training, printing ----------------------------------------------------------------------------


def test_training_starts_off_and_set_train_recurses_and_returns_the_cell():
    net = Net()
    assert not net.training
    assert net.set_train() is net
    assert net.training
    assert net.seq[0].training
    assert not net.set_train(False).leaf.training
    assert net.set_grad() is net
    assert net.requires_grad


def test_a_tree_prints_with_names_and_indents():
    assert repr(nn.ReLU()) == "ReLU()"
    net = nn.Cell()
    net.fc = nn.Dense(4, 2)
    net.seq = nn.SequentialCell(nn.ReLU())
    assert str(net) == (
        "Cell(\n  (fc): Dense(input_channels=4, output_channels=2, has_bias=True)\n"
        "  (seq): SequentialCell(\n    (0): ReLU()\n  )\n)"
    )


# ---- what MindSpore has and minigraph has not ------------------------------------------------------


def test_methods_that_are_not_supported_say_so_by_name():
    net = nn.Dense(1, 1)
    with pytest.raises(AttributeError, match=r"^mindspore.nn.Cell.to_float exists in MindSpore 2.10 but is not supp"):
        net.to_float(ms.float16)
    assert not hasattr(net, "phase")
    net.phase = "train"
    assert net.phase == "train"


def test_words_of_mindspores_stay_whole_and_the_line_is_in_a_note():
    step = nn.SGD(nn.Dense(2, 2).trainable_params(), 0.1)
    refused = (
        lambda: nn.Cell()(Tensor([1.0])),
        lambda: nn.Momentum([Parameter(Tensor([1.0]), name="a")], 0.1, 1),
        lambda: nn.SequentialCell(nn.Cell())(Tensor([1.0])),
        lambda: step((Tensor([1.0]),)),
    )
    for call in refused:
        with pytest.raises(MinigraphError) as caught:
            call()
        assert "test_cell.py" not in str(caught.value)
        (note,) = caught.value.__notes__
        assert note.startswith("in `") and note.endswith(f"(test_cell.py:{call.__code__.co_firstlineno})")


def test_whatever_a_layer_refuses_names_the_users_line_once():
    refused = (
        lambda: nn.Dense(2, 2, activation="foo"),
        lambda: nn.BatchNorm2d(3)(Tensor([[1.0]])),
        lambda: nn.SequentialCell(nn.BatchNorm2d(3))(Tensor([[1.0]])),
    )
    for call in refused:
        with pytest.raises(MinigraphError) as caught:
            call()
        assert str(caught.value).count(f"(test_cell.py:{call.__code__.co_firstlineno})") == 1


test_refusals = refusals(
    (lambda: nn.Cell().insert_param_to_cell("w", Tensor([1.0])), "must be a Parameter, got Tensor"),
    (lambda: nn.Cell().insert_child_to_cell("f", lambda x: x), "must be a Cell, got function"),
    error=TypeError,
)
