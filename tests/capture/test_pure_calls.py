"""Which calls and objects have no hidden state: a closed list."""

import array
import contextvars
import math
import os
import time
import weakref
from collections import defaultdict
from itertools import count

import numpy as np
import pytest

from minigraph.capture.pure_calls import has_hidden_state, is_pure_builtin, is_pure_file, is_standard_file


@pytest.mark.parametrize("fn", [len, math.sin, [].append, "a".join, np.zeros, isinstance, dict.fromkeys, {}.get])
def test_pure_functions(fn):
    assert is_pure_builtin(fn)


@pytest.mark.parametrize("fn", [time.time, os.getcwd, open, print, id, {1}.pop, contextvars.ContextVar("a").get])
def test_functions_with_hidden_state(fn):
    assert not is_pure_builtin(fn)


class Plain:
    """An object with its state in attributes."""


THING = Plain()


@pytest.mark.parametrize("value", [
    1, "a", [1], THING, np.ones(2), len, math, Plain, ..., NotImplemented, slice(1), memoryview(b"a"),
    defaultdict(list),
])  # fmt: skip
def test_objects_whose_state_is_guarded(value):
    assert not has_hidden_state(value)


@pytest.mark.parametrize("value", [weakref.ref(THING), {}.keys(), array.array("i", [1]), defaultdict(count().__next__)])
def test_objects_with_hidden_state(value):
    assert has_hidden_state(value)


def test_files():
    assert is_standard_file(os.__file__)
    assert not is_pure_file(os.__file__)
    assert not is_standard_file(__file__)
    assert not is_pure_file(__file__)
