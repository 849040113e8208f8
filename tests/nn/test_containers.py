"""Containers: names, behaviour of lists and dicts, calls."""

import re
from collections import OrderedDict

import pytest

from minigraph import Tensor, jit, nn
from tests.nn.cells import AttributeCell, names
from tests.tables import cases, error_cases, every


class Plus(AttributeCell):
    """Adds a number."""

    def __init__(self, amount):
        super().__init__(amount=amount)

    def construct(self, x):
        return x + self.amount


CONTAINERS = [nn.CellList, nn.SequentialCell]


@every(spread=[True, False], kind=CONTAINERS)
def test_cells_are_named_by_position_and_their_parameters_with_them(kind, spread):
    cells = [nn.Dense(1, 1), nn.ReLU(), dense()]
    created = kind(*cells) if spread else kind(cells)
    assert (names(created), list(created), len(created)) == (["0.weight", "0.bias", "2.weight"], cells, 3)


def test_names_of_dicts_slices_and_growing_values():
    # a dict gives the names
    created = nn.SequentialCell(OrderedDict(first=nn.Dense(1, 1), second=nn.ReLU()))
    assert list(created.name_cells()) == ["first", "second"]
    assert names(created) == ["first.weight", "first.bias"]
    # sequential calls in order
    assert nn.SequentialCell(Plus(1), nn.ReLU(), Plus(10))(Tensor([-3.0])).item() == 10.0
    # a slice keeps the names of the parameters
    assert names(nn.SequentialCell(nn.ReLU(), nn.Dense(1, 1))[1:]) == ["1.weight", "1.bias"]
    # names in lists that grow are mindspores
    net = AttributeCell(a=nn.CellList(), b=nn.CellList([nn.SequentialCell(nn.ReLU(), dense())]))
    for _ in range(2):
        net.a.append(nn.SequentialCell(dense(), dense()))
    net.b.append(dense())
    expected = ["0.0.weight", "0.1.weight", "0.1.0.weight", "0.1.1.weight", "b.0.1.weight", "b.1.weight"]
    assert names(net) == expected  # as MindSpore 2.10 prints them
    # names given stay when others go
    created = nn.SequentialCell(OrderedDict(a=Plus(1), b=dense(), c=Plus(3)))
    del created[0]
    created.append(Plus(4))
    assert (list(created.name_cells()), names(created)) == (["b", "c", "2"], ["b.weight"])


@every(kind=CONTAINERS)
def test_indexing_slicing_replacing_and_growing(kind):
    one, two, three = Plus(1), Plus(2), Plus(3)
    created = kind(one, two, three)
    assert (created[0], created[-1], type(created[1:]), list(created[1:])) == (one, three, kind, [two, three])
    created[1] = nn.Dense(1, 1)
    assert names(created) == ["1.weight", "1.bias"]
    created = kind().append(Plus(1)).extend([nn.Dense(1, 1), Plus(2)])
    assert (names(created), len(created)) == (["1.weight", "1.bias"], 3)


@every(index=[3, -4])
def test_an_index_out_of_range_raises(index):
    with pytest.raises(IndexError, match=re.escape(f"no item {index} among 3; use -3 to 2")):
        nn.CellList([Plus(1), Plus(2), Plus(3)])[index]


def dense():
    return nn.Dense(1, 1, has_bias=False)


class Held(AttributeCell):
    """A container in a Cell: a layer with Parameters, one without, and another with."""

    def __init__(self, kind):
        super().__init__(held=kind([dense()]))
        self.held.append(nn.ReLU())
        self.held.append(dense())


