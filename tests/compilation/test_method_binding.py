"""Jitted methods are found as other methods are: by the class, unless the object has an attribute of the name."""

import copy

import pytest

from minigraph import Tensor, jit
from minigraph.compilation import OpByOpWarning


class Doubling:
    @jit
    def scaled(self, x):
        return x * 2

    @jit
    def other(self, x):
        return x * 2


class Tripling(Doubling):
    @jit
    def scaled(self, x):
        return super().scaled(x) * 3


def test_a_jitted_method_that_overrides_another_or_is_replaced_is_not_hidden_by_what_the_object_stores(monkeypatch):
    x, thing = Tensor([1.0]), Tripling()
    assert [thing.scaled(x).tolist(), super(Tripling, thing).scaled(x).tolist()] == [[6], [2]]
    assert [thing.scaled(x).tolist(), thing.other(x).tolist()] == [[6], [2]]
    monkeypatch.setattr(Doubling, "other", lambda self, x: x * 100)
    assert thing.other(x).tolist() == [100]
    monkeypatch.setattr(Doubling, "scaled", lambda self, x: x * 100)
    assert thing.scaled(x).tolist() == [300]


def test_an_attribute_hides_a_jitted_method_until_it_is_deleted():
    thing, x = Doubling(), Tensor([1.0])
    assert thing.scaled(x).tolist() == [2]
    thing.scaled = lambda x: x * 5
    assert thing.scaled(x).tolist() == [5]
    del thing.scaled
    assert thing.scaled(x).tolist() == [2]
    with pytest.raises(AttributeError, match="scaled"):
        del thing.scaled


def test_a_copy_has_its_own():
    thing = Doubling()
    thing.scaled(Tensor([1.0]))
    other = copy.deepcopy(thing)
    assert other.scaled is not thing.scaled
    assert (other.scaled.owner, thing.scaled.owner) == (other, thing)
    assert Doubling.scaled.__get__(thing) is thing.scaled


def test_messages_name_the_class_of_a_method():
    class Net:
        @jit
        def forward(self, x):
            return x if float(x.sum()) > 0 else -x

        @classmethod
        def of(cls, x):
            return x

    with pytest.warns(OpByOpWarning, match=r"'Net\.forward' runs op by op"):
        Net().forward(Tensor([1.0]))
    assert [jit(Net.of).title, jit(Net.forward.fn).title] == ["Net.of", "forward"]
