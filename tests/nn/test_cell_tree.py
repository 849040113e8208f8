"""The tree of Cells and Parameters: order, paths, shared members, ``apply``."""

from collections import OrderedDict

import pytest

from minigraph import Tensor, grad, jit, nn
from tests.nn.cells import AttributeCell, Leaf, Net, names


class Shared(AttributeCell):
    """One child under two names, around others."""

    def __init__(self):
        super().__init__(a=nn.Dense(1, 1), b=nn.SequentialCell(nn.ReLU(), nn.Tanh()))
        self.c = self.a


# ---- Parameters ------------------------------------------------------------------------------------


def test_names_and_order_of_parameters():
    # an unnamed parameter takes the attributes name and a name is kept
    assert names(Leaf()) == ["plain", "explicit"]
    # own parameters come first then children depth first
    net, expected = Net(), ["own", "leaf.plain", "leaf.moving", "seq.0.weight", "seq.0.bias"]
    assert names(net) == [path for path, _ in net.parameters_and_names()] == list(net.parameters_dict()) == expected
    assert type(net.parameters_dict()) is OrderedDict
    # a prefix precedes every path
    assert [path for path, _ in Net().parameters_and_names("net")][:2] == ["net.own", "net.leaf.plain"]
    assert [path for path, _ in Net().cells_and_names(name_prefix="net")][:2] == ["net", "net.leaf"]


def test_a_compiled_function_notices_that_a_parameter_is_frozen():
    net = nn.Dense(2, 1)
    gradients = jit(lambda x: grad(net, None, net.trainable_params())(x))
    assert len(gradients(Tensor([[1.0, 2.0]]))) == 2
    net.bias.requires_grad = False
    assert len(gradients(Tensor([[1.0, 2.0]]))) == 1


def test_trainable_ones_have_names_of_their_own_and_values_from_the_start():
    # trainable Parameters require a gradient
    net = Net()
    assert names(net.untrainable_params()) == ["leaf.moving"]
    assert len(net.trainable_params()) + 1 == len(list(net.get_parameters()))
    assert names(net.get_parameters(expand=False)) == names(net.trainable_params(recurse=False)) == ["own"]
    # parameters have their values from the start
    net = Net()
    result = net.init_parameters_data()
    assert [id(parameter) for parameter in result] == [id(parameter) for parameter in net.get_parameters()]
    assert all(new is old for old, new in result.items())


def test_equal_names_raise_and_cells_are_found_by_path():
    # equal names raise
    net = Net()
    net.check_names()
    net.leaf.plain.name = "own"
    with pytest.raises(ValueError, match=r"^The value of leaf.plain is Parameter \(name=own.*its name 'own' already"):
        net.check_names()
    # a cell is found by its path
    net = Net()
    assert net.get_sub_cell("seq.1") is net.seq[1]
    assert net.get_sub_cell("") is net
    with pytest.raises(AttributeError, match="^`own` is not an nn.Cell$"):
        net.get_sub_cell("own")
    with pytest.raises(AttributeError, match="^SequentialCell has no attribute `7`$"):
        net.get_sub_cell("seq.7")


# ---- Cells -----------------------------------------------------------------------------------------


def test_a_shared_child_is_listed_once_and_keeps_the_last_prefix():
    net = Shared()
    assert names(net) == ["c.weight", "c.bias"]
    assert list(net.name_cells()) == ["a", "b"]
    assert [path for path, _ in net.cells_and_names()] == ["", "a", "b", "b.0", "b.1"]
    assert list(net.cells()) == [net.a, net.b]


def test_cells_skipped_by_cells_and_names():
    # cells may be left out of the walk
    net = Shared()
    assert [path for path, _ in net.cells_and_names({net.b})] == ["", "a"]
    assert list(net.cells_and_names([net])) == []
    # lists of cells are not searched
    net = nn.Cell()
    net.layers = [nn.Dense(1, 1)]
    assert list(net.get_parameters()) == []
    # children come before their parents
    net, seen = Shared(), []
    assert net.apply(lambda cell: seen.append(type(cell).__name__)) is net
    assert seen == ["Dense", "ReLU", "Tanh", "SequentialCell", "Shared"]


def test_paths_of_ten_thousand_nested_cells():
    root = cell = nn.Cell(auto_prefix=False)
    for _ in range(10_000):
        cell.kid = nn.Cell(auto_prefix=False)
        cell = cell.kid
    assert sum(1 for _ in root.cells_and_names()) == 10_001
    calls = []
    root.apply(calls.append)
    assert (calls[0], calls[-1]) == (cell, root)
