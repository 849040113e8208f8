"""CellList and SequentialCell: names, list behaviour, calls."""

import re
from collections import OrderedDict

import pytest

from minigraph import Tensor, nn


class Plus(nn.Cell):
    """Adds a number."""

    def __init__(self, amount):
        super().__init__()
        self.amount = amount

    def construct(self, x):
        return x + self.amount


CONTAINERS = [nn.CellList, nn.SequentialCell]


def names(cell):
    return [parameter.name for parameter in cell.get_parameters()]


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("spread", [True, False])
def test_cells_are_named_by_position_and_their_parameters_with_them(kind, spread):
    cells = [nn.Dense(1, 1), nn.ReLU(), nn.Dense(1, 1, has_bias=False)]
    made = kind(*cells) if spread else kind(cells)
    assert names(made) == ["0.weight", "0.bias", "2.weight"]
    assert list(made) == cells
    assert len(made) == 3


def test_a_dict_gives_the_names():
    made = nn.SequentialCell(OrderedDict(first=nn.Dense(1, 1), second=nn.ReLU()))
    assert list(made.name_cells()) == ["first", "second"]
    assert names(made) == ["first.weight", "first.bias"]


def test_sequential_calls_in_order():
    assert nn.SequentialCell(Plus(1), nn.ReLU(), Plus(10))(Tensor([-3.0])).item() == 10.0


@pytest.mark.parametrize("kind", CONTAINERS)
def test_indexing_slicing_and_replacing(kind):
    one, two, three = Plus(1), Plus(2), Plus(3)
    made = kind(one, two, three)
    assert made[0] is one
    assert made[-1] is three
    assert type(made[1:]) is kind
    assert list(made[1:]) == [two, three]
    made[1] = nn.Dense(1, 1)
    assert names(made) == ["1.weight", "1.bias"]


@pytest.mark.parametrize("kind", CONTAINERS)
def test_growing(kind):
    made = kind().append(Plus(1)).extend([nn.Dense(1, 1), Plus(2)])
    assert names(made) == ["1.weight", "1.bias"]
    assert len(made) == 3


def test_a_slice_keeps_the_names_of_the_parameters():
    made = nn.SequentialCell(nn.ReLU(), nn.Dense(1, 1))
    assert names(made[1:]) == ["1.weight", "1.bias"]


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_outside_is_refused(index):
    with pytest.raises(IndexError, match=re.escape(f"no item {index} among 3; use -3 to 2")):
        nn.CellList([Plus(1), Plus(2), Plus(3)])[index]


def test_only_cells_are_taken():
    with pytest.raises(TypeError, match="item 1 must be a Cell, got function"):
        nn.SequentialCell(Plus(1), lambda x: x)


def test_a_cell_list_computes_nothing():
    with pytest.raises(AttributeError, match="'construct' is not defined"):
        nn.CellList([Plus(1)])(Tensor([1.0]))
