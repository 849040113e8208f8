"""Callables that hold an object: what it holds is read at every call, in however many callables it is wrapped."""

import itertools
import types
import warnings
from collections import Counter, deque
from functools import partial
from operator import getitem

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor


class Box:
    """An object whose attribute is named nowhere else."""

    def __init__(self):
        setattr(self, "content", 1.0)  # noqa: B010

    def change(self, number):
        """Set the attribute."""
        setattr(self, "content", number)  # noqa: B010


def set_first(items, number):
    items[0] = number


def set_key(table, number):
    table["key"] = number


def numbers():
    return [1.0, 2.0, 3.0, 4.0]


# what makes the object, what binds it, how it is changed between two calls, how the result is called
CASES = {
    "method in C": (numbers, lambda o: o.__getitem__, set_first, lambda f: f(0)),
    "method wrapper": (numbers, lambda o: o.__len__, list.append, lambda f: f()),
    "wrapper of a wrapper": (numbers, lambda o: o.__len__.__call__, list.append, lambda f: f()),
    "next of an iterator": (lambda: iter(numbers()), lambda o: o.__next__, lambda o, n: None, lambda f: f()),
    "next, as a method": (
        lambda: iter(numbers()), lambda o: types.MethodType(next, o), lambda o, n: None, lambda f: f()
    ),
    "item of an array": (lambda: np.ones(2), lambda o: o.__getitem__, set_first, lambda f: f(0)),
    "dict": (lambda: {"key": 1.0}, lambda o: o.get, set_key, lambda f: f("key")),
    "view of a dict": (
        lambda: {"key": 1.0}, lambda o: types.MappingProxyType(o).__getitem__, set_key, lambda f: f("key")
    ),
    "counter": (lambda: Counter(key=1), lambda o: o.__getitem__, set_key, lambda f: f("key")),
    "deque": (lambda: deque(numbers()), lambda o: o.__getitem__, set_first, lambda f: f(0)),
    "method made of a function in C": (numbers, lambda o: types.MethodType(getitem, o), set_first, lambda f: f(0)),
    "method made of a lambda": (numbers, lambda o: types.MethodType(lambda own: own[0], o), set_first, lambda f: f()),
    "method made of a method": (
        numbers, lambda o: types.MethodType(types.MethodType(getitem, o), 0), set_first, lambda f: f()
    ),
    "partial of a method": (numbers, lambda o: partial(types.MethodType(getitem, o), 0), set_first, lambda f: f()),
    "partial of getattr": (Box, lambda o: partial(getattr, o), Box.change, lambda f: f("content")),
    "partial of vars": (Box, lambda o: partial(vars, o), Box.change, lambda f: f()["content"]),
    "__getattribute__": (Box, lambda o: o.__getattribute__, Box.change, lambda f: f("content")),
    "__getattribute__ of type": (
        lambda: type("T", (), {"content": 1.0}), lambda o: partial(type.__getattribute__, o), Box.change,
        lambda f: f("content"),
    ),
    "__getattribute__ of a module": (
        lambda: Box.change(module := types.ModuleType("m"), 1.0) or module, lambda o: o.__getattribute__, Box.change,
        lambda f: f("content"),
    ),
}  # fmt: skip


def results(decorate, holder, case):
    """The results of four calls; between two, the object is changed."""
    make, bind, change, use = CASES[case]
    instance = make()
    bound = bind(instance)
    box, items = types.SimpleNamespace(bound=bound), [bound]
    function, arguments = {
        "closure": (lambda x: x * use(bound), ()),
        "attribute": (lambda x: x * use(box.bound), ()),
        "item": (lambda x: x * use(items[0]), ()),
        "default": (lambda x, f=bound: x * use(f), ()),
        "argument": (lambda x, f: x * use(f), (bound,)),
        "item of an argument": (lambda x, fs: x * use(fs[0]), ([bound],)),
    }[holder]
    called, results = decorate(function), []
    for number in (2.0, 3.0, 4.0, 5.0):
        results.append(float(called(Tensor(1.0), *arguments)))
        change(instance, number)
    return results


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("case", CASES)
def test_what_a_callable_holds_is_read_at_every_call(case, mode):
    for holder in ("closure", "attribute", "item", "default", "argument", "item of an argument"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            assert results(ms.jit(capture_mode=mode), holder, case) == results(lambda f: f, holder, case), holder


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_iterators_of_itertools_are_read_without_a_deprecated_reduction(mode):
    for make in (
        lambda: itertools.cycle(numbers()), lambda: itertools.count(1.5), lambda: itertools.repeat(2.0, 6),
        lambda: itertools.chain(numbers(), [5.0]), lambda: itertools.accumulate(numbers()),
        lambda: map(sum, itertools.combinations(numbers(), 2)), lambda: itertools.islice(itertools.count(2), 1, 9),
    ):  # fmt: skip

        def results_of(decorate, make=make):
            iterator = make()
            called = decorate(lambda x: x * next(iterator))
            return [float(called(Tensor(1.0))) for _ in range(4)]

        with pytest.warns(UserWarning, match="is an iterator, which gives another item at each call"):
            captured = results_of(ms.jit(capture_mode=mode))
        assert captured == results_of(lambda f: f)
