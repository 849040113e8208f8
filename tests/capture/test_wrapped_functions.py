"""The function inside of decorators, methods and partials, and the functions around it."""

import functools
from functools import partial

from minigraph import Tensor, jit
from minigraph.capture.wrapped_functions import function_and_owner, wrappers_of


def counted(fn):
    @functools.wraps(fn)
    def call(*args):
        return fn(*args)

    return call


def double(x):
    return x * 2


class Scale:
    @counted
    def run(self, x):
        return x * 3


def test_the_function_and_its_wrappers():
    scale = Scale()
    once = counted(double)
    twice = counted(once)
    assert function_and_owner(partial(twice, 1)) == (double, None)
    assert list(wrappers_of(twice)) == [twice, once] and list(wrappers_of(double)) == []
    assert function_and_owner(scale.run)[0] is Scale.run.__wrapped__
    assert list(wrappers_of(scale.run)) == [vars(Scale)["run"]]
    assert function_and_owner(len) == function_and_owner(Scale) == (None, None)


def test_a_function_that_wraps_itself():
    def triple(x):
        return x * 3

    triple.__wrapped__ = triple
    assert function_and_owner(triple) == (triple, None) and list(wrappers_of(triple)) == []
    assert jit(lambda x: triple(x), fullgraph=True)(Tensor([1.0])).tolist() == [3.0]


class AnswersAll:
    def __getattr__(self, name):
        return self

    def __call__(self, x):
        return x * 2


def test_an_object_that_answers_every_name_wraps_nothing():
    assert function_and_owner(AnswersAll()) == (None, None) and list(wrappers_of(AnswersAll())) == []
