"""Clocks, files and the system are found in the code that loads them."""

import os
import time

import numpy as np
import pytest

from minigraph.capture.clocks import CLOCKS, find_clock

now = time.time


def reads_a_clock(x):
    return x * time.time()


def reads_a_clock_under_another_name(x):
    return x * now()


def reads_the_environment(x):
    return x * len(os.environ["HOME"])


def reads_a_file(x):
    return x * np.load("file")


def reads_an_array(x):
    return x * np.fromfile("file")


def reads_the_date(x):
    return x, np.datetime64("now")


@pytest.mark.parametrize("function", [
    reads_a_clock, reads_a_clock_under_another_name, reads_the_environment, reads_a_file, reads_an_array,
    reads_the_date,
])  # fmt: skip
def test_the_line_that_loads_a_clock_is_found(function):
    names = {"time", "environ", "load", "fromfile", "datetime64"}
    assert find_clock([function], names).line == function.__code__.co_firstlineno + 1
    assert find_clock([function], {"other"}) is None


def multiplies(x):
    time = x * 2
    return time


def test_a_variable_of_the_name_is_no_clock():
    assert find_clock([multiplies], {getattr(clock, "__name__", "environ") for clock in CLOCKS}) is None
