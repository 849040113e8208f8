"""Lines that set, change or load a name, found in bytecode."""

import random

import numpy as np

from minigraph.capture.lines import line_changing, line_loading, line_setting

LOG, TABLE = [], {}


def first_line(fn, loc):
    return loc and loc.line - fn.__code__.co_firstlineno


def sets(x):
    global LOG
    y = x
    LOG = [y]
    x.size = 1
    return y


def changes(x):
    before = len(LOG)
    LOG.append(before)
    TABLE["a"] = before
    del x[0]
    return LOG


def only_reads(x):
    items = LOG
    return items


def inside(x):
    def inner():
        nonlocal x
        x = 2

    return inner


def draws(x):
    y = np.sin(1.0)
    y += np.random.rand()
    return y + random.random()


def test_lines_that_set():
    assert first_line(sets, line_setting([sets], "LOG")) == 3
    assert first_line(sets, line_setting([sets], "size")) == 4
    assert line_setting([sets], "y") is None
    assert first_line(inside, line_setting([only_reads, inside], "x")) == 3


def test_lines_that_change():
    assert first_line(changes, line_changing([changes], "LOG")) == 2
    assert first_line(changes, line_changing([changes], "TABLE")) == 3
    assert first_line(changes, line_changing([changes], "x")) == 4
    assert first_line(only_reads, line_changing([only_reads], "LOG")) == 1
    assert line_changing([only_reads], "nowhere") is None


def test_lines_that_load_a_value():
    assert first_line(draws, line_loading([draws], lambda name, value: value is np.random)) == 2
    assert first_line(draws, line_loading([draws], lambda name, value: value is random)) == 3
    assert first_line(draws, line_loading([draws], lambda name, value: name == "sin")) == 1
    assert line_loading([draws], lambda name, value: value is LOG) is None


def test_a_closed_over_value():
    generator = random.Random(0)

    def drawing(x):
        return generator.random()

    loc = line_loading([drawing], lambda name, value: value is generator)
    assert (first_line(drawing, loc), loc.function, loc.text) == (1, "drawing", "return generator.random()")
