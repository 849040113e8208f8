"""What is inside a Cell: order, paths, what is shared, what is called on all."""

from collections import OrderedDict

import pytest

from minigraph import Tensor, grad, jit, nn
from tests.nn.cells import Leaf, Net, names


class Shared(nn.Cell):
    """One child under two names, around others."""

    def __init__(self):
        super().__init__()
        self.a = nn.Dense(1, 1)
        self.b = nn.SequentialCell(nn.ReLU(), nn.Tanh())
        self.c = self.a


# ---- Parameters ------------------------------------------------------------------------------------


def test_an_unnamed_parameter_takes_the_attributes_name_and_a_name_is_kept():
    assert names(Leaf()) == ["plain", "explicit"]


def test_own_parameters_come_first_then_children_depth_first():
    net, expected = Net(), ["own", "leaf.plain", "leaf.moving", "seq.0.weight", "seq.0.bias"]
    assert names(net) == [path for path, _ in net.parameters_and_names()] == list(net.parameters_dict()) == expected
    assert type(net.parameters_dict()) is OrderedDict


def test_a_compiled_function_notices_that_a_parameter_is_frozen():
    net = nn.Dense(2, 1)
    gradients = jit(lambda x: grad(net, None, net.trainable_params())(x))
    assert len(gradients(Tensor([[1.0, 2.0]]))) == 2
    net.bias.requires_grad = False
    assert len(gradients(Tensor([[1.0, 2.0]]))) == 1


def test_a_prefix_stands_before_every_path():
    assert [path for path, _ in Net().parameters_and_names("net")][:2] == ["net.own", "net.leaf.plain"]
    assert [path for path, _ in Net().cells_and_names(name_prefix="net")][:2] == ["net", "net.leaf"]


def test_trainable_is_what_requires_a_gradient():
    net = Net()
    assert names(net.untrainable_params()) == ["leaf.moving"]
    assert len(net.trainable_params()) + 1 == len(list(net.get_parameters()))
    assert names(net.get_parameters(expand=False)) == names(net.trainable_params(recurse=False)) == ["own"]


def test_names_that_meet_are_told():
    net = Net()
    net.check_names()
    net.leaf.plain.name = "own"
    with pytest.raises(ValueError, match=r"^The value of leaf.plain is Parameter \(name=own.*its name 'own' already"):
        net.check_names()


# ---- Cells -----------------------------------------------------------------------------------------


def test_a_shared_child_is_listed_once_and_keeps_the_last_prefix():
    net = Shared()
    assert names(net) == ["c.weight", "c.bias"]
    assert list(net.name_cells()) == ["a", "b"]
    assert [path for path, _ in net.cells_and_names()] == ["", "a", "b", "b.0", "b.1"]
    assert list(net.cells()) == [net.a, net.b]


def test_cells_may_be_left_out_of_the_walk():
    net = Shared()
    assert [path for path, _ in net.cells_and_names({net.b})] == ["", "a"]
    assert list(net.cells_and_names([net])) == []


def test_lists_of_cells_are_not_looked_into():
    net = nn.Cell()
    net.layers = [nn.Dense(1, 1)]
    assert list(net.get_parameters()) == []


def test_paths_of_ten_thousand_nested_cells():
    root = cell = nn.Cell(auto_prefix=False)
    for _ in range(10_000):
        cell.kid = nn.Cell(auto_prefix=False)
        cell = cell.kid
    assert sum(1 for _ in root.cells_and_names()) == 10_001
    calls = []
    root.apply(calls.append)
    assert calls[0] is cell
    assert calls[-1] is root


def test_children_come_before_what_they_are_in():
    net, seen = Shared(), []
    assert net.apply(lambda cell: seen.append(type(cell).__name__)) is net
    assert seen == ["Dense", "ReLU", "Tanh", "SequentialCell", "Shared"]


def test_parameters_have_their_values_from_the_start():
    net = Net()
    found = net.init_parameters_data()
    assert [id(one) for one in found] == [id(one) for one in net.get_parameters()]
    assert all(new is old for old, new in found.items())


def test_a_cell_is_found_by_its_path():
    net = Net()
    assert net.get_sub_cell("seq.1") is net.seq[1]
    assert net.get_sub_cell("") is net
    with pytest.raises(AttributeError, match="^`own` is not an nn.Cell$"):
        net.get_sub_cell("own")
    with pytest.raises(AttributeError, match="^SequentialCell has no attribute `7`$"):
        net.get_sub_cell("seq.7")
