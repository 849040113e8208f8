"""Capture runs no special method of the program to find out what a function reads: such methods may count or log."""

from collections import OrderedDict

import numpy as np
import pytest

from minigraph import Tensor, jit
from minigraph.compilation import OpByOpWarning
from tests.same_as_eager import SETTING_NAMES, SETTINGS, check, same_as_eager


def logging(base, *names):
    """A subclass of a class of Python or numpy whose special methods write to a log, and the log."""
    log = []

    def method(name):
        def call(self, *args):
            log.append(name)
            return getattr(base, name)(self, *args)

        return call

    return type(base.__name__, (base,), {name: method(name) for name in names}), log


def reads(thing, log):
    """A program that reads an object without calling its special methods."""
    return lambda x: x * 2 if thing is not None else x, lambda: list(log)


def a_dict():
    kind, log = logging(dict, "__iter__", "__len__", "keys", "values", "items", "__getitem__", "__contains__")
    return reads(kind(a=1), log)


def an_ordered_dict():
    kind, log = logging(OrderedDict, "__iter__", "__len__", "keys", "values", "items")
    return reads(kind(a=1, b=2), log)


def a_list():
    kind, log = logging(list, "__iter__", "__len__", "__getitem__")
    return reads(kind([1]), log)


def a_tuple():
    kind, log = logging(tuple, "__iter__", "__len__", "__getitem__")
    return reads(kind((1, 2)), log)


def a_set():
    kind, log = logging(set, "__iter__", "__len__")
    return reads(kind({1}), log)


def an_array():
    kind, log = logging(np.ndarray, "copy", "tobytes", "__getitem__", "__array_ufunc__")
    kind.__array_finalize__ = lambda self, other: log.append(type(other))
    array = np.arange(3.0).view(kind)
    log.clear()
    return reads(array, log)


def slots_with_unknown_names():
    log = []

    class Slots:
        __slots__ = ("set", "unset")

        def __getattr__(self, name):
            log.append(name)
            return 3

    obj = Slots()
    obj.set = 2
    return lambda x: x * obj.set * obj.unset, lambda: list(log)


def a_callable_with_unknown_names():
    log = []

    class Double:
        def __getattr__(self, name):
            log.append(name)
            raise AttributeError(name)

        def __call__(self, x):
            return x * 2

    double = Double()
    return lambda x: double(x), lambda: list(log)


def a_metaclass_with_unknown_names():
    log = []

    class Meta(type):
        def __getattr__(cls, name):
            log.append(name)
            if name.startswith("__"):
                raise KeyError(name)
            return 5

    class Box(metaclass=Meta):
        k = 2

    box = Box()
    return lambda x: x * box.k * Box.other, lambda: list(log)


def a_descriptor_of_a_class():
    log = []

    class Descriptor:
        def __get__(self, obj, kind):
            log.append(obj is None)
            return 2

    class Box:
        value = Descriptor()

    return lambda x: x * Box.value * Box().value, lambda: list(log)


test_no_method_runs_in_addition = same_as_eager(
    a_dict, an_ordered_dict, a_list, a_tuple, a_set, an_array, slots_with_unknown_names, a_callable_with_unknown_names,
    a_metaclass_with_unknown_names,
)  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_NAMES)
def test_no_descriptor_runs_in_addition(setting):
    check(a_descriptor_of_a_class, setting)


@pytest.mark.parametrize("program", [a_metaclass_with_unknown_names, slots_with_unknown_names])
def test_with_fullgraph_the_refusal_is_one_of_capture(program):
    fn, _ = program()
    with pytest.raises(RuntimeError, match=r"cannot be guarded|changed in place|unavailable"):
        jit(fn, fullgraph=True)(Tensor([1.0]))


# ---- arguments that are no tensors ---------------------------------------------------------------


class Hashed:
    """An object whose own methods must not run for the key of a program."""

    def __init__(self, k):
        self.k = k

    def __hash__(self):
        raise ValueError("no hash")


class Equal(Hashed):
    __hash__ = Hashed.__hash__

    def __eq__(self, other):
        raise ValueError("no comparison")


class Text(str):
    __hash__ = Hashed.__hash__
    k = 2


@pytest.mark.parametrize("make", [Hashed, Equal])
def test_the_key_of_a_program_runs_no_method_of_an_argument(make):
    compiled = jit(lambda x, obj: x * obj.k, fullgraph=True)
    first, second = make(2), make(3)
    assert [compiled(Tensor([1.0]), obj).item() for obj in (first, second, first)] == [2.0, 3.0, 2.0]
    first.k = 7
    assert compiled(Tensor([1.0]), first).item() == 7.0


def test_the_key_of_a_program_runs_no_method_of_a_text():
    compiled = jit(lambda x, text: x * text.k, fullgraph=True)
    assert [compiled(Tensor([1.0]), Text("a")).item() for _ in range(2)] == [2.0, 2.0]


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_a_set_is_no_key():
    compiled, items = jit(lambda x, items: x * len(items)), {1}
    assert compiled(Tensor([1.0]), items).item() == 1.0
    items.add(2)
    assert compiled(Tensor([1.0]), items).item() == 2.0


def test_an_argument_that_contains_itself():
    items = [1]
    items.append(items)
    compiled = jit(lambda x, items: x * len(items))
    with pytest.warns(OpByOpWarning, match="an argument contains itself"):
        assert compiled(Tensor([1.0]), items).item() == 2.0
    with pytest.raises(RuntimeError, match="an argument contains itself, or is nested too deeply in `jit"):
        jit(lambda x, items: x * len(items), fullgraph=True)(Tensor([1.0]), items)
