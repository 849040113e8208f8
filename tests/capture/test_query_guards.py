"""Guards of entries of classes and of answers of functions."""

import numpy as np

from minigraph.capture.query_guards import ClassGuard, QueryGuard
from tests.same_as_eager import same_as_eager


class Thing:
    @property
    def value(self):
        raise AssertionError("was run")


def test_an_entry_of_a_class_is_compared_without_being_run(monkeypatch):
    guard = ClassGuard(Thing, "value", vars(Thing)["value"])
    assert guard.holds and guard.description == "'Thing.value'"
    assert guard.key == ClassGuard(Thing, "value", None).key != ClassGuard(Thing, "other", None).key
    monkeypatch.setattr(Thing, "value", property(lambda self: 1))
    assert not guard.holds
    monkeypatch.delattr(Thing, "value")
    assert not guard.holds


def test_a_query_guard_calls_its_function_again():
    answers = [1, 1, 2]
    guard = QueryGuard(lambda: answers.pop(0), answers.pop(0), "an answer")
    assert guard.holds and not guard.holds
    assert guard.key is guard.query and guard.description == "an answer"


def fields_are_renamed():
    dtype = np.dtype([("a", "f4"), ("b", "f4")])

    def rename(n):
        dtype.names = ("a" * (n + 2), "b")

    return lambda x: x * len(dtype.names[0]), None, rename


def fields_of_an_array_are_renamed():
    array = np.zeros(2, [("a", "f4"), ("b", "f4")])

    def rename(n):
        array.dtype.names = ("a" * (n + 2), "b")

    return lambda x: x * len(array.dtype.names[0]), None, rename


test_names_of_fields = same_as_eager(fields_are_renamed, fields_of_an_array_are_renamed)
