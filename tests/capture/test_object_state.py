"""The state of single objects is read and set back without the methods of their classes."""

import random

import numpy as np

from minigraph.capture.object_state import items_in, read_array, read_random, set_random, slots_of, state_of


class ListThatRaises(list):
    """A list whose iteration raises."""

    def __iter__(self):
        raise AssertionError


class Slotted:
    __slots__ = ("__hidden", "a")


def test_a_list_is_read_without_its_class():
    assert items_in(ListThatRaises([1, 2])) == (1, 2)
    assert items_in({"a": 1}) == ("a", 1)


def test_slots_have_their_mangled_names():
    assert sorted(slots_of(Slotted)) == ["_Slotted__hidden", "a"]


def test_arrays_and_generators():
    array = np.zeros(3)
    before = read_array(array)
    array[0] = 1
    assert read_array(array) != before
    for generator in (random.Random(1), np.random.default_rng(1), np.random.RandomState(1)):
        state = read_random(generator)
        draw = generator.random()
        set_random(generator, state)
        assert generator.random() == draw
        assert state_of(generator) is not None
