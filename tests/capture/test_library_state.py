"""Methods of the standard library read private state of objects, which a program may set."""

import argparse
import collections
import enum
import fractions
import functools
import statistics
import types

import pytest

from minigraph import Tensor, jit
from minigraph.capture.library_state import guards_of_library_state
from tests.same_as_eager import same_as_eager


def fraction():
    state = {"half": fractions.Fraction(1, 2)}
    return lambda x: x * float(state["half"]), None, lambda n: setattr(state["half"], "_numerator", n + 3)


def subclass_of_fraction():
    class Ratio(fractions.Fraction):
        pass

    ratio = Ratio(1, 2)
    return lambda x: x * float(ratio), None, lambda n: setattr(ratio, "_denominator", n + 3)


def subclass_of_user_dict():
    class Table(collections.UserDict):
        pass

    table = Table(k=1.0)
    return lambda x: x * table["k"], None, lambda n: setattr(table, "data", {"k": n + 2.0})


def subclass_of_chain_map():
    class Layers(collections.ChainMap):
        pass

    layers = Layers({"k": 1.0})
    return lambda x: x * layers["k"], None, lambda n: setattr(layers, "maps", [{"k": n + 2.0}])


def normal_distribution():
    normal = statistics.NormalDist(1.0, 2.0)
    return lambda x: x * normal.mean, None, lambda n: setattr(normal, "_mu", n + 2.0)


def name_of_a_member():
    class Color(enum.Enum):
        RED = 1

    return lambda x: x * len(Color.RED.name), None, lambda n: setattr(Color.RED, "_name_", "R" * (n + 5))


def text_of_a_namespace():
    space = types.SimpleNamespace(k=1.0)
    return lambda x: x * len(repr(space)), None, lambda n: setattr(space, f"k{n}", n)


def equal_namespaces():
    first, second = argparse.Namespace(k=1.0), argparse.Namespace(k=1.0)
    return lambda x: x * (2 if first == second else 1), None, lambda n: setattr(first, "q", n)


def attribute_of_a_partial():
    scale = functools.partial(lambda x, k: x * k, k=2.0)
    scale.offset = types.SimpleNamespace(k=1.0)
    return lambda x: scale(x) + scale.offset.k, None, lambda n: setattr(scale.offset, "k", n + 2.0)


def new_attribute_of_a_partial():
    scale = functools.partial(lambda x, k: x * k, k=2.0)
    return lambda x: scale(x) + getattr(scale, "offset", 0), None, lambda n: setattr(scale, "offset", n + 2.0)


test_private_state_that_changes_between_calls = same_as_eager(
    fraction,
    subclass_of_fraction,
    subclass_of_user_dict,
    subclass_of_chain_map,
    normal_distribution,
    name_of_a_member,
    text_of_a_namespace,
    equal_namespaces,
    attribute_of_a_partial,
    new_attribute_of_a_partial,
)


def test_attributes_that_the_library_does_not_read_are_not_guarded():
    class Table(collections.UserDict):
        pass

    table = Table(k=1.0)
    table.calls = 0
    names = [guard.name for guard in guards_of_library_state(table)]
    assert "data" in names and "calls" not in names


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_fraction_that_does_not_change_is_compiled_once(mode):
    half = fractions.Fraction(1, 2)
    compiled = jit(lambda x: x * float(half), capture_mode=mode)
    assert [compiled(Tensor([k])).tolist() for k in (1.0, 2.0)] == [[0.5], [1.0]]
    assert (compiled.cache_info().misses, compiled.cache_info().segments) == (1, ())
