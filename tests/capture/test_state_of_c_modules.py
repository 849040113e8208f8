"""State of modules in C, which no guard can read: never frozen, in straight code, branches, loops and functions."""

import csv
import decimal
import gc
import os
import types

import pytest

from tests.same_as_eager import SETTING_NAMES, SETTINGS, check

LIMIT, FOLDER, PRECISION = csv.field_size_limit(), os.getcwd(), decimal.getcontext().prec


@pytest.fixture(autouse=True)
def state_restored():
    yield
    csv.field_size_limit(LIMIT)
    os.chdir(FOLDER)
    decimal.getcontext().prec = PRECISION
    gc.enable()


def set_folder(number):
    os.chdir(("/", FOLDER)[number % 2])


def set_precision(number):
    decimal.getcontext().prec = 5 + number


STATES = {
    "csv.field_size_limit": (csv.field_size_limit, lambda number: csv.field_size_limit(1000 + number)),
    "os.getcwd": (lambda: len(os.getcwd()), set_folder),
    "gc.isenabled": (lambda: float(gc.isenabled()), lambda number: (gc.enable, gc.disable)[number % 2]()),
    "decimal.getcontext": (lambda: decimal.getcontext().prec, set_precision),
    "method": (types.SimpleNamespace(read=csv.field_size_limit).read, lambda number: csv.field_size_limit(9 + number)),
}


def direct_read(read):
    return lambda x: x * read()


def in_branch(read):
    def step(x):
        y = -x
        if x.sum() > -100:
            y = x * read()
        return y

    return step


def in_both_branches(read):
    def step(x):
        return x * read() if x.sum() > 2 else x + read()

    return step


def in_loop(read):
    def step(x):
        while x.sum() < 10_000:
            x = x.abs() + 1 + read()
        return x

    return step


def in_nested_function(read):
    def inner(x):
        return [x * read() for _ in range(2)][-1]

    def step(x):
        y = -x
        if x.sum() > -100:
            y = inner(x)
        return y

    return step


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_NAMES)
@pytest.mark.parametrize("program", [direct_read, in_branch, in_both_branches, in_loop, in_nested_function])
@pytest.mark.parametrize("name", STATES)
def test_state_of_modules_in_c_is_never_stale(name, program, setting):
    read, set_state = STATES[name]
    set_state(0)

    def parts():
        set_state(0)
        return program(read), None, set_state

    assert check(parts, setting)