@pytest.mark.parametrize("kind", CONTAINERS)
class TestInACell:
    def test_appended_members_are_named_like_the_others(self, kind):
        assert names(Held(kind)) == ["held.0.weight", "held.2.weight"]

    def test_deleted_members_leave_no_gap(self, kind):
        net = Held(kind)
        del net.held[0]
        assert (names(net), len(net.held)) == (["held.1.weight"], 2)
        with pytest.raises(IndexError, match="no item 2 among 2; use -2 to 1"):
            del net.held[2]

    def test_inserted_members_shift_the_names(self, kind):
        net = Held(kind)
        first, _, last = net.held
        net.held.insert(0, nn.Dense(1, 1))
        assert names(net) == ["held.0.weight", "held.0.bias", "held.1.weight", "held.3.weight"]
        assert (net.held[1], net.held[3], list(net.held.name_cells())) == (first, last, ["0", "1", "2", "3"])
        del net.held[:2]
        assert names(net) == ["held.1.weight"]
        assert net.held[1](Tensor([[2.0]])).item() == 2 * last.weight.item()

    def test_a_replacement_takes_the_name(self, kind):
        net = Held(kind)
        net.held[1] = nn.Dense(1, 1, has_bias=False)
        net.held += [nn.Dense(1, 1, has_bias=False)]
        assert names(net) == [f"held.{i}.weight" for i in range(4)]

    @pytest.mark.parametrize(("index", "cell"), [(9, nn.ReLU()), (0, 3)])
    def test_errors_change_nothing(self, kind, index, cell):
        net = Held(kind)
        with pytest.raises(
            (IndexError, TypeError), match="no item 9 among 3; use -3 to 3|insert expects a Cell, got i"
        ):
            net.held.insert(index, cell)
        assert names(net) == ["held.0.weight", "held.2.weight"]


def test_a_cell_dict_is_a_dict():
    created = nn.CellDict({"dense": nn.Dense(1, 1), "relu": nn.ReLU()})
    assert (list(created), len(created), "relu" in created, "tanh" in created) == (["dense", "relu"], 2, True, False)
    assert list(created.items()) == list(zip(created.keys(), created.values(), strict=True))
    relu = created.pop("relu")
    assert isinstance(relu, nn.ReLU)
    created.update([["again", relu]])
    assert created["again"] is relu
    created.clear()
    assert not created


def test_members_of_a_cell_dict_are_named_after_it():
    class Net(AttributeCell):
        def construct(self, x):
            return self.layers["y"](self.layers["x"](x))

    net, x = Net(layers=nn.CellDict([("x", dense())])), Tensor([[3.0]])
    net.layers["y"] = dense()
    assert names(net) == ["layers.x.weight", "layers.y.weight"]
    assert jit(net)(x).item() == net(x).item()


@cases(
    ("", nn.ReLU(), KeyError, "^CellDict: '' is not a valid name; use one without dots"),
    ("a.b", nn.ReLU(), KeyError, "^CellDict: 'a.b' is not a valid name"),
    ("construct", nn.ReLU(), KeyError, "^CellDict: 'construct' is not a valid name"),
    (3, nn.ReLU(), TypeError, "^CellDict: names must be strings, got int"),
    ("a", None, TypeError, "^CellDict: member 'a' must be a Cell and no container, got NoneType"),
    ("a", nn.CellList(), TypeError, "and no container, got CellList"),
)
def test_invalid_members_of_a_cell_dict_raise(key, cell, kind, words):
    created = nn.CellDict()
    with pytest.raises(kind, match=words):
        created.update([("fine", nn.ReLU()), (key, cell)])
    assert len(created) == 0


test_what_is_no_cell_dict = error_cases(
    (3, "^CellDict: expected pairs of a name and a Cell, got int"),
    ([3], "^CellDict: item 0 must be a name and a Cell, got int"),
    ([("a", nn.ReLU(), 1)], "^CellDict: item 0 must be a name and a Cell, got 3 items"),
    by=nn.CellDict,
    error=(TypeError, ValueError),
)


test_errors = error_cases(
    (lambda: nn.CellDict({"a": nn.ReLU()}).pop("b"), KeyError, r"^CellDict: no member 'b'; the names are \['a'\]"),
    (lambda: nn.SequentialCell(Plus(1), lambda x: x), TypeError, "item 1 must be a Cell, got function"),
    (lambda: nn.CellList([Plus(1)])(Tensor([1.0])), AttributeError, "'construct' is not defined"),
)
